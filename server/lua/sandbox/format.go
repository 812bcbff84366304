package sandbox

import (
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// strFormat: the conversions of the manual with its two digit width and
// precision.
func strFormat(L *lua.LState) int {
	f := L.CheckString(1)
	var b strings.Builder
	arg := 1
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			b.WriteByte(f[i])
			continue
		}
		start := i
		for i++; i < len(f) && strings.IndexByte("-+ #0123456789.", f[i]) >= 0; i++ {
		}
		if i >= len(f) || i-start > 12 || longNumber(f[start:i]) {
			L.RaiseError("invalid format (width or precision too long, or no conversion)")
		}
		if f[i] == '%' {
			b.WriteByte('%')
			continue
		}
		arg++
		formatOne(L, &b, f[start:i], f[i], arg)
		Room(L, b.Len())
	}
	Room(L, b.Len())
	L.Push(lua.LString(b.String()))
	return 1
}

func longNumber(spec string) bool {
	for _, n := range strings.FieldsFunc(spec, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(strings.TrimLeft(n, "0")) > 2 {
			return true
		}
	}
	return false
}

func formatOne(L *lua.LState, b *strings.Builder, spec string, verb byte, arg int) {
	switch verb {
	case 'c':
		b.WriteByte(byte(L.CheckInt(arg)))
	case 'd', 'i', 'u':
		fmt.Fprintf(b, spec+"d", int64(L.CheckNumber(arg)))
	case 'o', 'x', 'X':
		fmt.Fprintf(b, spec+string(verb), uint64(int64(L.CheckNumber(arg))))
	case 'e', 'E', 'f', 'g', 'G':
		fmt.Fprintf(b, spec+string(verb), float64(L.CheckNumber(arg)))
	case 'q':
		b.WriteString(strconv.Quote(L.CheckString(arg)))
	case 's':
		s := L.ToStringMeta(L.CheckAny(arg)).String()
		Room(L, b.Len()+len(s))
		fmt.Fprintf(b, spec+"s", s)
	default:
		L.RaiseError("invalid conversion '%%%c' to 'format'", verb)
	}
}
