package core

import "time"

// Surface is the way by which a request reached the radio.
type Surface string

const (
	BySystem Surface = "core"     // the radio itself: a timer, a lost link
	ByREST   Surface = "rest"     // an integration or bot
	BySocket Surface = "socketio" // a console or a player's client
	ByLua    Surface = "lua"      // an operator's script
	ByAdmin  Surface = "admin"    // the administration page
)

// Actor says who asked and by which surface. User is zero for scripts and
// integrations that are no user of the radio.
type Actor struct {
	User    UserID  `json:"user"`
	Surface Surface `json:"surface"`
	Name    string  `json:"name,omitempty"` // for the audit log: callsign, script or page
}

// Output is what the caller of Step and Tick must now do, in this order:
//
//  1. if Routes is not nil, install it in the media plane (before anybody is
//     told, so that the first syllable is not clipped);
//  2. deliver Events in order, each to its Audience;
//  3. hand audited events and, if Save, the durable part of the Snapshot to the
//     store, off this goroutine: only the reply to this command waits for it;
//  4. call Tick at Wake (zero: no timer).
type Output struct {
	Events []Event
	Routes *RouteTable
	Save   bool
	Wake   time.Time
}

// First finds the first event of a type in an Output, for adapters whose reply
// carries what a command made (a Patch, an id).
func First[E Fact](out Output) (E, bool) {
	for _, e := range out.Events {
		if f, ok := e.Fact.(E); ok {
			return f, true
		}
	}
	var none E
	return none, false
}

// Command is one thing that somebody does. Every command is plain data.
type Command interface {
	apply(s *step) error
}

// step is the working state of one Step or Tick.
type step struct {
	*State
	now int64 // ms since the epoch
	by  Actor
	out Output
	// rerouted is set by whatever may change who hears whom; retalked names the
	// talkers whose own rows alone may have changed.
	rerouted bool
	retalked []UserID
	// unsettled: units of talkgroups may have to be regrouped.
	unsettled bool
}

// tell records a fact for an audience.
func (s *step) tell(to Audience, f Fact) {
	s.out.Events = append(s.out.Events, Event{At: s.now, By: s.by, To: to, Fact: f})
}
