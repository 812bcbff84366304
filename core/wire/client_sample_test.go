package wire_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"squelch/core/wire"
)

// TestEveryClientEventHasASample that the service takes, without a field that it does not
// know.
func TestEveryClientEventHasASample(t *testing.T) {
	f, err := os.Open("testdata/clientevents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	types := map[string]reflect.Type{}
	table := reflect.TypeFor[wire.ClientEvents]()
	for i := range table.NumField() {
		types[table.Field(i).Tag.Get("event")] = table.Field(i).Type
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var sample struct {
			Event   string
			Payload json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &sample); err != nil {
			t.Fatal(err)
		}
		typ, known := types[sample.Event]
		if !known {
			t.Errorf("%s is no event, or has two samples", sample.Event)
			continue
		}
		delete(types, sample.Event)
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		into := reflect.New(typ)
		object := strings.HasPrefix(string(sample.Payload), "{")
		if object {
			err = wire.Decode(sample.Payload, into.Interface())
		} else {
			err = json.Unmarshal(sample.Payload, into.Interface())
		}
		if err != nil {
			t.Errorf("%s: %v", sample.Event, err)
			continue
		}
		if typ.Kind() != reflect.Struct || !object {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(sample.Payload, &fields); err != nil {
			t.Fatal(err)
		}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			delete(fields, name)
		}
		for name := range fields {
			t.Errorf("%s has no field %s", sample.Event, name)
		}
	}
	for event := range types {
		t.Errorf("%s has no sample", event)
	}
}
