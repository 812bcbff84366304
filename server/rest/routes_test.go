package rest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/rest"
	"squelch/server/session"
)

func TestEveryRouteOfTheListIsServedAndNothingElse(t *testing.T) {
	s := onAir(t)
	var listed []string
	for _, r := range wire.Routes {
		listed = append(listed, key(r))
		if r.Method == "GET" && r.Status == 200 {
			listed = append(listed, "HEAD "+r.Path)
		}
		if _, told := samples[key(r)]; !told {
			t.Errorf("no example for %s", key(r))
		}
	}
	slices.Sort(listed)
	if got := s.handler.Served(); !slices.Equal(got, listed) {
		t.Fatalf("served\n%q\nlisted\n%q", got, listed)
	}
	if len(samples) != len(wire.Routes) {
		t.Errorf("%d examples for %d routes", len(samples), len(wire.Routes))
	}
}

// TestEveryRouteSucceedsAndRefusesAsListed makes each call of the samples and
// compares the refusals seen with those that the list promises.
func TestEveryRouteSucceedsAndRefusesAsListed(t *testing.T) {
	for _, route := range wire.Routes {
		t.Run(key(route), func(t *testing.T) {
			x := samples[key(route)]
			s, who := busyStation(t, route)
			got := s.send(route.Method, x.at(route), as(route, who), x.payload(route))
			if got.status != route.Status {
				t.Fatalf("success is %d %s, want %d", got.status, got.body, route.Status)
			}
			checkReply(t, route, got)
			seen := general(t, route, x)
			for _, r := range x.refusals {
				seen = append(seen, r.status)
				refuse(t, route, x, r)
			}
			if route.Path == callback { // the provider's part of it has its own tests
				seen = append(seen, 401, 403, 502)
			}
			slices.Sort(seen)
			want := slices.Sorted(slices.Values(route.Errors))
			if seen = slices.Compact(seen); !slices.Equal(seen, want) {
				t.Errorf("refusals seen %v, listed %v", seen, want)
			}
		})
	}
}

// checkReply reads a reply strictly into the listed shape, and asks for every
// field that a client may rely on.
func checkReply(t *testing.T, route wire.Route, a answer) {
	t.Helper()
	if route.Reply == nil || route.Path == "/radio/dispatch/config" || strings.HasSuffix(route.Path, "status") {
		return // read by the golden files of package wire
	}
	into := reflect.New(reflect.TypeOf(route.Reply))
	d := json.NewDecoder(strings.NewReader(string(a.body)))
	d.DisallowUnknownFields()
	if err := d.Decode(into.Interface()); err != nil {
		t.Fatalf("reply %s is no %T: %v", a.body, route.Reply, err)
	}
	if route.Method == "POST" && a.json(t)["success"] != true {
		t.Fatalf("reply %s lacks success", a.body)
	}
}

func refuse(t *testing.T, route wire.Route, x sample, r refusal) {
	t.Helper()
	s, who := busyStation(t, route)
	if r.path == "off" {
		s = onAir(t)
		r.path = ""
	}
	if r.prepare != nil {
		r.prepare(s)
	}
	path := r.path
	if path == "" {
		path = x.at(route)
	}
	var body any
	if route.Method == http.MethodPost {
		body = r.body
	}
	before := memoryOf(s)
	s.send(route.Method, path, as(route, who), body).refused(t, r.status, r.text)
	if after := memoryOf(s); !reflect.DeepEqual(before, after) {
		t.Errorf("%s changed the radio although it was refused", r.body)
	}
}

// memoryOf is everything that the radio remembers, without the time.
func memoryOf(s *station) (d core.Data) {
	s.view(func(v core.View) { d = v.Snapshot() })
	d.Now = 0
	return d
}

