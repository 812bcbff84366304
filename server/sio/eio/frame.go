package eio

import (
	"encoding/base64"
	"encoding/binary"
)

// Packet types of Engine.IO as they stand at the start of a text packet.
const (
	packetOpen    = '0'
	packetClose   = '1'
	packetPing    = '2'
	packetPong    = '3'
	packetMessage = '4'
	packetUpgrade = '5'
	packetNoop    = '6'
)

// separator stands between the packets of a polling payload.
const separator = 0x1e

// Frame is an outgoing message, encoded once for every transport. It is
// immutable and may be sent to any number of sessions at the same time.
type Frame struct {
	ws   []byte // complete websocket frames, unmasked (RFC 6455 section 5.2)
	poll []byte // packets of a polling payload; shares its bytes with ws where it can
}

// Size is the number of bytes the frame takes on a websocket.
func (f *Frame) Size() int { return len(f.ws) }

// NewFrame encodes a text message that is followed by its binary attachments.
func NewFrame(text []byte, attachments ...[]byte) *Frame {
	return newFrame(packetMessage, text, attachments)
}

func newFrame(kind byte, text []byte, attachments [][]byte) *Frame {
	size := frameHeader(1+len(text)) + 1 + len(text)
	for _, a := range attachments {
		size += frameHeader(len(a)) + len(a)
	}
	ws := make([]byte, 0, size)
	ws = appendHeader(ws, opText, 1+len(text))
	start := len(ws)
	ws = append(ws, kind)
	ws = append(ws, text...)
	if len(attachments) == 0 {
		return &Frame{ws: ws, poll: ws[start:len(ws):len(ws)]}
	}
	poll := append([]byte(nil), ws[start:]...)
	for _, a := range attachments {
		ws = append(appendHeader(ws, opBinary, len(a)), a...)
		poll = append(poll, separator, 'b')
		poll = base64.StdEncoding.AppendEncode(poll, a)
	}
	return &Frame{ws: ws, poll: poll}
}

// NewBinary encodes a binary message.
func NewBinary(data []byte) *Frame {
	ws := make([]byte, 0, frameHeader(len(data))+len(data))
	ws = append(appendHeader(ws, opBinary, len(data)), data...)
	return &Frame{ws: ws, poll: base64.StdEncoding.AppendEncode([]byte{'b'}, data)}
}

// Opcodes of RFC 6455 section 5.2, with the FIN bit.
const (
	opText   = 0x81
	opBinary = 0x82
	opClose  = 0x88
	opPong   = 0x8a
)

func frameHeader(payload int) int {
	switch {
	case payload < 126:
		return 2
	case payload <= 0xffff:
		return 4
	}
	return 10
}

func appendHeader(b []byte, op byte, payload int) []byte {
	switch frameHeader(payload) {
	case 2:
		return append(b, op, byte(payload))
	case 4:
		return binary.BigEndian.AppendUint16(append(b, op, 126), uint16(payload))
	}
	return binary.BigEndian.AppendUint64(append(b, op, 127), uint64(payload))
}

// Packets of the protocol itself, encoded once.
var (
	framePing      = newFrame(packetPing, nil, nil)
	frameProbePong = newFrame(packetPong, []byte("probe"), nil)
)

// closeFrame is a websocket close frame; code 0 leaves the code out.
func closeFrame(code int) *Frame {
	if code == 0 {
		return &Frame{ws: []byte{opClose, 0}}
	}
	return &Frame{ws: []byte{opClose, 2, byte(code >> 8), byte(code)}}
}

// wsPong answers a websocket ping; data is at most 125 bytes.
func wsPong(data string) *Frame {
	return &Frame{ws: append(appendHeader(nil, opPong, len(data)), data...)}
}
