package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"squelch/core/wire"
)

// maxLine bounds a line, in bytes: the start of a full radio is about 10 MB.
const maxLine = 256 << 20

// Reader reads a journal.
type Reader struct {
	Start wire.Start
	Build string // of the program that wrote it
	// End is the last line, once Next has reached it; nil when the journal
	// was cut off.
	End *End

	lines  *bufio.Scanner
	line   int
	orders int
}

// Read starts to read a journal.
func Read(from io.Reader) (*Reader, error) {
	r := &Reader{lines: bufio.NewScanner(from)}
	r.lines.Buffer(make([]byte, 64<<10), maxLine)
	if !r.scan() {
		return nil, errors.Join(errors.New("this is not a journal: it is empty"), r.lines.Err())
	}
	var h head
	if err := json.Unmarshal(r.lines.Bytes(), &h); err != nil {
		return nil, fmt.Errorf("this is not a journal: %w", err)
	}
	if h.Squelch != "journal" {
		return nil, errors.New("this is not a journal: its first line has no journal header")
	}
	if h.Version != Version {
		return nil, fmt.Errorf("this journal has version %d; this program reads %d", h.Version, Version)
	}
	r.Start, r.Build = h.Start, h.Build
	return r, nil
}

func (r *Reader) scan() bool {
	r.line++
	return r.lines.Scan()
}

// Next returns the next step. io.EOF is the end; a last line that is cut off in the
// middle counts as the end.
func (r *Reader) Next() (wire.Order, error) {
	if r.End != nil || !r.scan() {
		if err := r.lines.Err(); err != nil {
			return wire.Order{}, fmt.Errorf("line %d: %w", r.line, err)
		}
		return wire.Order{}, io.EOF
	}
	line := r.lines.Bytes()
	if !json.Valid(line) {
		return wire.Order{}, r.cut()
	}
	var kind struct {
		End
		At *json.Number `json:"at"`
	}
	if json.Unmarshal(line, &kind) == nil && kind.End.End {
		end := kind.End
		r.End = &end
		if end.Orders != r.orders {
			return wire.Order{}, fmt.Errorf("line %d: the end counts %d steps, but there are %d", r.line, end.Orders, r.orders)
		}
		if r.scan() {
			return wire.Order{}, fmt.Errorf("line %d: something follows the end", r.line)
		}
		return wire.Order{}, io.EOF
	}
	if kind.At == nil {
		return wire.Order{}, fmt.Errorf("line %d is not a step: at (its time) is missing", r.line)
	}
	var o wire.Order
	if err := json.Unmarshal(line, &o); err != nil {
		return o, fmt.Errorf("line %d: %w", r.line, err)
	}
	r.orders++
	return o, nil
}

// cut returns the error for a line that is not JSON: io.EOF if it is the last one,
// because a killed service leaves half a line.
func (r *Reader) cut() error {
	at := r.line
	if r.scan() || r.lines.Err() != nil {
		return fmt.Errorf("line %d is not JSON", at)
	}
	return io.EOF
}
