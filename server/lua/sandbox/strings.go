package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// stringFuncs are bounded versions of the library's string functions.
var stringFuncs = map[string]lua.LGFunction{
	"rep": strRep, "format": strFormat, "find": strFind, "match": strMatch,
	"gmatch": strGmatch, "gfind": strGmatch, "gsub": strGsub,
}

// Room raises an error if a result of n bytes would be too long.
func Room(L *lua.LState, n int) {
	if n > maxString {
		L.RaiseError("a string of more than %d bytes is not allowed here", maxString)
	}
}

func strRep(L *lua.LState) int {
	s, n, sep := L.CheckString(1), L.CheckInt(2), L.OptString(3, "")
	if n <= 0 || len(s)+len(sep) == 0 {
		L.Push(lua.LString(""))
		return 1
	}
	Room(L, min(n, maxString+1)*(len(s)+len(sep)))
	if sep == "" {
		L.Push(lua.LString(strings.Repeat(s, n)))
	} else {
		L.Push(lua.LString(strings.Repeat(s+sep, n-1) + s))
	}
	return 1
}

// concat is the operator "..", from the right as the manual says.
func concat(L *lua.LState) int {
	top := L.GetTop()
	acc := L.Get(top)
	parts := []string(nil) // from the right, not yet joined
	size := 0
	flush := func() {
		if len(parts) > 0 {
			var b strings.Builder
			for i := len(parts) - 1; i >= 0; i-- {
				b.WriteString(parts[i])
			}
			acc, parts, size = lua.LString(b.String()), nil, 0
		}
	}
	for i := top - 1; i >= 1; i-- {
		left := L.Get(i)
		right, joinable := lua.LValue(nil), len(parts) > 0
		if !joinable {
			right = acc
			joinable = lua.LVCanConvToString(right)
		}
		if joinable && lua.LVCanConvToString(left) {
			if len(parts) == 0 {
				parts = append(parts, lua.LVAsString(acc))
				size = len(parts[0])
			}
			s := lua.LVAsString(left)
			size += len(s)
			Room(L, size)
			parts = append(parts, s)
			continue
		}
		flush()
		acc = concatMeta(L, left, acc)
	}
	flush()
	L.Push(acc)
	return 1
}

func concatMeta(L *lua.LState, a, b lua.LValue) lua.LValue {
	fn := L.GetMetaField(a, "__concat")
	if fn == lua.LNil {
		fn = L.GetMetaField(b, "__concat")
	}
	if fn == lua.LNil {
		bad := a
		if lua.LVCanConvToString(a) {
			bad = b
		}
		L.RaiseError("attempt to concatenate a %s value", bad.Type().String())
	}
	L.Push(fn)
	L.Push(a)
	L.Push(b)
	L.Call(2, 1)
	v := L.Get(-1)
	L.Pop(1)
	return v
}

func tableConcat(L *lua.LState) int {
	t, sep := L.CheckTable(1), L.OptString(2, "")
	from, to := L.OptInt(3, 1), L.OptInt(4, t.Len())
	var b strings.Builder
	for i := from; i <= to; i++ {
		v := t.RawGetInt(i)
		if !lua.LVCanConvToString(v) {
			L.RaiseError("invalid value (%s) at index %d in table for concat", v.Type().String(), i)
		}
		s := lua.LVAsString(v)
		Room(L, b.Len()+len(s)+len(sep))
		b.WriteString(s)
		if i < to {
			b.WriteString(sep)
		}
	}
	L.Push(lua.LString(b.String()))
	return 1
}

// with runs a match and turns the matcher's panics into Lua errors.
func with(L *lua.LState, src, pat string, f func(*matcher)) {
	m := &matcher{src: src, pat: pat, last: -1}
	if ctx := L.Context(); ctx != nil {
		m.stop = func() bool { return ctx.Err() != nil }
	}
	bad := func() (bad patternError) {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case patternError:
				bad = r
			default:
				panic(r)
			}
		}()
		f(m)
		return ""
	}()
	if bad != "" {
		L.RaiseError("%s", string(bad))
	}
}

// value is that of capture i, or the whole match if the pattern has no captures.
func (m *matcher) value(L *lua.LState, i, from, to int) lua.LValue {
	if i >= len(m.caps) {
		if i > 0 {
			panic(patternError("invalid capture index"))
		}
		return lua.LString(m.src[from:to])
	}
	c := m.caps[i]
	switch c.size {
	case openCapture:
		panic(patternError("unfinished capture"))
	case positionCapture:
		return lua.LNumber(c.at + 1)
	}
	return lua.LString(m.src[c.at : c.at+c.size])
}

func (m *matcher) values(L *lua.LState, from, to int) []lua.LValue {
	all := make([]lua.LValue, max(len(m.caps), 1))
	for i := range all {
		all[i] = m.value(L, i, from, to)
	}
	return all
}

// next finds the first match at or after s.
func (m *matcher) next(s int) (from, to int) {
	anchored := strings.HasPrefix(m.pat, "^")
	if anchored {
		m.pat = m.pat[1:]
		defer func() { m.pat = "^" + m.pat }()
	}
	for ; s <= len(m.src); s++ {
		if e := m.at(s); e >= 0 && e != m.last {
			return s, e
		}
		if anchored {
			break
		}
	}
	return -1, -1
}

