package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/rest"
	"squelch/server/session"
)

var gameServer = credentials{token: masterToken}

// patience ends a wait that would otherwise last forever; nothing is measured with it.
const patience = 2 * time.Minute

// mirrored is an answer of GET /api/game/changes.
type mirrored struct {
	Epoch   string
	Next    uint64
	Reset   bool
	Changes []map[string]any
	State   *wire.GameState
}

func (s *station) changes(query string) mirrored {
	s.t.Helper()
	return s.changesAs(gameServer, query)
}

func (s *station) changesAs(who credentials, query string) (m mirrored) {
	s.t.Helper()
	a := s.send("GET", "/api/game/changes?"+query, who, nil)
	if a.status != 200 || json.Unmarshal(a.body, &m) != nil {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
	return m
}

func (m mirrored) then(more string) string {
	return fmt.Sprintf("since=%d&epoch=%s&%s", m.Next, m.Epoch, more)
}

// results does a list of requests.
func (s *station) results(who credentials, requests string) []wire.GameResult {
	s.t.Helper()
	a := s.send("POST", "/api/game/do", who, `{"requests":[`+requests+`]}`)
	var r wire.GameResults
	if a.status != 200 || json.Unmarshal(a.body, &r) != nil {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
	return r.Results
}

// The game's HTTP client gives up if no body has begun after five seconds, and net/http
// would cut an answer that takes longer than others may.
func TestACallForChangesBeginsAtOnceAndOutlivesOtherAnswers(t *testing.T) {
	const limit = 50 * time.Millisecond
	s := onAir(t)
	s.join(7, mainChannel)
	strict := httptest.NewUnstartedServer(s.handler)
	strict.Config.ReadTimeout, strict.Config.WriteTimeout = limit, limit
	strict.Start()
	defer strict.Close()
	first := s.changes("")
	r, _ := http.NewRequestWithContext(t.Context(), "GET", strict.URL+"/api/game/changes?"+first.then("wait=25"), nil)
	gameServer.sign(r)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body := bufio.NewReader(got.Body)
	if b, err := body.ReadByte(); err != nil || b != ' ' || got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("%d %q %v", got.StatusCode, b, err) // nothing has happened yet
	}
	time.Sleep(4 * limit)
	s.do(core.Actor{User: 7, Surface: core.BySocket}, core.KeyUp{User: 7})
	rest, err := io.ReadAll(body)
	var m mirrored
	if err != nil || json.Unmarshal(rest, &m) != nil || len(m.Changes) != 1 || m.Changes[0]["state"] != true {
		t.Fatalf("%s %v", rest, err)
	}
}

func TestACallerWhoGoesAwayGivesItsPlaceBack(t *testing.T) {
	s := onAir(t)
	first := s.changes("")
	ctx, cancel := context.WithCancel(t.Context())
	var gone sync.WaitGroup
	for range 4 {
		r, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/game/changes?"+first.then("wait=25"), nil)
		gameServer.sign(r)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		gone.Go(func() { _, _ = io.Copy(io.Discard, got.Body); got.Body.Close() })
	}
	a := s.send("GET", "/api/game/changes", gameServer, nil)
	a.refused(t, 429, "Too many requests")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	cancel()
	gone.Wait()
	for end := time.Now().Add(patience); a.status != 200; time.Sleep(time.Millisecond) {
		if a = s.send("GET", "/api/game/changes", gameServer, nil); time.Now().After(end) {
			t.Fatal("the places of those who left are not free")
		}
	}
}

// An action is visible in the changes at the position that its result names.
func TestWhatIsDoneIsSeenAtItsPosition(t *testing.T) {
	s := onAir(t)
	s.join(7, mainChannel)
	m := s.changes("")
	for n := range 20 {
		call := fmt.Sprint("U-", n)
		r := s.results(gameServer, fmt.Sprintf(`{"id":"%d","do":"setCallsign","serverId":7,"callsign":%q}`, n, call))
		if !r[0].OK || r[0].Seq == nil {
			t.Fatalf("%+v", r)
		}
		m = s.changes(m.then("wait=0"))
		if m.Reset || m.Next < *r[0].Seq || len(m.Changes) != 1 || m.Changes[0]["callsign"] != call {
			t.Fatalf("seq %d: %+v", *r[0].Seq, m)
		}
	}
}

func TestActionsAreDoneInOrderEachWithItsResult(t *testing.T) {
	s := onAir(t)
	s.join(7, mainChannel)
	key, _ := s.apiKey("FiveM", wire.ScopeGame)
	r := s.results(key, `{"id":"a","do":"setUserChannel","serverId":7,"frequency":460.25},{"id":"b","do":"setUserChannel","serverId":7},
		{"id":"c","do":"setUserChannel","serverId":99,"frequency":"460.25"},{"id":"d","do":"fly"},{"id":"e","do":"refreshPlayerInfo"},
		{"id":"f","do":"event","serverId":7,"name":"panic","payload":{"frequency":"460.25","enabled":true}},
		{"id":"g","do":"event","serverId":7,"name":"acknowledgePanic","payload":{"serverId":7}},
		{"id":"h","do":"setUserChannel","serverId":7,"frequency":"155.1"}`)
	want := []struct {
		ok   bool
		code int
		text string
	}{{true, 0, ""}, {false, 400, "frequency is missing"}, {false, 404, "User not found"}, {false, 400, "do must be one of"}, {true, 0, ""}, {true, 0, ""}, {false, 403, "Only dispatchers"}, {true, 0, ""}}
	if len(r) != len(want) {
		t.Fatalf("%+v", r)
	}
	for i, w := range want {
		if r[i].ID != string(rune('a'+i)) || r[i].OK != w.ok || r[i].Code != w.code || !strings.Contains(r[i].Error, w.text) || (r[i].Seq != nil) != w.ok {
			t.Errorf("%d: %+v, want %+v", i, r[i], w)
		}
	}
	if r[4].Count == nil || *r[4].Count != 1 {
		t.Errorf("refreshPlayerInfo: %+v", r[4])
	}
	if ack, _ := r[5].Reply.(map[string]any); ack["success"] != true {
		t.Errorf("event: %+v", r[5])
	}
	s.view(func(v core.View) {
		if u, _ := v.User(7); u.Current != frequency("155.1") || !v.PanicOn(7, frequency(tacChannel)) {
			t.Errorf("%+v", u)
		}
	})
}

// A request that comes again is answered and not repeated, for a minute and for its own
// caller; one that has changed nothing for want of a disk is tried again.
func TestARepeatedRequestIsAnsweredFromMemory(t *testing.T) {
	s := onAir(t)
	s.join(7, mainChannel)
	key, _ := s.apiKey("FiveM", wire.ScopeGame)
	toggle := `{"id":"t-1","do":"setAlertOnChannel","frequency":"154.755","alert":"PURSUIT"}`
	c := radioConfig()
	c.Alerts = append(c.Alerts, core.Alert{Name: "PURSUIT", Persistence: core.Yes})
	s.reconfigure(c)
	on := func() (on bool) {
		s.view(func(v core.View) { _, on = v.Alert(frequency(mainChannel)) })
		return on
	}
	for n, step := range []struct {
		who  credentials
		wait time.Duration
		on   bool
	}{{gameServer, 0, true}, {gameServer, 0, true}, {gameServer, 59 * time.Second, true}, {key, 0, false}, {key, 0, false}, {gameServer, time.Second, true}} {
		s.clock.Pass(step.wait)
		if r := s.results(step.who, toggle); !r[0].OK || on() != step.on {
			t.Errorf("step %d: %+v, on %v", n, r, on())
		}
	}
	missing := `{"id":"m-1","do":"disconnectUser","serverId":12}`
	s.results(gameServer, missing)
	s.join(12, mainChannel)
	if r := s.results(gameServer, missing); r[0].Code != 404 {
		t.Errorf("a refusal is not remembered: %+v", r)
	}
	call := `{"id":"c-1","do":"setCallsign","serverId":12,"callsign":"A-1"}`
	s.do(core.Actor{Surface: core.BySystem}, core.SetStorage{Reason: "the disk is full"})
	if r := s.results(gameServer, call); r[0].Code != 503 {
		t.Errorf("without a disk: %+v", r)
	}
	s.do(core.Actor{Surface: core.BySystem}, core.SetStorage{})
	if r := s.results(gameServer, call); !r[0].OK {
		t.Errorf("with a disk again: %+v", r)
	}
}

// players sends a list of players.
func (s *station) players(body string) wire.GamePlayersReply {
	s.t.Helper()
	a := s.send("POST", "/api/game/players", gameServer, body)
	var r wire.GamePlayersReply
	if a.status != 200 || json.Unmarshal(a.body, &r) != nil || !r.Success {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
	return r
}

func (s *station) known() (ids []core.UserID) {
	s.view(func(v core.View) { ids = v.Players() })
	return ids
}

func TestAListOfPlayersIsAnnouncedAtOnce(t *testing.T) {
	s := onAir(t)
	s.join(7, mainChannel)
	s.join(8, mainChannel)
	r := s.players(`{"replace":true,"players":[{"serverId":7,"name":"Ana","nacId":"PD","access":false},{"serverId":12,"name":"Bo","callbackNac":"FD","callbackName":"Officer Bo"},
		{"serverId":13},{"serverId":14,"name":"Eve","nacId":"` + strings.Repeat("x", 200) + `"},{"serverId":15,"name":"Max","access":"yes"}]}`)
	if len(r.Tokens) != 2 || len(r.Errors) != 3 {
		t.Fatalf("%+v", r)
	}
	for id, why := range map[string]string{"13": "name is missing", "14": "nacId is longer than", "15": "access must be a boolean"} {
		if !strings.Contains(r.Errors[id], why) {
			t.Errorf("player %s: %q", id, r.Errors[id])
		}
	}
	if ids := s.known(); fmt.Sprint(ids) != "[7 12]" { // 8 has left the game
		t.Errorf("known are %v", ids)
	}
	s.view(func(v core.View) {
		if u, _ := v.User(7); u.Current != 0 || v.HasRadioAccess(7) || v.NacOf(12) != "FD" {
			t.Errorf("%+v, NAC %q", u, v.NacOf(12))
		}
		if u, _ := v.User(12); u.Name != "Officer Bo" {
			t.Errorf("%+v", u)
		}
	})
	for id, token := range r.Tokens {
		if got, ok := s.sessions.CheckPlayer(token); !ok || fmt.Sprint(got) != id {
			t.Errorf("the token of %s is that of %d", id, got)
		}
	}
	// What is kept says the same after a restart.
	again, err := session.New(s.bucket, session.Options{MasterToken: masterToken})
	if err != nil {
		t.Fatal(err)
	}
	kept := again.Players()
	var ana wire.PlayerConnect
	if len(kept) != 2 || wire.Decode(kept[7], &ana) != nil || ana.Facts().Game.Access != core.No {
		t.Errorf("%d players are kept, 7 as %s", len(kept), kept[7])
	}
	// Added to the others; who has a token may keep it.
	more := s.players(`{"keepTokens":true,"players":[{"serverId":7,"name":"Ana","access":true},{"serverId":20,"name":"New"}]}`)
	if len(more.Tokens) != 1 || more.Tokens["20"] == "" {
		t.Errorf("%+v", more)
	}
	if id, _ := s.sessions.CheckPlayer(r.Tokens["7"]); id != 7 {
		t.Error("the token of 7 has ended")
	}
	if ids := s.known(); fmt.Sprint(ids) != "[7 12 20]" {
		t.Errorf("known are %v", ids)
	}
	anew := s.players(`{"players":[{"serverId":7,"name":"Ana"}]}`)
	if _, old := s.sessions.CheckPlayer(r.Tokens["7"]); old || anew.Tokens["7"] == "" {
		t.Error("7 has no new token, or two")
	}
	if s.players(`{"replace":true,"players":[]}`); len(s.known()) != 0 {
		t.Errorf("known are %v", s.known())
	}
}

// The disk is full: nobody is taken in who cannot be kept, those who are known stay, and
// who has left the game is gone.
func TestAListOfPlayersWithoutADisk(t *testing.T) {
	s := onAir(t)
	before := s.players(`{"players":[{"serverId":7,"name":"Ana"},{"serverId":8,"name":"Bo"}]}`)
	s.bucket.Break(core.ErrStorage("the disk is full"))
	s.send("POST", "/api/game/players", gameServer, `{"replace":true,"players":[{"serverId":7,"name":"Ana"},{"serverId":12,"name":"New"}]}`).
		refused(t, 503, "Storage unavailable: the disk is full")
	if ids := s.known(); fmt.Sprint(ids) != "[7]" {
		t.Errorf("known are %v", ids)
	}
	if id, _ := s.sessions.CheckPlayer(before.Tokens["7"]); id != 7 {
		t.Error("the token of 7 has ended")
	}
	if _, ok := s.sessions.CheckPlayer(before.Tokens["8"]); ok {
		t.Error("the token of 8 goes on")
	}
	s.bucket.Break(nil)
	s.do(core.Actor{Surface: core.BySystem}, core.SetStorage{Reason: "the disk is full"})
	s.send("POST", "/api/game/players", gameServer, `{"players":[{"serverId":12,"name":"New"}]}`).refused(t, 503, "Storage unavailable")
	s.do(core.Actor{Surface: core.BySystem}, core.SetStorage{})
	if r := s.players(`{"players":[{"serverId":12,"name":"New"}]}`); r.Tokens["12"] == "" {
		t.Errorf("%+v", r)
	}
}

// A full game server is announced in one call.
func TestAFullGameServerIsAnnounced(t *testing.T) {
	s := onAir(t)
	var list bytes.Buffer
	for id := 1; id <= 2048; id++ {
		fmt.Fprintf(&list, `,{"serverId":%d,"name":"Player %d","nacId":"PD","identifiers":["license:%040d"],"aces":{"connect":["154.755","460.25"],"scan":true},"access":true}`, id, id, id)
	}
	writes := s.bucket.Changes()
	if r := s.players(`{"replace":true,"players":[` + list.String()[1:] + `]}`); len(r.Tokens) != 2048 || len(r.Errors) != 0 {
		t.Fatalf("%d tokens, %d errors", len(r.Tokens), len(r.Errors))
	}
	if n := s.bucket.Changes() - writes; n != 1 {
		t.Errorf("%d writes", n)
	}
	if m := s.changes(""); len(m.State.Users) != 2048 || len(m.State.Classes) != 1 {
		t.Errorf("%d users in %d classes", len(m.State.Users), len(m.State.Classes))
	}
	if a := s.send("POST", "/api/game/players", gameServer, `{"players":[`+strings.Repeat(`{},`, 2048)+`{}]}`); a.status != 400 || !strings.Contains(a.text(t), "players must have at most 2048 entries") {
		t.Errorf("one too many: %d %s", a.status, a.body)
	}
}

func TestPositionsInTheShortForm(t *testing.T) {
	s := onAir(t)
	s.join(7, mainChannel)
	for _, body := range []string{`{"positions":[[7,1.5,-2,30],[99,0,0,0]]}`, `[["7",1.5,-2,30]]`} {
		if a := s.send("POST", "/api/game/positions", gameServer, body); a.status != 200 {
			t.Fatalf("%s: %d %s", body, a.status, a.body)
		}
		s.view(func(v core.View) {
			if p := v.Snapshot().Users[0].Position; p == nil || *p != (core.Position{X: 1.5, Y: -2, Z: 30}) {
				t.Errorf("%s: %+v", body, p)
			}
		})
		s.send("POST", "/api/game/positions", gameServer, `[[7,0,0,0]]`)
	}
	var all bytes.Buffer
	for id := range 2048 {
		fmt.Fprintf(&all, `,[%d,-12345.678901234567,-12345.678901234567,-12345.678901234567]`, id+1)
	}
	if a := s.send("POST", "/api/game/positions", gameServer, "["+all.String()[1:]+"]"); a.status != 200 {
		t.Errorf("a full game server in full precision, %d bytes: %d %s", all.Len(), a.status, a.body)
	}
}

// The service's own callbacks fail for want of the game; what the game answered counts.
func TestTheGamesAnswersWinOverTheServices(t *testing.T) {
	s := onAir(t, func(o *rest.Options) {
		o.Joining = func(_ context.Context, _ core.UserID, f *core.Facts) {
			f.Refused, f.CallbackNac, f.CallbackName = true, "", ""
		}
	})
	for n, send := range []func(){
		func() {
			s.send("POST", "/api/player/connect", gameServer, `{"serverId":7,"name":"Ana","access":true,"callbackNac":"PD","callbackName":"Officer Ana"}`)
		},
		func() { s.results(gameServer, `{"id":"1","do":"refreshNacId","serverId":7}`) },
		func() { s.results(gameServer, `{"id":"2","do":"refreshPlayerInfo"}`) },
		func() {
			s.players(`{"replace":true,"players":[{"serverId":7,"name":"Ana","access":true,"callbackNac":"PD","callbackName":"Officer Ana"}]}`)
		},
	} {
		send()
		s.view(func(v core.View) {
			if u, _ := v.User(7); !v.HasRadioAccess(7) || v.NacOf(7) != "PD" || u.Name != "Officer Ana" {
				t.Errorf("step %d: access %v, NAC %q, name %q", n, v.HasRadioAccess(7), v.NacOf(7), u.Name)
			}
		})
	}
	s.send("POST", "/api/player/connect", gameServer, `{"serverId":7,"name":"Ana"}`)
	s.view(func(v core.View) {
		if v.HasRadioAccess(7) {
			t.Error("without an answer of the game the service's own counts")
		}
	})
}

// A radio that ends breaks a call for changes off: an answer that says that nothing has
// changed would be a lie.
func TestACallThatFailsIsBrokenOff(t *testing.T) {
	s := onAir(t)
	s.engine.Close()
	r, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/game/changes", nil)
	gameServer.sign(r)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if body, err := io.ReadAll(got.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q %v", body, err)
	}
	if s.log.containing("call for changes failed") != 1 {
		t.Error("the log does not say so")
	}
}
