package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

// A corpusStory is one file of testdata/corpus: what a few callers ask of a radio,
// over REST and Socket.IO, and whether they get it. It runs against the service and
// against core.wasm (see TestTheServiceAndTheWebAssemblyAnswerAlike).
type corpusStory struct {
	Title   string                   `json:"title"`
	Lua     []string                 `json:"lua"` // appended to testdata/config.lua
	Callers map[string]*corpusCaller `json:"callers"`
	Steps   []*corpusStep            `json:"steps"`

	file  string
	sweep bool // any answer is right, as long as both tellers agree
}

// corpusCaller says with which credentials somebody asks. Without any of the fields
// it is nobody.
type corpusCaller struct {
	Login  string       `json:"login"`  // a dispatcher with this callsign
	With   string       `json:"with"`   // another console of that caller's login
	Key    []wire.Scope `json:"key"`    // an API key with these scopes
	Player core.UserID  `json:"player"` // announced by POST /api/player/connect in an earlier step
	Master bool         `json:"master"` // the master token, without a session
	Token  string       `json:"token"`  // a bearer token that belongs to nobody

	name string
}

// kind is what the core calls such a caller.
func (c *corpusCaller) kind() string {
	switch {
	case c.Login != "":
		return "session"
	case c.Key != nil:
		return "key"
	case c.Player != 0:
		return "player"
	case c.Master:
		return "master"
	}
	return "nobody"
}

// corpusStep is one request: one of Connect, Event, Route, Lose and Goodbye.
type corpusStep struct {
	By      string          `json:"by"`
	Connect json.RawMessage `json:"connect"` // {"serverId":…}
	Event   string          `json:"event"`
	Route   string          `json:"route"`   // "POST /api/patch/create"
	Payload json.RawMessage `json:"payload"` // of the event or the route; "$session" is the caller's session id
	Raw     *string         `json:"raw"`     // a route's body that is not JSON
	Lose    bool            `json:"lose"`    // the link breaks
	Goodbye bool            `json:"goodbye"` // the client leaves
	// Until is a message that ends the step, for what happens by itself later.
	Until *struct {
		Hears string `json:"hears"` // the caller
		Event string `json:"event"`
	} `json:"until"`
	// ServiceOnly steps are not run against core.wasm; see onlyTheServiceCan.
	ServiceOnly bool `json:"serviceOnly"`
	// Is says what the answer must be: for a route its status; for an event "ok",
	// "denied" (the channel is busy), "refused" or "nothing"; for a connect the id
	// given or the code of the refusal.
	Is any `json:"is"`
}

func (s *corpusStep) String() string {
	var what string
	switch {
	case s.Connect != nil:
		what = "connect " + string(s.Connect)
	case s.Event != "":
		what = s.Event + " " + string(s.Payload)
	case s.Route != "":
		what = s.Route + " " + string(s.body())
	case s.Lose:
		what = "lose"
	case s.Goodbye:
		what = "goodbye"
	}
	return s.By + ": " + strings.TrimSpace(what)
}

func (s *corpusStep) body() []byte {
	if s.Raw != nil {
		return []byte(*s.Raw)
	}
	return s.Payload
}

// good says whether the step must succeed.
func (s *corpusStep) good() bool {
	switch is := s.Is.(type) {
	case float64:
		return s.Route == "" || is < 400
	case string:
		return is == "ok"
	}
	return true
}

// wants is Is as a text; "": the step has no answer.
func (s *corpusStep) wants() string {
	if s.Is == nil {
		return ""
	}
	return fmt.Sprint(s.Is)
}

// corpus reads all stories.
func corpus(t *testing.T) []*corpusStory {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	var all []*corpusStory
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := &corpusStory{file: strings.TrimSuffix(filepath.Base(file), ".json")}
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.DisallowUnknownFields()
		if err := d.Decode(s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s.check(t)
		all = append(all, s)
	}
	for _, s := range []*corpusStory{routeSweep(t), eventSweep(t)} {
		s.check(t)
		all = append(all, s)
	}
	return all
}

// check reports what a story's author got wrong.
func (s *corpusStory) check(t *testing.T) {
	t.Helper()
	for name, c := range s.Callers {
		c.name = name
		if c.With == "" {
			continue
		}
		first := s.Callers[c.With]
		if first == nil || first.Login == "" {
			t.Fatalf("%s: %s shares the login of %s, who has none", s.file, name, c.With)
		}
		c.Login = first.Login
	}
	for n, step := range s.Steps {
		if s.Callers[step.By] == nil {
			t.Fatalf("%s, step %d: there is no caller %q", s.file, n+1, step.By)
		}
		kinds := 0
		for _, is := range []bool{step.Connect != nil, step.Event != "", step.Route != "", step.Lose, step.Goodbye} {
			if is {
				kinds++
			}
		}
		if silent := step.Lose || step.Goodbye; kinds != 1 || silent && step.Is != nil || !silent && step.Is == nil && !s.sweep {
			t.Fatalf("%s, step %d (%s): it must be one of connect, event, route, lose and goodbye, and the first three say how they are answered", s.file, n+1, step)
		}
	}
}
