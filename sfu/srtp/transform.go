package srtp

// transform is a cryptographic transform with the session keys of RTP or of RTCP, in one
// direction (RFC 3711 section 3.2.1). It has room to work in, so one goroutine at a time
// uses it.
//
// The caller has checked that packets are long enough: an RTP packet has header bytes of
// header and then at least a tag, an RTCP packet its header, a tag and the ESRTCP word.
type transform interface {
	// sealRTP appends the packet, protected, to dst.
	sealRTP(dst, header, payload []byte, ssrc uint32, index uint64) []byte
	// openRTP decrypts in place. If the packet is forged, it returns nil and what is in packet is
	// no longer of use.
	openRTP(packet []byte, header int, ssrc uint32, index uint64) []byte
	// sealRTCP appends the compound packet, protected, to dst.
	sealRTCP(dst, compound []byte, ssrc, index uint32) []byte
	// openRTCP is as openRTP. The index is that of the packet.
	openRTCP(packet []byte, ssrc, index uint32) []byte
	// fork gives a transform with the same keys and its own room.
	fork() transform
}

func (m *master) transform(label byte) (transform, error) {
	s, err := m.session(label)
	if err != nil {
		return nil, err
	}
	if m.profile == AEAD_AES_128_GCM {
		return newGCM(s)
	}
	return newCM(s)
}

// tagLen is the length of an authentication tag.
func (m *master) tagLen() int {
	if m.profile == AEAD_AES_128_GCM {
		return tagLenGCM
	}
	return tagLenCM
}

// wordEnd is how far before the end of an SRTCP packet the ESRTCP word begins: it follows the
// tag of AEAD_AES_128_GCM (RFC 7714 section 9.2), and comes before the other profile's (RFC
// 3711 section 3.4).
func (m *master) wordEnd() int {
	if m.profile == AEAD_AES_128_GCM {
		return wordLen
	}
	return wordLen + tagLenCM
}
