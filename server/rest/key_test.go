package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/rest"
	"squelch/server/session"
)

// apiKey makes a key for some scopes.
func (s *station) apiKey(name string, scopes ...wire.Scope) (credentials, session.Key) {
	s.t.Helper()
	var words []string
	for _, scope := range scopes {
		words = append(words, string(scope))
	}
	secret, key, err := s.sessions.Keys().Create(s.t.Context(), name, words)
	if err != nil {
		s.t.Fatal(err)
	}
	return credentials{token: secret}, key
}

func allBut(scope wire.Scope) []wire.Scope {
	return slices.DeleteFunc(slices.Clone(wire.Scopes), func(s wire.Scope) bool { return s == scope })
}

func TestEveryRouteSaysWhatItAsksOfAnAPIKey(t *testing.T) {
	for _, r := range wire.Routes {
		known := slices.Contains(wire.Scopes, r.Scope)
		switch {
		case r.Scope != "" && !known:
			t.Errorf("%s asks for the scope %q", key(r), r.Scope)
		case r.NoKeys && r.Scope != "":
			t.Errorf("%s is not for keys and asks for a scope", key(r))
		case r.Auth == wire.Public && r.Scope != "":
			t.Errorf("%s is for everyone and asks for a scope", key(r))
		case r.Auth == wire.TokenOnly && !r.NoKeys:
			t.Errorf("%s makes sessions of tokens: keys need none", key(r))
		case (r.Auth == wire.Session || r.Auth == wire.Master) && known == r.NoKeys:
			t.Errorf("%s asks for no scope", key(r))
		}
		if (r.Scope != "" || r.NoKeys) && !slices.Contains(r.Errors, 403) {
			t.Errorf("%s does not list 403", key(r))
		}
	}
}

func TestEveryRouteRefusesAKeyWithoutItsScopeAndTakesOneWithIt(t *testing.T) {
	for _, route := range wire.Routes {
		t.Run(key(route), func(t *testing.T) {
			x := samples[key(route)]
			s, _ := busyStation(t, route)
			every, _ := s.apiKey("Every", wire.Scopes...)
			send := func(c credentials) answer { return s.send(route.Method, x.at(route), c, x.payload(route)) }
			switch {
			case route.NoKeys:
				send(every).refused(t, 403, "This path is not for API keys")
			case route.Auth == wire.Public:
				if a := send(every); a.status != route.Status {
					t.Errorf("a public route: %d %s", a.status, a.body)
				}
			default:
				want := fmt.Sprintf("This API key lacks the scope %q", route.Scope)
				without, _ := s.apiKey("Without", allBut(route.Scope)...)
				before := memoryOf(s)
				if a := send(without); a.status != 403 || a.text(t) != want {
					t.Errorf("without the scope: %d %s", a.status, a.body)
				}
				if after := memoryOf(s); fmt.Sprint(before) != fmt.Sprint(after) {
					t.Error("a key without the scope changed the radio")
				}
				with, _ := s.apiKey("With", route.Scope)
				if a := send(with); a.status != route.Status {
					t.Errorf("with the scope alone: %d %s", a.status, a.body)
				}
			}
		})
	}
}

func TestASessionIDBesideAKeyHasNoMeaning(t *testing.T) {
	s := onAir(t)
	who := s.logIn("Desk")
	c, _ := s.apiKey("Watch", wire.ScopeRead)
	for _, id := range []string{"", "gone", who.session} {
		if a := s.send("GET", "/api/status", credentials{id, c.token}, nil); a.status != 200 {
			t.Errorf("with %q: %d %s", id, a.status, a.body)
		}
		s.send("POST", "/api/play-tone", credentials{id, c.token}, `{"frequency":"154.755","tone":"BEEP"}`).refused(t, 403, `lacks the scope "dispatch"`)
	}
	// Nor can a cookie carry one: what a browser adds by itself opens nothing.
	inCookie := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "dispatch_auth_token", Value: c.token})
		r.AddCookie(&http.Cookie{Name: "dispatch_session_id", Value: who.session})
	}
	s.send("GET", "/api/status", credentials{}, nil, inCookie).refused(t, 401, "Authentication required")
}

