package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	peer "squelch/sfu/client"

	sioclient "squelch/server/sio/client"
)

// crew works on a service until that is killed, and writes down what the service has
// said: which changes it has acknowledged, and which voice it has passed on.
type crew struct {
	s       *service
	by      session
	life    uint32
	console *sioclient.Client
	over    atomic.Bool
	hands   sync.WaitGroup

	mu      sync.Mutex
	changes []change
	state   map[string]*standing // by what it is about
	heard   map[int][][]byte     // by talker: what a console on a socket has heard, before the pacer
	paced   map[int][][]byte     // and by WebRTC, after it; some of it may be lost
	bursts  map[stamp]*burst     // seq is 0
	errors  []error              // what must not happen, kill or not
	clients []interface{ Close() }
}

// change is an acknowledged one, as the timeline has to have it.
type change struct{ kind, detail, emergency string }

// standing is what the radio must remember of something: what was acknowledged last, or
// what was asked for after that.
type standing struct{ is, asked string }

// burst is what a talker knows of one.
type burst struct {
	sent  [][]byte
	ended time.Time // when the end was acknowledged
}

type talker struct {
	id      int
	channel string
	webrtc  bool
	digital bool
}

// talkers of the crew. The first one's voice comes by WebRTC, the last one's channel is
// digital.
var talkers = []talker{{501, "154.755", true, false}, {502, "460.25", false, false}, {503, "463", false, true}}

const panicking = 504

// assemble brings the crew on the radio and sets it to work. life numbers the lives of the
// service.
func assemble(s *service, by session, life uint32, before *crew) *crew {
	s.t.Helper()
	c := &crew{s: s, by: by, life: life, state: map[string]*standing{}, heard: map[int][][]byte{}, paced: map[int][][]byte{}, bursts: map[stamp]*burst{}}
	if before != nil {
		c.state = before.state
	}
	var err error
	c.console, err = c.join(-1, map[string]any{"authToken": by.AuthToken, "sessionId": by.SessionID, "serverId": -1}, c.listen)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, t := range talkers {
		if _, err := c.call(c.console, "addListeningChannel", t.channel); err != nil {
			s.t.Fatal(err)
		}
	}
	ears, err := c.join(-2, map[string]any{"authToken": by.AuthToken, "sessionId": by.SessionID, "serverId": -2}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, t := range talkers {
		if _, err := c.call(ears, "addListeningChannel", t.channel); err != nil {
			s.t.Fatal(err)
		}
	}
	c.line(ears, func(p peer.Received) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.paced[int(p.Talker)] = append(c.paced[int(p.Talker)], p.Payload)
	})
	for i, t := range talkers {
		radio := c.radio(t.id)
		if _, err := c.call(radio, "setSpeakerChannel", t.channel); err != nil {
			s.t.Fatal(err)
		}
		send := onSocket(radio)
		if t.webrtc {
			send = c.line(radio, nil).Send
		}
		c.hands.Go(func() { c.talk(i, radio, send) })
	}
	unit := c.radio(panicking)
	if _, err := c.call(unit, "setSpeakerChannel", "154.81"); err != nil {
		s.t.Fatal(err)
	}
	c.hands.Go(c.patch)
	c.hands.Go(c.alert)
	c.hands.Go(func() { c.emergency(unit) })
	return c
}

// onSocket sends voice as older clients do.
func onSocket(radio *sioclient.Client) func(packet []byte) error {
	return func(p []byte) error {
		return radio.Emit("voice", map[string]any{"data": base64.StdEncoding.EncodeToString(p), "encoding": "opus"})
	}
}

// line makes a client's WebRTC connection.
func (c *crew) line(of *sioclient.Client, heard func(peer.Received)) *peer.Client {
	c.s.t.Helper()
	ctx, stop := context.WithTimeout(c.s.t.Context(), patience)
	defer stop()
	line, err := peer.Dial(ctx, peer.Options{Loopback: true, Heard: heard}, func(_ context.Context, offer string) (string, error) {
		text, err := c.call(of, "webrtc:offer", map[string]any{"sdp": offer})
		if err != nil {
			return "", err
		}
		var answer struct{ SDP string }
		err = json.Unmarshal(text, &answer)
		return answer.SDP, err
	})
	if err != nil {
		c.s.t.Fatal(err)
	}
	c.clients = append(c.clients, line)
	return line
}

