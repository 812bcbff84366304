package sandbox

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// Names of the functions that translated operators call. The translator refuses them in
// programs.
const (
	callNav    = reserved + "nav"    // a?.b, a?[b]
	callFields = reserved + "fields" // a, b in t
	callIDiv   = reserved + "idiv"   // a // b
	callAnd    = reserved + "band"
	callOr     = reserved + "bor"
	callXor    = reserved + "bxor"
	callNot    = reserved + "bnot"
	callLeft   = reserved + "shl"
	callRight  = reserved + "shr"
)

// reserved begins the names that only the translator may use.
const reserved = "__squelch_"

// dialect defines the functions that translated operators call.
func dialect(L *lua.LState) {
	for name, f := range map[string]lua.LGFunction{
		callNav: navigate, callFields: fields, callIDiv: floorDivide,
		callAnd:  bitwise("__band", func(a, b int64) int64 { return a & b }),
		callOr:   bitwise("__bor", func(a, b int64) int64 { return a | b }),
		callXor:  bitwise("__bxor", func(a, b int64) int64 { return a ^ b }),
		callLeft: bitwise("__shl", shifted),
		callRight: bitwise("__shr", func(a, b int64) int64 {
			if b == math.MinInt64 {
				return 0
			}
			return shifted(a, -b)
		}),
		callNot: func(L *lua.LState) int {
			if meta(L, "__bnot") {
				return 1
			}
			return integer(L, ^whole(L, 1))
		},
	} {
		L.SetGlobal(name, L.NewFunction(f))
	}
}

// navigate is a?.b: nil if a is nil.
func navigate(L *lua.LState) int {
	if L.Get(1) == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(L.GetTable(L.Get(1), L.Get(2)))
	return 1
}

// fields is "in t": the values of the named fields of t.
func fields(L *lua.LState) int {
	n := L.GetTop()
	for i := 2; i <= n; i++ {
		L.Push(L.GetTable(L.Get(1), L.Get(i)))
	}
	return n - 1
}

// floorDivide is a // b. Numbers here have no kinds: two whole ones are integers, of
// which a division by zero is an error, as in Lua 5.4.
func floorDivide(L *lua.LState) int {
	if meta(L, "__idiv") {
		return 1
	}
	a, b := float64(L.CheckNumber(1)), float64(L.CheckNumber(2))
	if b == 0 && a == math.Trunc(a) && !math.IsInf(a, 0) {
		L.RaiseError("attempt to perform 'n//0'")
	}
	L.Push(lua.LNumber(math.Floor(a / b)))
	return 1
}

func bitwise(event string, f func(a, b int64) int64) lua.LGFunction {
	return func(L *lua.LState) int {
		if meta(L, event) {
			return 1
		}
		return integer(L, f(whole(L, 1), whole(L, 2)))
	}
}

// shifted shifts left, and to the right by a negative number, without sign.
func shifted(a, by int64) int64 {
	switch {
	case by <= -64 || by >= 64:
		return 0
	case by < 0:
		return int64(uint64(a) >> -by)
	}
	return a << by
}

// integer pushes a result, if a number of this Lua can hold it.
func integer(L *lua.LState, n int64) int {
	f := lua.LNumber(n)
	if int64(f) != n || n == math.MaxInt64 {
		L.RaiseError("the result %d of a bit operation does not fit: numbers here hold integers of 53 bits", n)
	}
	L.Push(f)
	return 1
}

// meta calls the metamethod of one of the two operands and leaves its result; false:
// neither has one.
func meta(L *lua.LState, event string) bool {
	fn := L.GetMetaField(L.Get(1), event)
	if fn == lua.LNil {
		fn = L.GetMetaField(L.Get(2), event)
	}
	if fn == lua.LNil {
		return false
	}
	a, b := L.Get(1), L.Get(2)
	L.Push(fn)
	L.Push(a)
	L.Push(b)
	L.Call(2, 1)
	return true
}
