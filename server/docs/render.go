package docs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
)

//go:embed page.html
var layout string

var page = template.Must(template.New("page").Parse(layout))

// depth is how deep fields are listed; deeper ones are in the documents.
const depth = 4

// object is a JSON object.
type object = map[string]any

// Parts of the page.
type (
	content struct {
		Version       string
		About, Events string
		Style         template.CSS
		Script        template.JS
		Groups        []group
		Directions    []direction
	}
	group struct {
		Name, About string
		Operations  []operation
	}
	operation struct {
		ID, Method, Path, Summary, About string
		Extension                        bool
		Parameters                       []field
		Body                             []field
		BodyExample                      string
		Answers                          []answer
		Curl                             string
	}
	answer struct {
		Code, About string
		Fields      []field
		Example     string
	}
	direction struct {
		Name, About string
		Events      []event
	}
	event struct {
		ID, Name, Summary, Scopes string
		Fields                    []field
		Example                   string
	}
	// field is a row of a table; Name is a path such as zones[].Channels[].frequency.
	field struct {
		Name, Kind, About string
		Required          bool
	}
)

func render(w io.Writer, openAPI, asyncAPI object) error {
	c := content{Style: template.CSS(style), Script: template.JS(script), Version: text(at(openAPI, "info", "version")),
		About: text(at(openAPI, "info", "description")), Events: text(at(asyncAPI, "info", "description"))}
	c.Groups = groups(openAPI)
	for _, d := range []struct{ name, prefix string }{{"From the client", "client_"}, {"From the service", "server_"}} {
		c.Directions = append(c.Directions, direction{Name: d.name, About: text(at(asyncAPI, "operations", d.prefix+"events", "description")), Events: events(asyncAPI, d.prefix)})
	}
	return page.Execute(w, c)
}

func groups(doc object) (all []group) {
	byTag := map[string][]operation{}
	paths := at(doc, "paths").(object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := paths[path].(object)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			op := methods[method].(object)
			tag := text(at(op, "tags").([]any)[0])
			byTag[tag] = append(byTag[tag], operationOf(doc, strings.ToUpper(method), path, op))
		}
	}
	for _, t := range at(doc, "tags").([]any) {
		name := text(at(t, "name"))
		all = append(all, group{Name: name, About: text(at(t, "description")), Operations: byTag[name]})
	}
	return all
}

func operationOf(doc object, method, path string, op object) operation {
	o := operation{ID: text(op["operationId"]), Method: method, Path: path, Summary: text(op["summary"]), About: text(op["description"]), Extension: op["x-extension"] == true}
	if parameters, is := op["parameters"].([]any); is {
		for _, p := range parameters {
			kind := text(at(p, "schema", "type"))
			o.Parameters = append(o.Parameters, field{Name: text(at(p, "name")), Kind: kind + " in the " + text(at(p, "in")), About: text(at(p, "description")), Required: at(p, "required") == true})
		}
	}
	media := ""
	if body, is := at(op, "requestBody", "content").(object); is {
		for kind, m := range body {
			media = kind
			o.Body, o.BodyExample = fieldsOf(doc, at(m, "schema")), pretty(at(m, "example"))
		}
	}
	answers := op["responses"].(object)
	for _, code := range slices.Sorted(maps.Keys(answers)) {
		a := answer{Code: code, About: text(at(answers[code], "description"))}
		if of, is := at(answers[code], "content").(object); is {
			for kind, m := range of {
				if kind != "application/json" {
					a.About += ", " + kind
				}
				if code[0] == '2' {
					a.Fields = fieldsOf(doc, at(m, "schema"))
				}
				a.Example = pretty(at(m, "example"))
			}
		}
		o.Answers = append(o.Answers, a)
	}
	o.Curl = curl(o, op, media)
	return o
}

