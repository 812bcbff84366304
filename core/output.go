package core

import "time"

// Surface is the way in which a request reached the radio.
type Surface string

const (
	BySystem Surface = "core"     // the radio itself: a timer, a lost link
	ByREST   Surface = "rest"     // an integration or bot
	BySocket Surface = "socketio" // a console or a player's client
	ByLua    Surface = "lua"      // an operator's script
	ByAdmin  Surface = "admin"    // the administration page
)

// Actor says who asked, and on which surface. User is zero for scripts and
// integrations that are not users of the radio.
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
	Due    int64 // the moment of Wake, ms since the epoch; 0: no timer
	// Transmissions are those that began or (EndedAt is not 0) ended, in order.
	Transmissions []Transmission
}

// Wake is when to call Tick; the zero time: no timer. (No field of that type: the
// methods of time.Time would be linked into core.wasm, 10 kB when packed.)
func (o Output) Wake() time.Time {
	if o.Due == 0 {
		return time.Time{}
	}
	return time.UnixMilli(o.Due)
}

// First finds the first fact of a type in an Output, for adapters whose reply
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
	// retalked are the talkers whose listeners may have changed: their rows are
	// made again. If rerouted is set (another configuration), all rows are.
	rerouted bool
	retalked []UserID
	// noticed are users whose own record may have changed although no fact says so.
	noticed []UserID
	// unsettled: units of talkgroups may have to be regrouped.
	unsettled bool
}

// tell adds an event for an audience to the Output.
func (s *step) tell(to Audience, f Fact) {
	s.out.Events = append(s.out.Events, Event{At: s.now, By: s.by, To: to, Fact: f})
}
