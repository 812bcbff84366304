package sim

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// Radio is one simulated radio. Only one goroutine at a time may use it.
type Radio struct {
	state *core.State
	door  door.Door
	told  *wire.Digest // of every outcome so far; nil: not kept
}

// New makes a radio that goes on from start. If transcript is set, it keeps a hash of
// every outcome (see Hashes), which costs about as much as the steps themselves. The
// error is that of core.Restore.
func New(start wire.Start, transcript bool) (*Radio, error) {
	state, err := core.Restore(start.Config, start.Data)
	if err != nil {
		return nil, err
	}
	r := &Radio{state: state, door: door.Door{Host: door.Host{Build: "simulation", Instance: "simulation"}}}
	if transcript {
		r.told = wire.NewDigest()
	}
	return r, nil
}

// Message is one Socket.IO event as the service would send it, with its audience.
type Message struct {
	To      core.Audience `json:"to"`
	Name    string        `json:"name"`
	Payload any           `json:"payload"`
}

// Failure is a refusal. Kind is that of the core's error ("not found", "conflict", …),
// or the code of a refused handshake.
type Failure struct {
	Kind    string `json:"kind"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// Answer is what a request led to. Messages have to be delivered in order, even after
// a refusal, because time may have passed.
type Answer struct {
	Error    *Failure  `json:"error,omitempty"`
	Status   int       `json:"status,omitempty"` // of a REST route
	Messages []Message `json:"messages"`
	Reply    any       `json:"reply,omitempty"` // the ack of an event, the body of a route
	// Closed are the users whose connections end, once they have their messages.
	Closed []core.UserID `json:"closed,omitempty"`
	Routes *[]Talk       `json:"routes,omitempty"` // who hears whom; nil: as before
	Wake   int64         `json:"wake"`             // when to call Tick, ms since the epoch; 0: no timer
}

func messages(list []wire.Message) []Message {
	all := make([]Message, len(list))
	for i, m := range list {
		all[i] = Message(m)
	}
	return all
}

// tell adds the front door's answer to the caller.
func (a Answer) tell(answer door.Answer) Answer {
	a.Error, a.Status, a.Reply = failure(answer.Err), answer.Status, answer.Body
	a.Messages = append(a.Messages, messages(answer.Messages)...)
	return a
}

// then is what two steps led to, a before b.
func (a Answer) then(b Answer) Answer {
	b.Messages = append(a.Messages, b.Messages...)
	if b.Messages == nil {
		b.Messages = []Message{}
	}
	b.Closed = append(a.Closed, b.Closed...)
	if b.Routes == nil {
		b.Routes = a.Routes
	}
	return b
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
	a := Answer{Error: failure(err), Messages: messages(door.Messages(out, r.state.View())), Closed: door.Closed(out, r.state.View()), Wake: out.Due}
	if out.Routes != nil {
		talks := talksOf(out.Routes)
		a.Routes = &talks
	}
	r.note(out, a.Error)
	return out, a, err
}

func failure(err error) *Failure {
	if err == nil {
		return nil
	}
	var e *core.Error
	if errors.As(err, &e) {
		return &Failure{Kind: e.Kind.String(), Field: e.Field, Message: e.Message}
	}
	kind := core.Invalid
	switch door.Status(err) {
	case 401, 403:
		kind = core.Forbidden
	case 404:
		kind = core.NotFound
	}
	return &Failure{Kind: kind.String(), Message: err.Error()}
}

// fact is an event as it goes into the transcript.
type fact struct {
	Type string
	core.Event
}

// note adds a whole outcome to the hash of the transcript: the events as the core made
// them, the route table, whether to save, and when to wake.
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
	}{Refused: refused, Routed: out.Routes != nil, Save: out.Save, Wake: out.Due}
	for _, e := range out.Events {
		outcome.Events = append(outcome.Events, fact{fmt.Sprintf("%T", e.Fact), e})
	}
	if out.Routes != nil {
		outcome.Routes = out.Routes.All()
	}
	if err := json.NewEncoder(r.told).Encode(outcome); err != nil {
		fmt.Fprintf(r.told, "%v\n", err) // every build fails in the same way
	}
}

// Hashes tell whether two radios are the same, in hex (SHA-256).
type Hashes struct {
	State      string `json:"state"`                // wire.Hash of the Snapshot
	Config     string `json:"config"`               // wire.HashConfig of the configuration in force
	Transcript string `json:"transcript,omitempty"` // of every outcome so far
}

// Hashes are those of the radio as it is now.
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
		sum := r.told.Sum()
		h.Transcript = hex.EncodeToString(sum[:])
	}
	return h, nil
}

// Snapshot is the radio as it is now, from which New goes on.
func (r *Radio) Snapshot() wire.Start {
	return wire.Start{Config: *r.state.View().Config(), Data: r.state.Snapshot()}
}
