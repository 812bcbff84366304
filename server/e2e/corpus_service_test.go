package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/internal/contract"
	sio "squelch/server/sio/client"
)

// serviceTeller runs a story against the service, over HTTP and Socket.IO.
type serviceTeller struct {
	t       *testing.T
	s       *service
	story   *corpusStory
	control session // belongs to nobody in the story: it observes, and sends the marks
	marks   int
	http    *http.Client // follows no redirect

	contract    *contract.Contract
	credentials map[string]session // by caller
	consoles    map[string]*console
}

// console is one Socket.IO client of a caller.
type console struct {
	name string
	c    *sio.Client
	id   core.UserID // as the service said, or as asked for

	mu        sync.Mutex
	answered  bool // the handshake
	refusal   error
	closed    string // why the connection ended; "": it has not
	wanted    bool   // it ended because the story says so
	heard     []string
	mark      string
	reported  bool // that it is closed
	gathering map[string]int

	contract *contract.Contract
	wrong    []error // what does not fit the document of the interface
}

func newServiceTeller(t *testing.T, story *corpusStory) *serviceTeller {
	promised, err := contract.Load()
	if err != nil {
		t.Fatal(err)
	}
	w := &serviceTeller{t: t, contract: promised, s: start(t, story.Lua...), story: story, credentials: map[string]session{}, consoles: map[string]*console{}}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	w.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	w.control = w.s.login("Control")
	var admin *administrator
	for _, c := range story.sorted() {
		switch c.kind() {
		case "session":
			if c.With == "" {
				w.credentials[c.name] = w.s.login(c.Login)
			}
		case "key":
			if admin == nil {
				admin = w.s.administrator()
			}
			w.credentials[c.name] = session{AuthToken: admin.key(c.name, c.Key...).Key}
		case "master":
			w.credentials[c.name] = session{AuthToken: masterToken}
		case "nobody":
			w.credentials[c.name] = session{AuthToken: c.Token}
		}
	}
	return w
}

// sorted returns the callers by name.
func (s *corpusStory) sorted() []*corpusCaller {
	var all []*corpusCaller
	for _, c := range s.Callers {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *corpusCaller) int { return strings.Compare(a.name, b.name) })
	return all
}

func (w *serviceTeller) by(step *corpusStep) session {
	c := w.story.Callers[step.By]
	if c.With != "" {
		return w.credentials[c.With]
	}
	return w.credentials[c.name]
}

func (w *serviceTeller) tell(step *corpusStep) told {
	w.t.Helper()
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
		w.await(step.Until.Event, func() bool { return w.count(step) > before })
	}
	w.settle()
	o.heard = w.heard()
	return o
}

// await waits until a condition holds.
func (w *serviceTeller) await(what string, so func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("%s never came\n%s", what, w.s.Stderr())
		}
	}
}

// count is how many events of the kind that ends a step have come.
func (w *serviceTeller) count(step *corpusStep) int {
	if step.Until == nil || w.consoles[step.Until.Hears] == nil {
		return 0
	}
	c := w.consoles[step.Until.Hears]
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gathering[step.Until.Event]
}

// settle waits until everybody has heard everything that the step led to. A text to
// everyone goes the same way as every other message and comes after them.
func (w *serviceTeller) settle() {
	w.t.Helper()
	w.marks++
	mark := markText + strconv.Itoa(w.marks)
	if status, answer := w.request("POST /radio/dispatch/broadcast", fmt.Appendf(nil, `{"message":%q}`, mark), w.control); status != http.StatusOK {
		w.t.Fatalf("the mark: %d %s", status, answer)
	}
	for _, c := range w.consoles {
		w.await("the mark", func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.mark == mark || c.closed != "" || c.refusal != nil
		})
	}
}

const markText = "End of step "

