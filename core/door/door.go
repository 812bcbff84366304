// Package door is the front door of the radio: it decides what a caller may ask,
// and what the answer is. REST, Socket.IO, the simulation and any later surface
// make a Request and deliver the Answer; none of them has rules of its own.
//
//	step, err := d.Ask(look, request)         a command, a job for the adapter, or already the answer
//	out, err := …                             the adapter has the command applied
//	answer := step.Answer(out, err)           status, body and messages for the caller
//	messages := door.Messages(out, view)      and for everybody else
//
// The adapter has checked the credentials of a Request and says who the Caller is.
// Everything here is a function of its arguments: nothing waits, reads a clock or
// does input or output.
package door

import (
	"encoding/json"

	"squelch/core"
	"squelch/core/wire"
)

// Kind says which credentials a caller has.
type Kind string

const (
	Nobody  Kind = "nobody"  // none
	Session Kind = "session" // a login's
	Key     Kind = "key"     // an API key, which may do what its scopes say
	Player  Kind = "player"  // a player token
	Master  Kind = "master"  // the master token
)

// masterOwner is the owner of all sockets that connect with the master token alone.
// A bot that is started again is recognized by the id that it asks for.
const masterOwner = "master"

// playerOwner is the owner of all players, each of whom has an id of its own.
const playerOwner = "player"

// Caller is who asks.
type Caller struct {
	Kind    Kind
	User    core.UserID  // its id on the radio; 0: none, or not known yet
	Surface core.Surface // "": the one by which the request comes, Socket.IO or REST
	Owner   string       // the login or API key whose ids and aliases are the caller's
	Name    string       // the login's callsign or the key's name, for records
	Nac     string       // the NAC id of the login; "": none
	Scopes  wire.ScopeSet
}

// Login is the owner under which the radio keeps the caller's ids: a login or API key
// has its own, all bearers of the master token share one, and so do all players.
func (c Caller) Login() string {
	switch {
	case c.Owner != "":
		return c.Owner
	case c.Kind == Master:
		return masterOwner
	case c.Kind == Player:
		return playerOwner
	}
	return ""
}

func (c Caller) actor(by core.Surface) core.Actor {
	if c.Surface != "" {
		by = c.Surface
	}
	return core.Actor{User: c.User, Surface: by, Name: c.Name}
}

// Request is a Socket.IO event or a REST call, as it came over the wire.
type Request struct {
	At      int64 // ms since the epoch
	By      Caller
	Event   string // "setTalking"
	Route   string // "POST /api/patch/create"; "": it is an event
	Payload json.RawMessage
}

// Look lends the radio for reading: it calls read at once, or returns an error.
type Look func(read func(core.View)) error

// Host is what answers say about the service around the radio. The functions are
// called outside a Look; each may be nil.
type Host struct {
	Build, Instance string
	ExternalLogin   bool
	VoiceBytes      int // the largest data field of a voice event, in bytes; 0: DefaultVoiceBytes
	Themes          func() wire.ThemeList
	Voice           func() *wire.VoiceStats
	Recorded        func(core.Frequency) bool // whether a channel is recorded
	Problem         func() string             // why the service is degraded; "": it is not
}

// Door is the front door of one radio.
type Door struct{ Host Host }

// Job is work that only the adapter can do.
type Job string

// Step is what a request leads to. The adapter has the Command applied, does the
// Job or says that it cannot, and then gets the reply from Answer. Without a Command
// and a Job, Answer has the reply at once.
type Step struct {
	By      core.Actor
	Command core.Command
	Job     Job
	Body    any // the payload of the Job, read and checked

	request Request
	route   *wire.Route
	known   Answer // if there is neither Command nor Job
}

// Answer is what the caller is told.
type Answer struct {
	// Err is the refusal, or the failure that kept a command from happening.
	Err error
	// Status is the HTTP status code of a REST call: the route's, or for an error that
	// of the function Status.
	Status int
	// Body is the body of a REST call, or the ack of an event. Nil: no ack.
	Body any
	// Messages go to the caller before the ack.
	Messages []wire.Message
	// Wrong says that the payload was not understood; the adapter counts that.
	Wrong bool
}

// Ask decides what a request means. The error is that of the Look; a refusal is in
// the Answer.
func (d *Door) Ask(look Look, q Request) (Step, error) {
	if q.Route != "" {
		return d.route(look, q)
	}
	return d.Event(q), nil
}

// Route is the route of a REST call as wire.Routes has it: "GET /radio/tones/{file}".
func (s Step) Route() string { return s.route.Method + " " + s.route.Path }

// Answer is the reply to the caller, after the Command or Job. out and err are those
// of the Command; err alone, that of the Job.
func (s Step) Answer(out core.Output, err error) Answer {
	switch {
	case s.Command == nil && s.Job == "":
		return s.known
	case s.request.Route != "":
		return s.routed(out, err)
	}
	return s.acked(out, err)
}

// Messages are the messages that tell of an output, in order. v must show the radio
// as it is after the step.
func Messages(out core.Output, v core.View) []wire.Message {
	var all []wire.Message
	for _, e := range out.Events {
		all = append(all, wire.Encode(e, v)...)
	}
	return all
}

// Closed are the users whose connections the adapter has to close after an output:
// they were kicked or dropped, or lost their place. A client that said goodbye has
// closed its own.
func Closed(out core.Output, v core.View) []core.UserID {
	var ids []core.UserID
	for _, e := range out.Events {
		if f, ok := e.Fact.(core.UserLeft); ok && f.Reason != "closed" && !Stays(f.User, v) {
			ids = append(ids, f.User)
		}
	}
	return ids
}

// Stays says whether an id that a user has left belongs to somebody again: on a full
// radio the same step may have given it to another user.
func Stays(id core.UserID, v core.View) bool {
	u, on := v.User(id)
	return on && u.Linked
}

// to is a message for one user.
func to(id core.UserID, name string, payload any) wire.Message {
	return wire.Message{To: core.Audience{Users: []core.UserID{id}}, Name: name, Payload: payload}
}
