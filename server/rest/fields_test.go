package rest_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"squelch/core/wire"
)

// wrong lists, for every type that a field of a body has, values that must be
// refused. A type that is not listed fails the test, so that no field is forgotten.
var wrong = map[reflect.Type][]string{
	reflect.TypeFor[wire.Frequency]():        {`true`, `[]`, `{}`, `["154.755"]`},
	reflect.TypeFor[[]wire.Frequency]():      {`true`, `5`, `"154.755"`, `{}`, `[true,"460.25"]`, `[["154.755"],"460.25"]`, `["154.755",null]`},
	reflect.TypeFor[wire.ID]():               {`true`, `[]`, `{}`, `"seven"`, `""`, `1.5`, `"1.5"`, `1e300`, `"99999999999"`, `[7]`},
	reflect.TypeFor[wire.Text]():             {`true`, `[]`, `{}`, `["x"]`},
	reflect.TypeFor[string]():                {`true`, `5`, `[]`, `{}`, `["x"]`},
	reflect.TypeFor[bool]():                  {`1`, `"true"`, `[]`, `{}`},
	reflect.TypeFor[*bool]():                 {`1`, `"true"`, `[]`, `{}`},
	reflect.TypeFor[float64]():               {`true`, `"5"`, `[]`, `{}`, `1e999`},
	reflect.TypeFor[[]string]():              {`true`, `5`, `"x"`, `{}`, `[5]`, `[{}]`},
	reflect.TypeFor[*wire.Alert]():           {`true`, `5`, `"SIGNAL 100"`, `[]`, `[{}]`},
	reflect.TypeFor[*wire.ACEs]():            {`true`, `5`, `"x"`, `[]`},
	reflect.TypeFor[wire.Grant]():            {`5`, `"x"`, `{}`, `[true]`, `[{}]`},
	reflect.TypeFor[wire.ZoneGrant]():        {`5`, `"x"`, `{}`, `["a"]`, `[1.5]`},
	reflect.TypeFor[[]wire.PlayerPosition](): {`true`, `5`, `"x"`, `{}`, `[5]`, `[null]`, `[[]]`},
	reflect.TypeFor[*wire.Text]():            {`true`, `[]`, `{}`, `["x"]`},
	reflect.TypeFor[wire.GameRequests]():     {`true`, `5`, `"x"`, `{}`, `[5]`, `[null]`, `[[]]`},
	reflect.TypeFor[wire.PlayerList]():       {`true`, `5`, `"x"`, `{}`, `[5]`, `[null]`, `[[]]`, `[{"serverId":true}]`},
	reflect.TypeFor[[]wire.GamePosition]():   {`true`, `5`, `"x"`, `{}`, `[5]`, `[null]`, `[[]]`, `[{}]`, `[[7,1,2]]`, `[[7,1,2,3,4]]`, `[[true,1,2,3]]`, `[[7,"1",2,3]]`},
	reflect.TypeFor[*int64]():                {`true`, `"5"`, `[]`, `{}`, `1.5`, `1e300`},
	reflect.TypeFor[wire.Loose]():            {}, // anything will do
}

// wrongFields takes the body that succeeds and spoils one field after another.
func wrongFields(t *testing.T, route wire.Route, x sample) {
	t.Helper()
	s, who := busyStation(t, route)
	var good map[string]json.RawMessage
	if err := json.Unmarshal([]byte(x.body), &good); err != nil {
		t.Fatal(err)
	}
	before := memoryOf(s)
	send := func(name, value string) answer {
		body := maps.Clone(good)
		if body[name] = json.RawMessage(value); value == "" {
			delete(body, name)
		}
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return s.send(route.Method, x.at(route), as(route, who), data)
	}
	shape := reflect.TypeOf(route.Body)
	for i := range shape.NumField() {
		f := shape.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		for _, value := range spoilt(t, f.Type) {
			send(name, value).refused(t, 400, name)
		}
		if f.Tag.Get("wire") == "required" {
			send(name, "").refused(t, 400, name+" is missing")
			send(name, "null").refused(t, 400, name+" is missing")
		}
	}
	if after := memoryOf(s); !reflect.DeepEqual(before, after) {
		t.Error("a body of the wrong shape changed the radio")
	}
}

// spoilt returns the wrong values of a type, including those of its parts.
func spoilt(t *testing.T, shape reflect.Type) []string {
	t.Helper()
	all, known := wrong[shape]
	if !known {
		t.Fatalf("say in this file which values are wrong for a %s", shape)
	}
	all = append([]string{}, all...)
	part := shape
	open, shut := "{", "}"
	if shape.Kind() == reflect.Slice {
		part, open, shut = shape.Elem(), `[{"serverId":7,`, "}]"
	}
	if part.Kind() == reflect.Pointer {
		part = part.Elem()
	}
	if part.Kind() != reflect.Struct {
		return all
	}
	for i := range part.NumField() {
		name, _, _ := strings.Cut(part.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue // not a field of the wire
		}
		for _, value := range spoilt(t, part.Field(i).Type) {
			all = append(all, open+`"`+name+`":`+value+shut)
		}
	}
	return all
}
