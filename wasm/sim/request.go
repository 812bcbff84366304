package sim

import (
	"cmp"
	"encoding/json"
	"slices"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// Request is what a client would send to the service: a Socket.IO event or a
// REST call, with the payload or body as it goes over the wire.
type Request struct {
	At int64 `json:"at"` // ms since the epoch
	// By is who asks. Its credentials are taken as checked.
	By Caller `json:"by"`
	// Event is the name of an event, such as "setTalking". Three names stand for
	// the link itself: "connect" for the handshake, "disconnect" for a goodbye,
	// "lost" for a link that broke.
	Event   string          `json:"event,omitempty"`
	Route   string          `json:"route,omitempty"` // "POST /api/patch/create"
	Payload json.RawMessage `json:"payload,omitempty"`
	// Body is the body of a REST call if it is not JSON, instead of Payload.
	Body string `json:"body,omitempty"`
}

// Caller is a door.Caller as JSON. Without a Kind it is a player if User is one, else
// of the kind that may use the route, because a scenario's dispatchers and programs do
// not log in. Without an Owner it shares its ids with all callers of the same Name.
type Caller struct {
	User    core.UserID  `json:"user"`
	Surface core.Surface `json:"surface,omitempty"`
	Kind    door.Kind    `json:"kind,omitempty"`
	Owner   string       `json:"owner,omitempty"`
	Name    string       `json:"name,omitempty"`
	Nac     string       `json:"nac,omitempty"`
	Scopes  []string     `json:"scopes,omitempty"`
}

// Connected is the payload of the event "connect": the id that the client asks for (-1
// if left out), and a name and NAC id, which override those of the Caller.
type Connected struct {
	ServerID wire.ID   `json:"serverId,omitzero"`
	Name     wire.Text `json:"name,omitempty"`
	NacID    wire.Text `json:"nacId,omitempty"`
}

func (q Request) asked() door.Request {
	by := door.Caller{Kind: q.By.Kind, User: q.By.User, Surface: q.By.Surface, Owner: q.By.Owner, Name: q.By.Name, Nac: q.By.Nac,
		Scopes: wire.ScopeSetOf(q.By.Scopes...)}
	if by.Kind == "" {
		by.Kind = kindFor(by.User, q.Route)
	}
	if by.Owner == "" && by.Kind == door.Session {
		by.Owner = by.Name
	}
	if q.Body != "" {
		q.Payload = json.RawMessage(q.Body)
	}
	return door.Request{At: q.At, By: by, Event: q.Event, Route: q.Route, Payload: q.Payload}
}

func kindFor(user core.UserID, route string) door.Kind {
	switch {
	case user.Player():
		return door.Player
	case slices.ContainsFunc(wire.Routes, func(r wire.Route) bool { return r.Auth == wire.Master && r.Method+" "+r.Path == route }):
		return door.Master
	}
	return door.Session
}

// Apply does what the service does with a request.
func (r *Radio) Apply(q Request) Answer {
	asked := q.asked()
	if q.Route == "" {
		switch q.Event {
		case "connect":
			return r.connect(asked, q.By.Kind)
		case "disconnect":
			return r.do(q.At, door.Leave(asked.By, true))
		case "lost":
			return r.do(q.At, door.Leave(asked.By, false))
		}
	}
	var before Answer // what the passing of time led to before the radio is read
	step, _ := r.door.Ask(func(read func(core.View)) error {
		before = r.Do(wire.Order{At: q.At})
		read(r.state.View())
		return nil
	}, asked) // the error is the look's, which always succeeds
	if step.Command != nil {
		return before.then(r.do(q.At, step))
	}
	return before.then(r.without(q.At, step, asked))
}

// do applies the command of a step and gives the answer.
func (r *Radio) do(at int64, step door.Step) Answer {
	out, a, err := r.step(wire.Order{At: at, By: step.By, Command: step.Command})
	answer := step.Answer(out, err)
	if step.Job == door.Announce && err == nil {
		answer.Body = wire.PlayerReply{Success: true, PlayerToken: secret}
	}
	return a.tell(answer)
}

// connect stands for the handshake and what follows it.
func (r *Radio) connect(q door.Request, kind door.Kind) Answer {
	passed := r.Do(wire.Order{At: q.At}) // users whose resume window is over leave first
	return passed.then(r.enter(q, kind))
}

func (r *Radio) enter(q door.Request, kind door.Kind) Answer {
	var c Connected
	if len(q.Payload) > 0 {
		if err := wire.Decode(q.Payload, &c); err != nil {
			return r.turnedAway(q.At, &wire.ConnectRefusal{Code: "bad_id", Error: err.Error()})
		}
	}
	if kind == "" && c.ServerID.User.Player() {
		q.By.Kind, q.By.User = door.Player, c.ServerID.User
	}
	want, refusal := door.Handshake(q.By, c.ServerID)
	if refusal == nil {
		refusal = door.Room(r.state.View(), q.By.Login(), want)
	}
	if refusal != nil {
		return r.turnedAway(q.At, refusal)
	}
	who := q.By
	who.Name, who.Nac = cmp.Or(string(c.Name), who.Name), cmp.Or(string(c.NacID), who.Nac)
	step := door.Connect(q.By, want, 0, door.Facts(who, want))
	out, a, err := r.step(wire.Order{At: q.At, By: step.By, Command: step.Command})
	if err != nil {
		return a.tell(step.Answer(out, err))
	}
	id, welcome, _ := door.Given(out, want, 0)
	a.Messages = append(messages(welcome), a.Messages...)
	a.Reply = wire.Identity{ServerID: id}
	return a
}

// turnedAway answers a handshake with a connect_error.
func (r *Radio) turnedAway(at int64, refusal *wire.ConnectRefusal) Answer {
	a := r.Do(wire.Order{At: at})
	a.Error, a.Reply = &Failure{Kind: refusal.Code, Message: refusal.Error}, refusal
	return a
}
