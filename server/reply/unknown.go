package reply

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"squelch/core"
	"squelch/server/nearest"
)

// OnlyParameters refuses a query with a parameter that none of names is: to ignore a
// misspelt one would answer another question. The error is a *core.Error that names it,
// and what was most likely meant.
func OnlyParameters(query url.Values, names ...string) error {
	var given []string
	for name := range query {
		given = append(given, name)
	}
	return only(given, names)
}

// OnlyFields is OnlyParameters for the fields of a JSON object and of the struct that it
// is read into. What is no object has no fields.
func OnlyFields(body []byte, into any) error {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields) // who reads it says what is wrong with it
	var given, names []string
	for name := range fields {
		given = append(given, name)
	}
	for f := range reflect.TypeOf(into).Elem().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return only(given, names)
}

func only(given, names []string) error {
	slices.Sort(given)
	for _, name := range given {
		if slices.Contains(names, name) {
			continue
		}
		shown, hint := Short(name), "; this takes no parameters"
		if near := nearest.Name(shown, names); near != "" {
			hint = "; did you mean " + near + "?"
		} else if len(names) > 0 {
			hint = "; known are " + strings.Join(names, ", ")
		}
		return &core.Error{Kind: core.Invalid, Field: shown, Message: shown + " is unknown" + hint}
	}
	return nil
}

// maxShown is how much of a caller's text an error shows, in bytes.
const maxShown = 40

// Short is a text of a caller's as an error shows it.
func Short(text string) string {
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}