func TestAKeyMeansItsOwnDispatcher(t *testing.T) {
	s := onAir(t)
	s.console(s.logIn("Desk"), -1)
	c, key := s.apiKey("CAD", wire.ScopeDispatch, wire.ScopeTalk)
	out := s.do(core.Actor{Surface: core.BySocket}, core.Connect{Want: -1, Owner: key.Owner(), Facts: core.Facts{Name: key.Name}})
	if made, _ := core.First[core.UserConnected](out); made.User != -2 {
		t.Fatalf("the key's dispatcher is %d", made.User)
	}
	a := s.send("POST", "/api/patch/create", c, `{"frequencies":["154.755","460.25"]}`)
	var made wire.PatchCreated
	if err := json.Unmarshal(a.body, &made); err != nil || a.status != 201 || made.CreatedBy != -2 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.send("POST", "/dispatch/user/update-callsign", c, `{"userId":-1,"callsign":"CAD-1"}`); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	s.view(func(v core.View) {
		desk, _ := v.User(-1)
		own, _ := v.User(-2)
		if desk.Callsign == "CAD-1" || own.Callsign != "CAD-1" {
			t.Errorf("callsigns %q and %q", desk.Callsign, own.Callsign)
		}
	})
}

// A key is 256 random bits: a lock does not apply to a valid one, and a revoked one
// is not a guess.
func TestLocksAreNotForKeys(t *testing.T) {
	s := onAir(t)
	c, _ := s.apiKey("Game", wire.ScopeGame, wire.ScopeRead)
	old, gone := s.apiKey("Old", wire.Scopes...)
	if _, err := s.sessions.Keys().Revoke(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	drop := func(token string) answer {
		return s.send("POST", "/api/player/drop", credentials{token: token}, `{"serverId":1}`)
	}
	for range 30 { // a bot that nobody has told
		drop(old.token).refused(t, 401, "Authentication required")
		s.send("POST", reauthPath, old, `{"callsign":"x"}`).refused(t, 403, "not for API keys")
		s.send("GET", "/api/status", old, nil).refused(t, 401, "Authentication required")
	}
	drop(masterToken).refused(t, 404, "User not found")
	for _, almost := range []string{old.token[:46], old.token + "x", old.token[:46] + "!", "SQK_" + old.token[4:]} {
		for range 3 { // ten of these lock the address
			if a := drop(almost); a.status != 401 && a.status != 429 {
				t.Errorf("%q: %d %s", almost, a.status, a.body)
			}
		}
	}
	drop("guess").refused(t, 429, "")
	drop(c.token).refused(t, 404, "User not found")
	if a := s.send("GET", "/api/status", c, nil); a.status != 200 {
		t.Errorf("a key from a locked address: %d %s", a.status, a.body)
	}
}

func TestEachKeyHasALimitOfItsOwn(t *testing.T) {
	now := time.Now()
	s := onAir(t, func(o *rest.Options) {
		o.Limiter = session.NewLimiter(1, 3, func() time.Time { return now })
	})
	first, _ := s.apiKey("First", wire.ScopeRead)
	second, _ := s.apiKey("Second", wire.ScopeGame)
	for range 3 {
		if a := s.send("GET", "/api/status", first, nil); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	a := s.send("GET", "/api/status", first, nil)
	a.refused(t, 429, "Too many requests")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	for range 3 {
		s.send("POST", "/api/player/drop", second, `{"serverId":1}`).refused(t, 404, "")
	}
	s.send("POST", "/api/player/drop", second, `{"serverId":1}`).refused(t, 429, "")
}

func TestAKeyIsInNoLogLine(t *testing.T) {
	s := onAir(t)
	c, _ := s.apiKey("CAD", wire.ScopeRead)
	s.send("GET", "/api/status?token="+c.token, c, nil)
	s.send("POST", "/api/play-tone", c, "{").refused(t, 403, "")
	s.engine.Close()
	s.send("GET", "/api/status", c, nil).refused(t, 500, "")
	if n := s.log.containing(strings.TrimPrefix(c.token, session.KeyPrefix)); n != 0 {
		t.Errorf("%d lines of the log have the key: %q", n, s.log.all)
	}
}
