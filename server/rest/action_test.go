package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/internal/teststation"
	"squelch/server/rest"
	"squelch/server/session"
)

func TestASessionMeansItsOwnConsoleByTheIDItAskedFor(t *testing.T) {
	s := onAir(t)
	first, second, bot := s.logIn("Desk 1"), s.logIn("Desk 2"), s.logIn("Bot")
	if got := s.console(first, -1); got != -1 {
		t.Fatalf("desk 1 got %d", got)
	}
	if got := s.console(second, -1); got != -2 {
		t.Fatalf("desk 2 got %d", got)
	}
	for _, c := range []struct {
		by    credentials
		id    string
		named core.UserID
	}{{first, "-1", -1}, {second, `"-1"`, -2}, {second, "-2", -2}, {bot, "-1", -1}} {
		a := s.send("POST", "/dispatch/user/update-callsign", c.by, `{"callsign":"HERE","userId":`+c.id+`}`)
		if a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		s.view(func(v core.View) {
			for _, id := range []core.UserID{-1, -2} {
				u, _ := v.User(id)
				if (u.Callsign == "HERE") != (id == c.named) {
					t.Errorf("id %s: callsign of %d is %q", c.id, id, u.Callsign)
				}
			}
		})
		s.do(core.Actor{Surface: core.ByAdmin}, core.SetCallsign{User: c.named})
	}
}

func TestACallIsMadeByTheSessionsConsoleIfItHasOne(t *testing.T) {
	s := onAir(t)
	first, second, third, bot := s.logIn("Desk 1"), s.logIn("Desk 2"), s.logIn("Desk 7"), s.logIn("Bot")
	patch := func(by credentials, a, b string) (made wire.PatchCreated) {
		got := s.send("POST", "/api/patch/create", by, map[string][]string{"frequencies": {a, b}})
		if err := json.Unmarshal(got.body, &made); err != nil || got.status != 201 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		s.send("POST", "/api/patch/remove", by, map[string]string{"id": made.ID})
		return made
	}
	if p := patch(bot, mainChannel, tacChannel); p.CreatedBy != -1 || p.ID != "p-1" || p.Label != "Main + Tac" || !slices.Equal(p.Frequencies, []string{mainChannel, tacChannel}) {
		t.Fatalf("patch %+v", p)
	}
	s.console(first, -1)
	s.console(second, -1)
	s.console(third, -7)
	for _, c := range []struct {
		by   credentials
		want core.UserID
	}{{first, -1}, {second, -2}, {third, -7}, {bot, -1}} {
		if p := patch(c.by, mainChannel, tacChannel); p.CreatedBy != c.want {
			t.Errorf("created by %d, want %d", p.CreatedBy, c.want)
		}
	}
}

func TestTheFirstDispatcherIsMeantWithoutAnID(t *testing.T) {
	s := onAir(t)
	who := s.logIn("Bot")
	s.send("POST", "/dispatch/user/update-callsign", who, `{"callsign":"A"}`).refused(t, 404, "User not found")
	s.console(s.logIn("Desk"), -5)
	if a := s.send("POST", "/dispatch/user/update-callsign", who, `{"callsign":"A"}`); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.view(func(v core.View) {
		if u, _ := v.User(-5); u.Callsign != "A" {
			t.Fatalf("callsign %q", u.Callsign)
		}
	})
}

