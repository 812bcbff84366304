package cfx

import (
	"math"
	"math/rand/v2"
	"time"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// library defines what Lua 5.4 and the game have and Lua 5.1 does not, as far as it
// reaches nothing outside of the script.
func (s *Script) library() {
	L := s.L
	hash := func(L *lua.LState) int {
		L.Push(lua.LNumber(sandbox.Joaat(L.CheckString(1))))
		return 1
	}
	s.Global("joaat", hash)
	s.Global("GetHashKey", hash)
	s.Global("IsDuplicityVersion", func(L *lua.LState) int { L.Push(lua.LTrue); return 1 })
	s.Global("collectgarbage", func(L *lua.LState) int { L.Push(lua.LNumber(0)); return 1 })
	L.GetGlobal("Citizen").(*lua.LTable).RawSetString("Trace", L.GetGlobal("print"))
	s.convarLibrary()
	s.mathLibrary(L.GetGlobal("math").(*lua.LTable))
	s.timeLibrary()
	s.textLibrary()
}

// convarLibrary defines GetConvar and its kin. No convar is set here: each has the
// default that the script gives.
func (s *Script) convarLibrary() {
	for _, name := range []string{"GetConvar", "GetConvarInt", "GetConvarFloat", "GetConvarBool"} {
		s.Global(name, func(L *lua.LState) int {
			L.Push(L.Get(2))
			return 1
		})
	}
}

// mathLibrary has a random source of its own: a script's randomseed concerns nobody
// else.
func (s *Script) mathLibrary(lib *lua.LTable) {
	s.L.SetFuncs(lib, map[string]lua.LGFunction{
		"random": func(L *lua.LState) int {
			low, high := int64(1), int64(0)
			switch L.GetTop() {
			case 0:
				L.Push(lua.LNumber(s.random.Float64()))
				return 1
			case 1:
				high = L.CheckInt64(1)
			default:
				low, high = L.CheckInt64(1), L.CheckInt64(2)
			}
			if low > high || high-low < 0 || high-low == math.MaxInt64 {
				L.ArgError(L.GetTop(), "interval is empty")
			}
			L.Push(lua.LNumber(low + s.random.Int64N(high-low+1)))
			return 1
		},
		"randomseed": func(L *lua.LState) int {
			seed := math.Float64bits(float64(L.OptNumber(1, 0)))
			s.random = rand.New(rand.NewPCG(seed, seed))
			return 0
		},
		"type": func(L *lua.LState) int {
			n, ok := L.CheckAny(1).(lua.LNumber)
			switch {
			case !ok:
				L.Push(lua.LNil)
			case n == lua.LNumber(math.Trunc(float64(n))) && !math.IsInf(float64(n), 0):
				L.Push(lua.LString("integer"))
			default:
				L.Push(lua.LString("float"))
			}
			return 1
		},
		"tointeger": func(L *lua.LState) int {
			n, ok := L.CheckAny(1).(lua.LNumber)
			if ok && n == lua.LNumber(math.Trunc(float64(n))) && !math.IsInf(float64(n), 0) {
				L.Push(n)
			} else {
				L.Push(lua.LNil)
			}
			return 1
		},
	})
	lib.RawSetString("maxinteger", lua.LNumber(1<<53))
	lib.RawSetString("mininteger", lua.LNumber(-(1 << 53)))
}

// timeLibrary is what is harmless of os.
func (s *Script) timeLibrary() {
	L := s.L
	L.Push(L.NewFunction(lua.OpenOs))
	L.Push(lua.LString(lua.OsLibName))
	L.Call(1, 0)
	all, lib := L.GetGlobal("os").(*lua.LTable), L.NewTable()
	for _, name := range []string{"time", "date", "difftime"} {
		lib.RawSetString(name, all.RawGetString(name))
	}
	lib.RawSetString("clock", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LNumber(time.Since(s.born).Seconds()))
		return 1
	}))
	L.SetGlobal("os", lib)
}

// textLibrary is utf8, as Lua 5.4 has it.
func (s *Script) textLibrary() {
	lib := s.L.NewTable()
	s.L.SetFuncs(lib, map[string]lua.LGFunction{
		"char": func(L *lua.LState) int {
			var b []byte
			for i := 1; i <= L.GetTop(); i++ {
				b = utf8.AppendRune(b, rune(L.CheckInt(i)))
			}
			L.Push(lua.LString(b))
			return 1
		},
		"len": func(L *lua.LState) int {
			text := L.CheckString(1)
			if !utf8.ValidString(text) {
				L.Push(lua.LNil)
				L.Push(lua.LNumber(firstInvalid(text) + 1))
				return 2
			}
			L.Push(lua.LNumber(utf8.RuneCountInString(text)))
			return 1
		},
		"codepoint": func(L *lua.LState) int {
			text := L.CheckString(1)
			from := L.OptInt(2, 1)
			to, n := L.OptInt(3, from), 0
			for i := max(from, 1) - 1; i < min(to, len(text)); n++ {
				r, size := utf8.DecodeRuneInString(text[i:])
				L.Push(lua.LNumber(r))
				i += size
			}
			return n
		},
		"codes": func(L *lua.LState) int {
			text, at := L.CheckString(1), 0
			L.Push(L.NewFunction(func(L *lua.LState) int {
				if at >= len(text) {
					L.Push(lua.LNil)
					return 1
				}
				r, size := utf8.DecodeRuneInString(text[at:])
				L.Push(lua.LNumber(at + 1))
				L.Push(lua.LNumber(r))
				at += size
				return 2
			}))
			return 1
		},
		"offset": func(L *lua.LState) int {
			text, n := L.CheckString(1), L.CheckInt(2)
			for i := range text {
				if n--; n == 0 {
					L.Push(lua.LNumber(i + 1))
					return 1
				}
			}
			L.Push(lua.LNil)
			return 1
		},
	})
	lib.RawSetString("charpattern", lua.LString("[%z\x01-\x7F\xC2-\xF4][\x80-\xBF]*"))
	s.L.SetGlobal("utf8", lib)
}

func firstInvalid(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return len(text)
}
