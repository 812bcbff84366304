package rest_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"squelch/core/wire"
	"squelch/server/rest"
	"squelch/server/session"
)

// bodied are the routes that take a body.
func bodied() []wire.Route {
	return slices.DeleteFunc(slices.Clone(wire.Routes), func(r wire.Route) bool { return r.Body == nil })
}

// FuzzBodies sends any bytes to every route: the answer is JSON with a status
// that the list promises, and never 500.
func FuzzBodies(f *testing.F) {
	routes := bodied()
	for i, r := range routes {
		f.Add(uint8(i), []byte(samples[key(r)].body))
		for _, x := range samples[key(r)].refusals {
			f.Add(uint8(i), []byte(x.body))
		}
		var good map[string]json.RawMessage
		if json.Unmarshal([]byte(samples[key(r)].body), &good) != nil {
			f.Fatal(key(r))
		}
		for _, name := range wire.SortedKeys(good) {
			for _, odd := range []string{`null`, `"\ud800"`, `"\u0000"`, `-0`, `1e-400`, `123456789012345678901234567890`, `[[[[]]]]`, `{"":{}}`, `"` + strings.Repeat("9", 400) + `"`} {
				body := strings.Replace(string(samples[key(r)].body), string(good[name]), odd, 1)
				f.Add(uint8(i), []byte(body))
			}
		}
	}
	s := onAir(f, func(o *rest.Options) {
		o.Limiter = session.NewLimiter(1e9, 1e9, nil)
		o.Lockout = session.NewLockout(session.LockoutOptions{Failures: 1e9})
	})
	who := s.logIn("Fuzzer")
	s.join(7, mainChannel)
	s.console(who, -1)
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		route := routes[int(which)%len(routes)]
		if len(body) > 64<<10 {
			body = body[:64<<10]
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest(route.Method, route.Path, bytes.NewReader(body))
		by := as(route, who)
		by.sign(r)
		s.handler.ServeHTTP(w, r)
		if w.Code != route.Status && !slices.Contains(route.Errors, w.Code) {
			t.Fatalf("%s %q: %d %s", key(route), body, w.Code, w.Body)
		}
		if w.Code != route.Status {
			answer{w.Code, w.Header(), w.Body.Bytes()}.refused(t, w.Code, "")
			return
		}
		into := reflect.New(reflect.TypeOf(route.Reply))
		if err := json.Unmarshal(w.Body.Bytes(), into.Interface()); err != nil {
			t.Fatalf("%s %q: %s", key(route), body, w.Body)
		}
		if status := httptest.NewRecorder(); w.Code == 200 {
			again := httptest.NewRequest("GET", "/radio/dispatch/status", nil)
			who.sign(again)
			s.handler.ServeHTTP(status, again)
			if status.Code != 200 || !json.Valid(status.Body.Bytes()) {
				t.Fatalf("after %s %q the status is %d %s", key(route), body, status.Code, status.Body)
			}
		}
	})
}

// FuzzCallers sends any headers: nobody gets in, nothing breaks.
func FuzzCallers(f *testing.F) {
	f.Add("Bearer x", "y", "198.51.100.1, [::1]:5", "same-origin", "http://h", "dispatch_auth_token=x; dispatch_session_id=y")
	f.Add("bearer", "", ",,,", "", "null", "=;;")
	f.Add("Basic Og==", "\xff", "fe80::1%eth0", "none", "http://[::1", "dispatch_auth_token=\"")
	s := onAir(f, behindProxy, func(o *rest.Options) {
		o.Guesses = session.NewLockout(session.LockoutOptions{Failures: 1e9})
	})
	f.Fuzz(func(t *testing.T, auth, id, forwarded, site, origin, cookies string) {
		for _, route := range []string{"GET /api/status", "POST /radio/dispatch/reauth", "POST /api/player/drop"} {
			method, path, _ := strings.Cut(route, " ")
			r := httptest.NewRequest(method, path, strings.NewReader("{}"))
			r.RemoteAddr = "127.0.0.1:1"
			for name, value := range map[string]string{"Authorization": auth, "X-Session-Id": id, "X-Forwarded-For": forwarded,
				"Sec-Fetch-Site": site, "Origin": origin, "Cookie": cookies} {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			answer{w.Code, w.Header(), w.Body.Bytes()}.refused(t, 401, "Authentication required")
		}
	})
}

// FuzzQueries asks for changes with any query: it is answered with everything, because
// nobody guesses an epoch, or refused with a reason.
func FuzzQueries(f *testing.F) {
	for _, query := range []string{"", "since=1&epoch=x&wait=25&gather=200", "since=-1", "since=18446744073709551616", "wait=1e1", "gather=%30", "since=1;wait=2", "%", "since=1&since=x"} {
		f.Add(query)
	}
	s := onAir(f)
	f.Fuzz(func(t *testing.T, query string) {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/api/game/changes", nil)
		r.URL.RawQuery = query
		gameServer.sign(r)
		s.handler.ServeHTTP(w, r)
		if w.Code == 400 {
			answer{w.Code, w.Header(), w.Body.Bytes()}.refused(t, 400, "")
			return
		}
		var m mirrored
		if w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &m) != nil || !m.Reset || m.State == nil {
			t.Fatalf("%q: %d %s", query, w.Code, w.Body)
		}
	})
}
