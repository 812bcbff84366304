package packet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Attachments, given among the arguments of an event or acknowledgement, are the
// binary data for placeholders ({"_placeholder":true,"num":n}) in the caller's raw
// JSON arguments. They are not an argument themselves.
type Attachments [][]byte

// AppendArgs appends ,arg,arg… and returns the attachments. A json.RawMessage is
// copied as it is; a []byte becomes an attachment; everything else goes through
// encoding/json without HTML escaping.
func AppendArgs(b []byte, args []any) ([]byte, [][]byte, error) {
	var attachments [][]byte
	for _, arg := range args {
		if given, ok := arg.(Attachments); ok {
			attachments = append(attachments, given...)
		}
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case Attachments:
			continue
		case json.RawMessage:
			b = append(b, ',')
			if len(v) == 0 {
				b = append(b, "null"...)
			}
			b = append(b, v...)
		case []byte:
			b = append(b, `,{"_placeholder":true,"num":`...)
			b = strconv.AppendInt(b, int64(len(attachments)), 10)
			b = append(b, '}')
			attachments = append(attachments, v)
		default:
			b = append(b, ',')
			var err error
			if b, err = AppendJSON(b, arg); err != nil {
				return nil, nil, fmt.Errorf("socket.io: argument %d: %w", i, err)
			}
		}
	}
	return b, attachments, nil
}

func AppendJSON(b []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// AppendPrefix appends what stands before the JSON of a packet. id < 0: none.
func AppendPrefix(b []byte, kind byte, attachments int, namespace string, id int64) []byte {
	if attachments > 0 {
		switch kind {
		case Event:
			kind = BinaryEvent
		case Ack:
			kind = BinaryAck
		}
		b = strconv.AppendInt(append(b, kind), int64(attachments), 10)
		b = append(b, '-')
	} else {
		b = append(b, kind)
	}
	if namespace != "/" {
		b = append(append(b, namespace...), ',')
	}
	if id >= 0 {
		b = strconv.AppendInt(b, id, 10)
	}
	return b
}

// AppendName appends the opening bracket of an event and its name.
func AppendName(b []byte, event string) []byte {
	b = append(b, '[')
	for i := range len(event) {
		if c := event[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			quoted, _ := json.Marshal(event)
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), event...), '"')
}
