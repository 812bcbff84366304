package e2e

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/wasm/host"
)

// simTeller runs a story against core.wasm. Sessions, keys and player tokens belong
// to the service; here every request states what they would have said about its
// caller.
type simTeller struct {
	t     *testing.T
	story *corpusStory
	radio *host.Instance
	at    int64 // ms since the epoch
	wake  int64

	on     map[string]core.UserID // who is connected
	ended  map[string]bool        // whose login, or place in the game, is over
	heard  map[string][]string    // since the last step
	counts map[string]int         // of events heard, by caller and event
}

const (
	// stepTime is how far apart the steps are, in ms.
	stepTime = 10
	// maxTicks is how often a step that waits for a message lets time pass.
	maxTicks = 100
)

// simRequest is a request of sim.Machine.Apply.
type simRequest struct {
	At      int64           `json:"at"`
	By      simCaller       `json:"by"`
	Event   string          `json:"event,omitempty"`
	Route   string          `json:"route,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Body    string          `json:"body,omitempty"` // instead of Payload: a body that is not JSON
}

type simCaller struct {
	User   core.UserID  `json:"user"`
	Name   string       `json:"name,omitempty"`
	Owner  string       `json:"owner,omitempty"`
	Kind   string       `json:"kind"`
	Scopes []wire.Scope `json:"scopes,omitempty"`
	Nac    string       `json:"nac,omitempty"`
}

// simAnswer is the answer to it.
type simAnswer struct {
	Status   int             `json:"status"`
	Reply    json.RawMessage `json:"reply"`
	Messages []struct {
		To      core.Audience   `json:"to"`
		Name    string          `json:"name"`
		Payload json.RawMessage `json:"payload"`
	} `json:"messages"`
	Closed []core.UserID `json:"closed"` // whose connections the radio ends
	Wake   int64         `json:"wake"`
}

func newSimTeller(t *testing.T, module *host.Core, story *corpusStory) *simTeller {
	loaded, err := config.Load(configure(t, story.Lua...))
	if err != nil {
		t.Fatal(err)
	}
	loaded.Callbacks.Close()
	radio, err := module.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = radio.Close(t.Context()) })
	if err := radio.New(t.Context(), wire.Start{Config: loaded.Core}, false); err != nil {
		t.Fatal(err)
	}
	return &simTeller{t: t, story: story, radio: radio, at: 1_700_000_000_000, on: map[string]core.UserID{}, ended: map[string]bool{},
		heard: map[string][]string{}, counts: map[string]int{}}
}

func (w *simTeller) tell(step *corpusStep) told {
	w.t.Helper()
	w.at += stepTime
	for w.wake > 0 && w.wake <= w.at {
		w.deliver(w.tick(w.wake))
	}
	before := w.count(step)
	var o told
	switch {
	case step.Connect != nil:
		o = w.connect(step)
	case step.Event != "":
		o = w.event(step)
	case step.Route != "":
		o = w.route(step)
	default:
		w.leave(step)
	}
	if step.Until != nil {
		for n := 0; w.count(step) == before && w.wake > 0 && n < maxTicks; n++ {
			w.at = max(w.at, w.wake)
			w.deliver(w.tick(w.wake))
		}
	}
	o.heard = w.heard
	w.heard = map[string][]string{}
	return o
}

func (w *simTeller) count(step *corpusStep) int {
	if step.Until == nil {
		return 0
	}
	return w.counts[step.Until.Hears+" "+step.Until.Event]
}

// caller is the caller of a step in the form of a request.
func (w *simTeller) caller(step *corpusStep) simCaller {
	c := w.story.Callers[step.By]
	by := simCaller{User: w.on[c.name], Kind: c.kind(), Scopes: c.Key}
	switch by.Kind {
	case "session":
		by.Owner, by.Name, by.Nac = c.name, c.Login, dispatchNac
		if c.With != "" {
			by.Owner = c.With
		}
	case "key":
		by.Owner, by.Name = "key "+c.name, c.name
	case "player":
		by.Owner = "player"
		if by.User == 0 {
			by.User = c.Player
		}
	case "master":
		by.Owner = "master"
	}
	if w.ended[c.name] || w.ended[by.Owner] {
		return simCaller{Kind: "nobody"}
	}
	return by
}

func (w *simTeller) apply(q simRequest) simAnswer {
	w.t.Helper()
	in, err := json.Marshal(q)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := w.radio.Call(w.t.Context(), "apply", in)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.answer(out)
}

func (w *simTeller) tick(at int64) simAnswer {
	w.t.Helper()
	a, err := w.radio.Tick(w.t.Context(), float64(at))
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := json.Marshal(a)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.answer(out)
}

func (w *simTeller) answer(out []byte) (a simAnswer) {
	w.t.Helper()
	if err := json.Unmarshal(out, &a); err != nil {
		w.t.Fatalf("%v in %s", err, out)
	}
	w.wake = a.Wake
	return a
}

// deliver gives the messages to those who are connected.
func (w *simTeller) deliver(a simAnswer) {
	for _, c := range w.story.sorted() {
		id, on := w.on[c.name]
		if !on {
			continue
		}
		for _, m := range a.Messages {
			if !m.To.Includes(id) {
				continue
			}
			w.counts[c.name+" "+m.Name]++
			if line := heard(m.Name, m.Payload); line != "" {
				w.heard[c.name] = append(w.heard[c.name], line)
			}
		}
		if slices.Contains(a.Closed, id) {
			w.close(c.name)
		}
	}
}

// close ends a connection as the service does.
func (w *simTeller) close(name string) {
	delete(w.on, name)
	w.heard[name] = append(w.heard[name], "is closed")
}

func (w *simTeller) connect(step *corpusStep) told {
	a := w.apply(simRequest{At: w.at, By: w.caller(step), Event: "connect", Payload: step.Connect})
	var reply struct {
		ServerID core.UserID
		Code     string
	}
	_ = json.Unmarshal(a.Reply, &reply)
	if reply.ServerID == 0 {
		w.deliver(a)
		return told{is: reply.Code, answer: "refused " + plainJSON(a.Reply)}
	}
	for name, id := range w.on {
		if id == reply.ServerID { // a player's newest connection; every other id is one caller's
			w.close(name)
		}
	}
	w.on[step.By] = reply.ServerID
	w.deliver(a)
	return told{is: reply.ServerID.String(), answer: "on the radio as " + reply.ServerID.String()}
}

func (w *simTeller) event(step *corpusStep) told {
	payload := json.RawMessage(strings.ReplaceAll(string(step.Payload), `"$session"`, strconv.Quote("session of "+step.By)))
	a := w.apply(simRequest{At: w.at, By: w.caller(step), Event: step.Event, Payload: payload})
	w.deliver(a)
	if len(a.Reply) == 0 {
		return told{is: "nothing", answer: "nothing"}
	}
	return told{is: ackIs(a.Reply), answer: plainJSON(a.Reply)}
}

func (w *simTeller) route(step *corpusStep) told {
	w.t.Helper()
	q := simRequest{At: w.at, By: w.caller(step), Route: step.Route, Payload: step.Payload}
	if step.Raw != nil {
		q.Body = *step.Raw
	}
	a := w.apply(q)
	switch {
	case strings.HasPrefix(step.Route, "HEAD "):
		a.Reply = nil // as net/http does
	case step.Route == "POST /radio/dispatch/logout": // it closes first, and then takes them off the radio
		w.deliver(simAnswer{Closed: a.Closed})
	}
	w.deliver(a)
	w.end(step, a.Status)
	return told{is: strconv.Itoa(a.Status), answer: routeAnswer(a.Status, a.Reply)}
}

// end notes whose credentials are no longer valid.
func (w *simTeller) end(step *corpusStep, status int) {
	if status != 200 {
		return
	}
	switch step.Route {
	case "POST /radio/dispatch/logout":
		w.ended[w.caller(step).Owner] = true
	case "POST /api/player/drop":
		var dropped struct{ ServerID core.UserID }
		if err := json.Unmarshal(step.Payload, &dropped); err != nil {
			w.t.Fatalf("%s: %v", step, err)
		}
		for name, c := range w.story.Callers {
			if c.Player == dropped.ServerID {
				w.ended[name] = true
			}
		}
	}
}

// leave ends a connection; the others hear what the radio says about it.
func (w *simTeller) leave(step *corpusStep) {
	by, event := w.caller(step), "lost"
	if step.Goodbye {
		event = "disconnect"
	}
	delete(w.on, step.By)
	w.deliver(w.apply(simRequest{At: w.at, By: by, Event: event}))
}
