package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	client "squelch/clients/go"
	"squelch/core"
	"squelch/core/wire"
)

// TestAfterARestartALinkIsWhereItWas: the service is killed and knows nobody. The link
// connects again, with its name, its channels and its callsign, and handlers hear of it.
func TestAfterARestartALinkIsWhereItWas(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.key("Desk", wire.ScopeRead, wire.ScopeTalk, wire.ScopeDispatch)
	lost := make(chan string, 16)
	back := make(chan bool, 16)
	l := r.connect(r.client(key), -5,
		client.OnLost(func(_ *client.Link, reason string) { lost <- reason }),
		client.OnConnected(func(_ *client.Link, recovered bool) { back <- recovered }),
	)
	take(t, back, "the first connect")
	name := wire.Text("Desk 5")
	main, tac := client.MustFrequency("154.755"), client.MustFrequency("154.81")
	for _, err := range []error{
		l.UpdateUserInfo(within(t), wire.UpdateUserInfo{Name: &name}),
		l.SetSpeakerChannel(within(t), tac),
		l.SetSpeakerChannel(within(t), main),
		l.AddListeningChannel(within(t), main),
		l.RemoveListeningChannel(within(t), main),
		l.AddListeningChannel(within(t), tac),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := desk(t, r, key)
	if before == "" {
		t.Fatal("the desk is not on the radio")
	}
	r = r.again()
	take(t, lost, "the loss")
	if take(t, back, "the second connect") {
		t.Error("a service that was killed has recovered a connection")
	}
	eventually(t, "the desk is where it was, "+before, func() bool { return desk(t, r, key) == before })
	// The link works as before.
	voice, _ := speech(t, 0, 3)
	if err := l.Talk(within(t), main, voice); err != nil {
		t.Error(err)
	}
	if err := l.Err(); err != nil {
		t.Errorf("the link has ended: %v", err)
	}
}

// desk is what the radio says of user -5; "": it is not there.
func desk(t *testing.T, r *radio, key string) string {
	t.Helper()
	u, there := r.status(key).Users["-5"]
	if !there {
		return ""
	}
	b, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestWhoIsRefused: what the service says of a wrong key, and of one that may not talk.
func TestWhoIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	_, err := r.client("sqk_"+strings.Repeat("A", 43)).Connect(within(t), -5)
	var refusal *client.Refusal
	if !errors.As(err, &refusal) || refusal.Code != "bad_token" || refusal.Text != "Authentication required" {
		t.Errorf("a wrong key: %v", err)
	}
	_, err = r.client(r.key("Figures", wire.ScopeMetrics)).Connect(within(t), -5)
	if !errors.As(err, &refusal) || refusal.Code != "bad_scope" {
		t.Errorf("a key that may not connect: %v", err)
	}
	if _, err := r.client("any").Connect(within(t), 0); err == nil || !strings.HasPrefix(err.Error(), "user is 0") {
		t.Errorf("user 0: %v", err)
	}
	l := r.connect(r.client(r.key("Logger", wire.ScopeRead)), -5)
	err = l.Talk(within(t), client.MustFrequency("154.755"), nil)
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Text, `lacks the scope "talk"`) || client.Busy(err) {
		t.Errorf("a key that may not talk: %v", err)
	}
	address := r.url
	r.Kill()
	c, err := client.New(address, client.Key("any"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.Connect(within(t), -5); err == nil || !strings.HasPrefix(err.Error(), "the radio at "+address+" does not answer: ") {
		t.Errorf("nobody is there: %v", err)
	}
}

// TestATalkEndsWithItsFloor: a busy channel is a refusal that names the talker; a dispatcher
// who moves the talker ends its floor, and the talk ends with an error instead of going on
// unheard.
func TestATalkEndsWithItsFloor(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.key("Desk", wire.ScopeRead, wire.ScopeTalk, wire.ScopeDispatch)
	talks := make(chan core.UserID, 16)
	first := r.unit(7, "Ann", "154.755")
	second := r.connect(r.client(key), -5, client.OnTalkingState(func(_ *client.Link, s wire.TalkingState) {
		if s.State {
			talks <- s.ServerID
		}
	}))
	main := client.MustFrequency("154.755")
	if err := second.SetSpeakerChannel(within(t), main); err != nil {
		t.Fatal(err)
	}
	voice, _ := speech(t, 0, 400)
	for len(voice) < 100_000 { // half an hour: it ends by force
		voice = append(voice, voice...)
	}
	outcome := make(chan error, 1)
	go func() { outcome <- first.Talk(t.Context(), main, voice) }()
	if who := take(t, talks, "the first talk"); who != 7 {
		t.Fatalf("user %s talks", who)
	}
	err := second.Talk(within(t), main, voice)
	var refusal *client.Refusal
	if !errors.As(err, &refusal) || refusal.Talker != 7 || !client.Busy(err) || err.Error() != "The channel is busy: user 7 has the floor" {
		t.Errorf("a busy channel: %v", err)
	}
	cad := r.client(key)
	if err := cad.PostDispatchSwitchChannel(within(t), wire.SwitchChannel{ServerID: client.User(7), Frequency: client.MustFrequency("154.81")}); err != nil {
		t.Fatal(err)
	}
	if err := take(t, outcome, "the end of the first talk"); err == nil || err.Error() != "the floor of 154.755 was lost" {
		t.Errorf("the talk of a unit that was moved ends with %v", err)
	}
	if err := first.SetSpeakerChannel(within(t), main); err != nil {
		t.Fatal(err)
	}
	// A context that ends releases the key.
	ctx, stop := context.WithCancel(t.Context())
	go func() { outcome <- first.Talk(ctx, main, voice) }()
	if who := take(t, talks, "the second talk"); who != 7 {
		t.Fatalf("user %s talks", who)
	}
	stop()
	if err := take(t, outcome, "the end of the second talk"); !errors.Is(err, context.Canceled) {
		t.Errorf("a talk whose context ends: %v", err)
	}
	if err := second.Talk(within(t), main, voice[:2]); err != nil {
		t.Errorf("then the channel is not free: %v", err)
	}
}

// TestWhoIsDisconnectedStaysOff: a dispatcher disconnects the user; the link ends, and its
// calls say why.
func TestWhoIsDisconnectedStaysOff(t *testing.T) {
	t.Parallel()
	r := start(t)
	l := r.unit(7, "Ann", "154.755")
	if err := r.client(r.key("CAD", wire.ScopeDispatch)).PostDispatchUserDisconnect(within(t), wire.UserDisconnect{UserID: client.User(7)}); err != nil {
		t.Fatal(err)
	}
	take(t, l.Done(), "the end of the link")
	if !errors.Is(l.Err(), client.ErrEnded) {
		t.Errorf("the link has ended with %v", l.Err())
	}
	if err := l.SetSpeakerChannel(within(t), wire.Frequency{}); !errors.Is(err, client.ErrEnded) {
		t.Errorf("a call on it: %v", err)
	}
	if err := l.Voice(wire.ClientVoice{}); !errors.Is(err, client.ErrEnded) {
		t.Errorf("voice on it: %v", err)
	}
}

// TestSlowHandlersEndTheLink: what waits for handlers is bounded.
func TestSlowHandlersEndTheLink(t *testing.T) {
	t.Parallel()
	r := start(t)
	release := make(chan bool)
	l := r.connect(r.client(r.key("Desk", wire.ScopeRead)), -5, client.OnHeartbeatResponse(func(*client.Link, int64) { <-release }))
	for sent := 0; l.Err() == nil; sent++ {
		if err := l.Heartbeat(0); err != nil && l.Err() == nil {
			t.Fatal(err)
		}
		if sent%1000 == 999 { // let the answers come: the service reads at its own pace
			_ = l.SetDispatchSession(within(t), "")
		}
		if sent > 4*client.MaxEvents {
			t.Fatal("the link takes whatever comes")
		}
	}
	if !errors.Is(l.Err(), client.ErrSlow) {
		t.Errorf("it ends with %v", l.Err())
	}
	close(release)
}

// TestHandlersMayWait: a handler may call the link and wait for the answer.
func TestHandlersMayWait(t *testing.T) {
	t.Parallel()
	r := start(t)
	done := make(chan error, 1)
	l := r.connect(r.client(r.key("Desk", wire.ScopeRead, wire.ScopeTalk)), -5)
	voice, _ := speech(t, 0, 3)
	l.Handle(client.OnChannelState(func(l *client.Link, c wire.ChannelState) {
		select {
		case done <- l.Talk(t.Context(), client.MustFrequency(c.Frequency), voice):
		default:
		}
	}))
	if err := l.SetSpeakerChannel(within(t), client.MustFrequency("154.755")); err != nil {
		t.Fatal(err)
	}
	if err := take(t, done, "the talk of the handler"); err != nil {
		t.Error(err)
	}
}

// TestEveryEventOfTheServiceCanBeRead: what the service sends, as its golden file has it,
// is the same after it was read into the types that handlers get.
func TestEveryEventOfTheServiceCanBeRead(t *testing.T) {
	t.Parallel()
	types := map[string]reflect.Type{}
	for _, table := range []reflect.Type{reflect.TypeFor[wire.ServerEvents](), reflect.TypeFor[wire.ServiceEvents]()} {
		for f := range table.Fields() {
			types[f.Tag.Get("event")] = f.Type
		}
	}
	seen := map[string]bool{}
	for _, line := range payloads(t, "events.golden.jsonl") {
		v := reflect.New(types[line.Event])
		if err := json.Unmarshal(line.Payload, v.Interface()); err != nil {
			t.Errorf("%s: %v in %s", line.Event, err, line.Payload)
			continue
		}
		seen[line.Event] = true
		b, err := json.Marshal(v.Interface())
		slim := line.Event == "configUpdate" && !strings.Contains(string(line.Payload), "zones") // the form with only the version
		if err != nil || !same(b, line.Payload) && !slim {
			t.Errorf("%s: read %s as %s (%v)", line.Event, line.Payload, b, err)
		}
	}
	for name := range types {
		if !seen[name] {
			t.Errorf("the golden file has no %s", name)
		}
	}
}

type payload struct {
	Event   string
	Payload json.RawMessage
}

func payloads(t *testing.T, file string) (all []payload) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "core", "wire", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		var p payload
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := s.Err(); err != nil || len(all) < 20 {
		t.Fatalf("%s has %d lines (%v)", file, len(all), err)
	}
	return all
}

// TestEveryEventOfAClientIsAnswered: the method of each event sends the payload of the
// golden file to the real service, which does it or says why not. An answer that the method
// cannot read is neither.
func TestEveryEventOfAClientIsAnswered(t *testing.T) {
	t.Parallel()
	r := start(t)
	given := map[string]json.RawMessage{}
	for _, p := range payloads(t, "clientevents.jsonl") {
		if given[p.Event] == nil {
			given[p.Event] = p.Payload
		}
	}
	granted := 0
	for f := range reflect.TypeFor[wire.ClientEvents]().Fields() {
		event := f.Tag.Get("event")
		l := r.connect(r.client(r.key(event, wire.Scopes...)), -5)
		if err := l.SetSpeakerChannel(within(t), client.MustFrequency("154.755")); err != nil {
			t.Fatal(err)
		}
		method := reflect.ValueOf(l).MethodByName(f.Name)
		if !method.IsValid() {
			t.Errorf("%s has no method %s", event, f.Name)
			continue
		}
		var args []reflect.Value
		for i := range method.Type().NumIn() {
			if in := method.Type().In(i); in == reflect.TypeFor[context.Context]() {
				args = append(args, reflect.ValueOf(within(t)))
			} else {
				v := reflect.New(in)
				if err := json.Unmarshal(given[event], v.Interface()); err != nil {
					t.Fatalf("%s: %v", event, err)
				}
				args = append(args, v.Elem())
			}
		}
		out := method.Call(args)
		err, _ := out[len(out)-1].Interface().(error)
		var refusal *client.Refusal
		switch {
		case err == nil:
			granted++
		case !errors.As(err, &refusal):
			t.Errorf("%s: %v", event, err)
		}
		l.Close()
	}
	if granted < 15 {
		t.Errorf("only %d events were granted", granted)
	}
}
