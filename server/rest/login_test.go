package rest_test

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/server/audit"
	"squelch/server/rest"
	"squelch/server/session"
)

const (
	authPath   = "/radio/dispatch/auth"
	reauthPath = "/radio/dispatch/reauth"
)

func TestALoginNeverTellsTheMasterToken(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	for _, c := range []credentials{who, {token: masterToken}} {
		a := s.send("POST", reauthPath, credentials{token: c.token}, `{"callsign":"CAD 2"}`)
		if a.status != 200 || strings.Contains(string(a.body), masterToken) {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if who.token == masterToken || len(who.token) < 43 || len(who.session) < 43 {
		t.Fatalf("credentials %+v", who)
	}
}

func TestReauthAfterARestartTakesKnownTokensOnly(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	a := s.send("POST", reauthPath, credentials{token: who.token}, `{"callsign":" Desk 2 "}`)
	fresh := a.json(t)
	next := credentials{fresh["sessionId"].(string), fresh["authToken"].(string)}
	if next.session == who.session || next.token == who.token {
		t.Fatal("the new session has old secrets")
	}
	for _, c := range []credentials{who, next} {
		if a := s.send("GET", "/api/status", c, nil); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if found, _ := s.sessions.Check(next.session, next.token); found.Callsign != "Desk 2" {
		t.Fatalf("callsign %q", found.Callsign)
	}
	s.clock.Pass(24 * time.Hour)
	s.send("POST", reauthPath, credentials{token: who.token}, `{"callsign":"CAD"}`).refused(t, 401, "Authentication required")
	if got := s.audit.actions(); !slices.Equal(got, []string{"login", "reauth"}) {
		t.Fatalf("audited %v", got)
	}
}

func TestTenWrongNacIDsLockAnAddressOut(t *testing.T) {
	s := onAir(t, behindProxy)
	from := func(address string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("X-Forwarded-For", address) }
	}
	guess := func(address, nac string) answer {
		return s.send("POST", authPath, credentials{}, map[string]string{"nacId": nac, "callsign": "Mallory"}, from(address))
	}
	for range 10 {
		guess("203.0.113.9", "1").refused(t, 401, "Invalid NAC ID")
	}
	locked := guess("203.0.113.9", dispatchNac)
	locked.refused(t, 429, "Too many requests")
	if got := locked.header.Get("Retry-After"); got != "300" {
		t.Fatalf("Retry-After %q, want five minutes", got)
	}
	if a := guess("203.0.113.10", dispatchNac); a.status != 200 {
		t.Fatalf("a neighbour: %d %s", a.status, a.body)
	}
	s.clock.Pass(5*time.Minute - time.Second)
	guess("203.0.113.9", dispatchNac).refused(t, 429, "")
	s.clock.Pass(time.Second)
	if a := guess("203.0.113.9", dispatchNac); a.status != 200 {
		t.Fatalf("after the lock: %d %s", a.status, a.body)
	}
	want := append(slices.Repeat([]string{"login.refused"}, 9), "login.lockedOut", "login", "login")
	if got := s.audit.actions(); !slices.Equal(got, want) {
		t.Fatalf("audited %v", got)
	}
	e := s.audit.entries[0]
	if e.Surface != audit.REST || e.Actor.Name != "Mallory" || e.Detail["address"] != "203.0.113.9" || len(e.Detail) != 1 {
		t.Fatalf("entry %+v", e)
	}
}

func TestNineMistakesAreForgivenAfterTwoMinutes(t *testing.T) {
	s := onAir(t)
	for range 3 {
		for range 9 {
			s.send("POST", authPath, credentials{}, `{"nacId":"1","callsign":"x"}`).refused(t, 401, "")
		}
		s.clock.Pass(2 * time.Minute)
	}
	s.logIn("CAD")
}

func TestGuessesAtTheMasterTokenAreCountedApart(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	guess := func(n int) answer {
		path := []string{reauthPath, "/api/player/drop"}[n%2]
		return s.send("POST", path, credentials{token: "letmein"}, `{"callsign":"x","serverId":1}`)
	}
	// Neither a panel with yesterday's token nor a bot without any guesses, and
	// on a protected route nothing is looked at without a session.
	for n := range 30 {
		for _, token := range []string{strings.Repeat("x", 43), strings.Repeat("0a", 32), ""} {
			for _, path := range []string{reauthPath, "/api/player/drop"} {
				s.send("POST", path, credentials{token: token}, `{"callsign":"Desk","serverId":1}`).refused(t, 401, "Authentication required")
			}
		}
		s.send("GET", "/api/status", credentials{token: "letmein", session: strings.Repeat("x", n)}, nil).refused(t, 401, "Authentication required")
	}
	for n := range 10 {
		guess(n).refused(t, 401, "")
	}
	for n := range 2 {
		locked := guess(n)
		locked.refused(t, 429, "Too many requests")
		if got := locked.header.Get("Retry-After"); got != "300" {
			t.Errorf("Retry-After %q, want five minutes", got)
		}
	}
	// That locks out neither the bearer of a token nor somebody who knows the NAC id.
	s.send("POST", reauthPath, credentials{token: strings.Repeat("x", 43)}, `{"callsign":"Desk"}`).refused(t, 401, "Authentication required")
	for _, c := range []struct {
		method, path string
		by           credentials
	}{
		{"POST", "/api/player/connect", credentials{token: masterToken}}, {"POST", reauthPath, credentials{token: masterToken}},
		{"POST", reauthPath, credentials{token: who.token}}, {"GET", "/api/status", who},
	} {
		var body any
		if c.method == "POST" {
			body = `{"callsign":"x","serverId":1,"name":"Unit 1"}`
		}
		if a := s.send(c.method, c.path, c.by, body); a.status != 200 {
			t.Errorf("%s: %d %s", c.path, a.status, a.body)
		}
	}
	s.logIn("CAD 2")
	if got := s.audit.actions(); !slices.Equal(got, []string{"login", "token.lockedOut", "reauth", "reauth", "login"}) {
		t.Fatalf("audited %v", got)
	}
}

func TestATokenIsNotLockedOutByWrongNacIDs(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	for range 11 {
		s.send("POST", authPath, credentials{}, `{"nacId":"1","callsign":"x"}`)
	}
	s.send("POST", authPath, credentials{}, `{"nacId":"4711","callsign":"x"}`).refused(t, 429, "")
	for _, token := range []string{who.token, masterToken} {
		if a := s.send("POST", reauthPath, credentials{token: token}, `{"callsign":"CAD"}`); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

func TestLoginsAndNewSessionsHaveTheirRates(t *testing.T) {
	s := onAir(t, behindProxy)
	count := func(address string, call func(func(*http.Request)) answer) (served int) {
		t.Helper()
		for range 400 {
			a := call(func(r *http.Request) { r.Header.Set("X-Forwarded-For", address) })
			if a.status != 200 {
				a.refused(t, 429, "Too many requests")
				if a.header.Get("Retry-After") != "1" {
					t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
				}
				return served
			}
			served++
		}
		return served
	}
	login := func(from func(*http.Request)) answer {
		return s.send("POST", authPath, credentials{}, map[string]string{"nacId": dispatchNac, "callsign": "CAD"}, from)
	}
	reauth := func(token string) func(func(*http.Request)) answer {
		return func(from func(*http.Request)) answer {
			return s.send("POST", reauthPath, credentials{token: token}, `{"callsign":"CAD"}`, from)
		}
	}
	const here, there = "203.0.113.9", "203.0.113.10"
	if n := count(here, login); n != 20 {
		t.Errorf("%d logins of one address at once, want 20", n)
	}
	if n := count(there, login); n != 20 {
		t.Errorf("%d logins of another address, want 20", n)
	}
	if n := count(here, reauth(masterToken)); n != 300 {
		t.Errorf("%d bots of one address at once, want 300", n)
	}
	s.clock.Pass(time.Second)
	if n := count(here, login); n != 5 {
		t.Errorf("%d logins a second later, want 5", n)
	}
	if n := count(here, reauth(masterToken)); n != 20 {
		t.Errorf("%d bots a second later, want 20", n)
	}
	one, two := s.logIn("ONE"), s.logIn("TWO")
	if n := count(here, reauth(one.token)); n != 10 {
		t.Errorf("%d new sessions for one login at once, want 10", n)
	}
	// A chain of sessions does not get round it, nor does another address; another
	// login has a limit of its own.
	s.clock.Pass(time.Second)
	next := reauth(one.token)(func(*http.Request) {}).json(t)["authToken"].(string)
	if n := count(there, reauth(next)); n != 0 {
		t.Errorf("%d more with the newest token", n)
	}
	if n := count(here, reauth(two.token)); n != 10 {
		t.Errorf("%d new sessions for another login, want 10", n)
	}
}

func TestASessionMakesAHundredCallsAtOnceAndFiftyASecond(t *testing.T) {
	s := onAir(t)
	who, other := s.logIn("CAD"), s.logIn("Bot")
	calls := func(c credentials) (served int) {
		for range 200 {
			a := s.send("GET", "/api/patches", c, nil)
			if a.status != 200 {
				a.refused(t, 429, "")
				if a.header.Get("Retry-After") != "1" {
					t.Fatalf("Retry-After %q", a.header.Get("Retry-After"))
				}
				return served
			}
			served++
		}
		return served
	}
	if n := calls(who); n != 100 {
		t.Fatalf("%d calls at once, want 100", n)
	}
	if n := calls(other); n != 100 {
		t.Fatalf("another session: %d calls, want 100", n)
	}
	s.clock.Pass(time.Second)
	if n := calls(who); n != 50 {
		t.Fatalf("%d calls a second later, want 50", n)
	}
}

func TestWithoutADispatchNacIDNobodyLogsIn(t *testing.T) {
	s := onAir(t)
	c := radioConfig()
	c.DispatchNac = ""
	s.reconfigure(c)
	for _, nac := range []string{`"4711"`, `"null"`, `0`} {
		s.send("POST", authPath, credentials{}, `{"callsign":"x","nacId":`+nac+`}`).refused(t, 401, "Invalid NAC ID")
	}
}

func TestALoginThatCannotBeAuditedDoesNotHappen(t *testing.T) {
	s := onAir(t)
	s.audit.fails = errors.New("disk full at /var/lib/secret")
	a := s.send("POST", authPath, credentials{}, map[string]string{"nacId": dispatchNac, "callsign": "CAD"})
	a.refused(t, 500, "Server error")
	if strings.Contains(string(a.body), "disk") || s.log.containing("disk full") != 1 {
		t.Fatalf("body %s, log %q", a.body, s.log.all)
	}
	if n := len(s.sessions.List()); n != 0 {
		t.Fatalf("%d sessions", n)
	}
}

// behindProxy trusts a proxy on this host and two networks of others.
func behindProxy(o *rest.Options) {
	for _, p := range []string{"127.0.0.1/32", "10.0.0.0/8", "2001:db8::/32"} {
		o.TrustedProxies = append(o.TrustedProxies, netip.MustParsePrefix(p))
	}
}

func TestTheCallersAddressIsTheRightmostThatNoProxyOwns(t *testing.T) {
	for _, c := range []struct{ name, forwarded, want string }{
		{"no header", "", "127.0.0.1"},
		{"one proxy", "203.0.113.9", "203.0.113.9"},
		{"a caller who lies", "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		{"two proxies", "203.0.113.9, 10.1.2.3", "203.0.113.9"},
		{"two proxies and a liar", "198.51.100.1,203.0.113.9 ,10.1.2.3", "203.0.113.9"},
		{"proxies only", "10.1.1.1, 10.1.2.3", "10.1.1.1"},
		{"with a port", "203.0.113.9:4242", "203.0.113.9"},
		{"IPv6", "2001:db9::7, 2001:db8::1", "2001:db9::7"},
		{"IPv6 with brackets and port", "[2001:db9::7]:443", "2001:db9::7"},
		{"IPv4 in IPv6", "::ffff:203.0.113.9", "203.0.113.9"},
		{"garbage", "unknown", "127.0.0.1"},
		{"garbage before a proxy", "unknown, 10.1.2.3", "10.1.2.3"},
		{"very many", strings.Repeat("198.51.100.1,", 500) + "203.0.113.9", "203.0.113.9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, trusted := range []bool{true, false} {
				var change []func(*rest.Options)
				want := "127.0.0.1"
				if trusted {
					change, want = append(change, behindProxy), c.want
				}
				s := onAir(t, change...)
				s.send("POST", authPath, credentials{}, `{"nacId":"1","callsign":"x"}`, func(r *http.Request) {
					if c.forwarded != "" {
						r.Header.Set("X-Forwarded-For", c.forwarded)
					}
				}).refused(t, 401, "")
				if got := s.audit.entries[0].Detail["address"]; got != want {
					t.Errorf("proxy trusted %v: address %v, want %v", trusted, got, want)
				}
			}
		})
	}
}

func TestSeveralForwardedHeadersAreOneList(t *testing.T) {
	s := onAir(t, behindProxy)
	s.send("POST", authPath, credentials{}, `{"nacId":"1","callsign":"x"}`, func(r *http.Request) {
		r.Header["X-Forwarded-For"] = []string{"198.51.100.1", "203.0.113.9", "10.0.0.2"}
	}).refused(t, 401, "")
	if got := s.audit.entries[0].Detail["address"]; got != "203.0.113.9" {
		t.Fatalf("address %v", got)
	}
}

func TestCookiesCountForOurOwnPagesOnly(t *testing.T) {
	s := onAir(t, func(o *rest.Options) { o.PublicURL = "https://radio.example.org/" })
	who := s.logIn("Panel")
	own := s.URL
	for _, c := range []struct {
		name   string
		header map[string]string
		opens  bool
	}{
		{"fetch of our page", map[string]string{"Sec-Fetch-Site": "same-origin"}, true},
		{"typed address", map[string]string{"Sec-Fetch-Site": "none"}, true},
		{"older browser, our page", map[string]string{"Origin": own}, true},
		{"our page behind the proxy", map[string]string{"Origin": "https://radio.example.org"}, true},
		{"no browser", nil, true},
		{"foreign page", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false},
		{"foreign page that forges our origin", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": own}, false},
		{"page of a sister host", map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		{"older browser, foreign page", map[string]string{"Origin": "https://evil.example"}, false},
		{"sandboxed page", map[string]string{"Origin": "null"}, false},
		{"other port", map[string]string{"Origin": "http://127.0.0.1:1"}, false},
		{"public host without TLS", map[string]string{"Origin": "http://radio.example.org"}, false},
		{"garbage", map[string]string{"Origin": "http://%zz"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, call := range []struct{ method, path, body string }{{"GET", "/api/status", ""},
				{"POST", "/api/trigger-broadcast", `{"message":"x"}`}, {"POST", reauthPath, `{"callsign":"x"}`}} {
				a := s.send(call.method, call.path, credentials{}, call.body, func(r *http.Request) {
					r.AddCookie(&http.Cookie{Name: "dispatch_auth_token", Value: who.token})
					r.AddCookie(&http.Cookie{Name: "dispatch_session_id", Value: who.session})
					for k, v := range c.header {
						r.Header.Set(k, v)
					}
				})
				if opened := a.status == 200; opened != c.opens {
					t.Errorf("%s: %d %s", call.path, a.status, a.body)
				}
			}
		})
	}
	// Headers win over cookies, and the routes for the master token accept no cookie.
	stale := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "dispatch_auth_token", Value: "old"})
		r.AddCookie(&http.Cookie{Name: "dispatch_session_id", Value: "old"})
	}
	if a := s.send("GET", "/api/status", who, nil, stale); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.send("POST", "/api/player/drop", credentials{}, `{"serverId":1}`, func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "dispatch_auth_token", Value: "master"})
	}).refused(t, 401, "")
}

func TestSharedLockoutsAreUsed(t *testing.T) {
	lockout := session.NewLockout(session.LockoutOptions{Failures: 1})
	s := onAir(t, func(o *rest.Options) { o.Lockout = lockout })
	if lockout.Wrong("127.0.0.1:9").Locked == 0 {
		t.Fatal("the handshake's failure did not lock the address out")
	}
	s.send("POST", authPath, credentials{}, map[string]string{"nacId": dispatchNac, "callsign": "x"}).refused(t, 429, "")
}
