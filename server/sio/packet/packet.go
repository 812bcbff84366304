package packet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Packet types (protocol revision 5, "Packet types").
const (
	Connect      = '0'
	Disconnect   = '1'
	Event        = '2'
	Ack          = '3'
	ConnectError = '4'
	BinaryEvent  = '5'
	BinaryAck    = '6'
)

// Limits of what a peer may send.
const (
	// MaxAttachments is the number of binary attachments of one event (as
	// Node's socket.io-parser has it).
	MaxAttachments = 10
	// MaxNamespace is the longest name of a namespace, in bytes.
	MaxNamespace = 256
)

// Packet is one decoded Socket.IO packet.
type Packet struct {
	Kind        byte
	Attachments int // announced binary attachments
	Namespace   string
	ID          uint64 // of the acknowledgement asked for or given
	HasID       bool
	Payload     []byte            // CONNECT, CONNECT_ERROR: the JSON value
	Args        []json.RawMessage // EVENT: the name, then the arguments; ACK: the arguments
}

var (
	errEmpty      = errors.New("socket.io packet: empty packet")
	errAttachment = errors.New("socket.io packet: illegal number of attachments")
	errPayload    = errors.New("socket.io packet: invalid payload")
	errID         = errors.New("socket.io packet: invalid acknowledgement id")
	ErrReserved   = errors.New("socket.io packet: Reserved event name")
)

// Reserved event names (protocol revision 5, "Sending and receiving data").
var Reserved = map[string]bool{
	"connect": true, "connect_error": true, "disconnect": true,
	"disconnecting": true, "newListener": true, "removeListener": true,
}

// Parse decodes the text of one packet. The arguments share its bytes.
func Parse(text []byte) (Packet, error) {
	p := Packet{Namespace: "/"}
	if len(text) == 0 {
		return p, errEmpty
	}
	p.Kind, text = text[0], text[1:]
	if p.Kind < Connect || p.Kind > BinaryAck {
		return p, fmt.Errorf("socket.io packet: unknown packet type %q", p.Kind)
	}
	if p.Kind == BinaryEvent || p.Kind == BinaryAck {
		count, rest, found := bytes.Cut(text, []byte{'-'})
		n, err := strconv.ParseUint(string(count[:min(len(count), 6)]), 10, 16)
		if !found || err != nil || n == 0 || n > MaxAttachments {
			return p, errAttachment
		}
		p.Attachments, text = int(n), rest
	}
	if len(text) > 0 && text[0] == '/' {
		name, rest, _ := bytes.Cut(text, []byte{','})
		if len(name) > MaxNamespace {
			return p, errPayload
		}
		p.Namespace, text = string(name), rest
	}
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	if digits > 0 {
		id, err := strconv.ParseUint(string(text[:digits]), 10, 53)
		if err != nil {
			return p, errID
		}
		p.ID, p.HasID, text = id, true, text[digits:]
	}
	p.Payload = text
	return p, p.checkPayload()
}

// checkPayload checks that the payload has the shape of its packet type.
func (p *Packet) checkPayload() error {
	data := p.Payload
	if len(data) > 0 && !json.Valid(data) {
		return errPayload
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	first := byte(0)
	if len(data) > 0 {
		first = data[0]
	}
	ok := false
	switch p.Kind {
	case Connect:
		ok = first == 0 || first == '{'
	case Disconnect:
		ok = first == 0
	case ConnectError:
		ok = first == '{' || first == '"'
	case Ack, BinaryAck:
		ok = first == 0 || first == '['
		p.Args = splitArray(data)
	default:
		if first == 0 {
			return nil // nothing to handle, but harmless: Node ignores it too
		}
		if first != '[' {
			return errPayload
		}
		p.Args = splitArray(data)
		return p.checkName()
	}
	if !ok {
		return errPayload
	}
	return nil
}

func (p *Packet) checkName() error {
	if len(p.Args) == 0 {
		return errPayload
	}
	switch first := p.Args[0][0]; {
	case first == '"':
		if Reserved[p.Name()] {
			return ErrReserved
		}
		return nil
	case first == '-' || first >= '0' && first <= '9':
		return nil
	}
	return errPayload
}

// Name returns the event's name; a number is returned as its text.
func (p *Packet) Name() string {
	raw := p.Args[0]
	if raw[0] != '"' {
		return string(raw)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var name string
	_ = json.Unmarshal(raw, &name)
	return name
}

// splitArray cuts a valid JSON array into its elements without copying them.
func splitArray(data []byte) []json.RawMessage {
	if len(data) == 0 || data[0] != '[' {
		return nil
	}
	elements := make([]json.RawMessage, 0, 4)
	depth, start := 0, 1
	add := func(end int) {
		if e := bytes.TrimSpace(data[start:end:end]); len(e) > 0 {
			elements = append(elements, e[:len(e):len(e)])
		}
		start = end + 1
	}
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				add(i)
				return elements
			}
		case ',':
			if depth == 1 {
				add(i)
			}
		}
	}
	return elements
}

// stringEnd is the index of the quote that ends the JSON string starting at i.
func stringEnd(data []byte, i int) int {
	for {
		n := bytes.IndexByte(data[i+1:], '"')
		if n < 0 {
			return len(data) // not reached: the JSON is valid
		}
		i += 1 + n
		escapes := 0
		for data[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

var errPlaceholder = errors.New("socket.io packet: illegal placeholder")

// CheckPlaceholders checks that every placeholder stands for one of the attachments
// that came.
func CheckPlaceholders(payload []byte, attachments int) error {
	var value any
	if len(payload) == 0 || json.Unmarshal(payload, &value) != nil {
		return nil
	}
	return checkPlaceholder(value, attachments)
}

func checkPlaceholder(value any, attachments int) error {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			if err := checkPlaceholder(element, attachments); err != nil {
				return err
			}
		}
	case map[string]any:
		if v["_placeholder"] == true {
			n, ok := v["num"].(float64)
			if !ok || n < 0 || n >= float64(attachments) || n != float64(int(n)) {
				return errPlaceholder
			}
			return nil
		}
		for _, element := range v {
			if err := checkPlaceholder(element, attachments); err != nil {
				return err
			}
		}
	}
	return nil
}
