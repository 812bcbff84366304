package config

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// json is v as JSON with sorted keys. A table with only the keys 1 to n is an
// array; an empty one is an object, as "tones = {}" means; functions are left
// out.
func (v value) json() string {
	var b bytes.Buffer
	v.writeJSON(&b)
	v.r.kept += b.Len()
	return b.String()
}

func (v value) writeJSON(b *bytes.Buffer) {
	if v.r.kept+b.Len() > maxKept {
		v.r.end(v.path, "alerts and unknown keys together are larger than %d bytes", maxKept)
	}
	if v.r.stop {
		b.WriteString("null")
		return
	}
	switch x := v.v.(type) {
	case lua.LBool:
		b.WriteString(strconv.FormatBool(bool(x)))
	case lua.LNumber:
		f := float64(x)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			b.WriteString("null")
			return
		}
		out, _ := json.Marshal(f)
		b.Write(out)
	case lua.LString:
		b.Write(quoteJSON(v.text("")))
	case *lua.LTable:
		v.tableJSON(b)
	default:
		b.WriteString("null")
	}
}

func (v value) tableJSON(b *bytes.Buffer) {
	entries := v.entries()
	array := len(entries) > 0
	for i, e := range entries {
		array = array && e.name == "" && e.n == i+1
	}
	brackets := "{}"
	if array {
		brackets = "[]"
	}
	b.WriteByte(brackets[0])
	first := true
	for _, e := range entries {
		if _, fn := e.value.v.(*lua.LFunction); fn && !array {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if !array {
			name := firstRunes(e.name, maxText)
			if name == "" {
				name = strconv.Itoa(e.n)
			}
			b.Write(quoteJSON(name))
			b.WriteByte(':')
		}
		e.value.writeJSON(b)
	}
	b.WriteByte(brackets[1])
}

// quoteJSON leaves <, > and & as they are: Raw is stored, not put into HTML.
func quoteJSON(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}
