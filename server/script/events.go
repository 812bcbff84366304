package script

import (
	"context"
	"encoding/json"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/lua/cfx"
)

// prefix begins the names of the radio's events: "radio:talkingState" is the Socket.IO
// event talkingState.
const prefix = "radio:"

// public are the Socket.IO events that scripts are told of, whatever their audience. The others
// are about one client's own connection.
var public = map[string]bool{
	"talkingState": true, "speakerJoined": true, "speakerLeft": true, "listenerJoined": true, "listenerLeft": true,
	"channelState": true, "channelDeleted": true, "patchStatus": true, "serverTone": true, "dispatchNotification": true,
	"playerInfoUpdate": true, "radioState": true, "configRefresh": true,
}

// happened is an event for scripts.
type happened struct {
	name   string
	source core.UserID // 0: none
	args   []any       // json.RawMessage, or plain values
	send   *wire.Message
}

// Follower tells scripts what happens on the radio. Nothing is encoded while no script
// handles an event of the radio.
func (h *Host) Follower() engine.Follower {
	return &engine.Queue[[]happened]{Name: "scripts", Most: maxSteps, Prepare: h.prepare, Deliver: h.deliver,
		Lost: func(_ context.Context, steps int) { h.o.Logf("scripts missed %d steps of the radio", steps) }}
}

func (h *Host) prepare(s *engine.Step) (out []happened, some bool) {
	out = h.resync(s)
	wanted := h.wanted.Load()
	if len(wanted.events) == 0 {
		return out, len(out) > 0
	}
	for _, e := range s.Output.Events {
		switch f := e.Fact.(type) {
		case core.UserConnected:
			out = told(out, wanted.events, happened{name: prefix + "userConnected", args: []any{map[string]any{"serverId": int(f.User), "resumed": f.Resumed}}})
			if f.User.Player() && !f.Resumed {
				out = told(out, wanted.events, happened{name: "playerJoining", source: f.User})
			}
		case core.UserLeft:
			out = told(out, wanted.events, happened{name: prefix + "userDisconnected", args: []any{map[string]any{"serverId": int(f.User), "name": f.Name, "reason": f.Reason}}})
			if f.User.Player() {
				out = told(out, wanted.events, happened{name: "playerDropped", source: f.User, args: []any{f.Reason}})
			}
		}
		if !wanted.radio {
			continue
		}
		for _, m := range wire.Encode(e, s.View) {
			if !public[m.Name] || !wanted.events[prefix+m.Name] || repeats(m) {
				continue
			}
			text, err := json.Marshal(m.Payload) // at once: it may share lists with the radio
			if err != nil {
				h.o.Logf("event %s cannot be encoded: %v", m.Name, err)
				continue
			}
			out = append(out, happened{name: prefix + m.Name, args: []any{json.RawMessage(text)}})
		}
	}
	return out, len(out) > 0
}

// resync asks each player's client once for the callsign that it has saved: after its
// start the service may not know it (spec: radio:resyncCallsign).
func (h *Host) resync(s *engine.Step) (out []happened) {
	for _, e := range s.Output.Events {
		switch f := e.Fact.(type) {
		case core.UserConnected:
			if f.User.Player() && !h.asked[f.User] && s.View.Config().UseCallsignSystem && h.o.Send != nil {
				h.asked[f.User] = true
				m, _ := wire.ToClients(core.Audience{Users: []core.UserID{f.User}}, wire.ResyncCallsign, nil)
				out = append(out, happened{send: &m})
			}
		case core.UserLeft:
			if _, known := s.View.User(f.User); !known {
				delete(h.asked, f.User)
			}
		}
	}
	return out
}

// told adds an event that somebody wants.
func told(out []happened, wanted map[string]bool, e happened) []happened {
	if wanted[e.name] {
		out = append(out, e)
	}
	return out
}

// repeats says whether a message tells a newcomer what others know already.
func repeats(m wire.Message) bool {
	n, is := m.Payload.(wire.DispatchNotification)
	return is && n.Current
}

func (h *Host) deliver(_ context.Context, steps [][]happened) error {
	for _, step := range steps {
		for _, e := range step {
			if e.send != nil {
				h.o.Send(*e.send)
				continue
			}
			args := make([]cfx.Packed, len(e.args))
			for i, a := range e.args {
				args[i] = a
				if text, is := a.(json.RawMessage); is {
					v, err := cfx.ParseJSON(text)
					if err != nil {
						return err
					}
					args[i] = v
				}
			}
			var from cfx.Packed = ""
			if e.source != 0 {
				from = int(e.source)
			}
			h.emit(nil, e.name, from, h.o.Radio, args...)
		}
	}
	return nil
}
