package packet

// EmptyBytes is the length of the longest packet that Empty makes.
const EmptyBytes = 2

// Empty appends to dst a packet that lasts as long as another well-formed one and has no
// compressed frames: a decoder conceals each of them, as if it were lost (RFC 6716 section
// 3.2.1: a frame of length zero).
func Empty(dst, like []byte) []byte {
	info, err := Inspect(like)
	if err != nil {
		return dst
	}
	if info.Frames == 1 {
		return append(dst, like[0]&^3)
	}
	return append(dst, like[0]|3, byte(info.Frames)) // code 3, all of the same length
}
