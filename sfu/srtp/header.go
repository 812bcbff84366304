package srtp

import "encoding/binary"

const (
	version = 2 // of RTP and RTCP, the first two bits of a packet

	rtpHeaderLen       = 12 // without CSRCs and extension
	csrcLen            = 4
	extensionHeaderLen = 4
	rtcpHeaderLen      = 8 // of the first packet of a compound, with the sender's SSRC

	encryptedFlag = 1 << 31 // E, the first bit of the ESRTCP word
)

// rtpHeader finds where the payload of an RTP packet begins (RFC 3550 sections 5.1 and 5.3.1).
func rtpHeader(packet []byte) (length int, ok bool) {
	if len(packet) < rtpHeaderLen || packet[0]>>6 != version {
		return 0, false
	}
	length = rtpHeaderLen + csrcLen*int(packet[0]&0x0f)
	if packet[0]&0x10 != 0 {
		if len(packet) < length+extensionHeaderLen {
			return 0, false
		}
		words := binary.BigEndian.Uint16(packet[length+2:])
		length += extensionHeaderLen + 4*int(words)
	}
	return length, length <= len(packet)
}

func rtpSequence(header []byte) uint16 { return binary.BigEndian.Uint16(header[2:]) }
func rtpSSRC(header []byte) uint32     { return binary.BigEndian.Uint32(header[8:]) }

// isRTCP says whether a packet has the header of RTCP (RFC 3550 section 6.4.1).
func isRTCP(packet []byte) bool {
	return len(packet) >= rtcpHeaderLen && packet[0]>>6 == version
}

func rtcpSSRC(packet []byte) uint32 { return binary.BigEndian.Uint32(packet[4:]) }
