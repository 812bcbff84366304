package cfx

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// jsonLibrary has the game's json.encode and json.decode. Where the game's would write
// what is not JSON (Infinity), this writes null; numbers have one kind here, so 463.0
// is written 463.
func (s *Script) jsonLibrary() {
	lib := s.L.NewTable()
	s.L.SetFuncs(lib, map[string]lua.LGFunction{"encode": s.encode, "decode": s.decode})
	s.L.SetGlobal("json", lib)
}

func (s *Script) encode(L *lua.LState) int {
	v, err := s.ToGo(L.Get(1))
	if err != nil {
		L.RaiseError("json.encode: %v", err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if o, ok := L.Get(2).(*lua.LTable); ok && lua.LVAsBool(o.RawGetString("indent")) {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		L.RaiseError("json.encode: %v", err)
	}
	sandbox.Room(L, b.Len())
	L.Push(lua.LString(strings.TrimSuffix(b.String(), "\n")))
	return 1
}

// decode answers nil for what is not JSON, as the game does.
func (s *Script) decode(L *lua.LState) int {
	v, err := ParseJSON([]byte(L.OptString(1, "")))
	if err != nil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(s.Value(v))
	return 1
}

// ParseJSON reads JSON into a packed value. Null is nil; a null in a list leaves a
// hole, and one in an object nothing.
func ParseJSON(text []byte) (v Packed, err error) {
	defer caught(&err)
	d := json.NewDecoder(bytes.NewReader(text))
	var p packing
	if v, err = p.parse(d, 0); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, packError("more than one value")
	}
	return v, nil
}

func (p *packing) parse(d *json.Decoder, depth int) (Packed, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		p.count(depth, 16)
		if t == '[' {
			return p.parseList(d, depth)
		}
		return p.parseObject(d, depth)
	case string:
		p.count(depth, len(t))
		return t, nil
	case nil:
		return nil, nil
	}
	p.count(depth, 8)
	return t, nil // bool, float64
}

func (p *packing) parseList(d *json.Decoder, depth int) (Packed, error) {
	out := &Table{}
	for d.More() {
		v, err := p.parse(d, depth+1)
		if err != nil {
			return nil, err
		}
		out.Array = append(out.Array, v)
	}
	_, err := d.Token()
	return out, err
}

func (p *packing) parseObject(d *json.Decoder, depth int) (Packed, error) {
	out := &Table{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := p.parse(d, depth+1)
		if err != nil {
			return nil, err
		}
		if v != nil {
			p.count(depth, len(key.(string)))
			out.Keys, out.Values = append(out.Keys, key), append(out.Values, v)
		}
	}
	_, err := d.Token()
	return out, err
}