// curl is a command that makes the request.
func curl(o operation, op object, media string) string {
	line := "curl"
	if o.Method != "GET" {
		line += " -X " + o.Method
	}
	ways, _ := op["security"].([]any)
	first := object{}
	for _, way := range ways {
		if w, is := way.(object); is && (len(first) == 0 || w["key"] != nil) { // a key is the simplest
			first = w
		}
	}
	switch {
	case first["key"] != nil:
		line += ` -H "Authorization: Bearer $KEY"`
	case first["token"] != nil && first["session"] != nil:
		line += ` -H "Authorization: Bearer $TOKEN" -H "x-session-id: $SESSION"`
	case first["token"] != nil:
		line += ` -H "Authorization: Bearer $TOKEN"`
	case first["admin"] != nil:
		line += ` -b cookies`
		if first["csrf"] != nil {
			line += ` -H "X-CSRF-Token: $CSRF"`
		}
	}
	switch {
	case media == "application/json":
		compact, _ := json.Marshal(json.RawMessage(o.BodyExample))
		line += ` -H "Content-Type: application/json" -d '` + strings.ReplaceAll(string(compact), "'", `'\''`) + "'"
	case media != "":
		line += ` -H "Content-Type: ` + media + `" --data-binary @file`
	}
	return line + ` "$URL` + strings.NewReplacer("{", "", "}", "").Replace(o.Path) + `"`
}

func events(doc object, prefix string) (all []event) {
	messages := at(doc, "components", "messages").(object)
	for _, key := range slices.Sorted(maps.Keys(messages)) {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		m := messages[key].(object)
		e := event{ID: key, Name: text(m["name"]), Summary: text(m["summary"]), Fields: fieldsOf(doc, m["payload"])}
		if scopes, is := m["x-key-scopes"].([]any); is {
			for _, s := range scopes {
				e.Scopes += " or " + text(s)
			}
			e.Scopes = strings.TrimPrefix(e.Scopes, " or ")
		}
		if examples, is := m["examples"].([]any); is && len(examples) > 0 {
			e.Example = pretty(at(examples[0], "payload"))
		}
		all = append(all, e)
	}
	return all
}

// fieldsOf lists the fields of a schema, inner ones by their path.
func fieldsOf(doc object, schema any) (rows []field) {
	s := resolve(doc, schema)
	if s == nil {
		return nil
	}
	if s["properties"] == nil {
		if kind := kindOf(doc, s); kind != "" {
			rows = append(rows, field{Name: "(the value)", Kind: kind, About: text(s["description"]), Required: true})
		}
	}
	list(doc, "", s, depth, &rows)
	return rows
}

func list(doc object, prefix string, s object, left int, rows *[]field) {
	if items := s["items"]; items != nil {
		if inner := resolve(doc, items); inner != nil && left > 0 {
			list(doc, prefix+"[].", inner, left-1, rows)
		}
		return
	}
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p := resolve(doc, properties[name])
		full := strings.ReplaceAll(prefix+name, ".[]", "[]")
		*rows = append(*rows, field{Name: full, Kind: kindOf(doc, p), About: text(p["description"]), Required: slices.Contains(required, any(name))})
		switch {
		case left == 0:
		case p["items"] != nil:
			list(doc, full, p, left-1, rows)
		case p["properties"] != nil:
			list(doc, full+".", p, left-1, rows)
		}
	}
}

// resolve follows a reference.
func resolve(doc object, schema any) object {
	s, _ := schema.(object)
	for range 8 { // references to references
		ref := text(s["$ref"])
		if ref == "" {
			return s
		}
		s, _ = at(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(object)
	}
	return s
}

// kindOf is a type in words.
func kindOf(doc object, s object) string {
	var kinds []string
	switch t := s["type"].(type) {
	case string:
		kinds = []string{t}
	case []any:
		for _, k := range t {
			kinds = append(kinds, text(k))
		}
	}
	for _, many := range []string{"anyOf", "oneOf"} {
		if of, is := s[many].([]any); is {
			for _, one := range of {
				kinds = append(kinds, kindOf(doc, resolve(doc, one)))
			}
		}
	}
	kind := strings.Join(kinds, " or ")
	if kind == "array" {
		if items := resolve(doc, s["items"]); items != nil {
			kind = "array of " + kindOf(doc, items)
		}
	}
	if values, is := s["enum"].([]any); is {
		var words []string
		for _, v := range values {
			words = append(words, fmt.Sprint(v))
		}
		kind += ": " + strings.Join(words, ", ")
	}
	return kind
}

// at follows names into a document; nil: there is no such place.
func at(doc any, names ...string) any {
	for _, name := range names {
		o, _ := doc.(object)
		doc = o[name]
	}
	return doc
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func pretty(v any) string {
	if v == nil {
		return ""
	}
	b, _ := json.MarshalIndent(v, "", "  ")
	return string(b)
}
