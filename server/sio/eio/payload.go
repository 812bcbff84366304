package eio

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Message is one message of the peer.
type Message struct {
	Binary bool
	Data   []byte
}

// packet is one decoded Engine.IO packet.
type packet struct {
	kind   byte
	binary bool
	data   []byte
}

var (
	errEmptyPacket = errors.New("eio: empty packet")
	errNotUTF8     = errors.New("eio: text is not UTF-8")
)

// decodePacket decodes one packet as it stands in a polling payload or in a
// websocket text message. Base64 is accepted in both, as Node does.
func decodePacket(text []byte) (packet, error) {
	if len(text) == 0 {
		return packet{}, errEmptyPacket
	}
	if text[0] == 'b' {
		data, err := base64.StdEncoding.AppendDecode(nil, text[1:])
		if err != nil {
			return packet{}, fmt.Errorf("eio: binary packet: %w", err)
		}
		return packet{kind: packetMessage, binary: true, data: data}, nil
	}
	if text[0] < packetOpen || text[0] > packetNoop {
		return packet{}, fmt.Errorf("eio: unknown packet type %q", text[0])
	}
	return packet{kind: text[0], data: text[1:]}, nil
}

// eachPacket calls f for every packet of a polling payload until one fails. Text that
// is not UTF-8 is refused as a whole, because relayed to a browser it would end that
// browser's websocket.
func eachPacket(payload []byte, f func(packet) error) error {
	if !utf8.Valid(payload) {
		return errNotUTF8
	}
	for more := true; more; {
		var text []byte
		text, payload, more = bytes.Cut(payload, []byte{separator})
		p, err := decodePacket(text)
		if err != nil {
			return err
		}
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}
