package config

import (
	lua "github.com/yuin/gopher-lua"
)

// Natives answer the few game server functions that operators' callbacks commonly
// call. They run on the goroutine of the callbacks and must not wait for anything;
// nil ones answer "not there".
type Natives struct {
	PlayerName  func(id int) string              // GetPlayerName; "" is nil
	Identifiers func(id int) []string            // GetPlayerIdentifiers: "license:…"
	AceAllowed  func(id int, object string) bool // IsPlayerAceAllowed
}

// SetNatives sets the answers. It may be called at any time.
func (c *Callbacks) SetNatives(n Natives) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.natives = n
}

func (c *Callbacks) current() Natives {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.natives
}

func (c *Callbacks) nativesInto(L *lua.LState) {
	L.SetGlobal("GetPlayerName", L.NewFunction(func(L *lua.LState) int {
		name := ""
		if f := c.current().PlayerName; f != nil {
			name = f(player(L))
		}
		if name == "" {
			L.Push(lua.LNil)
		} else {
			L.Push(lua.LString(name))
		}
		return 1
	}))
	L.SetGlobal("GetPlayerIdentifiers", L.NewFunction(func(L *lua.LState) int {
		t := L.NewTable()
		if f := c.current().Identifiers; f != nil {
			for _, id := range f(player(L)) {
				t.Append(lua.LString(id))
			}
		}
		L.Push(t)
		return 1
	}))
	L.SetGlobal("IsPlayerAceAllowed", L.NewFunction(func(L *lua.LState) int {
		f := c.current().AceAllowed
		L.Push(lua.LBool(f != nil && f(player(L), L.CheckString(2))))
		return 1
	}))
}

// player is the first argument; scripts pass ids as numbers and as text.
func player(L *lua.LState) int {
	n, ok := L.Get(1).(lua.LNumber)
	if s, is := L.Get(1).(lua.LString); is {
		n, ok = lua.LVAsNumber(s), true
	}
	if !ok {
		L.ArgError(1, "must be a player id")
	}
	return int(n)
}
