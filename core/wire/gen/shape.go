package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"squelch/core"
	"squelch/core/wire"
)

// special are the types whose JSON is not that of their Go kind, with their TypeScript
// and JSON Schema.
var special = map[reflect.Type]struct {
	ts     string
	schema map[string]any
}{
	reflect.TypeFor[wire.Frequency]():  {"string | number", anyOf("string", "number")},
	reflect.TypeFor[core.Frequency]():  {"string", kind("string")},
	reflect.TypeFor[wire.ID]():         {"number", kind("integer")},
	reflect.TypeFor[core.UserID]():     {"number", kind("integer")},
	reflect.TypeFor[wire.Text]():       {"string", kind("string")},
	reflect.TypeFor[wire.Loose]():      {"unknown", map[string]any{}},
	reflect.TypeFor[wire.Alert]():      {"AlertConfig", ref("AlertConfig")},
	reflect.TypeFor[wire.Grant]():      {"boolean | (string | number)[]", orList(anyOf("string", "number"))},
	reflect.TypeFor[wire.ZoneGrant]():  {"boolean | number[]", orList(kind("integer"))},
	reflect.TypeFor[core.Zoom]():       {`number | "fit"`, map[string]any{"anyOf": []any{kind("number"), map[string]any{"const": "fit"}}}},
	reflect.TypeFor[json.RawMessage](): {"unknown", map[string]any{}},
	reflect.TypeFor[wire.AlertRef]():   {"string | number", anyOf("string", "integer")},
	reflect.TypeFor[wire.GamePosition](): {"[number, number, number, number]",
		map[string]any{"type": "array", "items": kind("number"), "minItems": 4, "maxItems": 4, "description": "serverId, x, y, z"}},
	reflect.TypeFor[wire.GameRequest](): {"{ id: string; do: string; [argument: string]: unknown }", ref("GameRequest")},
	reflect.TypeFor[wire.GameChange]():  {tsChanges(), changesSchema()},
	reflect.TypeFor[wire.SetTalking](): {"boolean | { state: boolean; frequency?: string | number; override?: boolean }",
		map[string]any{"anyOf": []any{kind("boolean"), map[string]any{"type": "object", "required": []string{"state"}, "properties": map[string]any{
			"state": kind("boolean"), "frequency": anyOf("string", "number"), "override": kind("boolean")}}}}},
	reflect.TypeFor[wire.ConfigUpdate](): {"Partial<ConfigBody> & { version: string }", ref("ConfigBody")},
	reflect.TypeFor[wire.Empty]():        {"Record<string, never>", kind("object")},
	reflect.TypeFor[wire.Scope]():        {"Scope", map[string]any{"type": "string", "enum": wire.Scopes}},
}

func kind(k string) map[string]any { return map[string]any{"type": k} }

func ref(name string) map[string]any {
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

func anyOf(kinds ...string) map[string]any {
	var all []any
	for _, k := range kinds {
		all = append(all, kind(k))
	}
	return map[string]any{"anyOf": all}
}

// orList is the schema of a boolean or a list.
func orList(of map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{kind("boolean"), map[string]any{"type": "array", "items": of}}}
}

// field is one member of an object.
type field struct {
	name     string
	typ      reflect.Type
	optional bool
}

// orNull says whether the member is an id, or an object of a generated type, that is
// always there but may be null.
func (f field) orNull() bool {
	if !f.optional && f.typ == reflect.TypeFor[*core.UserID]() {
		return true
	}
	if f.optional || f.typ.Kind() != reflect.Pointer || f.typ.Elem().Kind() != reflect.Struct {
		return false
	}
	_, is := special[f.typ.Elem()]
	return !is
}

// fields lists the members of a struct, those of embedded structs included.
func fields(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Tag.Get("json") == "" {
			e := f.Type
			if e.Kind() == reflect.Pointer {
				e = e.Elem()
			}
			out = append(out, fields(e)...)
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		out = append(out, field{name, f.Type, strings.Contains(opts, "omit")})
	}
	return out
}

// named collects the struct types that a type mentions, in order of first use.
func named(t reflect.Type, seen map[reflect.Type]bool, out *[]reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		named(t.Elem(), seen, out)
		return
	case reflect.Map:
		named(t.Elem(), seen, out)
		return
	case reflect.Interface:
		if t == reflect.TypeFor[wire.GameChange]() {
			for _, c := range wire.ChangeTypes {
				named(reflect.TypeOf(c), seen, out)
			}
		}
		return
	case reflect.Struct:
	default:
		return
	}
	if t == reflect.TypeFor[wire.ConfigUpdate]() {
		t = reflect.TypeFor[wire.ConfigBody]()
	}
	if _, is := special[t]; is || seen[t] || t.Name() == "" {
		return
	}
	seen[t] = true
	for _, f := range fields(t) {
		named(f.typ, seen, out)
	}
	*out = append(*out, t)
}

// event is one row of an event table.
type event struct {
	name, doc string
	field     string   // its name in the table
	scopes    []string // an API key needs one of them; of client events only
	payload   reflect.Type
}

func events(table reflect.Type) []event {
	var out []event
	for i := range table.NumField() {
		f := table.Field(i)
		out = append(out, event{f.Tag.Get("event"), f.Tag.Get("doc"), f.Name, strings.Fields(f.Tag.Get("scope")), f.Type})
	}
	return out
}

// serverEvents are all that the service sends.
func serverEvents() []event {
	return slices.Concat(events(reflect.TypeFor[wire.ServerEvents]()), events(reflect.TypeFor[wire.ServiceEvents]()))
}

// typesOf are the types that routes mention.
func typesOf(routes []wire.Route) []reflect.Type {
	seen := map[reflect.Type]bool{}
	var out []reflect.Type
	for _, r := range routes {
		for _, v := range []any{r.Body, r.Reply} {
			if v != nil {
				named(reflect.TypeOf(v), seen, &out)
			}
		}
	}
	named(reflect.TypeFor[wire.Failure](), seen, &out)
	named(reflect.TypeFor[wire.AdminFailure](), seen, &out)
	return out
}

// typesOfEvents are the types that events mention.
func typesOfEvents() []reflect.Type {
	seen := map[reflect.Type]bool{}
	var out []reflect.Type
	for _, e := range slices.Concat(serverEvents(), events(reflect.TypeFor[wire.ClientEvents]())) {
		named(e.payload, seen, &out)
	}
	named(reflect.TypeFor[wire.ConnectRefusal](), seen, &out)
	return out
}

// allTypes are the types of events, routes and the handshake, each once.
func allTypes() []reflect.Type {
	var out []reflect.Type
	handshake := []reflect.Type{reflect.TypeFor[wire.Handshake]()}
	for _, t := range slices.Concat(typesOfEvents(), typesOf(slices.Concat(wire.Routes, wire.AdminRoutes)), handshake) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
