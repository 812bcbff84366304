package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"squelch/core"
)

// errWrongType is what a field's UnmarshalJSON returns; Decode names the field.
var errWrongType = errors.New("wrong type")

// Decode reads a JSON object into a struct, field by field, so that an error
// can name the field at fault. Unknown fields are ignored. A field tagged
// `wire:"required"` must be there and not null; in one tagged `wire:"blank"` the
// empty string is the same as null. The error is a *core.Error for the first field of
// a wrong shape (core.Invalid); if there is none, for the first one whose text or
// number is not a frequency (core.NotFound).
func Decode(body []byte, into any) error {
	var fields map[string]json.RawMessage
	body = bytes.TrimSpace(body)
	if l, is := into.(interface{ list() string }); is && len(body) > 0 && body[0] == '[' && json.Valid(body) {
		body = slices.Concat([]byte(`{"`+l.list()+`":`), body, []byte("}"))
	}
	if len(body) == 0 {
		return &core.Error{Kind: core.Invalid, Message: "The body must be a JSON object, but it is empty"}
	}
	if !utf8.Valid(body) || json.Unmarshal(body, &fields) != nil || fields == nil {
		return &core.Error{Kind: core.Invalid, Message: "The body must be a JSON object"}
	}
	v := reflect.ValueOf(into).Elem()
	var missing *core.Error
	for i := range v.NumField() {
		err := decodeField(v.Type().Field(i), v.Field(i), fields)
		switch {
		case err == nil:
		case err.Kind != core.NotFound:
			return err
		case missing == nil:
			missing = err
		}
	}
	if missing != nil {
		return missing // only if it is not nil: a nil *core.Error in an error is not a nil error
	}
	return nil
}

func decodeField(f reflect.StructField, v reflect.Value, fields map[string]json.RawMessage) *core.Error {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	raw, there := fields[name]
	raw = bytes.TrimSpace(raw)
	if !there || string(raw) == "null" || (string(raw) == `""` && f.Tag.Get("wire") == "blank") {
		if f.Tag.Get("wire") == "required" {
			return &core.Error{Kind: core.Invalid, Field: name, Message: name + " is missing"}
		}
		return nil
	}
	err := json.Unmarshal(raw, v.Addr().Interface())
	if err == nil {
		return nil
	}
	var inner *core.Error
	if errors.As(err, &inner) {
		switch {
		case inner.Kind != core.Invalid || inner.Field == name:
			return inner
		case inner.Field == "[]": // of the list itself
			return &core.Error{Kind: core.Invalid, Field: name, Message: name + " " + inner.Message}
		case strings.HasPrefix(inner.Field, "["):
			return &core.Error{Kind: core.Invalid, Field: name + inner.Field, Message: name + inner.Message}
		case inner.Field != "":
			return &core.Error{Kind: core.Invalid, Field: name + "." + inner.Field, Message: name + "." + inner.Message}
		}
	}
	return &core.Error{Kind: core.Invalid, Field: name, Message: name + " must be " + wants(v.Type())}
}

// wants says in words what a field's type takes.
func wants(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Frequency]():
		return "a frequency (decimal string or number)"
	case reflect.TypeFor[[]Frequency]():
		return "an array of frequencies (decimal strings or numbers)"
	case reflect.TypeFor[[]GamePosition]():
		return "an array of [serverId, x, y, z]"
	case reflect.TypeFor[ID]():
		return "an integer"
	case reflect.TypeFor[Text]():
		return "a string"
	case reflect.TypeFor[Grant](), reflect.TypeFor[ZoneGrant]():
		return "an array or a boolean"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wants(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return "an array of objects"
		}
		if t.Elem().Kind() == reflect.String {
			return "an array of strings"
		}
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Uint64:
		return "a whole number that is not negative"
	}
	return "a number"
}

// sortUnique sorts a short list and keeps each value once. (By insertion: the code of
// slices.Sort is seven times as long for each type in core.wasm.)
func sortUnique[T core.Frequency | int](list *[]T) {
	var sorted []T
	for _, v := range *list {
		if n, found := slices.BinarySearch(sorted, v); !found {
			sorted = append(sorted, v)
			copy(sorted[n+1:], sorted[n:])
			sorted[n] = v
		}
	}
	*list = sorted
}
