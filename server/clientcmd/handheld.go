package clientcmd

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/core/wire"
	"squelch/server/lua/cfx"
	"squelch/server/lua/sandbox"
	"squelch/server/resource"
)

// handheld is the radio of --script: the game's own client Lua, which holds the
// radio's state, over this session, which is its network and its sound. What Lua calls,
// and call, run on the goroutine that owns the Lua state; the rest gets there by do.
type handheld struct {
	s   *session
	lua *cfx.Script
	key *key

	receive, net, tick, stop lua.LValue
	config                   *lua.LTable // RadioConfig, also the script's

	beaten atomic.Int64   // when the last heartbeat left, Unix nanoseconds
	link   map[string]any // the connection, as the radio's Lua was told; of the socket's callbacks
	// refresh asks for the configuration again: consoles are only told that it changed.
	refresh chan struct{}
	known   chan struct{} // closed when the service has told who this user is
	once    sync.Once
}

//go:embed headless.lua
var headless string

// clientChunks are the files of the radio, compiled once.
var clientChunks = sync.OnceValues(func() ([]*sandbox.Chunk, error) {
	all, err := sandbox.Scripts(resource.Files, "radio", resource.ClientScripts)
	if err != nil {
		return nil, err
	}
	chunk, err := sandbox.Script(headless, "headless.lua")
	return append(all, chunk), err
})

// newHandheld makes a radio in a fresh Lua state. resourceName is the name by which
// scripts call its exports.
func newHandheld(s *session, o cfx.Options, resourceName string) (*handheld, error) {
	chunks, err := clientChunks()
	if err != nil {
		return nil, err
	}
	h := &handheld{s: s, lua: cfx.New(o), known: make(chan struct{}), refresh: make(chan struct{}, 1), link: map[string]any{}}
	h.key = newKey(h)
	L := h.lua.State()
	host := L.NewTable()
	began := time.Now()
	L.SetFuncs(host, map[string]lua.LGFunction{
		"now": func(L *lua.LState) int {
			L.Push(lua.LNumber(time.Since(began).Milliseconds()))
			return 1
		},
		"log": func(L *lua.LState) int {
			s.out.status("radio_log", map[string]any{"text": L.CheckString(1)})
			return 0
		},
		"post": h.post, "server": h.server, "own": h.own,
	})
	host.RawSetString("version", lua.LString(wire.Version))
	if err := h.lua.Builtin(resourceName, map[string]lua.LValue{"host": host}, chunks...); err != nil {
		h.lua.Close()
		return nil, fmt.Errorf("the radio's own Lua: %w", err)
	}
	L.SetGlobal("RadioConfig", h.config)
	return h, nil
}

// own takes what the radio's Lua offers.
func (h *handheld) own(L *lua.LState) int {
	t := L.CheckTable(1)
	h.receive, h.net, h.tick, h.stop = t.RawGetString("receive"), t.RawGetString("net"), t.RawGetString("tick"), t.RawGetString("stop")
	h.config = t.RawGetString("config").(*lua.LTable)
	return 0
}

// call calls one of the radio's functions.
func (h *handheld) call(fn lua.LValue, args ...any) {
	values := make([]lua.LValue, len(args))
	for i, a := range args {
		values[i] = h.lua.Value(a)
	}
	err := h.lua.Do("the radio", fn, values, func(_ []lua.LValue, err error) {
		if err != nil {
			h.s.fail(fmt.Errorf("the radio's own Lua: %w", err))
		}
	})
	if err != nil {
		h.s.fail(fmt.Errorf("the radio's own Lua: %w", err))
	}
}

// do runs a job on the goroutine that owns the Lua state. A script that is too busy to
// take it has lost touch with the radio.
func (h *handheld) do(job func()) {
	if err := h.lua.Post(job); err != nil && !errors.Is(err, cfx.ErrEnded) {
		h.s.fail(fmt.Errorf("the script is too busy: %w", err))
	}
}

// tell is a message to the radio's Lua; payload is what JSON could hold.
func (h *handheld) tell(name string, payload map[string]any) {
	h.do(func() { h.call(h.receive, name, payload) })
}

// post takes a message of the radio's Lua.
func (h *handheld) post(L *lua.LState) int {
	v, err := h.lua.ToGo(L.CheckTable(1))
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return 0
	}
	text := func(field string) string { t, _ := m[field].(string); return t }
	switch text("type") {
	case "emit":
		h.emit(text("name"), m["payload"])
	case "ptt":
		if down, _ := m["down"].(bool); down {
			h.key.down(text("frequency"), text("source"))
		} else {
			h.key.up()
		}
	case "tone":
		h.s.out.status("tone", map[string]any{"tone": text("name")})
	case "siren":
		h.s.out.status("siren", map[string]any{"on": m["on"]})
	}
	return 0 // nothing else can be seen or heard here
}

