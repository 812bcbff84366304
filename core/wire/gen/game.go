package main

import (
	"reflect"
	"strings"

	"squelch/core/wire"
)

// changesSchema says that a change of the mirror is one of several shapes.
func changesSchema() object {
	var all []any
	for _, c := range wire.ChangeTypes {
		all = append(all, ref(reflect.TypeOf(c).Name()))
	}
	return object{"anyOf": all}
}

func tsChanges() string {
	var all []string
	for _, c := range wire.ChangeTypes {
		all = append(all, reflect.TypeOf(c).Name())
	}
	return strings.Join(all, " | ")
}

// withActions adds GameRequest: one shape for each action, with its arguments.
func withActions(schemas object) object {
	var all []any
	table := reflect.TypeFor[wire.Actions]()
	for i := range table.NumField() {
		f := table.Field(i)
		properties := object{"id": object{"type": "string", "description": "A request with an id that was answered in the last 60 s gets that answer; its action is not repeated"},
			"do": object{"type": "string", "enum": []string{f.Tag.Get("do")}}}
		required := []string{"id", "do"}
		for _, arg := range fields(f.Type) {
			properties[arg.name] = schema(arg.typ)
			if !arg.optional {
				required = append(required, arg.name)
			}
		}
		all = append(all, object{"type": "object", "title": f.Tag.Get("do"), "description": f.Tag.Get("doc"), "properties": properties, "required": required})
	}
	schemas["GameRequest"] = object{"anyOf": all}
	return schemas
}
