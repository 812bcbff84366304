package admin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core/wire"
)

func TestTheCookieOfALoginIsForThisInterfaceOnly(t *testing.T) {
	s := onAir(t)
	b := &browser{s: s}
	a := b.send("POST", "login", wire.AdminLogin{Password: password})
	set := a.header.Get("Set-Cookie")
	for _, want := range []string{"Path=/admin/api", "HttpOnly", "SameSite=Strict", "Max-Age=43200"} {
		if !strings.Contains(set, want) {
			t.Errorf("%s is not in %q", want, set)
		}
	}
	if strings.Contains(string(a.body), password) || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v %s", a.header, a.body)
	}
}

func TestWhoMayCome(t *testing.T) {
	for _, c := range []struct {
		story              string
		who                func(*station) *browser
		method, path, body string
		status             int
		text               string
	}{
		{story: "nobody without a login reads", who: stranger, method: "GET", path: "config", status: 401, text: "Authentication required"},
		{story: "nobody without a login writes", who: stranger, method: "PUT", path: "config", body: `{}`, status: 401, text: "Authentication required"},
		{story: "a made-up cookie is no login", who: func(s *station) *browser { return &browser{s: s, cookie: "x"} }, method: "GET", path: "audit.csv", status: 401, text: "Authentication required"},
		{story: "a login reads without the token", who: tokenless, method: "GET", path: "config", status: 200},
		{story: "a login writes only with the token", who: tokenless, method: "PUT", path: "config", body: `{}`, status: 403, text: "X-CSRF-Token"},
		{story: "another login's token is none", who: swapped, method: "POST", path: "logout", status: 403, text: "X-CSRF-Token"},
		{story: "a page of another site writes nothing", who: crossSite, method: "POST", path: "config/reset", body: `{}`, status: 403, text: "other origins"},
		{story: "a page of another site cannot log somebody in", who: crossSite, method: "POST", path: "login", body: `{"password":"correct horse"}`, status: 403, text: "other origins"},
		{story: "an old browser's Origin counts too", who: otherOrigin, method: "POST", path: "logout", status: 403, text: "other origins"},
		{story: "a wrong password", who: stranger, method: "POST", path: "login", body: `{"password":"x"}`, status: 401, text: "Wrong name or password"},
		{story: "an empty password", who: stranger, method: "POST", path: "login", body: `{"password":""}`, status: 401, text: "Wrong name or password"},
		{story: "no password", who: stranger, method: "POST", path: "login", body: `{}`, status: 400, text: "password is missing"},
		{story: "no JSON", who: stranger, method: "POST", path: "login", body: `password=x`, status: 400, text: "JSON"},
		{story: "a login as large as a novel", who: stranger, method: "POST", path: "login", body: strings.Repeat(" ", 5000) + `{}`, status: 413, text: "4096"},
		{story: "no such path", who: stranger, method: "GET", path: "secrets", status: 404, text: "No such path"},
		{story: "no such method", who: stranger, method: "DELETE", path: "config", status: 405, text: "GET, PUT"},
	} {
		t.Run(c.story, func(t *testing.T) {
			s := onAir(t)
			a := c.who(s).send(c.method, c.path, c.body)
			if a.status != c.status || !strings.Contains(string(a.body), c.text) {
				t.Fatalf("%d %s, want %d and %q", a.status, a.body, c.status, c.text)
			}
		})
	}
}

func stranger(s *station) *browser { return &browser{s: s} }

func tokenless(s *station) *browser {
	b := s.logIn()
	b.csrf = ""
	return b
}

func swapped(s *station) *browser {
	b := s.logIn()
	b.csrf = s.logIn().csrf
	return b
}

func crossSite(s *station) *browser {
	b := s.logIn()
	b.change = func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	return b
}

func otherOrigin(s *station) *browser {
	b := s.logIn()
	b.change = func(r *http.Request) {
		r.Header.Del("Sec-Fetch-Site")
		r.Header.Set("Origin", "http://radio.test:8080")
	}
	return b
}

func TestTenWrongPasswordsLockAnAddressOut(t *testing.T) {
	s := onAir(t)
	b := &browser{s: s}
	for range 10 {
		b.send("POST", "login", wire.AdminLogin{Password: "guess"}).refused(401, "", "Wrong name or password")
	}
	a := b.send("POST", "login", wire.AdminLogin{Password: password})
	a.refused(429, "", "Too many requests")
	if a.header.Get("Retry-After") != "300" {
		t.Fatalf("Retry-After %q, want five minutes", a.header.Get("Retry-After"))
	}
	s.clock.Pass(5 * time.Minute)
	s.logIn()
	want := append(slices.Repeat([]string{"admin.login.refused"}, 9), "admin.login.lockedOut", "admin.login")
	if got := s.actions(); !slices.Equal(got, want) {
		t.Fatalf("audited %v", got)
	}
}

func TestALoginEnds(t *testing.T) {
	s := onAir(t)
	asked := func(b *browser) bool {
		var in wire.AdminSession
		b.send("GET", "session", nil).ok(&in)
		return in.Authenticated
	}
	if asked(&browser{s: s}) {
		t.Fatal("a stranger is logged in")
	}
	forgotten, busy, leaver := s.logIn(), s.logIn(), s.logIn()
	var bye wire.Success
	leaver.send("POST", "logout", nil).ok(&bye)
	if asked(leaver) {
		t.Fatal("logged in after the logout")
	}
	for range 24 {
		s.clock.Pass(29 * time.Minute)
		if !asked(busy) {
			t.Fatal("a login that is in use ended")
		}
	}
	if asked(forgotten) {
		t.Fatal("a forgotten login lives on")
	}
	s.clock.Pass(29 * time.Minute)
	if asked(busy) {
		t.Fatal("a login outlives its twelve hours")
	}
}

func TestTheSeventeenthLoginEndsTheIdlestOne(t *testing.T) {
	s := onAir(t)
	var all []*browser
	for range 17 {
		all = append(all, s.logIn())
		s.clock.Pass(time.Second)
	}
	all[0].send("GET", "config", nil).refused(401, "", "Authentication required")
	for _, b := range all[1:] {
		b.config()
	}
}

func TestOneLoginMayNotAskWithoutEnd(t *testing.T) {
	s := onAir(t)
	b, other := s.logIn(), s.logIn()
	for range 40 {
		b.config()
	}
	b.send("GET", "config", nil).refused(429, "", "Too many requests")
	other.config()
	s.clock.Pass(time.Second)
	b.config()
}