func (c *crew) radio(id int) *sioclient.Client {
	c.s.t.Helper()
	var player struct{ PlayerToken string }
	c.s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": id, "name": fmt.Sprint("Unit ", id), "nacId": "PD"},
		session{AuthToken: masterToken}, http.StatusOK, &player)
	radio, err := c.join(id, map[string]any{"authToken": player.PlayerToken, "serverId": id}, nil)
	if err != nil {
		c.s.t.Fatal(err)
	}
	return radio
}

func (c *crew) join(id int, auth map[string]any, listen func(sioclient.Event)) (*sioclient.Client, error) {
	ready := make(chan error, 1)
	client, err := sioclient.New(sioclient.Options{URL: c.s.url, NoReconnect: true, Auth: func() any { return auth }, OnEvent: listen,
		OnConnect: func(bool) { ready <- nil }, OnConnectError: func(err error) { ready <- err }})
	if err != nil {
		return nil, err
	}
	c.clients = append(c.clients, client)
	select {
	case err = <-ready:
	case <-time.After(patience):
		err = errors.New("it never came on the radio")
	}
	if err != nil {
		err = fmt.Errorf("%d: %w", id, err)
	}
	return client, err
}

// listen is the console.
func (c *crew) listen(e sioclient.Event) {
	if e.Name != "voice" {
		return
	}
	var v struct {
		ServerID int
		Data     string
	}
	if json.Unmarshal(e.Args[0], &v) != nil {
		return
	}
	data, err := base64.StdEncoding.DecodeString(v.Data)
	if err != nil || len(data) < 3 { // an empty packet stands for a lost one
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard[v.ServerID] = append(c.heard[v.ServerID], data)
}

// call sends an event and gives what it answered; not success is an error.
func (c *crew) call(client *sioclient.Client, event string, arg any) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(c.s.t.Context(), patience)
	defer stop()
	args, err := client.Call(ctx, event, arg)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Success bool
		SDP     string
	}
	if len(args) == 0 || json.Unmarshal(args[0], &answer) != nil || !answer.Success && answer.SDP == "" {
		return nil, fmt.Errorf("%s: %w: %s", event, errRefused, args)
	}
	return args[0], nil
}

var errRefused = errors.New("refused")

// post makes a REST call that may be cut short by the kill.
func (c *crew) post(path string, body any, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	method := http.MethodPost
	if body == nil {
		method = http.MethodGet
	}
	ctx, stop := context.WithTimeout(c.s.t.Context(), patience)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, method, c.s.url+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.by.AuthToken)
	r.Header.Set("X-Session-Id", c.by.SessionID)
	reply, err := client.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %w: %d %s", path, errRefused, reply.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// failed takes the error of a call: whether the service was killed, or has refused, which
// it had no reason for.
func (c *crew) failed(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, errRefused) {
		c.mu.Lock()
		c.errors = append(c.errors, err)
		c.mu.Unlock()
	}
	return true
}

// asks notes what is about to be asked for; did, that it was acknowledged.
func (c *crew) asks(what, asked string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state[what] == nil {
		c.state[what] = &standing{}
	}
	c.state[what].asked = asked
}

func (c *crew) did(what string, done change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state[what].is = c.state[what].asked
	c.changes = append(c.changes, done)
}

// name is one that nothing else has.
func (c *crew) name(what string, n int) string { return fmt.Sprintf("%s %d.%d", what, c.life, n) }

func (c *crew) pause() { time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) }

