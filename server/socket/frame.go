package socket

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// What travels over a data channel is a JSON array: ["name", payload, ackId] from the
// client, ["name", payload] to it. Names that begin with # are the channel's own.
const (
	byeFrame  = "#bye"  // from the client: it leaves, and will not be back soon
	ackFrame  = "#ack"  // to it: ["#ack", ackId, reply]
	moreFrame = "#more" // to it: a piece of a message that is too long for one; more follow
	endFrame  = "#end"  // the last piece
)

// said is an event as a client sent it.
type said struct {
	name    string
	payload json.RawMessage // nil: none
	ack     uint64
	asks    bool // for an acknowledgement
}

func (s said) args() []json.RawMessage {
	if s.payload == nil {
		return nil
	}
	return []json.RawMessage{s.payload}
}

var errFrame = errors.New(`a message must be ["name", payload, ackId]`)

// readFrame reads a client's message. Payload and acknowledgement may be left out.
func readFrame(text []byte) (said, error) {
	var parts []json.RawMessage
	var s said
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) == 0 || len(parts) > 3 {
		return s, errFrame
	}
	if parts[0][0] != '"' || json.Unmarshal(parts[0], &s.name) != nil || s.name == "" {
		return s, errFrame
	}
	if len(parts) > 1 {
		s.payload = parts[1]
	}
	if len(parts) > 2 && !bytes.Equal(parts[2], []byte("null")) {
		if json.Unmarshal(parts[2], &s.ack) != nil || s.ack > maxAckID {
			return s, errFrame
		}
		s.asks = true
	}
	return s, nil
}

// frame is a message to the client.
func frame(name string, parts ...any) ([]byte, error) {
	return json.Marshal(append([]any{name}, parts...))
}

// inPieces cuts a message that is longer than most bytes into messages that are not.
func inPieces(text []byte, most int) [][]byte {
	if len(text) <= most {
		return [][]byte{text}
	}
	// As JSON text, no character of valid JSON becomes more than twice as long.
	room := (most - len(`["","#more"]`)) / 2
	var pieces [][]byte
	for len(text) > 0 {
		n, name := len(text), endFrame
		if n > room {
			for n = room; !utf8.RuneStart(text[n]); n-- {
			}
			name = moreFrame
		}
		pieces = append(pieces, piece(name, string(text[:n])))
		text = text[n:]
	}
	return pieces
}

func piece(name, text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode([]string{name, text}) // texts can be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
