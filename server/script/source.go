package script

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/lua/cfx"
	"squelch/server/lua/sandbox"
	"squelch/server/resource"
)

// exportFiles define the server's exports, for the game and for scripts here.
var exportFiles = []string{"shared/table.lua", "shared/common.lua", "server/exports.lua"}

// publish makes exports of what exportFiles define.
const publish = `for name, fn in pairs(Radio.functions.server) do exports(name, fn) end`

// exportChunks are compiled once.
func exportChunks() ([]*sandbox.Chunk, error) {
	all, err := sandbox.Scripts(resource.Files, "radio", exportFiles)
	if err != nil {
		return nil, err
	}
	c, err := sandbox.Script(publish, "publish")
	return append(all, c), err
}

// source is Radio.source of one script: what server/exports.lua asks, read from the
// radio itself. Its values have the names of the JSON of the game's mirror, so that an
// export answers the same in both.
type source struct {
	u *unit
	s *cfx.Script
}

// radio makes exports['radio'] part of the script.
func (u *unit) radio(s *cfx.Script) error {
	chunks, err := u.h.chunks()
	if err != nil {
		return err
	}
	src := &source{u, s}
	L := s.State()
	table := L.NewTable()
	L.SetFuncs(table, map[string]lua.LGFunction{
		"ready":      func(L *lua.LState) int { L.Push(lua.LTrue); return 1 },
		"channel":    src.read(ofChannel(channelInfo)),
		"channels":   src.read(plainly(func(v core.View) any { return configured(v) })),
		"active":     src.read(plainly(active)),
		"alertTypes": src.read(plainly(func(v core.View) any { return alerts(v.Config().Alerts) })),
		"alert":      src.read(ofChannel(standing)),
		"panic":      src.panics,
		"panicOn": src.read(func(L *lua.LState) func(core.View) any {
			id := core.UserID(L.CheckInt(1))
			f, ok := frequency(L, 2)
			return func(v core.View) any { return ok && v.PanicOn(id, f) }
		}),
		"talking": src.read(func(L *lua.LState) func(core.View) any {
			id := core.UserID(L.CheckInt(1))
			f, ok := frequency(L, 2)
			return func(v core.View) any { return ok && v.Talking(id, f) }
		}),
		"user":  src.user,
		"zones": src.read(zones),
		"act":   src.act,
	})
	radio := L.NewTable()
	radio.RawSetString("source", table)
	radio.RawSetString("log", L.NewFunction(func(L *lua.LState) int {
		u.report("%s", L.CheckString(1))
		return 0
	}))
	radio.RawSetString("now", L.GetGlobal("GetGameTimer"))
	return s.Builtin(u.h.o.Radio, map[string]lua.LValue{"Radio": radio}, chunks...)
}

// read makes a function that reads the radio. The arguments are looked at before: a wrong
// one is an error in the script, and must not be one on the radio's goroutine. What is
// read is copied into Lua afterwards, when the radio is no longer lent.
func (src *source) read(ask func(*lua.LState) func(core.View) any) lua.LGFunction {
	return func(L *lua.LState) int {
		var v any
		look := ask(L)
		if err := src.u.look(src.s, func(view core.View) { v = look(view) }); err != nil {
			L.RaiseError("the radio does not answer: %v", err)
		}
		L.Push(src.value(v))
		return 1
	}
}

// value makes Lua's value of what JSON would be made of. The frequent ones are made
// without the detour.
func (src *source) value(v any) lua.LValue {
	switch v := v.(type) {
	case nil, bool, []any, map[string]any, *cfx.Table:
		return src.s.Value(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return lua.LNil
	}
	packed, err := cfx.ParseJSON(text)
	if err != nil {
		return lua.LNil
	}
	return src.s.Value(packed)
}

// plainly is a question without arguments.
func plainly(look func(core.View) any) func(*lua.LState) func(core.View) any {
	return func(*lua.LState) func(core.View) any { return look }
}

// ofChannel is a question about the channel that is the first argument.
func ofChannel(look func(core.View, core.Frequency) any) func(*lua.LState) func(core.View) any {
	return func(L *lua.LState) func(core.View) any {
		f, ok := frequency(L, 1)
		return func(v core.View) any {
			if !ok {
				return nil
			}
			return look(v, f)
		}
	}
}

// frequency is an argument in canonical spelling.
func frequency(L *lua.LState, arg int) (core.Frequency, bool) {
	f, err := core.ParseFrequency(L.CheckString(arg))
	return f, err == nil
}

func channelInfo(v core.View, f core.Frequency) any {
	c, ok := v.Channel(f)
	if !ok {
		return nil
	}
	return map[string]any{"frequency": f.String(), "speakers": numbers(c.Speakers), "listeners": numbers(c.Listeners), "activeTalkers": numbers(c.ActiveTalkers)}
}

func numbers(ids []core.UserID) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		out[i] = int(id)
	}
	return out
}

// listed is a channel as getAllChannels lists it: as it is configured, with its zone's
// name and who is on it.
type listed struct {
	wire.ConfigChannel
	Zone string `json:"zone"`
}

func list(v core.View, zone string, c wire.ConfigChannel, f core.Frequency) listed {
	now, _ := v.Channel(f)
	c.Listeners, c.Users = len(now.Listeners), []wire.ZoneUser{}
	for _, u := range now.Users {
		user, _ := v.GameUser(u.ID)
		shown := wire.ZoneUser{ID: u.ID.String(), Name: u.Name, Transmitting: slices.Contains(now.ActiveTalkers, u.ID), Panic: v.PanicOn(u.ID, f)}
		if user.Nac != "" {
			shown.NacID = &user.Nac
		}
		if user.Unit != "" {
			shown.UnitID = &user.Unit
		}
		c.Users = append(c.Users, shown)
	}
	return listed{c, zone}
}

