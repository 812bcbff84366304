package game

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

func (s *station) desk() *Desk {
	return &Desk{Engine: s.engine, Now: time.Now, Callbacks: func(_ context.Context, id core.UserID, f *core.Facts) {
		f.CallbackNac, f.CallbackName, f.Refused = "police", "Officer "+id.String(), id == 13
	}}
}

func TestADeskCarriesOutActions(t *testing.T) {
	s := onAir(t)
	s.joins(12, north)
	s.do(game, core.Register{User: 13, Facts: core.Facts{Name: "Bo"}})
	d := s.desk()
	for _, c := range []struct {
		name, args string
		status     int // of the refusal; 0: none
		is         func(v core.View) bool
	}{
		{"setUserChannel", `{"serverId":12,"frequency":"460.25"}`, 0, func(v core.View) bool { u, _ := v.User(12); return u.Current == tac }},
		{"setUserChannel", `{"serverId":12,"frequency":"999"}`, 404, nil},
		{"setUserChannel", `{"serverId":13,"frequency":"460.25"}`, 404, nil}, // its radio is off the air
		{"setAlertOnChannel", `{"frequency":"154.755"}`, 0, func(v core.View) bool { a, on := v.Alert(north); return on && a.Name == "SIGNAL 100" }},
		{"setAlertOnChannel", `{"frequency":"154.755","alert":2,"enabled":true}`, 0, func(v core.View) bool { a, _ := v.Alert(north); return a.Name == "SIGNAL 3" }},
		{"setAlertOnChannel", `{"frequency":"154.755","alert":3,"enabled":true}`, 404, nil},
		{"setChannelPanic", `{"serverId":13,"frequency":"154.755","enabled":true}`, 0, func(v core.View) bool { return v.PanicOn(13, north) }},
		{"setUserNacId", `{"serverId":12,"nacId":"swat"}`, 0, func(v core.View) bool { return v.NacOf(12) == "swat" }},
		{"refreshNacId", `{"serverId":12}`, 0, func(v core.View) bool { u, _ := v.User(12); return v.NacOf(12) == "police" && u.Name == "Officer 12" }},
		{"refreshSubscriber", `{"serverId":13}`, 0, func(v core.View) bool { return !v.HasRadioAccess(13) }},
		{"refreshSubscriber", `{"serverId":99}`, 404, nil},
		{"setCallsign", `{"serverId":12,"callsign":"A-1"}`, 0, func(v core.View) bool { u, _ := v.User(12); return u.Callsign == "A-1" }},
		{"setCallsign", `{"serverId":12}`, 0, func(v core.View) bool { u, _ := v.User(12); return u.Callsign == "" }},
		{"playToneOnChannel", `{"frequency":"154.755","tone":"GONG"}`, 400, nil},
		{"playToneOnSource", `{"serverId":12,"tone":"BEEP"}`, 0, nil},
		{"disconnectUser", `{"serverId":12}`, 0, func(v core.View) bool { u, _ := v.User(12); return !u.Linked }},
		{"disconnectUser", `{"serverId":12}`, 404, nil},
	} {
		_, err := d.Do(t.Context(), game, c.name, json.RawMessage(c.args))
		if door.Status(err) != c.status || (err != nil) != (c.status != 0) {
			t.Errorf("%s %s: %v, want %d", c.name, c.args, err, c.status)
		}
		if c.is != nil {
			s.view(func(v core.View) {
				if !c.is(v) {
					t.Errorf("%s %s has no effect", c.name, c.args)
				}
			})
		}
	}
	out, err := d.Do(t.Context(), game, "refreshPlayerInfo", nil)
	if err != nil || out.Count != 2 {
		t.Errorf("%+v, %v", out, err)
	}
}

func (s *station) view(look func(core.View)) {
	s.t.Helper()
	if err := s.engine.View(s.t.Context(), look); err != nil {
		s.t.Fatal(err)
	}
}

