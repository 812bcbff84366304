package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// Radio is one simulated radio. It is not safe for use by two goroutines.
type Radio struct {
	state *core.State
	told  hash.Hash // of everything that was told; nil: not kept
}

// New makes a radio that goes on from start. With transcript it keeps a hash of
// every outcome (see Hashes), which costs about as much as the steps themselves.
func New(start wire.Start, transcript bool) (*Radio, error) {
	state, err := core.Restore(start.Config, start.Data)
	if err != nil {
		return nil, err
	}
	r := &Radio{state: state}
	if transcript {
		r.told = sha256.New()
	}
	return r, nil
}

// Message is one Socket.IO event as the service would send it, and to whom.
type Message struct {
	To      core.Audience `json:"to"`
	Name    string        `json:"name"`
	Payload any           `json:"payload"`
}

// Failure is a refusal; Kind is the core's ("not found", "conflict", …).
type Failure struct {
	Kind    string `json:"kind"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// Answer is what a step led to. Messages are to be delivered in order, also
// after a refusal (time has passed).
type Answer struct {
	Error    *Failure  `json:"error,omitempty"`
	Status   int       `json:"status,omitempty"` // of a REST route that succeeded
	Messages []Message `json:"messages"`
	Reply    any       `json:"reply,omitempty"`  // the ack of an event, the body of a route
	Routes   *[]Talk   `json:"routes,omitempty"` // who hears whom, when that has changed
	Wake     int64     `json:"wake"`             // when to call Tick, ms since the epoch; 0: no timer
}

// Do applies an Order.
func (r *Radio) Do(o wire.Order) Answer {
	_, a, _ := r.step(o)
	return a
}

func (r *Radio) step(o wire.Order) (core.Output, Answer, error) {
	var out core.Output
	var err error
	if now := time.UnixMilli(o.At); o.Command == nil {
		out = r.state.Tick(now)
	} else {
		out, err = r.state.Step(now, o.By, o.Command)
	}
	a := Answer{Error: failure(err), Messages: []Message{}}
	for _, e := range out.Events {
		for _, m := range wire.Encode(e, r.state.View()) {
			a.Messages = append(a.Messages, Message(m))
		}
	}
	if out.Routes != nil {
		talks := talksOf(out.Routes)
		a.Routes = &talks
	}
	if !out.Wake.IsZero() {
		a.Wake = out.Wake.UnixMilli()
	}
	r.note(out, a.Error)
	return out, a, err
}

func failure(err error) *Failure {
	if err == nil {
		return nil
	}
	var e *core.Error
	if !errors.As(err, &e) {
		return &Failure{Kind: core.Invalid.String(), Message: err.Error()}
	}
	return &Failure{Kind: e.Kind.String(), Field: e.Field, Message: e.Message}
}

// fact is an event as it goes into the transcript.
type fact struct {
	Type string
	core.Event
}

// note adds an outcome, whole, to the hash of the transcript: the events as the
// core made them, the table of who hears whom, what is to be saved and when to
// wake.
func (r *Radio) note(out core.Output, refused *Failure) {
	if r.told == nil {
		return
	}
	outcome := struct {
		Refused *Failure   `json:",omitempty"`
		Events  []fact     `json:",omitempty"`
		Routed  bool       `json:",omitempty"`
		Routes  []core.Row `json:",omitempty"`
		Save    bool       `json:",omitempty"`
		Wake    int64
	}{Refused: refused, Routed: out.Routes != nil, Save: out.Save}
	for _, e := range out.Events {
		outcome.Events = append(outcome.Events, fact{fmt.Sprintf("%T", e.Fact), e})
	}
	if out.Routes != nil {
		outcome.Routes = out.Routes.All()
	}
	if !out.Wake.IsZero() {
		outcome.Wake = out.Wake.UnixMilli()
	}
	if err := json.NewEncoder(r.told).Encode(outcome); err != nil {
		fmt.Fprintf(r.told, "%v\n", err) // every build fails alike
	}
}

// Hashes tell whether two radios are the same, in hex (SHA-256).
type Hashes struct {
	State      string `json:"state"`                // wire.Hash of the Snapshot
	Config     string `json:"config"`               // wire.HashConfig of the configuration in force
	Transcript string `json:"transcript,omitempty"` // of every outcome so far
}

// Hashes of the radio as it is.
func (r *Radio) Hashes() (Hashes, error) {
	var h Hashes
	var err error
	if h.State, err = wire.Hash(r.state.Snapshot()); err != nil {
		return h, err
	}
	if h.Config, err = wire.HashConfig(*r.state.View().Config()); err != nil {
		return h, err
	}
	if r.told != nil {
		h.Transcript = hex.EncodeToString(r.told.Sum(nil))
	}
	return h, nil
}

// Snapshot is the radio as it is; New goes on from it.
func (r *Radio) Snapshot() wire.Start {
	return wire.Start{Config: *r.state.View().Config(), Data: r.state.Snapshot()}
}
