package cfx

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// Packed is a value outside of any script: nil, bool, float64, string, *Table, Vector
// or *Ref. Other Go values that a host hands over become one of these: numbers, slices
// and maps with text keys.
type Packed = any

// Table is a packed Lua table: first its array, then the other pairs, in the order in
// which Lua had them.
type Table struct {
	Array  []Packed
	Keys   []Packed
	Values []Packed
}

// Ref is a function that was handed over; whoever calls it makes its own script run.
type Ref struct {
	owner *Script
	fn    *lua.LFunction
}

// packing counts what it has packed.
type packing struct {
	s             *Script
	values, bytes int
}

type packError string

func (e packError) Error() string { return string(e) }

func (p *packing) count(depth, bytes int) {
	p.values++
	p.bytes += bytes
	switch {
	case depth > maxDeep:
		panic(packError(fmt.Sprintf("tables are nested more than %d deep, or contain themselves", maxDeep)))
	case p.values > maxValues || p.bytes > maxBytes:
		panic(packError("the values are too large to hand over"))
	}
}

// caught turns the panic of a packing into an error.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case packError:
		*err = r
	default:
		panic(r)
	}
}

// pack copies arguments out of the script. Nils at the end are lost, those in the
// middle are kept.
func (s *Script) pack(list []lua.LValue) (out []Packed, err error) {
	defer caught(&err)
	p := packing{s: s}
	for len(list) > 0 && list[len(list)-1] == lua.LNil {
		list = list[:len(list)-1]
	}
	out = make([]Packed, len(list))
	for i, v := range list {
		out[i] = p.value(v, 0)
	}
	return out, nil
}

// weight is how many bytes values take, about.
func weight(list []Packed) int {
	sum := 0
	for _, v := range list {
		sum += 16
		switch v := v.(type) {
		case string:
			sum += len(v)
		case []string:
			for _, text := range v {
				sum += 16 + len(text)
			}
		case *Table:
			sum += 64 + weight(v.Array) + weight(v.Keys) + weight(v.Values)
		}
	}
	return sum
}

// results is the part of what an export returns that its caller gets: as in the game,
// nothing from the first nil on.
func results(list []lua.LValue) []lua.LValue {
	for i, v := range list {
		if v == lua.LNil {
			return list[:i]
		}
	}
	return list
}

func (p *packing) value(v lua.LValue, depth int) Packed {
	switch v := v.(type) {
	case lua.LBool:
		p.count(depth, 1)
		return bool(v)
	case lua.LNumber:
		p.count(depth, 8)
		return float64(v)
	case lua.LString:
		p.count(depth, len(v))
		return string(v)
	case *lua.LFunction:
		p.count(depth, 8)
		return &Ref{p.s, v}
	case *lua.LUserData:
		if vec, ok := v.Value.(Vector); ok {
			p.count(depth, 32)
			return vec
		}
	case *lua.LTable:
		return p.table(v, depth)
	}
	return nil // threads and other userdata do not travel
}

func (p *packing) table(t *lua.LTable, depth int) *Table {
	p.count(depth, 16)
	out := &Table{}
	for i := 1; ; i++ {
		v := t.RawGetInt(i)
		if v == lua.LNil {
			break
		}
		out.Array = append(out.Array, p.value(v, depth+1))
	}
	n := lua.LNumber(len(out.Array))
	t.ForEach(func(k, v lua.LValue) {
		if i, ok := k.(lua.LNumber); ok && i >= 1 && i <= n && i == lua.LNumber(math.Trunc(float64(i))) {
			return
		}
		key := p.value(k, depth+1)
		switch key.(type) {
		case nil, *Ref, *Table, Vector:
			return // the packer has only plain keys
		}
		out.Keys, out.Values = append(out.Keys, key), append(out.Values, p.value(v, depth+1))
	})
	return out
}

// copies copies values within one script, as if they had been handed over.
func (s *Script) copies(list []lua.LValue) (out []lua.LValue, err error) {
	defer caught(&err)
	p := packing{s: s}
	out = make([]lua.LValue, len(list))
	for i, v := range list {
		out[i] = p.copied(v, 0)
	}
	return out, nil
}