// general checks what every route has in common: who may call, how often, and what is
// not a body. It returns the statuses seen.
func general(t *testing.T, route wire.Route, x sample) (seen []int) {
	t.Helper()
	if route.Auth != wire.Public {
		seen = append(seen, 401)
		wrongCallers(t, route, x)
	}
	if route.Scope != "" || route.NoKeys {
		seen = append(seen, 403) // TestEveryRouteRefusesAKeyWithoutItsScopeAndTakesOneWithIt
	}
	if route.Auth != wire.Public || slices.Contains(route.Errors, 429) {
		seen = append(seen, 429)
		tooOften(t, route, x)
	}
	if slices.Contains(route.Errors, 503) {
		seen = append(seen, 503)
		// The callback redirects, as a login does; an example says so of what stores nothing.
		stores := !slices.ContainsFunc(x.refusals, func(r refusal) bool { return r.status == 503 })
		if route.Path != callback && stores {
			withoutStorage(t, route, x)
		}
	}
	switch {
	case route.Body != nil:
		seen = append(seen, 400, 413)
		noBodies(t, route, x)
		wrongFields(t, route, x)
	case route.Path == callback:
		seen = append(seen, 400) // the sample's state belongs to nobody
		s, who := busyStation(t, route)
		s.send("GET", callback, as(route, who), nil, func(r *http.Request) { r.Header.Set("Accept", "application/json") }).refused(t, 400, "state")
	}
	return seen
}