// emit sends an event for the radio's Lua, which hears of a refusal by an event.
func (h *handheld) emit(event string, payload any) {
	if list, ok := payload.([]any); ok && len(list) == 0 {
		payload = struct{}{} // Lua's empty table
	}
	_ = h.s.socket.Emit(event, payload) // fails only without a connection, of which Lua is told
}

// server takes a net event that the game server would get. Here the service is asked
// directly.
func (h *handheld) server(L *lua.LState) int {
	v, err := h.lua.ToGo(L.Get(2))
	data, _ := v.(map[string]any)
	if err != nil {
		return 0
	}
	switch name := L.CheckString(1); name {
	case "sendCallsign":
		h.unasked("setCallsign", map[string]any{"callsign": data["callsign"]})
	case "refresh":
		h.unasked("serverEvent", map[string]any{"name": wire.RefreshNac, "args": []any{}})
	}
	return 0 // hello, offer and relay are about a connection that is there
}

// unasked sends an event whose refusal is only printed.
func (h *handheld) unasked(event string, payload any) {
	err := h.s.socket.EmitAck(event, answerTime, func(args []json.RawMessage, err error) {
		if err := answered(args, err); err != nil {
			h.s.out.status("refused", map[string]any{"action": event, "error": err.Error()})
		}
	}, payload)
	if err != nil {
		h.s.out.status("refused", map[string]any{"action": event, "error": err.Error()})
	}
}

// connected, lost and event come from the socket's callbacks, in order.

func (h *handheld) connected(recovered bool) {
	path := "socket"
	if h.s.webrtc {
		path = "webrtc"
	}
	link := map[string]any{"serverId": int(h.s.self()), "path": path}
	h.link = map[string]any{"connected": true, "recovered": recovered, "path": path, "mic": "ready", "encoder": "opus"}
	state := maps.Clone(h.link)
	h.do(func() {
		h.call(h.net, "link", link)
		h.call(h.receive, "mic", map[string]any{"state": "ready"})
		h.call(h.receive, "connection", state)
	})
}

func (h *handheld) lost(reason string) {
	h.link = map[string]any{"connected": false, "connecting": true, "reason": reason}
	state := maps.Clone(h.link)
	h.do(func() {
		h.key.lost()
		h.call(h.receive, "connection", state)
	})
}

// unheard are events that are no news to the radio's Lua, or too many.
var unheard = []string{"voice", "webrtc:slots", "webrtc:closed"}

// event passes an event of the service on: to the radio's Lua, and to the script as the
// game would: its own events, and everything as "radio:<name>".
func (h *handheld) event(name string, arg json.RawMessage) {
	if name == "heartbeat_response" {
		h.link["rtt"] = int(time.Duration(time.Now().UnixNano() - h.beaten.Load()).Milliseconds())
		h.tell("connection", maps.Clone(h.link))
		return
	}
	if slices.Contains(unheard, name) {
		return
	}
	if name == "clientEvent" {
		h.clientEvent(arg)
		return
	}
	payload, err := cfx.ParseJSON(arg)
	if err != nil {
		return
	}
	switch name {
	case "configUpdate":
		h.key.configure(arg)
	case "configRefresh":
		select {
		case h.refresh <- struct{}{}:
		default:
		}
	case "self":
		defer h.once.Do(func() { close(h.known) })
	}
	h.do(func() {
		if name == "talkingState" {
			h.key.talking(arg)
		}
		h.call(h.receive, "event", &cfx.Table{Keys: []cfx.Packed{"name", "payload"}, Values: []cfx.Packed{name, payload}})
	})
	_ = h.lua.Emit("radio:"+name, "", "", payload) // a script that cannot take it is ended by do
}

// fromServer is the source of an event that the server has sent, as in the game.
const fromServer = 65535

// clientEvent is TriggerClientEvent of a script in the service.
func (h *handheld) clientEvent(arg json.RawMessage) {
	var e struct {
		Name string
		Args []json.RawMessage
	}
	if json.Unmarshal(arg, &e) != nil {
		return
	}
	if net, mine := strings.CutPrefix(e.Name, "radio:"); mine && net == "resyncCallsign" {
		h.do(func() { h.call(h.net, net, map[string]any{}) })
	}
	args := make([]cfx.Packed, len(e.Args))
	for i, raw := range e.Args {
		args[i], _ = cfx.ParseJSON(raw)
	}
	_ = h.lua.EmitNet(e.Name, fromServer, args...)
}