// patch makes patches and removes them.
func (c *crew) patch() {
	for n := 0; !c.over.Load(); n++ {
		label := c.name("joint", n)
		var made struct{ ID string }
		c.asks("patch", label)
		if c.failed(c.post("/api/patch/create", map[string]any{"label": label, "frequencies": []any{"154.810", "460.250"}}, &made)) {
			return
		}
		c.did("patch", change{kind: "patchOn", detail: label})
		c.pause()
		c.asks("patch", "")
		if c.failed(c.post("/api/patch/remove", map[string]any{"id": made.ID}, nil)) {
			return
		}
		c.did("patch", change{kind: "patchOff", detail: label})
		c.pause()
	}
}

// alert raises alerts and clears them.
func (c *crew) alert() {
	for n := 0; !c.over.Load(); n++ {
		name := c.name("SIGNAL", n)
		c.asks("alert", name)
		if c.failed(c.post("/radio/dispatch/alert/trigger", map[string]any{"frequency": "463", "alertType": name,
			"alertConfig": map[string]any{"name": name, "isPersistent": true}}, nil)) {
			return
		}
		c.did("alert", change{kind: "alert", detail: name})
		c.pause()
		c.asks("alert", "")
		if c.failed(c.post("/radio/dispatch/alert/clear", map[string]any{"frequency": "463"}, nil)) {
			return
		}
		c.did("alert", change{kind: "alertCleared", detail: name})
		c.pause()
	}
}

// open are the emergencies that the radio remembers.
type open struct {
	Emergencies []struct {
		ID       string
		ServerID int
		AckAt    *int64
	}
}

// emergency raises emergencies, acknowledges and closes them.
func (c *crew) emergency(unit *sioclient.Client) {
	for !c.over.Load() {
		c.asks("emergency", "raised")
		if _, err := c.call(unit, "panic", map[string]any{"enabled": true}); c.failed(err) {
			return
		}
		c.did("emergency", change{kind: "panic"}) // its id comes below
		var now open
		if c.failed(c.post("/radio/dispatch/status", nil, &now)) {
			return
		}
		if len(now.Emergencies) != 1 {
			c.failed(fmt.Errorf("%w: the emergencies are %+v", errRefused, now.Emergencies))
			return
		}
		id := now.Emergencies[0].ID
		c.mu.Lock()
		c.changes = append(c.changes, change{kind: "panic", emergency: id})
		c.mu.Unlock()
		c.pause()
		c.asks("emergency", "acknowledged")
		if c.failed(c.post("/radio/dispatch/emergency/acknowledge", map[string]any{"id": id}, nil)) {
			return
		}
		c.did("emergency", change{kind: "emergencyAcknowledged", emergency: id})
		c.pause()
		c.asks("emergency", "")
		if c.failed(c.post("/radio/dispatch/emergency/close", map[string]any{"id": id, "reason": "test"}, nil)) {
			return
		}
		c.did("emergency", change{kind: "emergencyClosed", emergency: id})
		c.pause()
	}
}

// talk keys up, says something, and keys down.
func (c *crew) talk(i int, radio *sioclient.Client, send func([]byte) error) {
	who := talkers[i]
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := uint32(0); !c.over.Load(); n++ {
		if _, err := c.call(radio, "setTalking", map[string]any{"state": true, "frequency": who.channel}); c.failed(err) {
			return
		}
		at := stamp{uint32(who.id), c.life<<16 | n, 0}
		b := &burst{}
		c.mu.Lock()
		c.bursts[at] = b
		c.mu.Unlock()
		for range 10 + rand.IntN(90) {
			<-tick.C
			p := stamped(at)
			c.mu.Lock()
			b.sent = append(b.sent, p)
			c.mu.Unlock()
			at.seq++
			if send(p) != nil {
				return
			}
		}
		if _, err := c.call(radio, "setTalking", false); c.failed(err) {
			return
		}
		c.mu.Lock()
		b.ended = time.Now()
		c.mu.Unlock()
		c.pause()
	}
}

// dismiss ends the crew's connections, when the service is dead and the console has read
// what that has sent.
func (c *crew) dismiss() {
	c.over.Store(true)
	for end := time.Now().Add(patience); c.console != nil && c.console.Connected(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			c.s.t.Fatal("the console has not noticed that the service is dead")
		}
	}
	for _, client := range c.clients {
		client.Close()
	}
	c.hands.Wait()
}
