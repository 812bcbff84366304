package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"squelch/core/wire"
)

// contract is what the two documents of the interface promise, and what of it the stories
// have seen. It is as strict as can be: a field that is in no schema is a mistake, so a
// field that is renamed in the service and not in the document is found, whether it is
// required or not.
type contract struct {
	compiler *jsonschema.Compiler
	replies  map[string]map[string]string // by route and status: where its schema is
	events   map[string]string            // of the service, by name

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema
	seen    map[string]bool
}

var theContract = sync.OnceValues(func() (*contract, error) {
	c := &contract{compiler: jsonschema.NewCompiler(), replies: map[string]map[string]string{}, events: map[string]string{}, schemas: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
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

func (c *contract) find(name string, doc map[string]any) {
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
func (c *contract) fits(at string, value []byte) error {
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

// event checks what a client has heard.
func (c *contract) event(name string, payload json.RawMessage) error {
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

// reply checks the answer of a route.
func (c *contract) reply(route string, status int, body []byte) error {
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

func (c *contract) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[what] = true
}

// unheard are events that no story leads to, and where they are tested.
var unheard = map[string]string{
	"configRefresh": "needs the administration; TestAPlayersWholeClientOverWebRTC holds it against the document",
	"voice":         "needs voice; TestAPlayersWholeClientOverWebRTC holds it against the document",
	"webrtc:slots":  "needs a media connection; TestAPlayersWholeClientOverWebRTC holds it against the document",
	"webrtc:closed": "needs a media connection that breaks; its example is held against the document in core/wire",
}

// fitsTheDocument holds an event against the document; text is ["name", payload, …].
func fitsTheDocument(t *testing.T, text string) (name string) {
	t.Helper()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(text), &parts); err != nil || len(parts) == 0 || json.Unmarshal(parts[0], &name) != nil {
		t.Fatalf("%.200q is no event (%v)", text, err)
	}
	if strings.HasPrefix(name, "#") { // of the channel itself: an acknowledgement, a goodbye
		return name
	}
	var payload json.RawMessage
	if len(parts) > 1 {
		payload = parts[1]
	}
	if err := c.event(name, payload); err != nil {
		t.Error(err)
	}
	return name
}

// checkSeen is called when all stories were told: each event of the service was heard, and
// fits its schema.
func (c *contract) checkSeen(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.events)) {
		switch seen := c.seen["event "+name]; {
		case !seen && unheard[name] == "":
			t.Errorf("no story leads to the event %s", name)
		case seen && unheard[name] != "":
			t.Errorf("a story leads to the event %s: it needs no excuse", name)
		}
	}
	for _, r := range corpusRoutes {
		name := r.Method + " " + r.Path
		if _, json := c.replies[name][fmt.Sprint(r.Status)]; json && !c.seen["route "+name] && uncovered["good "+name] == "" {
			t.Errorf("no story has the answer of %s", name)
		}
	}
}

// TestARenamedFieldIsFound: the check would see it, required or not.
func TestARenamedFieldIsFound(t *testing.T) {
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	const talking = `{"serverId":7,"frequency":"154.755","state":true}`
	for payload, fits := range map[string]bool{talking: true, strings.Replace(talking, "frequency", "channel", 1): false, strings.Replace(talking, "7", `"7"`, 1): false,
		strings.Replace(talking, "}", `,"colour":"red"}`, 1): false, "null": false} {
		if err := c.fits(c.events["talkingState"], []byte(payload)); (err == nil) != fits {
			t.Errorf("%s: %v", payload, err)
		}
	}
	if err := c.reply("GET /api/health", 200, []byte(`{"stats":"ok"}`)); err == nil {
		t.Error("a renamed field of a reply was not found")
	}
	if err := c.event("talkState", nil); err == nil {
		t.Error("an event that does not exist was not found")
	}
}
