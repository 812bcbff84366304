package sandbox

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// shim defines the globals of a game server that config files use while they load.
// They do nothing and answer "not there".
func shim(L *lua.LState) {
	for name, size := range map[string]int{"vector2": 2, "vector3": 3, "vector4": 4, "vec2": 2, "vec3": 3, "vec4": 4, "vec": 4} {
		L.SetGlobal(name, L.NewFunction(vector(size)))
	}
	second := func(L *lua.LState) int { L.SetTop(max(L.GetTop(), 2)); L.Push(L.Get(2)); return 1 }
	answer := func(v lua.LValue) lua.LGFunction {
		return func(L *lua.LState) int { L.Push(v); return 1 }
	}
	void := newVoid(L)
	for name, f := range map[string]lua.LGFunction{
		"GetConvar": second, "GetConvarInt": second, "GetConvarFloat": second, "GetConvarBool": second,
		"GetResourceState":       answer(lua.LString("missing")),
		"GetCurrentResourceName": answer(lua.LString("radio")),
		"GetInvokingResource":    answer(lua.LNil),
		"IsDuplicityVersion":     answer(lua.LTrue),
		"GetGameTimer":           answer(lua.LNumber(0)),
		"LoadResourceFile":       answer(lua.LNil),
		"GetPlayerName":          answer(lua.LNil),
		"IsPlayerAceAllowed":     answer(lua.LFalse),
		"joaat":                  hashKey, "GetHashKey": hashKey,
		"GetPlayers":           func(L *lua.LState) int { L.Push(L.NewTable()); return 1 },
		"GetPlayerIdentifiers": func(L *lua.LState) int { L.Push(L.NewTable()); return 1 },
	} {
		L.SetGlobal(name, L.NewFunction(f))
	}
	nothing := L.NewFunction(func(*lua.LState) int { return 0 })
	for _, name := range []string{"RegisterNetEvent", "RegisterServerEvent", "AddEventHandler", "TriggerEvent", "TriggerClientEvent",
		"TriggerServerEvent", "RegisterCommand", "CreateThread", "SetTimeout", "Wait", "lib", "collectgarbage"} {
		L.SetGlobal(name, nothing)
	}
	for _, name := range []string{"Citizen", "exports"} {
		L.SetGlobal(name, void)
	}
	L.SetGlobal("lib", lua.LNil)
}

// printer joins what a script prints to one line.
func printer(print func(string)) lua.LGFunction {
	return func(L *lua.LState) int {
		var b strings.Builder
		for i := 1; i <= L.GetTop(); i++ {
			if i > 1 {
				b.WriteByte('\t')
			}
			s := L.ToStringMeta(L.Get(i)).String()
			Room(L, b.Len()+len(s))
			b.WriteString(s)
		}
		if print != nil {
			print(b.String())
		}
		return 0
	}
}

// voidType marks the value that exports return: it can be indexed and called, always
// returns itself, and counts as no answer.
const voidType = "void"

func newVoid(L *lua.LState) *lua.LUserData {
	v := L.NewUserData()
	v.Value = voidType
	mt := L.NewTable()
	self := L.NewFunction(func(L *lua.LState) int {
		L.G.Registry.RawSetString(askedKey, lua.LTrue)
		L.Push(v)
		return 1
	})
	mt.RawSetString("__index", self)
	mt.RawSetString("__call", self)
	mt.RawSetString("__newindex", L.NewFunction(func(*lua.LState) int { return 0 }))
	mt.RawSetString("__metatable", lua.LFalse)
	v.Metatable = mt
	return v
}

// askedKey is where the registry notes that the current call has used a value of an
// export.
const askedKey = "squelch.asked"

// AskedOthers says whether the last call in L asked another resource.
func AskedOthers(L *lua.LState) bool { return L.G.Registry.RawGetString(askedKey) == lua.LTrue }

// Void says whether v came from a shimmed export.
func Void(v lua.LValue) bool {
	u, ok := v.(*lua.LUserData)
	return ok && u.Value == voidType
}

func vector(size int) lua.LGFunction {
	return func(L *lua.LState) int {
		t := L.NewTable()
		for i, name := range []string{"x", "y", "z", "w"}[:size] {
			t.RawSetString(name, L.OptNumber(i+1, 0))
		}
		L.Push(t)
		return 1
	}
}

func hashKey(L *lua.LState) int {
	L.Push(lua.LNumber(Joaat(L.CheckString(1))))
	return 1
}

// bitLibrary has the functions that "&" and the like can be replaced by. Results are
// 64-bit, as in Lua 5.4, but only 53 bits survive as a Lua 5.1 number.
func bitLibrary(L *lua.LState) {
	two := func(f func(a, b int64) int64) lua.LGFunction {
		return func(L *lua.LState) int {
			L.Push(lua.LNumber(f(whole(L, 1), whole(L, 2))))
			return 1
		}
	}
	shift := func(n int64) uint { return uint(min(max(n, 0), 64)) }
	bit := L.NewTable()
	L.SetFuncs(bit, map[string]lua.LGFunction{
		"band":   two(func(a, b int64) int64 { return a & b }),
		"bor":    two(func(a, b int64) int64 { return a | b }),
		"bxor":   two(func(a, b int64) int64 { return a ^ b }),
		"lshift": two(func(a, b int64) int64 { return a << shift(b) }),
		"rshift": two(func(a, b int64) int64 { return int64(uint64(a) >> shift(b)) }),
		"bnot":   func(L *lua.LState) int { L.Push(lua.LNumber(^whole(L, 1))); return 1 },
	})
	L.SetGlobal("bit", bit)
	L.SetGlobal("bit32", bit)
}

func whole(L *lua.LState, arg int) int64 {
	n := float64(L.CheckNumber(arg))
	if n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		L.ArgError(arg, "number has no integer representation")
	}
	return int64(n)
}