// heard takes what was heard since the last step.
func (w *serviceTeller) heard() map[string][]string {
	all := map[string][]string{}
	for name, c := range w.consoles {
		c.mu.Lock()
		for _, err := range c.wrong {
			w.t.Errorf("%s heard what the document does not promise: %v", name, err)
		}
		c.wrong = nil
		lines := c.heard
		c.heard = nil
		if c.closed != "" && !c.wanted && !c.reported {
			c.reported = true
			lines = append(lines, "is closed")
			if c.closed != "io server disconnect" {
				lines = append(lines, "because of "+c.closed)
			}
		}
		c.mu.Unlock()
		if len(lines) > 0 {
			all[name] = lines
		}
	}
	return all
}

func (c *console) event(e sio.Event) {
	var payload json.RawMessage
	if len(e.Args) > 0 {
		payload = e.Args[0] // after it comes the offset for a recovery
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var in struct {
		Message  string      `json:"message"`
		ServerID core.UserID `json:"serverId"`
	}
	_ = json.Unmarshal(payload, &in) // other payloads are not objects
	switch {
	case strings.HasPrefix(in.Message, markText):
		c.mark = in.Message
		return
	case e.Name == "identity":
		c.id = in.ServerID
	}
	c.gathering[e.Name]++
	if err := c.contract.Event(e.Name, payload); err != nil {
		c.wrong = append(c.wrong, err)
	}
	if line := heard(e.Name, payload); line != "" {
		c.heard = append(c.heard, line)
	}
}

func (w *serviceTeller) connect(step *corpusStep) told {
	w.t.Helper()
	caller, by := w.story.Callers[step.By], w.by(step)
	auth := map[string]json.RawMessage{}
	if err := json.Unmarshal(step.Connect, &auth); err != nil {
		w.t.Fatalf("%s: %v", step, err)
	}
	var want struct{ ServerID wire.ID }
	_ = json.Unmarshal(step.Connect, &want) // the service says what is wrong with it
	for name, value := range map[string]string{"authToken": by.AuthToken, "sessionId": by.SessionID} {
		if value != "" {
			auth[name], _ = json.Marshal(value)
		}
	}
	c := &console{name: step.By, contract: w.contract, id: want.ServerID.User, gathering: map[string]int{}}
	switch {
	case caller.Player != 0:
		c.id = caller.Player
	case !want.ServerID.Given:
		c.id = -1
	}
	var err error
	c.c, err = sio.New(sio.Options{URL: w.s.url, NoReconnect: true, Auth: func() any { return auth }, OnEvent: c.event,
		OnConnect:      func(bool) { c.set(func() { c.answered = true }) },
		OnConnectError: func(err error) { c.set(func() { c.answered, c.refusal = true, err }) },
		OnDisconnect:   func(reason string) { c.set(func() { c.closed = reason }) }})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.c.Close)
	w.await("an answer to the handshake", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.answered })
	if c.refusal != nil {
		var refused *sio.ConnectError
		var data wire.ConnectRefusal
		if !errors.As(c.refusal, &refused) || json.Unmarshal(refused.Data, &data) != nil || refused.Message != data.Error {
			w.t.Fatalf("%s: %v", step, c.refusal)
		}
		return told{is: data.Code, answer: "refused " + plainJSON(refused.Data)}
	}
	w.consoles[step.By] = c
	w.call(c, "heartbeat", 0) // its place on the radio is settled before its events
	c.drop("hears heartbeat_response varying")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed != "" {
		return told{is: "closed", answer: "closed"}
	}
	return told{is: c.id.String(), answer: "on the radio as " + c.id.String()}
}

func (c *console) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// drop removes the last line like this one: it is not part of the story.
func (c *console) drop(line string) {
	c.set(func() {
		for i, l := range slices.Backward(c.heard) {
			if l == line {
				c.heard = slices.Delete(c.heard, i, i+1)
				return
			}
		}
	})
}

// call sends an event and waits for its ack. done is false if the connection has
// ended.
func (w *serviceTeller) call(c *console, event string, args ...any) (ack []json.RawMessage, done bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	ack, err := c.c.Call(ctx, event, args...)
	if err != nil && !errors.Is(err, sio.ErrDisconnected) && !errors.Is(err, sio.ErrNotConnected) {
		w.t.Fatalf("%s: %v\n%s", event, err, w.s.Stderr())
	}
	return ack, err == nil
}

