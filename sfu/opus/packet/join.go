package packet

// Join appends to dst one packet that has the frames of several packets (RFC 6716
// section 3.2.5, code 3 with stated lengths; a single packet stays as it is). Each of
// them has one frame, all have the same configuration, and together they last at most
// 120 ms, which the caller ensures. If they cannot be joined, dst is returned
// unchanged.
func Join(dst []byte, packets [][]byte) []byte {
	switch {
	case len(packets) == 1:
		return append(dst, packets[0]...)
	case len(packets) == 0 || len(packets) > 48:
		return dst
	}
	for _, p := range packets {
		if len(p) == 0 || p[0] != packets[0][0] || p[0]&3 != 0 || len(p) > 1+MaxFrameBytes {
			return dst
		}
	}
	dst = append(dst, packets[0][0]|3, 128|byte(len(packets)))
	for _, p := range packets[:len(packets)-1] {
		dst = appendLength(dst, len(p)-1)
	}
	for _, p := range packets {
		dst = append(dst, p[1:]...)
	}
	return dst
}

// appendLength writes a frame's length (RFC 6716 section 3.2.1).
func appendLength(dst []byte, n int) []byte {
	if n < 252 {
		return append(dst, byte(n))
	}
	return append(dst, byte(252+n&3), byte((n-252)/4))
}