// TestAnEventIsThatOfThePlayer: what a player's client asks for through the game server
// is judged as if it had come over the player's own connection.
func TestAnEventIsThatOfThePlayer(t *testing.T) {
	s := onAir(t)
	s.joins(12, north)
	s.do(game, core.Register{User: 13, Facts: core.Facts{Name: "Bo", Nac: "police"}})
	s.do(unit(-1), core.Connect{Want: -1})
	d := s.desk()
	for _, c := range []struct {
		id     string
		name   string
		load   string
		status int
		field  string
	}{
		{"12", "setSpeakerChannel", `"460.25"`, 0, ""},
		{"12", "setSpeakerChannel", `"33.4"`, 403, "frequency"},
		{"12", "setSpeakerChannel", `{}`, 400, "frequency"},
		{"12", "panic", `{"enabled":true}`, 0, ""},
		{"12", "panic", `{"enabled":"yes"}`, 400, "enabled"},
		{"12", "triggerAlert", `{"frequency":"33.4"}`, 403, "frequency"},
		{"12", "acknowledgePanic", `{"serverId":12}`, 403, ""},
		{"12", "updateUserInfo", `{"nacId":"fire"}`, 0, ""}, // a player cannot give itself one: see below
		{"12", "heartbeat", `1`, 0, ""},
		{"12", "voice", `{"data":"AAAA"}`, 400, "name"},
		{"12", "webrtc:offer", `{"sdp":"v=0"}`, 400, "name"},
		{"12", "setDispatchSession", `"x"`, 0, ""}, // players' clients send it, and it means nothing
		{"12", "dance", `null`, 400, "name"},
		{"13", "setCallsign", `{"callsign":"B-2"}`, 0, ""},
		{"13", "radioState", `{"battery":50}`, 0, ""},
		{"13", "setSpeakerChannel", `"154.755"`, 409, "serverId"},
		{"13", "setTalking", `true`, 409, "serverId"},
		{"13", "panic", `{"enabled":true,"frequency":"154.755"}`, 0, ""},
		{"99", "panic", `{"enabled":true}`, 404, "serverId"},
	} {
		out, err := d.Do(t.Context(), game, "event", json.RawMessage(`{"serverId":`+c.id+`,"name":"`+c.name+`","payload":`+c.load+`}`))
		var refused *core.Error
		errors.As(err, &refused)
		if door.Status(err) != c.status || (err != nil) != (c.status != 0) || (refused != nil && refused.Field != c.field) {
			t.Errorf("%s of %s %s: %v %+v, want %d of %q", c.name, c.id, c.load, err, refused, c.status, c.field)
		}
		if ok, is := out.Reply.(wire.AckOK); c.status == 0 && (!is || !ok.Success) {
			t.Errorf("%s of %s is acked %+v", c.name, c.id, out.Reply)
		}
	}
	s.view(func(v core.View) {
		a, _ := v.User(12)
		b, _ := v.User(13)
		if a.Current != tac || v.NacOf(12) != "police" || !v.PanicOn(12, tac) || b.Callsign != "B-2" || !v.PanicOn(13, north) {
			t.Errorf("%+v %+v", a, b)
		}
	})
}

// TestRecordsNameWhoActed: the record of an action has the key's name, that of an event
// the player's, and the key's beside it.
func TestRecordsNameWhoActed(t *testing.T) {
	s := onAir(t)
	s.joins(12, north)
	d, key := s.desk(), core.Actor{Surface: core.ByREST, Name: "fivem"}
	for name, args := range map[string]string{"event": `{"serverId":12,"name":"panic","payload":{"enabled":true}}`,
		"setAlertOnChannel": `{"frequency":"154.755","enabled":true}`} {
		if _, err := d.Do(t.Context(), key, name, json.RawMessage(args)); err != nil {
			t.Fatal(err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	named := map[string]core.Actor{}
	for _, r := range s.records {
		named[r.Action] = r.By
	}
	if by := named["panic"]; by != (core.Actor{User: 12, Surface: core.BySocket, Name: "Unit 12 via fivem"}) {
		t.Errorf("panic by %+v", by)
	}
	if by := named["alert"]; by != key {
		t.Errorf("alert by %+v", by)
	}
}

func TestARepetitionIsAnsweredOnce(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	a := NewAnswers[int](func() time.Time { return now })
	calls := 0
	once := func(caller, id string, keep bool) int {
		v, err := a.Once(t.Context(), caller, id, func() (int, bool) { calls++; return calls, keep })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i, c := range []struct {
		caller, id string
		keep       bool
		want       int
	}{{"a", "1", true, 1}, {"a", "1", true, 1}, {"b", "1", true, 2}, {"a", "2", false, 3}, {"a", "2", true, 4}} {
		if got := once(c.caller, c.id, c.keep); got != c.want {
			t.Errorf("call %d is answered with %d, want %d", i, got, c.want)
		}
	}
	now = now.Add(keepAnswers - time.Millisecond)
	if once("a", "1", true) != 1 {
		t.Error("forgotten too early")
	}
	now = now.Add(time.Millisecond)
	if once("a", "1", true) != 5 {
		t.Error("kept too long")
	}
}

func TestARepetitionWaitsForTheFirst(t *testing.T) {
	a := NewAnswers[int](time.Now)
	begun, finish := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	do := func() (int, bool) {
		if calls.Add(1) == 1 {
			close(begun)
		}
		<-finish
		return 7, true
	}
	first := make(chan int)
	go func() {
		v, _ := a.Once(context.Background(), "a", "1", do)
		first <- v
	}()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Once(ctx, "a", "1", do); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	second := make(chan int)
	go func() {
		v, _ := a.Once(context.Background(), "a", "1", do)
		second <- v
	}()
	close(finish)
	if <-first != 7 || <-second != 7 || calls.Load() != 1 {
		t.Errorf("carried out %d times", calls.Load())
	}
}

func TestAnswersAreBounded(t *testing.T) {
	a := NewAnswers[int](time.Now)
	for n := range 2 * maxAnswers {
		_, _ = a.Once(t.Context(), "a", string(rune(n+0x10000)), func() (int, bool) { return n, true })
	}
	for n := range 2 * maxCallers {
		_, _ = a.Once(t.Context(), string(rune(n+0x100)), "1", func() (int, bool) { return n, true })
	}
	if len(a.callers) > maxCallers {
		t.Errorf("%d callers", len(a.callers))
	}
	for name, c := range a.callers {
		if len(c.byID) > maxAnswers || len(c.order) > maxAnswers {
			t.Errorf("%q has %d answers", name, len(c.byID))
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = a.Once(t.Context(), "p", "1", func() (int, bool) { panic("a bug") })
	}()
	if v, err := a.Once(t.Context(), "p", "1", func() (int, bool) { return 1, true }); v != 1 || err != nil {
		t.Errorf("after a panic: %d, %v", v, err)
	}
}