// event sends an event. One that the service does not know is not answered, but the
// next one is.
func (w *serviceTeller) event(step *corpusStep) told {
	w.t.Helper()
	c := w.consoles[step.By]
	if c == nil {
		w.t.Fatalf("%s: %s is not connected", step, step.By)
	}
	var args []any
	if step.Payload != nil {
		args = append(args, json.RawMessage(strings.ReplaceAll(string(step.Payload), `"$session"`, strconv.Quote(w.by(step).SessionID))))
	}
	var ack []json.RawMessage
	err := c.c.EmitAck(step.Event, 0, func(got []json.RawMessage, err error) {
		if err == nil {
			c.set(func() { ack = got })
		}
	}, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", step, err)
	}
	if _, alive := w.call(c, "heartbeat", 0); alive {
		c.drop("hears heartbeat_response varying")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(ack) == 0 {
		return told{is: "nothing", answer: "nothing"}
	}
	return told{is: ackIs(ack[0]), answer: plainJSON(ack[0])}
}

// ackIs returns an ack in the form of corpusStep.Is.
func ackIs(ack json.RawMessage) string {
	var in wire.AckDenied
	switch err := json.Unmarshal(ack, &in); {
	case err != nil || in.Error == "":
		return "ok"
	case in.CurrentTalker != 0:
		return "denied"
	}
	return "refused"
}

func (w *serviceTeller) route(step *corpusStep) told {
	w.t.Helper()
	status, body := w.request(step.Route, step.body(), w.by(step))
	w.remember(step, status, body)
	return told{is: strconv.Itoa(status), answer: routeAnswer(status, body)}
}

// request makes a request; route is "POST /api/patch/create".
func (w *serviceTeller) request(route string, body []byte, by session) (status int, answer []byte) {
	w.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, w.s.url+path, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if by.AuthToken != "" {
		r.Header.Set("Authorization", "Bearer "+by.AuthToken)
	}
	if by.SessionID != "" {
		r.Header.Set("X-Session-Id", by.SessionID)
	}
	reply, err := w.http.Do(r)
	if err != nil {
		w.t.Fatalf("%s: %v", route, err)
	}
	defer reply.Body.Close()
	if answer, err = io.ReadAll(reply.Body); err != nil {
		w.t.Fatal(err)
	}
	if err := w.contract.Reply(routeOf(route), reply.StatusCode, answer); err != nil {
		w.t.Errorf("the document does not promise that: %v", err)
	}
	return reply.StatusCode, answer
}

func routeAnswer(status int, body []byte) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, plainJSON(body)))
}

// remember takes the token of a player who was announced.
func (w *serviceTeller) remember(step *corpusStep, status int, body []byte) {
	if status != http.StatusOK || step.Route != "POST /api/player/connect" {
		return
	}
	var player struct{ ServerID core.UserID }
	var reply wire.PlayerReply
	if json.Unmarshal(step.body(), &player) != nil || json.Unmarshal(body, &reply) != nil {
		w.t.Fatalf("%s: %s", step, body)
	}
	for name, c := range w.story.Callers {
		if c.Player == player.ServerID {
			w.credentials[name] = session{AuthToken: reply.PlayerToken}
		}
	}
}

// leave ends a connection and waits until the radio knows.
func (w *serviceTeller) leave(step *corpusStep) {
	w.t.Helper()
	c := w.consoles[step.By]
	if c == nil {
		w.t.Fatalf("%s: %s is not connected", step, step.By)
	}
	c.set(func() { c.wanted = true })
	if step.Goodbye {
		c.c.Close()
	} else {
		c.c.Cut()
	}
	w.await("the end of the connection", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.closed != "" })
	if step.Until != nil {
		return
	}
	w.await("the end of the link", func() bool {
		var status wire.DispatchStatus
		if code, answer := w.request("GET /radio/dispatch/status", nil, w.control); code != http.StatusOK || json.Unmarshal(answer, &status) != nil {
			w.t.Fatalf("the status: %d %s", code, answer)
		}
		u, on := status.Users[c.id.String()]
		return !on || step.Lose && !u.Connected
	})
}
