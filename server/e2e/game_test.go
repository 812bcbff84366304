package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/server/testpeers"
)

// longGameVariable makes the load on the simulated game server longer; `just test-long`
// sets it.
const longGameVariable = "SQUELCH_GAME_LOAD"

// The resource as it is shipped, in the simulated game, against the running program. The
// tests are node's; they ask here for services, and kill them.

func TestGameRunsTheResource(t *testing.T) { game(t, "story", "configs", "recovery", "hostile") }

func TestGameUnderLoad(t *testing.T) { game(t, "load") }

func game(t *testing.T, files ...string) {
	resource, err := filepath.Abs(filepath.Join("..", "resource", "radio"))
	if err != nil {
		t.Fatal(err)
	}
	c := &control{t: t, services: map[string]*service{}, jobs: make(chan func())}
	front := httptest.NewServer(c)
	defer front.Close()
	environment := []string{"GAME_CONTROL=" + front.URL, "GAME_RESOURCE=" + resource}
	if load := os.Getenv(longGameVariable); load != "" {
		environment = append(environment, "GAME_LOAD_SECONDS="+load)
	}
	paths := make([]string, len(files))
	for i, name := range files {
		paths[i] = filepath.Join("game", "radio", name+".test.mjs")
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		t.Run("node", func(t *testing.T) { testpeers.NodeTests(t, environment, paths...) })
	}()
	defer func() { <-ended }()
	for {
		select {
		case <-ended:
			return
		case job := <-c.jobs:
			job()
		}
	}
}

// control starts and ends services for tests that are not written in Go. What it is asked
// for runs on the test's own goroutine, which may fail the test.
type control struct {
	t        *testing.T
	services map[string]*service
	jobs     chan func()
}

// order is a request. Config is Lua to append to the configuration, File a configuration
// to use as it is, Name a service that was started before.
type order struct{ Config, File, Name string }

func (c *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply := make(chan any, 1)
	select {
	case c.jobs <- func() {
		defer close(reply) // also when the test has failed
		reply <- c.do(strings.TrimPrefix(r.URL.Path, "/"), o)
	}:
	case <-r.Context().Done(): // node has ended, and the test takes no more jobs
		return
	}
	answer, ok := <-reply
	if !ok {
		http.Error(w, "the test has failed", http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (c *control) do(what string, o order) any {
	c.t.Helper()
	s := c.services[o.Name]
	switch {
	case what == "start":
		if o.File != "" {
			s = resume(c.t, o.File, filepath.Join(c.t.TempDir(), "data"))
		} else {
			s = start(c.t, o.Config)
		}
		o.Name = fmt.Sprint("service ", len(c.services))
	case s == nil:
		c.t.Fatalf("%s: there is no service %q", what, o.Name)
	case what == "kill":
		s.Kill()
	case what == "again": // on the address that its clients know
		s = resume(c.t, s.conf, s.data, "--listen", strings.TrimPrefix(s.url, "http://"))
	case what == "freeze":
		c.signal(s, freeze)
	case what == "thaw":
		c.signal(s, thaw)
	case what == "log":
		return map[string]string{"stderr": s.Stderr()}
	default:
		c.t.Fatalf("a service cannot %s", what)
	}
	c.services[o.Name] = s
	return map[string]string{"name": o.Name, "url": s.url}
}

func (c *control) signal(s *service, sig os.Signal) {
	if err := s.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
}
