package wire

import (
	"encoding/json"
	"reflect"
	"strconv"
	"unicode/utf8"

	"squelch/core"
)

// Scripts may hand over texts that are not UTF-8 (a name in Latin-1). JSON would
// change them, and a replay of the journal would then differ from what happened. So
// they are carried beside the JSON, each with its number among all texts of the value.

// odd has the bytes of texts that are not UTF-8, by their number in eachText.
type odd map[string][]byte

func oddTexts(v reflect.Value) odd {
	var found odd
	eachText(v, func(n int, text reflect.Value) {
		if s := text.String(); !utf8.ValidString(s) {
			if found == nil {
				found = odd{}
			}
			found[strconv.Itoa(n)] = []byte(s)
		}
	})
	return found
}

// restore puts the texts back into a value that was read from JSON.
func (o odd) restore(v reflect.Value) error {
	left := len(o)
	eachText(v, func(n int, text reflect.Value) {
		if b, there := o[strconv.Itoa(n)]; there && text.CanSet() {
			text.SetString(string(b))
			left--
		}
	})
	if left > 0 {
		return &core.Error{Kind: core.Invalid, Field: "bytes", Message: "bytes must name texts of this command"}
	}
	return nil
}

// eachText visits every string of a value in the order of its fields. n counts them
// from 0.
func eachText(v reflect.Value, visit func(n int, text reflect.Value)) {
	n := 0
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			visit(n, v)
			n++
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		}
	}
	walk(v)
}

// Start is where a journal or a simulation begins: a configuration and what
// the radio remembers. Its JSON loses nothing.
type Start struct {
	Config core.Config
	Data   core.Data
}

type startShape struct {
	Config json.RawMessage `json:"config"`
	Data   json.RawMessage `json:"data,omitempty"`
	Bytes  odd             `json:"bytes,omitempty"`
}

// MarshalJSON fails for numbers that JSON does not have (NaN and the infinities).
func (s Start) MarshalJSON() ([]byte, error) {
	var shape startShape
	var err error
	if shape.Config, err = json.Marshal(s.Config); err != nil {
		return nil, err
	}
	if shape.Data, err = json.Marshal(s.Data); err != nil {
		return nil, err
	}
	shape.Bytes = oddTexts(reflect.ValueOf(s))
	return json.Marshal(shape)
}

// UnmarshalJSON reads a Start. Without data nobody is on the radio; values of the
// configuration that are left out have their defaults.
func (s *Start) UnmarshalJSON(b []byte) error {
	var shape startShape
	if err := json.Unmarshal(b, &shape); err != nil {
		return argsError(err, "")
	}
	*s = Start{Config: core.DefaultConfig()}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
		into any
	}{{"config", shape.Config, &s.Config}, {"data", shape.Data, &s.Data}} {
		if len(part.raw) == 0 {
			continue
		}
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return argsError(err, part.name)
		}
	}
	if len(shape.Bytes) == 0 {
		return nil
	}
	return shape.Bytes.restore(reflect.ValueOf(s).Elem())
}
