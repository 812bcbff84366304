package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"squelch/core/wire"
)

type object = map[string]any

func document(t *testing.T, name string) object {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var doc object
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// each calls f for every object in a JSON document.
func each(path string, v any, f func(path string, o object)) {
	switch x := v.(type) {
	case object:
		f(path, x)
		for _, k := range slices.Sorted(maps.Keys(x)) {
			each(path+"/"+k, x[k], f)
		}
	case []any:
		for i, e := range x {
			each(fmt.Sprintf("%s/%d", path, i), e, f)
		}
	}
}

// in is a member of nested objects; nil: there is none.
func in(o any, names ...string) any {
	for _, n := range names {
		m, ok := o.(object)
		if !ok {
			return nil
		}
		o = m[n]
	}
	return o
}

// operations are the operations of an OpenAPI document by method and path.
func operations(doc object) map[string]object {
	all := map[string]object{}
	paths, _ := doc["paths"].(object)
	for path, at := range paths {
		for method, op := range at.(object) {
			all[strings.ToUpper(method)+" "+path] = op.(object)
		}
	}
	return all
}

// TestOpenAPIIsComplete: the document has what generators of clients and of
// documentation need, as the linters redocly and spectral ask for it.
func TestOpenAPIIsComplete(t *testing.T) {
	doc := document(t, "openapi.gen.json")
	for _, names := range [][]string{{"info", "description"}, {"info", "contact", "name"}, {"info", "license", "identifier"}} {
		if s, _ := in(doc, names...).(string); s == "" {
			t.Errorf("%v is missing", names)
		}
	}
	servers, _ := doc["servers"].([]any)
	if len(servers) == 0 {
		t.Error("no server is named")
	}
	tags := map[string]int{}
	list, _ := doc["tags"].([]any)
	for _, tag := range list {
		if s, _ := in(tag, "description").(string); s == "" {
			t.Errorf("tag %v has no description", tag)
		}
		tags[in(tag, "name").(string)] = 0
	}
	schemes := in(doc, "components", "securitySchemes").(object)
	ids := map[string]string{}
	all := operations(doc)
	if len(all) != len(wire.Routes)+len(wire.AdminRoutes) {
		t.Errorf("%d operations", len(all))
	}
	for route, op := range all {
		id, _ := op["operationId"].(string)
		if id == "" || ids[id] != "" {
			t.Errorf("%s: operationId %q, which %q has too", route, id, ids[id])
		}
		ids[id] = route
		for _, key := range []string{"summary", "description"} {
			if s, _ := op[key].(string); s == "" {
				t.Errorf("%s has no %s", route, key)
			}
		}
		own, _ := op["tags"].([]any)
		if len(own) != 1 {
			t.Errorf("%s has tags %v, want one", route, own)
		}
		for _, tag := range own {
			if _, defined := tags[tag.(string)]; !defined {
				t.Errorf("%s: tag %s is not defined", route, tag)
			}
			tags[tag.(string)]++
		}
		for _, way := range op["security"].([]any) {
			for name, roles := range way.(object) {
				if schemes[name] == nil || len(roles.([]any)) != 0 {
					t.Errorf("%s: security %s %v", route, name, roles)
				}
			}
		}
		refusals, good := 0, 0
		for code := range op["responses"].(object) {
			if code[0] == '4' {
				refusals++
			}
			if code[0] == '2' || code == "default" {
				good++
			}
		}
		if refusals == 0 || good == 0 {
			t.Errorf("%s has responses %v", route, slices.Collect(maps.Keys(op["responses"].(object))))
		}
	}
	for tag, n := range tags {
		if n == 0 {
			t.Errorf("nothing has tag %s", tag)
		}
	}
}

// TestDocumentsHoldTogether: arrays say what is in them, references lead somewhere,
// and no schema is unused.
func TestDocumentsHoldTogether(t *testing.T) {
	for _, name := range []string{"openapi.gen.json", "asyncapi.gen.json"} {
		doc := document(t, name)
		used := map[string]bool{}
		arrays := 0
		each("", doc, func(path string, o object) {
			if strings.Contains(path, "/example") {
				return
			}
			if o["type"] == "array" {
				arrays++
				if o["items"] == nil {
					t.Errorf("%s%s: an array without items", name, path)
				}
			}
			if ref, ok := o["$ref"].(string); ok {
				used[ref] = true
				if in(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
					t.Errorf("%s%s: %s leads nowhere", name, path, ref)
				}
			}
		})
		for schema := range in(doc, "components", "schemas").(object) {
			if !used["#/components/schemas/"+schema] {
				t.Errorf("%s: nobody uses %s", name, schema)
			}
		}
		if arrays < 10 {
			t.Errorf("%s has %d arrays", name, arrays)
		}
	}
}

// lines reads a file of JSON lines.
func lines(t *testing.T, name string) []object {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []object
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		var line object
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, line)
	}
	return all
}

