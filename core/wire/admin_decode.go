//go:build !wasm

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"squelch/core"
)

// maxAdminText is the longest text in an edited configuration, in bytes. The file
// has the same limit.
const maxAdminText = 4096

// DecodeEdit reads the body of an edit of the configuration into an AdminEdit
// or AdminReset. Unlike Decode it goes down to every value, and an unknown key is an
// error: otherwise a misspelt key would silently be lost. The error is a *core.Error
// of kind Invalid; Field is the path in the document below "config", such as
// "zones[2].channels[1].frequency" (lists count from 1).
func DecodeEdit(body []byte, into any) error {
	if !utf8.Valid(body) || !json.Valid(body) {
		return &core.Error{Kind: core.Invalid, Message: "The body must be a JSON object"}
	}
	if err := decodeAt("", body, reflect.ValueOf(into).Elem()); err != nil {
		return err
	}
	return nil // not err: a nil *core.Error in an error is not a nil error
}

func wrongAt(path, message string) *core.Error {
	if path == "" {
		path, message = "", "The body "+message
		return &core.Error{Kind: core.Invalid, Message: message}
	}
	return &core.Error{Kind: core.Invalid, Field: path, Message: path + " " + message}
}

func decodeAt(path string, raw json.RawMessage, v reflect.Value) *core.Error {
	if raw = bytes.TrimSpace(raw); string(raw) == "null" {
		return nil
	}
	switch v.Type() {
	case reflect.TypeFor[core.Frequency]():
		return frequencyAt(path, raw, v.Addr().Interface().(*core.Frequency))
	case reflect.TypeFor[core.Zoom]():
		if json.Unmarshal(raw, v.Addr().Interface()) != nil {
			return wrongAt(path, `must be a number or "fit"`)
		}
		return nil
	case reflect.TypeFor[Alert]():
		return alertAt(path, raw, v.Addr().Interface().(*Alert))
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeAt(path, raw, v.Elem())
	case reflect.Struct:
		return structAt(path, raw, v)
	case reflect.Slice:
		return sliceAt(path, raw, v)
	case reflect.Map:
		return mapAt(path, raw, v)
	case reflect.String:
		if json.Unmarshal(raw, v.Addr().Interface()) != nil {
			return wrongAt(path, "must be a string")
		}
		if v.Len() > maxAdminText {
			return wrongAt(path, fmt.Sprintf("must have at most %d bytes", maxAdminText))
		}
		return nil
	}
	if json.Unmarshal(raw, v.Addr().Interface()) != nil {
		return wrongAt(path, "must be "+wantsPlain(v.Kind()))
	}
	return nil
}

func wantsPlain(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

func structAt(path string, raw json.RawMessage, v reflect.Value) *core.Error {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil {
		return wrongAt(path, "must be an object")
	}
	if c, ok := v.Addr().Interface().(*AdminCodeplug); ok { // the defaults that the file's loader has
		c.Features, c.AnnouncementVolume = AdminFeatures{Scan: true, GPS: true, Panic: true}, 100
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		value, given := keys[name]
		if !given {
			continue
		}
		delete(keys, name)
		if err := decodeAt(below(path, name), value, v.Field(i)); err != nil {
			return err
		}
	}
	if len(keys) == 0 {
		return nil
	}
	unknown := SortedKeys(keys)[0]
	if utf8.RuneCountInString(unknown) > 40 {
		unknown = "a key"
	}
	return wrongAt(below(path, unknown), "is not a known key")
}

// below is the path of a key. "config" is left out, because everything is in it.
func below(path, name string) string {
	if path == "" || path == "config" {
		return name
	}
	return path + "." + name
}

func sliceAt(path string, raw json.RawMessage, v reflect.Value) *core.Error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return wrongAt(path, "must be an array")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i+1)
		if string(bytes.TrimSpace(item)) == "null" {
			return wrongAt(at, "is missing")
		}
		if err := decodeAt(at, item, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// mapAt reads an object whose keys are data.
func mapAt(path string, raw json.RawMessage, v reflect.Value) *core.Error {
	var items map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return wrongAt(path, "must be an object")
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, key := range SortedKeys(items) {
		at := below(path, key)
		if utf8.RuneCountInString(key) > 40 {
			at = path
		}
		item := reflect.New(v.Type().Elem()).Elem()
		if string(bytes.TrimSpace(items[key])) == "null" {
			return wrongAt(at, "is missing")
		}
		if err := decodeAt(at, items[key], item); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(key), item)
	}
	return nil
}

// frequencyAt takes the spellings that REST takes, and "" for none.
func frequencyAt(path string, raw json.RawMessage, to *core.Frequency) *core.Error {
	if string(raw) == `""` {
		*to = 0
		return nil
	}
	var f Frequency
	if json.Unmarshal(raw, &f) != nil {
		return wrongAt(path, "must be a frequency: a decimal above 0 and below 1000000 with at most six decimals, such as 154.755")
	}
	*to = f.At
	return nil
}

func alertAt(path string, raw json.RawMessage, to *Alert) *core.Error {
	err := json.Unmarshal(raw, to)
	var inner *core.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &inner) && inner.Field != "":
		rest := strings.TrimPrefix(inner.Message, inner.Field+" ")
		return wrongAt(path+"."+inner.Field, rest)
	}
	return wrongAt(path, "must be an alert config object")
}