func strFind(L *lua.LState) int {
	s, p := L.CheckString(1), L.CheckString(2)
	init := start(L, s)
	if init < 0 {
		L.Push(lua.LNil)
		return 1
	}
	if lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(p, "^$*+?.([%-)") {
		i := strings.Index(s[init:], p)
		if i < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(init + i + 1))
		L.Push(lua.LNumber(init + i + len(p)))
		return 2
	}
	out := []lua.LValue{lua.LNil}
	with(L, s, p, func(m *matcher) {
		if from, to := m.next(init); from >= 0 {
			out = []lua.LValue{lua.LNumber(from + 1), lua.LNumber(to)}
			if len(m.caps) > 0 {
				out = append(out, m.values(L, from, to)...)
			}
		}
	})
	return push(L, out)
}

func strMatch(L *lua.LState) int {
	s, p := L.CheckString(1), L.CheckString(2)
	init := start(L, s)
	out := []lua.LValue{lua.LNil}
	if init >= 0 {
		with(L, s, p, func(m *matcher) {
			if from, to := m.next(init); from >= 0 {
				out = m.values(L, from, to)
			}
		})
	}
	return push(L, out)
}

func strGmatch(L *lua.LState) int {
	s, p := L.CheckString(1), L.CheckString(2)
	at, last := 0, -1
	L.Push(L.NewFunction(func(L *lua.LState) int {
		out := []lua.LValue{lua.LNil}
		if at <= len(s) {
			with(L, s, p, func(m *matcher) {
				m.last = last
				from, to := m.next(at)
				if from < 0 {
					at = len(s) + 1
					return
				}
				out = m.values(L, from, to)
				at, last = to, to
			})
		}
		return push(L, out)
	}))
	return 1
}

func strGsub(L *lua.LState) int {
	s, p := L.CheckString(1), L.CheckString(2)
	L.CheckTypes(3, lua.LTString, lua.LTNumber, lua.LTTable, lua.LTFunction)
	limit := L.OptInt(4, len(s)+1)
	var b strings.Builder
	count, at, last := 0, 0, -1
	anchored := strings.HasPrefix(p, "^")
	steps := 0
	for count < limit && at <= len(s) {
		from, to, caps := -1, -1, []lua.LValue(nil)
		with(L, s, p, func(m *matcher) {
			m.steps, m.last = steps, last
			if from, to = m.next(at); from >= 0 {
				caps = append([]lua.LValue{lua.LString(s[from:to])}, m.values(L, from, to)...)
			}
			steps = m.steps
		})
		if from < 0 {
			break
		}
		count++
		b.WriteString(s[at:from])
		b.WriteString(replacement(L, caps))
		Room(L, b.Len())
		at, last = to, to
		if anchored {
			break
		}
	}
	if at < len(s) {
		b.WriteString(s[at:])
	}
	Room(L, b.Len())
	L.Push(lua.LString(b.String()))
	L.Push(lua.LNumber(count))
	return 2
}

// replacement returns the replacement of one match by gsub's third argument. caps[0]
// is the whole match, then come the captures.
func replacement(L *lua.LState, caps []lua.LValue) string {
	var v lua.LValue
	switch r := L.Get(3).(type) {
	case *lua.LTable:
		v = L.GetTable(r, caps[1])
	case *lua.LFunction:
		L.Push(r)
		for _, c := range caps[1:] {
			L.Push(c)
		}
		L.Call(len(caps)-1, 1)
		v = L.Get(-1)
		L.Pop(1)
	default:
		return template(L, lua.LVAsString(r), caps)
	}
	if lua.LVIsFalse(v) {
		return string(caps[0].(lua.LString))
	}
	if !lua.LVCanConvToString(v) {
		L.RaiseError("invalid replacement value (a %s)", v.Type().String())
	}
	return lua.LVAsString(v)
}

func template(L *lua.LState, r string, caps []lua.LValue) string {
	if !strings.Contains(r, "%") {
		return r
	}
	var b strings.Builder
	for i := 0; i < len(r); i++ {
		if r[i] != '%' || i+1 >= len(r) {
			b.WriteByte(r[i])
			continue
		}
		i++
		if !digit(r[i]) {
			b.WriteByte(r[i])
			continue
		}
		n := int(r[i] - '0')
		if n >= len(caps) {
			L.RaiseError("invalid capture index")
		}
		b.WriteString(lua.LVAsString(caps[n]))
		Room(L, b.Len())
	}
	return b.String()
}

// start is the third argument of find and match as an index; -1 beyond the end.
func start(L *lua.LState, s string) int {
	i := L.OptInt(3, 1)
	switch {
	case i < 0:
		i = max(len(s)+i, 0)
	case i > 0:
		i--
	}
	if i > len(s) {
		return -1
	}
	return i
}

func push(L *lua.LState, out []lua.LValue) int {
	for _, v := range out {
		L.Push(v)
	}
	return len(out)
}
