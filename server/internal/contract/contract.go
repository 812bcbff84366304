// Package contract holds what the service answers and tells against the documents of its
// interface, for tests.
package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"squelch/core/wire"
)

// Contract is what the two documents of the interface promise, and what of it the tests of a
// process have seen. It is as strict as can be: a field that is in no schema is a mistake, so a
// field that is renamed in the service and not in the document is found, whether it is
// required or not.
type Contract struct {
	compiler *jsonschema.Compiler
	replies  map[string]map[string]string // by route and status: where its schema is
	events   map[string]string            // of the service, by name

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema
	seen    map[string]bool
}

// Load reads the documents, once.
var Load = sync.OnceValues(func() (*Contract, error) {
	c := &Contract{compiler: jsonschema.NewCompiler(), replies: map[string]map[string]string{}, events: map[string]string{}, schemas: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	for name, text := range map[string][]byte{"openapi.json": wire.OpenAPI, "asyncapi.json": wire.AsyncAPI} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		closeObjects(doc)
		// An alert is passed on as its sender wrote it: the stories send some that are wrong.
		schemas := doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
		schemas["AlertConfig"] = map[string]any{"type": "object"}
		if err := c.compiler.AddResource("https://squelch.invalid/"+name, doc); err != nil {
			return nil, err
		}
		c.find(name, doc.(map[string]any))
	}
	return c, nil
})

// closeObjects forbids fields that a schema does not name.
func closeObjects(part any) {
	switch p := part.(type) {
	case map[string]any:
		_, named := p["properties"].(map[string]any)
		if _, said := p["additionalProperties"]; named && !said && p["type"] == "object" {
			p["additionalProperties"] = false
		}
		for _, inner := range p {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range p {
			closeObjects(inner)
		}
	}
}

func (c *Contract) find(name string, doc map[string]any) {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	if paths, is := doc["paths"].(map[string]any); is {
		for path, methods := range paths {
			for method, operation := range methods.(map[string]any) {
				route := strings.ToUpper(method) + " " + path
				c.replies[route] = map[string]string{}
				for status, reply := range operation.(map[string]any)["responses"].(map[string]any) {
					content, _ := reply.(map[string]any)["content"].(map[string]any)
					if _, is := content["application/json"]; is {
						c.replies[route][status] = name + "#/paths/" + escape.Replace(path) + "/" + method + "/responses/" + status + "/content/application~1json/schema"
					}
				}
			}
		}
		return
	}
	for key, message := range doc["components"].(map[string]any)["messages"].(map[string]any) {
		m := message.(map[string]any)
		if strings.HasPrefix(key, "server_") {
			c.events[m["name"].(string)] = name + "#/components/messages/" + key + "/payload"
		}
	}
}

// fits holds a value against a schema.
func (c *Contract) fits(at string, value []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock() // compiling is not for more than one at a time
	schema := c.schemas[at]
	if schema == nil {
		var err error
		if schema, err = c.compiler.Compile("https://squelch.invalid/" + at); err != nil {
			return err
		}
		c.schemas[at] = schema
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

// Event checks what a client has heard.
func (c *Contract) Event(name string, payload json.RawMessage) error {
	at, known := c.events[name]
	if !known {
		return fmt.Errorf("the event %s is in no document", name)
	}
	if payload == nil {
		payload = json.RawMessage("null")
	}
	if err := c.fits(at, payload); err != nil {
		return fmt.Errorf("event %s: %w\n%s", name, err, payload)
	}
	c.note("event " + name)
	return nil
}

// Reply checks the answer of a route, such as "GET /api/status".
func (c *Contract) Reply(route string, status int, body []byte) error {
	of, known := c.replies[route]
	if !known {
		return nil // what is no route is refused, in the words of no route
	}
	if len(body) == 0 { // HEAD
		return nil
	}
	at, described := of[fmt.Sprint(status)]
	if !described {
		if status == http.StatusOK && len(body) > 0 && json.Valid(body) && body[0] == '{' {
			return fmt.Errorf("%s answers %d, which the document does not have", route, status)
		}
		return nil
	}
	if err := c.fits(at, body); err != nil {
		return fmt.Errorf("%s, %d: %w\n%s", route, status, err, body)
	}
	if status < 300 {
		c.note("route " + route)
	}
	return nil
}

func (c *Contract) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[what] = true
}

// SeenEvent says whether an event was heard and fits its schema.
func (c *Contract) SeenEvent(name string) bool { return c.saw("event " + name) }

// SeenReply says whether a route has answered as it should, and the answer fits its schema.
func (c *Contract) SeenReply(route string) bool { return c.saw("route " + route) }

func (c *Contract) saw(what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[what]
}

// Events are the names of all events of the service.
func (c *Contract) Events() (names []string) {
	for name := range c.events {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Promises says whether the document has a JSON answer of a route for a status.
func (c *Contract) Promises(route string, status int) bool {
	_, is := c.replies[route][strconv.Itoa(status)]
	return is
}

// Fits holds the payload of an event against its schema, and counts it as nothing.
func (c *Contract) Fits(event string, payload []byte) error { return c.fits(c.events[event], payload) }

// Route is the route of the document that a request is for, such as
// "GET /radio/tones/{file}"; "": there is none.
func (c *Contract) Route(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	if route := method + " " + path; c.replies[route] != nil {
		return route
	}
	parts := strings.Split(path, "/")
next:
	for route := range c.replies {
		verb, pattern, _ := strings.Cut(route, " ")
		of := strings.Split(pattern, "/")
		if verb != method || len(of) != len(parts) {
			continue
		}
		for i, part := range of {
			if part != parts[i] && !strings.HasPrefix(part, "{") {
				continue next
			}
		}
		return route
	}
	return ""
}

// Unseen are those of some routes that no test has had a good JSON answer of.
func (c *Contract) Unseen(routes []wire.Route) (unseen []string) {
	for _, r := range routes {
		if route := r.Method + " " + r.Path; c.Promises(route, r.Status) && !c.SeenReply(route) {
			unseen = append(unseen, route)
		}
	}
	return unseen
}