// TestExamplesFit: the examples of the documents are those of the tests, and fit their
// schemas.
func TestExamplesFit(t *testing.T) {
	doc := document(t, "openapi.gen.json")
	all := operations(doc)
	bodies, replies := 0, 0
	for route, op := range all {
		if body := in(op, "requestBody", "content", "application/json"); body != nil {
			bodies++
			fits(t, doc, route+" body", in(body, "schema"), in(body, "example"))
		}
		for code, r := range op["responses"].(object) {
			if media := in(r, "content", "application/json"); in(media, "example") != nil {
				replies++
				fits(t, doc, route+" "+code, in(media, "schema"), in(media, "example"))
			}
		}
	}
	for _, line := range lines(t, "requests.jsonl") {
		got := in(all[line["route"].(string)], "requestBody", "content", "application/json", "example")
		if !reflect.DeepEqual(got, line["body"]) {
			t.Errorf("%s: example %v", line["route"], got)
		}
	}
	told := 0
	for _, r := range slices.Concat(wire.Routes, wire.AdminRoutes) {
		if r.Body != nil {
			told++
		}
	}
	if bodies != told || replies < len(wire.Routes) {
		t.Errorf("%d of %d bodies and %d replies have examples", bodies, told, replies)
	}

	doc = document(t, "asyncapi.gen.json")
	events := 0
	for name, m := range in(doc, "components", "messages").(object) {
		examples, _ := in(m, "examples").([]any)
		for _, e := range examples {
			events++
			fits(t, doc, name, in(m, "payload"), in(e, "payload"))
		}
	}
	if want := reflect.TypeFor[wire.ServerEvents]().NumField() + reflect.TypeFor[wire.ServiceEvents]().NumField(); events < want {
		t.Errorf("%d examples of %d events of the service", events, want)
	}
}

// TestExamplesOfBodiesAreRead: the decoder takes what the document shows.
func TestExamplesOfBodiesAreRead(t *testing.T) {
	bodies := map[string]object{}
	for _, line := range lines(t, "requests.jsonl") {
		bodies[line["route"].(string)] = line["body"].(object)
	}
	for _, r := range slices.Concat(wire.Routes, wire.AdminRoutes) {
		if r.Body == nil {
			continue
		}
		body, err := json.Marshal(bodies[r.Method+" "+r.Path])
		if err != nil {
			t.Fatal(err)
		}
		into := reflect.New(reflect.TypeOf(r.Body))
		if r.Method == "PUT" {
			err = wire.DecodeEdit(body, into.Interface())
		} else {
			err = wire.Decode(body, into.Interface())
		}
		if err != nil || into.Elem().IsZero() {
			t.Errorf("%s %s: %s is read as %+v, %v", r.Method, r.Path, body, into.Elem(), err)
		}
	}
}

// fits checks a value against a schema. It knows the part of JSON Schema that the
// documents use.
func fits(t *testing.T, doc object, path string, schema, v any) {
	t.Helper()
	if why := misfit(doc, schema, v, ""); why != "" {
		t.Errorf("%s: %s", path, why)
	}
}

func misfit(doc object, schema, v any, at string) string {
	s, ok := schema.(object)
	if !ok {
		return at + " has no schema"
	}
	if len(s) == 0 { // anything
		return ""
	}
	if ref, is := s["$ref"].(string); is {
		return misfit(doc, in(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), v, at)
	}
	if any, is := s["anyOf"].([]any); is {
		why := ""
		for _, one := range any {
			if why = misfit(doc, one, v, at); why == "" {
				return ""
			}
		}
		return why
	}
	if kinds, is := s["type"]; is && !ofKind(kinds, v) {
		return fmt.Sprintf("%s: %v is not %v", at, v, kinds)
	}
	if values, is := s["enum"].([]any); is && !slices.Contains(values, v) {
		return fmt.Sprintf("%s: %v is not among %v", at, v, values)
	}
	if list, is := v.([]any); is && s["items"] != nil {
		for i, e := range list {
			if why := misfit(doc, s["items"], e, fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
	}
	if o, is := v.(object); is {
		return misfitObject(doc, s, o, at)
	}
	return ""
}

func misfitObject(doc, s, o object, at string) string {
	needed, _ := s["required"].([]any)
	for _, name := range needed {
		if _, there := o[name.(string)]; !there {
			return fmt.Sprintf("%s.%s is missing", at, name)
		}
	}
	known, _ := s["properties"].(object)
	for name, e := range o {
		inner := known[name]
		if inner == nil {
			inner = s["additionalProperties"]
			if inner == true {
				continue
			}
			if inner == nil {
				return fmt.Sprintf("%s.%s is not in the schema", at, name)
			}
		}
		if why := misfit(doc, inner, e, at+"."+name); why != "" {
			return why
		}
	}
	return ""
}

func ofKind(kinds, v any) bool {
	list, many := kinds.([]any)
	if !many {
		list = []any{kinds}
	}
	return slices.ContainsFunc(list, func(kind any) bool {
		switch x := v.(type) {
		case nil:
			return kind == "null"
		case bool:
			return kind == "boolean"
		case string:
			return kind == "string"
		case float64:
			return kind == "number" || kind == "integer" && x == float64(int64(x))
		case []any:
			return kind == "array"
		}
		return kind == "object"
	})
}

// TestUploadsAreDescribed: a body that is a file says what it is, how large it may be,
// and is no JSON.
func TestUploadsAreDescribed(t *testing.T) {
	all, uploads := operations(document(t, "openapi.gen.json")), 0
	for _, r := range slices.Concat(wire.Routes, wire.AdminRoutes) {
		content, _ := in(all[r.Method+" "+r.Path], "requestBody", "content").(object)
		if r.Upload == "" {
			if len(content) > 0 && content["application/json"] == nil {
				t.Errorf("%s %s has a body of another kind: %v", r.Method, r.Path, content)
			}
			continue
		}
		uploads++
		s := in(content, r.Upload, "schema")
		if about, _ := in(s, "description").(string); in(s, "contentMediaType") != r.Upload || !strings.Contains(about, fmt.Sprint(r.Large)) || len(content) != 1 || r.Body != nil || r.Large == 0 {
			t.Errorf("%s %s: %v", r.Method, r.Path, content)
		}
	}
	if uploads != 4 {
		t.Errorf("%d uploads", uploads)
	}
}