func TestEverySpellingOfAFrequencyIsTheSameChannel(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	for _, f := range []string{`460.25`, `460.250`, `"460.25"`, `"460.250"`, `460.2499999999999`, `4.6025e2`} {
		if a := s.send("POST", "/radio/dispatch/alert/trigger", who, `{"frequency":`+f+`,"alertConfig":{"name":"X","isPersistent":true}}`); a.status != 200 {
			t.Fatalf("%s: %d %s", f, a.status, a.body)
		}
		var status wire.DispatchStatus
		a := s.send("GET", "/radio/dispatch/status", who, nil)
		if err := json.Unmarshal(a.body, &status); err != nil {
			t.Fatal(err)
		}
		if len(status.ActiveAlerts) != 1 || status.ActiveAlerts[tacChannel].Name != "X" {
			t.Fatalf("%s: alerts %v", f, status.ActiveAlerts)
		}
		if a := s.send("POST", "/radio/dispatch/alert/clear", who, `{"frequency":`+f+`}`); a.status != 200 {
			t.Fatalf("%s: %d %s", f, a.status, a.body)
		}
	}
}

func TestAnAlertIsEchoedWhole(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	entry := `{"name":"BOLO","color":"#0f0","isPersistent":true,"tone":"BEEP","crew":{"size":[1,2,"<&>"]}}`
	if a := s.send("POST", "/radio/dispatch/alert/trigger", who, `{"frequency":154.755,"alertType":"BOLO","alertConfig":`+entry+`}`); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var status struct{ ActiveAlerts map[string]json.RawMessage }
	if err := json.Unmarshal(s.send("GET", "/api/status", who, nil).body, &status); err != nil {
		t.Fatal(err)
	}
	if got := string(status.ActiveAlerts[mainChannel]); got != entry {
		t.Fatalf("echoed %s, want %s", got, entry)
	}
	// An alert that is not persistent does not replace what is there.
	s.send("POST", "/radio/dispatch/alert/trigger", who, `{"frequency":154.755,"alertConfig":{"name":"Once","isPersistent":false}}`)
	s.view(func(v core.View) {
		if a, on := v.Alert(frequency(mainChannel)); !on || a.Name != "BOLO" {
			t.Fatalf("active %+v", a)
		}
	})
}