func (p *packing) copied(v lua.LValue, depth int) lua.LValue {
	switch v := v.(type) {
	case *lua.LTable:
		p.count(depth, 16)
		out := p.s.L.CreateTable(v.Len(), 0)
		v.ForEach(func(k, x lua.LValue) {
			switch k.(type) {
			case lua.LNumber, lua.LString, lua.LBool:
				if to := p.copied(x, depth+1); to != lua.LNil {
					out.RawSet(k, to)
				}
			}
		})
		return out
	case lua.LString:
		p.count(depth, len(v))
	case *lua.LUserData:
		if _, ok := v.Value.(Vector); !ok {
			return lua.LNil
		}
	case *lua.LState, lua.LChannel:
		return lua.LNil
	default:
		p.count(depth, 8)
	}
	return v
}

// unpack makes Lua values of packed ones.
func (s *Script) unpack(list []Packed) []lua.LValue {
	out := make([]lua.LValue, len(list))
	for i, v := range list {
		out[i] = s.Value(v)
	}
	return out
}

// Value makes the Lua value of a packed one; it must be called on the script's own
// goroutine. Go numbers, slices and maps of a host are taken, too; what Lua cannot
// hold is nil.
func (s *Script) Value(v Packed) lua.LValue {
	switch v := v.(type) {
	case nil:
		return lua.LNil
	case lua.LValue:
		return v
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case int:
		return lua.LNumber(v)
	case int64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case Vector:
		return s.vector(v)
	case *Ref:
		return s.function(v)
	case *Table:
		t := s.L.CreateTable(len(v.Array), len(v.Keys))
		for i, x := range v.Array {
			t.RawSetInt(i+1, s.Value(x))
		}
		for i, k := range v.Keys {
			t.RawSet(s.Value(k), s.Value(v.Values[i]))
		}
		return t
	case []any:
		t := s.L.CreateTable(len(v), 0)
		for i, x := range v {
			t.RawSetInt(i+1, s.Value(x))
		}
		return t
	case map[string]any:
		t := s.L.CreateTable(0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			t.RawSetString(k, s.Value(v[k]))
		}
		return t
	}
	return s.reflected(reflect.ValueOf(v))
}

// reflected takes the named types of a host.
func (s *Script) reflected(v reflect.Value) lua.LValue {
	switch v.Kind() {
	case reflect.Bool:
		return lua.LBool(v.Bool())
	case reflect.String:
		return lua.LString(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return lua.LNumber(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return lua.LNumber(v.Uint())
	case reflect.Float32, reflect.Float64:
		return lua.LNumber(v.Float())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return s.Value(v.Elem().Interface())
		}
	case reflect.Slice, reflect.Array:
		t := s.L.CreateTable(v.Len(), 0)
		for i := range v.Len() {
			t.RawSetInt(i+1, s.Value(v.Index(i).Interface()))
		}
		return t
	}
	return lua.LNil
}

// ToGo turns a Lua value into what encoding/json writes: a table whose keys are 1 to n
// is a list, any other an object. A table without anything is an empty list.
func (s *Script) ToGo(v lua.LValue) (out any, err error) {
	defer caught(&err)
	p := packing{s: s}
	return plain(p.value(v, 0)), nil
}

func plain(v Packed) any {
	switch v := v.(type) {
	case Vector:
		return v.fields()
	case *Ref:
		return nil
	case *Table:
		if len(v.Keys) == 0 {
			list := make([]any, len(v.Array))
			for i, x := range v.Array {
				list[i] = plain(x)
			}
			return list
		}
		m := make(map[string]any, len(v.Keys)+len(v.Array))
		for i, x := range v.Array {
			m[strconv.Itoa(i+1)] = plain(x)
		}
		for i, k := range v.Keys {
			m[keyText(k)] = plain(v.Values[i])
		}
		return m
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil // JSON has no such numbers
		}
	}
	return v
}

func keyText(k Packed) string {
	if n, ok := k.(float64); ok {
		return numberText(n)
	}
	return fmt.Sprint(k)
}

// numberText is a number as tostring shows it.
func numberText(n float64) string { return lua.LNumber(n).String() }
