package line

import "encoding/binary"

// Record types of DTLS (RFC 6347 section 4.1, RFC 5246 section 6.2.1).
const (
	ChangeCipherRecord = 20
	AlertRecord        = 21
	HandshakeRecord    = 22
	DataRecord         = 23 // application data
)

// Records keeps those records of a datagram of DTLS that pion may be given, in place. pion
// takes an alert or data of epoch 0, which nobody has signed, for the client's, also when
// the connection is up (RFC 6347 section 4.1.2.7 lets it discard them), and it decrypts no
// ChangeCipherSpec of any epoch. So anybody who can write the client's address into a
// datagram could end its line. What is left is signed, belongs to a handshake in the form
// that it must have, or is discarded by pion. A handshake that fails tells so in epoch 0; it
// runs into its timeout instead.
func Records(b []byte) []byte {
	const header, epoch, length = 13, 3, 11 // RFC 6347 section 4.1
	kept := b[:0]
	for len(b) > header {
		end := header + int(binary.BigEndian.Uint16(b[length:]))
		if end > len(b) {
			break
		}
		if believable(b[0], binary.BigEndian.Uint16(b[epoch:]), b[header:end]) {
			kept = append(kept, b[:end]...)
		}
		b = b[end:]
	}
	return kept
}

// believable says whether pion may be given a record. There are no epochs after the first
// handshake's, because nothing is negotiated again.
func believable(kind byte, epoch uint16, content []byte) bool {
	if len(content) == 0 {
		return false
	}
	switch kind {
	case HandshakeRecord:
		return epoch <= 1
	case AlertRecord, DataRecord:
		return epoch == 1
	case ChangeCipherRecord:
		return epoch == 0 && len(content) == 1 && content[0] == 1
	}
	return false
}