func wrongCallers(t *testing.T, route wire.Route, x sample) {
	t.Helper()
	s, who := busyStation(t, route)
	other := s.logIn("Other")
	gone := s.logIn("Gone")
	if err := s.sessions.Revoke(t.Context(), s.key(gone)); err != nil {
		t.Fatal(err)
	}
	callers := map[string]credentials{
		"nobody":               {},
		"a session id alone":   {session: who.session},
		"a wrong token":        {session: who.session, token: "guess"},
		"an outdated token":    {session: who.session, token: gone.token},
		"an ended session":     gone,
		"the id as the token":  {session: who.session, token: who.session},
		"a token with a space": {session: who.session, token: who.token + " x"},
	}
	switch route.Auth {
	case wire.Session:
		callers["a token alone"] = credentials{token: who.token}
		callers["the master token alone"] = credentials{token: masterToken}
		callers["another session's token"] = credentials{session: who.session, token: other.token}
		callers["a session id in capitals"] = credentials{session: strings.ToUpper(who.session), token: who.token}
		callers["a wrong session"] = credentials{session: "guess", token: masterToken}
	case wire.Master:
		callers["a dispatcher"] = who
	}
	for name, c := range callers {
		// Even with a bad body: a caller without credentials learns nothing.
		a := s.send(route.Method, x.at(route), c, "not json")
		if a.status != 401 || a.text(t) != "Authentication required" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	basic := func(r *http.Request) { r.SetBasicAuth("x", who.token) }
	s.send(route.Method, x.at(route), credentials{session: who.session}, x.payload(route), basic).refused(t, 401, "Authentication required")
	spelled := func(r *http.Request) {
		r.Header["Authorization"] = []string{"bEARER  " + as(route, who).token}
	}
	if a := s.send(route.Method, x.at(route), as(route, who), x.payload(route), spelled); a.status != route.Status {
		t.Errorf("a scheme in other letters: %d %s", a.status, a.body)
	}
	if route.Auth == wire.Session {
		s, who = busyStation(t, route)
		if a := s.send(route.Method, x.at(route), credentials{who.session, masterToken}, x.payload(route)); a.status != route.Status {
			t.Errorf("the master token with a live session: %d %s", a.status, a.body)
		}
		s.clock.Pass(24 * time.Hour)
		s.send(route.Method, x.at(route), who, x.payload(route)).refused(t, 401, "Authentication required")
	}
}

// withoutStorage checks that nothing changes while the disk is full.
func withoutStorage(t *testing.T, route wire.Route, x sample) {
	t.Helper()
	s, who := busyStation(t, route)
	s.bucket.Break(core.ErrStorage("the disk is full"))
	if _, err := s.engine.Do(t.Context(), core.Actor{Surface: core.BySystem}, core.SetStorage{Reason: "the disk is full"}); err != nil {
		t.Fatal(err)
	}
	before, sessions := memoryOf(s), s.sessions.List()
	got := s.send(route.Method, x.at(route), as(route, who), x.payload(route))
	got.refused(t, 503, "Storage unavailable: the disk is full")
	if got.header.Get("Retry-After") == "" {
		t.Error("nothing says when to try again")
	}
	if after := memoryOf(s); !reflect.DeepEqual(before, after) || len(s.sessions.List()) != len(sessions) {
		t.Error("what was refused changed the radio")
	}
}

// tooOften uses up what one caller may do.
func tooOften(t *testing.T, route wire.Route, x sample) {
	t.Helper()
	now := time.Now()
	s := onAir(t, func(o *rest.Options) {
		o.Limiter = session.NewLimiter(1, 1, func() time.Time { return now })
		o.Lockout = session.NewLockout(session.LockoutOptions{Failures: 1})
		o.Guesses = session.NewLockout(session.LockoutOptions{Failures: 1})
		o.External = &rest.External{ClientID: "x", AuthorizeURL: "http://127.0.0.1:1/auth", TokenURL: "x", UserInfoURL: "x", AllowedUsers: []string{"*"}}
	})
	who := s.logIn("CAD")
	send := func(c credentials) answer { return s.send(route.Method, x.at(route), c, x.payload(route)) }
	caller := as(route, who)
	switch {
	case route.Auth == wire.Master: // only guesses: the bearer of the token is never refused
		caller = credentials{token: "guess"}
		send(caller).refused(t, 401, "")
	case route.Auth == wire.Session:
		if a := s.send("GET", "/api/patches", who, nil); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	case route.Auth == wire.Public:
		if route.Method == http.MethodPost { // a login
			s.send("POST", route.Path, credentials{}, `{"nacId":"wrong","callsign":"x"}`).refused(t, 401, "")
		} else {
			send(credentials{})
		}
	default:
		send(as(route, who))
	}
	a := send(caller)
	a.refused(t, 429, "Too many requests")
	if after := a.header.Get("Retry-After"); after == "" || after == "0" {
		t.Errorf("Retry-After %q", after)
	}
}

// noBodies sends what is not a JSON object, and what is too long.
func noBodies(t *testing.T, route wire.Route, x sample) {
	t.Helper()
	s, who := busyStation(t, route)
	send := func(body string) answer { return s.send(route.Method, x.at(route), as(route, who), body) }
	for _, body := range []string{"", " \n", "null", "[]", "5", `"text"`, "true", "{", "{}}", `{"a":}`, `{"a":1,}`, "\xff\xfe", `{"a":"` + "\xff" + `"}`,
		strings.Repeat("[", 60_000), strings.Repeat(`{"a":`, 10_000), "<xml/>", "nacId=4711&callsign=x"} {
		if body == "[]" && route.Path == "/api/game/positions" {
			continue // a list alone will do there
		}
		send(body).refused(t, 400, "The body must be a JSON object")
	}
	send("{}").refused(t, 400, "is missing")
	// Exactly 64 KiB, or what the route says, is a body, one byte more is not.
	most := max(64<<10, route.Large)
	tooLarge := fmt.Sprintf("larger than %d bytes", most)
	full := x.body + strings.Repeat(" ", most-len(x.body))
	if a := send(full); a.status != route.Status {
		t.Errorf("a body of %d bytes: %d %s", most, a.status, a.body)
	}
	send(full+" ").refused(t, 413, tooLarge)
	unsized := func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader(full+" ")), -1 }
	s.send(route.Method, x.at(route), as(route, who), "", unsized).refused(t, 413, tooLarge)
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	tried := 0
	for _, route := range wire.Routes {
		if route.Body == nil {
			continue
		}
		tried++
		s, who := busyStation(t, route)
		body := `{"__proto__":{"x":1},"debug":[true],"":null,` + samples[key(route)].body[1:]
		if a := s.send(route.Method, route.Path, as(route, who), body); a.status != route.Status {
			t.Errorf("%s: %d %s", key(route), a.status, a.body)
		}
	}
	if tried < 20 {
		t.Fatalf("only %d routes have a body", tried)
	}
}

