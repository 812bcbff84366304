package sim

import (
	"encoding/json"
	"errors"

	"squelch/core"
	"squelch/core/wire"
)

// Machine is a Radio whose methods take and give JSON, because that is what passes in
// and out of a WebAssembly module. A failure is always an Answer with an error. The
// zero value has no radio yet.
type Machine struct{ radio *Radio }

// begin is the request of New: a Start, and whether to keep a transcript.
type begin struct {
	Start      json.RawMessage `json:"start"`
	Transcript bool            `json:"transcript"`
}

var errNoRadio = errors.New("new must be called before anything else")

// New makes a radio from {"start":{"config":…,"data":…},"transcript":false} and forgets
// the one before. The reply's wake is 0 even if the data has something to wait for; the
// first Order or Tick gives the Wake.
func (m *Machine) New(in []byte) []byte {
	var b begin
	if err := json.Unmarshal(in, &b); err != nil {
		return failed(err)
	}
	var start wire.Start
	if len(b.Start) == 0 {
		b.Start = json.RawMessage("{}")
	}
	if err := json.Unmarshal(b.Start, &start); err != nil {
		return failed(err)
	}
	radio, err := New(start, b.Transcript)
	if err != nil {
		return failed(err)
	}
	m.radio = radio
	return encode(Answer{Messages: []Message{}})
}

// Apply takes a Request and gives an Answer.
func (m *Machine) Apply(in []byte) []byte {
	var q Request
	if err := m.read(in, &q); err != nil {
		return failed(err)
	}
	if err := wire.CheckMoment(q.At); err != nil {
		return failed(err)
	}
	return encode(m.radio.Apply(q))
}

// Command takes a wire.Order and gives an Answer.
func (m *Machine) Command(in []byte) []byte {
	var o wire.Order
	if err := m.read(in, &o); err != nil {
		return failed(err)
	}
	return encode(m.radio.Do(o))
}

// Tick lets time pass until now, in ms since the epoch.
func (m *Machine) Tick(now float64) []byte {
	if m.radio == nil {
		return failed(errNoRadio)
	}
	at := int64(now)
	if float64(at) != now {
		at = -1
	}
	if err := wire.CheckMoment(at); err != nil {
		return failed(err)
	}
	return encode(m.radio.Do(wire.Order{At: at}))
}

// View takes a View and gives {"view":…} or an error.
func (m *Machine) View(in []byte) []byte {
	var w View
	if err := m.read(in, &w); err != nil {
		return failed(err)
	}
	v, err := m.radio.View(w)
	if err != nil {
		return failed(err)
	}
	return encode(struct {
		View any `json:"view"`
	}{v})
}

// Snapshot gives the wire.Start from which New goes on.
func (m *Machine) Snapshot() []byte {
	if m.radio == nil {
		return failed(errNoRadio)
	}
	return encode(m.radio.Snapshot())
}

// Hash gives the Hashes.
func (m *Machine) Hash() []byte {
	if m.radio == nil {
		return failed(errNoRadio)
	}
	h, err := m.radio.Hashes()
	if err != nil {
		return failed(err)
	}
	return encode(h)
}

func (m *Machine) read(in []byte, into any) error {
	if m.radio == nil {
		return errNoRadio
	}
	return json.Unmarshal(in, into)
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return failed(err)
	}
	return b
}

func failed(err error) []byte {
	f := failure(err)
	var e *core.Error
	if !errors.As(err, &e) {
		f.Message = "not understood: " + f.Message
	}
	b, _ := json.Marshal(Answer{Error: f, Messages: []Message{}}) // texts and numbers only
	return b
}
