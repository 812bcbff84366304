package e2e

import (
	"context"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/internal/contract"
	"squelch/wasm/host"
	"squelch/wasm/parity"
)

// Each story runs against the service, over real HTTP and Socket.IO, and against
// core.wasm. Statuses, replies and messages must be the same, and as the story says.
func TestTheServiceAndTheWebAssemblyAnswerAlike(t *testing.T) {
	module := coreModule(t)
	promised, err := contract.Load()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // when the stories, which run side by side, have been told
		if !t.Failed() {
			checkSeen(t, promised)
		}
	})
	for _, story := range corpus(t) {
		t.Run(story.file, func(t *testing.T) {
			t.Parallel()
			service, wasm := newServiceTeller(t, story), newSimTeller(t, module, story)
			for n, step := range story.Steps {
				a := service.tell(step)
				if want := step.wants(); a.is != want && !(story.sweep && want == "") {
					t.Errorf("%s, step %d\n  %s\n  the service: %s\n  want %s", story.Title, n+1, step, a.answer, want)
				}
				if step.ServiceOnly {
					continue
				}
				if d := difference(a.lines(), wasm.tell(step).lines()); d != "" {
					t.Errorf("%s, step %d (-: only the service, +: only core.wasm)\n  %s\n%s", story.Title, n+1, step, d)
				}
			}
			service.s.stop()
		})
	}
}

// coreModule builds core.wasm.
func coreModule(t *testing.T) *host.Core {
	t.Helper()
	root, err := parity.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, err := parity.BuildCompiled(t.Context(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	module, err := host.Compile(t.Context(), wasm, host.Options{Cache: parity.Cache(dir)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := module.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return module
}

// onlyTheServiceCan are routes and events that need more than a radio: those of their
// steps that say serviceOnly run against the service alone.
var onlyTheServiceCan = map[string]string{
	"setDispatchSession": "whether a session is known",
	"webrtc:offer":       "whether an SDP text is an offer",
	"webrtc:report":      "whether there is a media connection",
	"toneFile":           "what is in a sound file",

	"GET /radio/resource.zip": "whether the page was built",
	"GET /api/game/changes":   "what a game server has not seen yet",
	"POST /api/game/do":       "which requests were answered before",
	"POST /api/game/players":  "which tokens players have",
	"POST /api/game/webrtc":   "whether an SDP text is an offer",
}

// uncovered lists the routes and events without a request that succeeds ("good"), or
// without one that is refused ("bad"), and why.
var uncovered = map[string]string{
	"good GET /radio/dispatch/installer":   "needs an installer file; see the tests of server/rest",
	"good GET /radio/dispatch/update.json": "needs a manifest file; see the tests of server/rest",
	"good GET /radio/tones/{file}":         "needs a sound file; see the tests of server/rest",
	"good GET /radio/resource.zip":         "needs the built page; see the tests of server/rest",
	"good GET /radio/dispatch/login":       "needs an identity provider; see external_test.go",
	"good GET /radio/dispatch/callback":    "needs an identity provider; see external_test.go",
	"good GET /api/game/callbacks":         "needs callbacks that call the game; see the tests of server/rest",
	"good POST /api/game/webrtc":           "needs a media connection; see control_test.go",
	"good webrtc:offer":                    "needs a media connection; see the tests of sfu",
	"good webrtc:report":                   "needs a media connection; see the tests of server/socket",
	"bad heartbeat":                        "any payload will do",
	"bad webrtc:close":                     "any payload will do",
}

// A new route or event needs a step that must succeed, and one that must be refused.
func TestTheCorpusCoversEveryRouteAndEvent(t *testing.T) {
	told, alone := map[string]bool{}, map[string]bool{}
	for _, story := range corpus(t) {
		for n, step := range story.Steps {
			name := step.Event
			if step.Route != "" {
				name = routeOf(step.Route)
			}
			if step.ServiceOnly {
				if onlyTheServiceCan[name] == "" {
					t.Errorf("%s, step %d: core.wasm can do %s", story.Title, n+1, name)
				}
				alone[name] = true
			}
			if story.sweep {
				continue
			}
			if step.good() {
				told["good "+name] = true
			} else {
				told["bad "+name] = true
			}
		}
	}
	var all []string
	for _, r := range corpusRoutes {
		all = append(all, r.Method+" "+r.Path)
	}
	events := reflect.TypeFor[wire.ClientEvents]()
	for i := range events.NumField() {
		all = append(all, events.Field(i).Tag.Get("event"))
	}
	for _, name := range all {
		for _, kind := range []string{"good ", "bad "} {
			switch excused := uncovered[kind+name] != ""; {
			case !told[kind+name] && !excused:
				t.Errorf("no story has a %srequest of %s", kind, name)
			case told[kind+name] && excused:
				t.Errorf("a story has a %srequest of %s: it needs no excuse", kind, name)
			}
		}
	}
	for name := range onlyTheServiceCan {
		if !alone[name] {
			t.Errorf("no step of %s is marked serviceOnly: remove it from onlyTheServiceCan", name)
		}
	}
}

// corpusRoutes are the routes that both radios have: core.wasm leaves those of desks
// out. They have tests of their own in server/rest and beside each desk.
var corpusRoutes = slices.DeleteFunc(slices.Clone(wire.Routes), func(r wire.Route) bool {
	return door.ServiceOnly(r.Path)
})

// routeOf is the route of wire.Routes that a request is for. A request with a method
// that its path does not take counts for the method that the path does take.
func routeOf(request string) string {
	method, path, _ := strings.Cut(request, " ")
	other := request
	for _, r := range corpusRoutes {
		if !samePath(r.Path, path) {
			continue
		}
		if r.Method == method || method == http.MethodHead && r.Method == http.MethodGet {
			return r.Method + " " + r.Path
		}
		other = r.Method + " " + r.Path
	}
	return other
}

func samePath(pattern, path string) bool {
	a, b := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !strings.HasPrefix(a[i], "{") {
			return false
		}
	}
	return true
}