func TestWrongMethodsAreToldTheRightOnes(t *testing.T) {
	s := onAir(t)
	methods := map[string][]string{}
	for _, r := range wire.Routes {
		methods[r.Path] = append(methods[r.Path], r.Method)
		if r.Method == "GET" && r.Status == 200 {
			methods[r.Path] = append(methods[r.Path], "HEAD")
		}
	}
	for path, right := range methods {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} {
			if slices.Contains(right, method) {
				continue
			}
			a := s.send(method, path, credentials{}, nil)
			if a.status != 405 {
				t.Errorf("%s %s: %d", method, path, a.status)
			}
			allow := strings.Split(a.header.Get("Allow"), ", ")
			if !slices.Equal(allow, append(slices.Clone(right), "OPTIONS")) {
				t.Errorf("%s %s allows %q, want %q", method, path, allow, right)
			}
			if method != "HEAD" && a.text(t) == "" {
				t.Errorf("%s %s has no error text", method, path)
			}
		}
	}
}

func TestAnyOriginMayAsk(t *testing.T) {
	s := onAir(t)
	from := func(r *http.Request) {
		r.Header.Set("Origin", "https://cad.example.org")
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", "authorization,x-session-id,content-type")
	}
	for _, route := range wire.Routes {
		a := s.send("OPTIONS", route.Path, credentials{}, nil, from)
		if a.status != 204 || len(a.body) != 0 || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", route.Path, a.status, a.header)
		}
		if !strings.Contains(a.header.Get("Access-Control-Allow-Methods"), route.Method) {
			t.Errorf("%s: methods %q", route.Path, a.header.Get("Access-Control-Allow-Methods"))
		}
		for _, header := range []string{"Content-Type", "Authorization", "X-Session-Id"} {
			if !strings.Contains(a.header.Get("Access-Control-Allow-Headers"), header) {
				t.Errorf("%s: header %s is not allowed", route.Path, header)
			}
		}
		// Answers and errors can be read by that page too.
		if got := s.send(route.Method, route.Path, credentials{}, nil, from).header.Get("Access-Control-Allow-Origin"); got != "*" {
			t.Errorf("%s: answer for %q", key(route), got)
		}
	}
}

// TestWhatIsNoPageRunsNothing: whatever is not the panel's has a policy of its own, so
// that it can be shown but not be used to get around the console's.
func TestWhatIsNoPageRunsNothing(t *testing.T) {
	s, who := busyStation(t, wire.Route{Path: "/api/themes"})
	s.use(t, func(o *rest.Options) {
		o.SocketIO = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "socket") })
		o.Admin = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	})
	for _, path := range []string{"/api/health", "/api/none", "/api/status", "/radio/tones/beep.wav", "/radio/dispatch/installer", "/radio/dispatch/login", "/dispatch/none",
		"/admin/api/session", "/socket.io/?EIO=4", "/themes/index.json", "/themes/none", "/x/../api/health"} {
		policy := s.send("GET", path, who, nil).header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.HasSuffix(policy, "; sandbox") {
			t.Errorf("%s: %q", path, policy)
		}
	}
}

func TestUnknownPathsAreJSONAndNeverThePanel(t *testing.T) {
	s := onAir(t)
	who := s.logIn("CAD")
	for _, path := range []string{"/api", "/api/", "/api/none", "/api/status/", "/api/status/x", "/radio", "/radio/", "/radio/dispatch", "/radio/dispatch/none",
		"/radio/tones/", "/radio/tones", "/dispatch", "/dispatch/", "/dispatch/user", "/dispatch/none/x", "//api/none", "/x/../api/none", "/./radio/none", "/%61pi/none"} {
		for _, method := range []string{"GET", "POST", "DELETE", "BREW"} {
			a := s.send(method, path, who, nil)
			a.refused(t, 404, "No such path")
		}
	}
	for _, path := range []string{"/", "/index.html", "/apiary", "/radios", "/admin", "/assets/x.js"} {
		if a := s.send("GET", path, credentials{}, nil); a.status != 200 || !strings.Contains(string(a.body), "panel") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}
