package cfx

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Vector is vector2, vector3 or vector4: a value that never changes.
type Vector struct {
	Size       int // 2 to 4
	X, Y, Z, W float64
}

func (v Vector) at(i int) float64 { return [4]float64{v.X, v.Y, v.Z, v.W}[i] }

func vectorOf(list []float64) Vector {
	var all [4]float64
	copy(all[:], list)
	return Vector{len(list), all[0], all[1], all[2], all[3]}
}

func (v Vector) list() []float64 { return []float64{v.X, v.Y, v.Z, v.W}[:v.Size] }

func (v Vector) name() string { return "vector" + string(rune('0'+v.Size)) }

func (v Vector) fields() map[string]any {
	m := map[string]any{}
	for i, n := range v.list() {
		m[axes[i:i+1]] = n
	}
	return m
}

const axes = "xyzw"

func (v Vector) String() string {
	parts := make([]string, v.Size)
	for i, n := range v.list() {
		parts[i] = numberText(n)
	}
	return v.name() + "(" + strings.Join(parts, ", ") + ")"
}

func (s *Script) vector(v Vector) *lua.LUserData {
	return &lua.LUserData{Value: v, Metatable: s.vectors, Env: s.L.Env}
}

// asVector takes a vector, or a table with x, y and so on.
func asVector(v lua.LValue) (Vector, bool) {
	switch v := v.(type) {
	case *lua.LUserData:
		vec, ok := v.Value.(Vector)
		return vec, ok
	case *lua.LTable:
		var list []float64
		for i := range len(axes) {
			n, ok := v.RawGetString(axes[i : i+1]).(lua.LNumber)
			if !ok {
				if n, ok = v.RawGetInt(i + 1).(lua.LNumber); !ok {
					break
				}
			}
			list = append(list, float64(n))
		}
		return vectorOf(list), len(list) > 1
	}
	return Vector{}, false
}

// newVector is vector3(x, y, z): numbers and vectors are strung together, one number
// alone fills all.
func (s *Script) newVector(size int) lua.LGFunction {
	return func(L *lua.LState) int {
		var list []float64
		for i := 1; i <= L.GetTop(); i++ {
			if v, ok := asVector(L.Get(i)); ok {
				list = append(list, v.list()...)
			} else {
				list = append(list, float64(L.CheckNumber(i)))
			}
		}
		want := size
		if want == 0 {
			want = min(max(len(list), 2), 4)
		}
		if len(list) == 1 {
			for len(list) < want {
				list = append(list, list[0])
			}
		}
		if len(list) < want {
			list = append(list, make([]float64, want-len(list))...)
		}
		L.Push(s.vector(vectorOf(list[:want])))
		return 1
	}
}

// vectorLibrary defines vector2 and the rest, and their metatable.
func (s *Script) vectorLibrary() {
	L := s.L
	s.vectors = L.NewTable()
	L.SetFuncs(s.vectors, map[string]lua.LGFunction{
		"__index": s.vectorIndex, "__tostring": vectorText, "__len": vectorLength,
		"__eq": func(L *lua.LState) int {
			a, okA := asVector(L.Get(1))
			b, okB := asVector(L.Get(2))
			L.Push(lua.LBool(okA && okB && a == b))
			return 1
		},
		"__unm": func(L *lua.LState) int {
			v, _ := asVector(L.Get(1))
			L.Push(s.vector(Vector{v.Size, -v.X, -v.Y, -v.Z, -v.W}))
			return 1
		},
		"__concat": func(L *lua.LState) int {
			L.Push(lua.LString(L.ToStringMeta(L.Get(1)).String() + L.ToStringMeta(L.Get(2)).String()))
			return 1
		},
		"__newindex": func(L *lua.LState) int { L.RaiseError("a vector cannot be changed: make a new one"); return 0 },
		"__add":      s.vectorOp(func(a, b float64) float64 { return a + b }),
		"__sub":      s.vectorOp(func(a, b float64) float64 { return a - b }),
		"__mul":      s.vectorOp(func(a, b float64) float64 { return a * b }),
		"__div":      s.vectorOp(func(a, b float64) float64 { return a / b }),
	})
	s.vectors.RawSetString("__metatable", lua.LFalse)
	for name, size := range map[string]int{"vector2": 2, "vector3": 3, "vector4": 4, "vec2": 2, "vec3": 3, "vec4": 4, "vec": 0} {
		L.SetGlobal(name, L.NewFunction(s.newVector(size)))
	}
	plainType := L.GetGlobal("type").(*lua.LFunction).GFunction
	L.SetGlobal("type", L.NewFunction(func(L *lua.LState) int {
		if u, ok := L.Get(1).(*lua.LUserData); ok {
			if v, ok := u.Value.(Vector); ok {
				L.Push(lua.LString(v.name()))
				return 1
			}
		}
		return plainType(L)
	}))
	plainUnpack := L.GetGlobal("unpack").(*lua.LFunction).GFunction
	unpack := L.NewFunction(func(L *lua.LState) int {
		if u, ok := L.Get(1).(*lua.LUserData); ok {
			if v, ok := u.Value.(Vector); ok {
				for _, n := range v.list() {
					L.Push(lua.LNumber(n))
				}
				return v.Size
			}
		}
		return plainUnpack(L)
	})
	L.SetGlobal("unpack", unpack)
	L.GetGlobal("table").(*lua.LTable).RawSetString("unpack", unpack)
}

// vectorOp combines two vectors of one size, or a vector and a number.
func (s *Script) vectorOp(f func(a, b float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		a, okA := asVector(L.Get(1))
		b, okB := asVector(L.Get(2))
		if !okA {
			n := float64(L.CheckNumber(1))
			a = Vector{b.Size, n, n, n, n}
		}
		if !okB {
			n := float64(L.CheckNumber(2))
			b = Vector{a.Size, n, n, n, n}
		}
		if a.Size != b.Size {
			L.RaiseError("arithmetic on a %s and a %s", a.name(), b.name())
		}
		list := make([]float64, a.Size)
		for i := range list {
			list[i] = f(a.at(i), b.at(i))
		}
		L.Push(s.vector(vectorOf(list)))
		return 1
	}
}

// vectorIndex is v.x, v[1], and v.xy, which is a smaller vector.
func (s *Script) vectorIndex(L *lua.LState) int {
	v, _ := asVector(L.Get(1))
	L.Push(lua.LNil)
	switch k := L.Get(2).(type) {
	case lua.LNumber:
		if i := int(k); lua.LNumber(i) == k && i >= 1 && i <= v.Size {
			L.Push(lua.LNumber(v.at(i - 1)))
		}
	case lua.LString:
		var list []float64
		for _, c := range []byte(k) {
			i := strings.IndexByte(axes[:v.Size], c)
			if i < 0 {
				return 1
			}
			list = append(list, v.at(i))
		}
		switch {
		case len(list) == 1:
			L.Push(lua.LNumber(list[0]))
		case len(list) >= 2 && len(list) <= 4:
			L.Push(s.vector(vectorOf(list)))
		}
	}
	return 1
}

func vectorText(L *lua.LState) int {
	v, _ := asVector(L.Get(1))
	L.Push(lua.LString(v.String()))
	return 1
}

// vectorLength is #v, the length in space: #(a - b) is a distance.
func vectorLength(L *lua.LState) int {
	v, _ := asVector(L.Get(1))
	sum := 0.0
	for _, n := range v.list() {
		sum += n * n
	}
	L.Push(lua.LNumber(math.Sqrt(sum)))
	return 1
}