func TestTheGameServerBringsPlayersAndTakesThemAway(t *testing.T) {
	asked := 0
	s := onAir(t, func(o *rest.Options) {
		o.Joining = func(_ context.Context, id core.UserID, f *core.Facts) {
			asked++
			if id != 12 || f.Name != "Ana" {
				t.Errorf("callbacks asked about %d %+v", id, f)
			}
			f.CallbackNac = "911"
		}
	})
	game := credentials{token: masterToken}
	a := s.send("POST", "/api/player/connect", game, samples["POST /api/player/connect"].body)
	token, _ := a.json(t)["playerToken"].(string)
	if id, ok := s.sessions.CheckPlayer(token); !ok || id != 12 || asked != 1 {
		t.Fatalf("%s: player %d %v, %d callbacks", a.body, id, ok, asked)
	}
	s.view(func(v core.View) {
		u, there := v.User(12)
		if !there || u.Name != "Ana" || v.NacOf(12) != "911" {
			t.Fatalf("player %+v, NAC %q", u, v.NacOf(12))
		}
	})
	// The request is kept as it was sent, because a restart needs it.
	var kept wire.PlayerConnect
	if err := wire.Decode(s.sessions.Players()[12], &kept); err != nil || kept.Name != "Ana" {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	if a := s.send("POST", "/api/player/positions", game, `{"positions":[{"serverId":12,"x":1,"y":2,"z":3}]}`); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := s.send("POST", "/api/player/drop", game, `{"serverId":"12"}`); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if _, ok := s.sessions.CheckPlayer(token); ok {
		t.Fatal("the token of a dropped player still works")
	}
	s.view(func(v core.View) {
		if _, there := v.User(12); there {
			t.Fatal("a dropped player is still there")
		}
	})
}

func TestAPlayerWhoGetsNoTokenIsNotRegistered(t *testing.T) {
	s := onAir(t)
	disk := &teststation.Bucket{}
	full, err := session.New(disk, session.Options{MasterToken: masterToken, MaxPlayers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.use(t, func(o *rest.Options) { o.Sessions = full })
	game := credentials{token: masterToken}
	s.send("POST", "/api/player/connect", game, `{"serverId":1,"name":"Ana"}`)
	s.send("POST", "/api/player/connect", game, `{"serverId":2,"name":"Ben"}`).refused(t, 409, "too many players")
	disk.Break(errors.New("disk gone"))
	s.send("POST", "/api/player/connect", game, `{"serverId":1,"name":"Ana Two"}`).refused(t, 500, "Server error")
	s.view(func(v core.View) {
		if _, there := v.User(2); there {
			t.Error("Ben is on the radio without a token")
		}
		if _, there := v.User(1); !there {
			t.Error("Ana is gone")
		}
	})
}

func TestAServerErrorSaysNothingOfItsCause(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	s.engine.Close()
	s.send("POST", "/api/trigger-broadcast", who, `{"message":"x"}`).refused(t, 500, "Server error")
	s.send("GET", "/api/status", who, nil).refused(t, 500, "Server error")
	if s.log.containing("switched off") != 2 {
		t.Fatalf("log %q", s.log.all)
	}
	health := s.send("GET", "/api/health", credentials{}, nil)
	if v := health.json(t); health.status != 200 || v["status"] != "degraded" || v["reason"] == "" {
		t.Fatalf("health %s", health.body)
	}
}

func TestHealthSaysWhy(t *testing.T) {
	reason := ""
	s := onAir(t, func(o *rest.Options) { o.Health = func() string { return reason } })
	if v := s.send("GET", "/api/health", credentials{}, nil).json(t); v["status"] != "ok" || v["service"] != "radio" || v["serviceName"] != "County Dispatch" ||
		v["version"] != "5.7.0" || v["build"] != "test" || v["authMethod"] != "nac" || v["timestamp"] != "2026-03-04T05:06:07.000Z" || v["reason"] != nil {
		t.Fatalf("health %v", v)
	}
	reason = "the disk is nearly full"
	if v := s.send("GET", "/api/health", credentials{}, nil).json(t); v["status"] != "degraded" || v["reason"] != reason {
		t.Fatalf("health %v", v)
	}
}

// burningThemes are themes whose list panics.
type burningThemes struct{ rest.Themes }

func (burningThemes) List() wire.ThemeList { panic("theme folder on fire") }

func TestAPanicIsLoggedOnceAndEndsNothing(t *testing.T) {
	s := onAir(t, func(o *rest.Options) {
		o.Themes = burningThemes{}
		o.Panel = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("panel on fire") })
	})
	who := s.logIn("CAD")
	s.send("GET", "/radio/dispatch/config", who, nil).refused(t, 500, "Server error")
	if s.log.containing("theme folder on fire") != 1 {
		t.Fatalf("log %q", s.log.all)
	}
	// POST, because net/http retries a broken GET.
	if _, err := http.Post(s.URL+"/", "text/plain", nil); err == nil {
		t.Fatal("a page that broke in the middle looked whole")
	}
	if s.log.containing("panel on fire") != 1 {
		t.Fatalf("log %q", s.log.all)
	}
	if a := s.send("GET", "/api/status", who, nil); a.status != 200 {
		t.Fatalf("afterwards: %d", a.status)
	}
}

func TestSocketIOHasItsOwnHandler(t *testing.T) {
	s := onAir(t, behindProxy, func(o *rest.Options) {
		o.SocketIO = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, ok := w.(http.Hijacker); !ok {
				t.Error("a WebSocket could not be upgraded")
			}
			_, _ = w.Write([]byte("engine.io for " + r.RemoteAddr))
		})
	})
	from := func(r *http.Request) { r.Header.Set("X-Forwarded-For", "203.0.113.9") }
	if a := s.send("GET", "/socket.io/?EIO=4&transport=polling", credentials{}, nil, from); string(a.body) != "engine.io for 203.0.113.9:0" {
		t.Fatalf("%d %s", a.status, a.body)
	}
}

