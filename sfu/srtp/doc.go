// Package srtp protects RTP and RTCP packets (SRTP, RFC 3711) with the two profiles that
// WebRTC needs: AEAD_AES_128_GCM (RFC 7714) and AES_CM_128_HMAC_SHA1_80 (RFC 3711 sections
// 4.1.1 and 4.2.1). Keys come from a DTLS handshake (RFC 5764).
//
// A connection has an Out, which protects what is sent, and an In, which checks and
// decrypts what arrives. Neither allocates per packet, and neither does input or output.
//
// Not here, because WebRTC does not use it: re-keying and the MKI (RFC 3711 section 3.1), a
// key derivation rate other than 0 (4.3.1), unencrypted SRTCP (3.4), encrypted header
// extensions (RFC 6904, RFC 9335).
package srtp

import "errors"

// Why a packet is refused. A packet that is refused has changed nothing.
var (
	// ErrMalformed: it is not RTP or RTCP, its header ends beyond the packet, or it would not fit
	// a datagram.
	ErrMalformed = errors.New("srtp: malformed packet")
	// ErrReplay: it has been received before, or is too old to tell (RFC 3711 section 3.3.2).
	ErrReplay = errors.New("srtp: repeated or too late")
	// ErrForged: it was not made with the peer's key, or has been changed.
	ErrForged = errors.New("srtp: not authentic")
	// ErrUnencrypted: the E flag of an SRTCP packet is not set, but WebRTC requires encryption
	// (RFC 8827 section 6.5).
	ErrUnencrypted = errors.New("srtp: unencrypted SRTCP")
	// ErrStreams: it is authentic, but its SSRC would be one more than In takes.
	ErrStreams = errors.New("srtp: too many streams")
	// ErrExhausted: 2^48 RTP or 2^31 RTCP packets are the most that a key may protect (RFC 3711
	// section 9.2).
	ErrExhausted = errors.New("srtp: the key has protected as many packets as it may")
	// ErrSequence: the sequence number of a packet to be sent was used before, is too far behind
	// to tell, or goes up by 2^15 or more, where receivers lose count of the roll-overs.
	ErrSequence = errors.New("srtp: the sequence number was used or is out of range")
	// ErrSSRC: a packet to be sent is not of this stream.
	ErrSSRC = errors.New("srtp: the SSRC is another stream's")
)