// configured are all configured channels, in the order of the zones.
func configured(v core.View) []listed {
	out := []listed{}
	all := v.Config().Zones
	for i, z := range wire.ZonesOf(all) {
		for j, c := range z.Channels {
			out = append(out, list(v, z.Name, c, all[i].Channels[j].Frequency))
		}
	}
	return out
}

// zone is a zone of a player's radio.
type zone struct {
	wire.ConfigZone
	Channels []listed  `json:"channels"`
	Legacy   *struct{} `json:"Channels,omitempty"` // the older spelling of the list is left out
}

func zones(L *lua.LState) func(core.View) any {
	id := core.UserID(L.CheckInt(1))
	return func(v core.View) any { return zonesOf(v, id) }
}

func zonesOf(v core.View, id core.UserID) any {
	if _, has := v.Subscriber(id); !has {
		return nil
	}
	d := v.Verdict(id, map[string]*core.Verdict{})
	all, out := v.Config().Zones, []zone{}
	shown := wire.ZonesOf(all)
	for _, n := range d.Zones {
		z := zone{ConfigZone: shown[n-1], Channels: []listed{}}
		for j, c := range shown[n-1].Channels {
			f := all[n-1].Channels[j].Frequency
			connect := slices.Contains(d.Connect, f)
			if connect || slices.Contains(d.Scan, f) {
				c.CanTransmit = connect
				z.Channels = append(z.Channels, list(v, z.Name, c, f))
			}
		}
		out = append(out, z)
	}
	return out
}

func active(v core.View) any {
	out := []any{}
	for _, c := range v.ActiveChannels() {
		out = append(out, c.Frequency.String())
	}
	return out
}

func alerts(all []core.Alert) any {
	out := []wire.Alert{}
	for _, a := range all {
		out = append(out, wire.Alert{Alert: a})
	}
	return out
}

func standing(v core.View, f core.Frequency) any {
	a, on := v.Alert(f)
	if !on {
		return nil
	}
	return wire.Alert{Alert: a}
}

// panics is {[id] = true}: number keys, which JSON has not.
func (src *source) panics(L *lua.LState) int {
	var on []core.UserID
	known := false
	f, ok := frequency(L, 1)
	err := src.u.look(src.s, func(v core.View) {
		if !ok {
			return
		}
		on, known = v.PanicsAt(f)
	})
	if err != nil {
		L.RaiseError("the radio does not answer: %v", err)
	}
	if !known {
		L.Push(lua.LNil)
		return 1
	}
	t := L.NewTable()
	for _, id := range on {
		t.RawSetH(lua.LNumber(id), lua.LTrue)
	}
	L.Push(t)
	return 1
}

// user is a user's record: what scripts ask for often is there at once, the rest is made
// when it is asked for.
func (src *source) user(L *lua.LState) int {
	var u core.GameUser
	known := false
	id := core.UserID(L.CheckInt(1))
	if err := src.u.look(src.s, func(v core.View) { u, known = v.GameUser(id) }); err != nil {
		L.RaiseError("the radio does not answer: %v", err)
	}
	if !known {
		L.Push(lua.LNil)
		return 1
	}
	t := L.CreateTable(0, 8)
	t.RawSetString("serverId", lua.LNumber(u.ID))
	t.RawSetString("access", lua.LBool(u.Access))
	t.RawSetString("connected", lua.LBool(u.Linked))
	for field, text := range map[string]string{"name": u.Name, "nacId": u.Nac, "callsign": u.Callsign, "unitId": u.Unit,
		"channel": u.Current.String(), "controlFrequency": u.Control.String()} {
		if text != "" {
			t.RawSetString(field, lua.LString(text))
		}
	}
	mt := L.NewTable()
	mt.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		rest := src.value(wire.GameUserOf(u, 0))
		L.Push(rest.(*lua.LTable).RawGet(L.Get(2)))
		return 1
	}))
	t.Metatable = mt
	L.Push(t)
	return 1
}

// refused says whether an error is the radio's answer, and no failure.
func refused(err error) bool {
	return errors.As(err, new(*core.Error)) || errors.As(err, new(*door.Refusal))
}

// act carries out an action. The answer is whether it was done; of refreshPlayerInfo
// how many players it concerned.
func (src *source) act(L *lua.LState) int {
	name := L.CheckString(1)
	v, err := src.s.ToGo(L.CheckTable(2))
	if err != nil {
		L.RaiseError("%v", err)
	}
	if list, empty := v.([]any); empty && len(list) == 0 {
		v = map[string]any{} // a table without anything
	}
	args, err := json.Marshal(v)
	if err != nil {
		L.RaiseError("%v", err)
	}
	count := 0
	src.s.Block(func() {
		ctx, cancel := context.WithTimeout(src.u.ctx, actTime)
		defer cancel()
		if err = src.u.acts.Wait(ctx); err == nil {
			by := core.Actor{Surface: core.ByLua, Name: "script " + src.u.name()}
			count, err = src.u.h.o.Act(ctx, by, name, args)
		}
	})
	switch {
	case err != nil && !refused(err):
		L.RaiseError("%s: %v", name, err)
	case name == "refreshPlayerInfo":
		L.Push(lua.LNumber(count))
	default:
		L.Push(lua.LBool(err == nil))
	}
	return 1
}