func TestALongPollOutlivesOtherAnswers(t *testing.T) {
	const limit = 50 * time.Millisecond
	s := onAir(t, func(o *rest.Options) {
		o.SocketIO = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(4 * limit)
			if err := r.Context().Err(); err != nil {
				t.Errorf("the poll was cut: %v", err)
			}
			_, _ = w.Write([]byte("a voice packet"))
		})
	})
	strict := httptest.NewUnstartedServer(s.handler)
	strict.Config.ReadTimeout, strict.Config.WriteTimeout = limit, limit
	strict.Start()
	defer strict.Close()
	s.URL = strict.URL
	if a := s.send("GET", "/socket.io/?transport=polling", credentials{}, nil); string(a.body) != "a voice packet" {
		t.Fatalf("%d %q", a.status, a.body)
	}
}

func TestWrongOptionsAreNamed(t *testing.T) {
	s := onAir(t)
	for want, o := range map[string]rest.Options{
		"Engine":                {},
		"serverAddress":         {Engine: s.engine, Sessions: s.sessions, Mirror: s.mirror, PublicURL: "radio.example.org"},
		"discord.clientId":      {Engine: s.engine, Sessions: s.sessions, Mirror: s.mirror, External: &rest.External{}},
		"discord.allowedRoles":  {Engine: s.engine, Sessions: s.sessions, Mirror: s.mirror, External: &rest.External{ClientID: "x", AuthorizeURL: "x", TokenURL: "x", UserInfoURL: "x"}},
		"discord.userInfoUrl":   {Engine: s.engine, Sessions: s.sessions, Mirror: s.mirror, External: &rest.External{ClientID: "x", AuthorizeURL: "x", TokenURL: "x"}},
		"discord.tokenUrl":      {Engine: s.engine, Sessions: s.sessions, Mirror: s.mirror, External: &rest.External{ClientID: "x", AuthorizeURL: "x"}},
		"https://radio.example": {Engine: s.engine, Sessions: s.sessions, Mirror: s.mirror, PublicURL: "ftp://radio.example.org"},
	} {
		if _, err := rest.New(o); err == nil || !contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestTheDocumentsExamplesSucceed: a body that openapi.gen.json shows does what its
// route says.
func TestTheDocumentsExamplesSucceed(t *testing.T) {
	file, err := os.ReadFile(filepath.FromSlash("../../core/wire/testdata/requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]json.RawMessage{}
	for line := range strings.Lines(string(file)) {
		var example struct {
			Route string          `json:"route"`
			Body  json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal([]byte(line), &example); err != nil {
			t.Fatal(err)
		}
		bodies[example.Route] = example.Body
	}
	for _, route := range wire.Routes {
		if route.Body == nil {
			continue
		}
		s, who := busyStation(t, route)
		if got := s.send(route.Method, route.Path, as(route, who), string(bodies[key(route)])); got.status != route.Status {
			t.Errorf("%s with %s: %d %s", key(route), bodies[key(route)], got.status, got.body)
		}
	}
}

// The game server is told that the end of a player is not stored; the player is gone
// all the same, and so is its token.
func TestADropDoesNotWaitForABrokenDisk(t *testing.T) {
	s := onAir(t)
	game := credentials{token: masterToken}
	if a := s.send("POST", "/api/player/connect", game, `{"serverId":12,"name":"Ana"}`); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.bucket.Break(core.ErrStorage("the disk is full"))
	s.send("POST", "/api/player/drop", game, `{"serverId":12}`).refused(t, 503, "Storage unavailable: the disk is full")
	s.view(func(v core.View) {
		if _, there := v.User(12); there {
			t.Error("the player is still there")
		}
	})
	s.bucket.Break(nil)
	if a := s.send("POST", "/api/player/connect", game, `{"serverId":12,"name":"Bo"}`); a.status != 200 {
		t.Errorf("the next with that number: %d %s", a.status, a.body)
	}
}
