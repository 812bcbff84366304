package sim

import (
	"encoding/json"
	"reflect"

	"squelch/core"
	"squelch/core/wire"
)

// Request is what a client would send to the service: a Socket.IO event or a
// REST call, with the payload or body as it goes over the wire.
type Request struct {
	At int64 `json:"at"` // ms since the epoch
	// By is who asks. Without a surface it is the one that the request uses.
	By      core.Actor      `json:"by"`
	Event   string          `json:"event,omitempty"` // "setTalking"
	Route   string          `json:"route,omitempty"` // "POST /api/patch/create"
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Connected is the payload of the event "connect", which stands for the
// handshake: the id that is asked for (-1 when left out), and who it is.
type Connected struct {
	ServerID wire.ID   `json:"serverId,omitzero"`
	Name     wire.Text `json:"name,omitempty"`
	NacID    wire.Text `json:"nacId,omitempty"`
}

// Apply does what the service does with a request, sessions and voice aside.
func (r *Radio) Apply(q Request) Answer {
	if q.Route != "" {
		return r.route(q)
	}
	if q.By.Surface == "" {
		q.By.Surface = core.BySocket
	}
	switch q.Event {
	case "connect":
		return r.connect(q)
	case "disconnect":
		return r.acked(q, core.Unlink{User: q.By.User, Clean: true})
	case "heartbeat":
		a := r.acked(q, nil)
		a.Messages = append(a.Messages, to(q.By.User, "heartbeat_response", q.At))
		return a
	case "setDispatchSession", "setVoiceEncoding":
		return r.acked(q, nil) // there are no sessions and no voice here
	}
	cmd, err := wire.DecodeEvent(q.Event, q.By.User, q.Payload)
	if err != nil {
		a := r.Do(wire.Order{At: q.At})
		a.Error, a.Reply = failure(err), wire.AckError{Error: err.Error()}
		if a.Error.Kind == core.NotFound.String() && wire.Decodes(q.Event) {
			a.Messages = append(a.Messages, refused(q, err))
		}
		return a
	}
	return r.acked(q, cmd)
}

// acked applies a command (nil: time passes) and answers as an ack does.
func (r *Radio) acked(q Request, cmd core.Command) Answer {
	out, a, err := r.step(wire.Order{At: q.At, By: q.By, Command: cmd})
	if err != nil {
		a.Messages = append(a.Messages, refused(q, err))
	}
	a.Reply = wire.AckOf(cmd, out, err)
	return a
}

func to(id core.UserID, name string, payload any) Message {
	return Message{core.Audience{Users: []core.UserID{id}}, name, payload}
}

// refused tells who asked that a join, key-up or the like was refused.
func refused(q Request, err error) Message {
	return to(q.By.User, "refused", wire.RefusedOf(q.Event, q.Payload, err))
}

func (r *Radio) connect(q Request) Answer {
	var c Connected
	if len(q.Payload) > 0 {
		if err := wire.Decode(q.Payload, &c); err != nil {
			return Answer{Error: failure(err), Messages: []Message{}, Reply: wire.AckError{Error: err.Error()}}
		}
	}
	want := core.UserID(-1)
	if c.ServerID.Given {
		want = c.ServerID.User
	}
	q.By.User = want
	who := core.Facts{Name: string(c.Name), Nac: string(c.NacID)}
	if want.Dispatcher() {
		who.Callsign = who.Name // as of a login
	}
	out, a, err := r.step(wire.Order{At: q.At, By: q.By, Command: core.Connect{Want: want, Owner: q.By.Name, Facts: who}})
	if err != nil {
		a.Reply = wire.AckError{Error: err.Error()}
		return a
	}
	on, _ := core.First[core.UserConnected](out)
	a.Messages = append(a.Messages, to(on.User, "identity", wire.Identity{ServerID: on.User}))
	a.Reply = wire.Identity{ServerID: on.User}
	return a
}

// route does a REST call.
func (r *Radio) route(q Request) Answer {
	route, found := findRoute(q.Route)
	if !found {
		return r.rest(q, route, nil, &core.Error{Kind: core.NotFound, Message: "No such path"})
	}
	if q.By.Surface == "" {
		q.By.Surface = core.ByREST
	}
	if look := views[route.Path]; look != nil {
		a := r.Do(wire.Order{At: q.At})
		a.Status, a.Reply = route.Status, look(r.state.View(), q)
		return a
	}
	if route.Body == nil {
		return r.rest(q, route, nil, notHere(q.Route))
	}
	body := reflect.New(reflect.TypeOf(route.Body)).Interface()
	if err := wire.Decode(q.Payload, body); err != nil {
		return r.rest(q, route, nil, err)
	}
	cmd, err := r.commandOf(body, q)
	return r.rest(q, route, cmd, err)
}

func findRoute(name string) (wire.Route, bool) {
	for _, route := range wire.Routes {
		if route.Method+" "+route.Path == name {
			return route, true
		}
	}
	return wire.Route{}, false
}

func notHere(what string) error {
	return &core.Error{Kind: core.NotFound, Message: what + " is not simulated"}
}

// commandOf reads a body as the service does.
func (r *Radio) commandOf(body any, q Request) (core.Command, error) {
	v := r.state.View()
	if err := wire.ResolveIDs(body, func(id core.UserID) core.UserID { return v.Alias(q.By.Name, id) }); err != nil {
		return nil, err
	}
	switch b := body.(type) {
	case *wire.PlayerConnect:
		return core.Register{User: b.ServerID.User, Facts: b.Facts()}, nil
	case *wire.UpdateCallsign:
		return b.Command(v.MeantDispatcher(q.By.User))
	case wire.Commanding:
		return b.Command(q.By.User)
	}
	return nil, notHere(q.Route)
}

// rest applies a command and answers as REST does; err is why there is none.
func (r *Radio) rest(q Request, route wire.Route, cmd core.Command, err error) Answer {
	if err != nil {
		a := r.Do(wire.Order{At: q.At})
		a.Error, a.Reply = failure(err), wire.Failure{Error: err.Error()}
		return a
	}
	out, a, err := r.step(wire.Order{At: q.At, By: q.By, Command: cmd})
	if err != nil {
		a.Reply = wire.Failure{Error: err.Error()}
		return a
	}
	a.Status, a.Reply = route.Status, any(wire.Success{Success: true})
	if made, ok := core.First[core.PatchCreated](out); ok {
		a.Reply = wire.PatchCreated{Success: true, Patch: wire.PatchOf(made.Patch)}
	}
	return a
}
