package rest_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/server/rest"
	"squelch/server/session"
	"squelch/server/testpeers"
)

const callback = "/radio/dispatch/callback"

// withProvider is a station whose login is at a real OpenID provider.
func withProvider(t *testing.T, change ...func(*rest.External)) (*station, *testpeers.Process) {
	t.Helper()
	address := httptest.NewUnstartedServer(nil)
	t.Cleanup(address.Close)
	own := "http://" + address.Listener.Addr().String()
	provider := testpeers.Node(t, "oidc.mjs", own+callback)
	issuer, _ := provider.Line(0)
	external := rest.External{ClientID: "dispatch", ClientSecret: "hush", Scopes: []string{"openid", "profile"},
		AuthorizeURL: issuer + "/auth", TokenURL: issuer + "/token", UserInfoURL: issuer + "/me", AllowedRoles: []string{"dispatch"}}
	for _, c := range change {
		c(&external)
	}
	s := onAir(t, func(o *rest.Options) { o.External = &external })
	address.Config.Handler = s.handler
	address.Start()
	s.URL = own
	return s, provider
}

// browser is a person at a browser: cookies, redirects, forms.
type browser struct {
	t      *testing.T
	client *http.Client
	home   string
	// state is what the service last sent the provider.
	state string
	// began is the cookie that logIn got when it began.
	began string
	// seen are the addresses of the callback to which the provider redirected.
	seen []string
	// end is the address at which the service sent the browser to the panel.
	end *url.URL
}

func newBrowser(t *testing.T, s *station) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, home: s.URL}
	b.client = &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if state := r.URL.Query().Get("state"); state != "" {
			b.state = state
		}
		switch at := r.URL.String(); {
		case strings.HasPrefix(at, s.URL+callback):
			b.seen = append(b.seen, at)
		case strings.HasPrefix(at, s.URL+"/"):
			b.end = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}}
	return b
}

// open follows redirects to a page and returns its HTML and address.
func (b *browser) open(address string) (string, *url.URL) {
	b.t.Helper()
	got, err := b.client.Get(address)
	return b.read(got, err)
}

func (b *browser) read(got *http.Response, err error) (string, *url.URL) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	page, err := io.ReadAll(got.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(page), got.Request.URL
}

var formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)

// submit fills in the form of a page and follows on.
func (b *browser) submit(page string, at *url.URL, fields url.Values) (string, *url.URL) {
	b.t.Helper()
	form := formAction.FindStringSubmatch(page)
	if form == nil {
		b.t.Fatalf("no form at %s:\n%s", at, page)
	}
	to, err := at.Parse(form[1])
	if err != nil {
		b.t.Fatal(err)
	}
	got, err := b.client.PostForm(to.String(), fields)
	return b.read(got, err)
}

// logIn goes through the whole flow as a user of the provider, and returns what the
// panel finds in its address.
func (b *browser) logIn(user string) url.Values {
	b.t.Helper()
	page, at := b.open(b.home + "/radio/dispatch/login")
	b.began = b.cookie("dispatch_login")
	page, at = b.submit(page, at, url.Values{"prompt": {"login"}, "login": {user}, "password": {"x"}})
	b.submit(page, at, url.Values{"prompt": {"consent"}})
	return b.result()
}

func (b *browser) result() url.Values {
	b.t.Helper()
	if b.end == nil {
		b.t.Fatal("the browser did not come back to the panel")
	}
	if b.end.Path != "/" || b.end.RawQuery != "" {
		b.t.Fatalf("the browser came back to %s, want the panel with a fragment", b.end)
	}
	// RawFragment, as location.hash gives it to the panel.
	values, err := url.ParseQuery(b.end.EscapedFragment())
	if err != nil {
		b.t.Fatal(err)
	}
	return values
}

func (b *browser) cookie(name string) string {
	home, _ := url.Parse(b.home)
	for _, c := range b.client.Jar.Cookies(home) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func TestADispatcherLogsInAtTheProvider(t *testing.T) {
	s, _ := withProvider(t)
	if got := s.send("GET", "/api/health", credentials{}, nil).json(t)["authMethod"]; got != "discord" {
		t.Fatalf("authMethod %v, want discord", got)
	}
	dana := newBrowser(t, s)
	result := dana.logIn("dana")
	who := credentials{result.Get("sessionId"), result.Get("authToken")}
	if a := s.send("GET", "/radio/dispatch/status", who, nil); a.status != 200 {
		t.Fatalf("the session of the fragment: %d %s", a.status, a.body)
	}
	if dana.cookie("dispatch_auth_token") != who.token || dana.cookie("dispatch_session_id") != who.session {
		t.Fatal("the cookies carry another session than the address")
	}
	if dana.cookie("dispatch_login") != "" {
		t.Fatal("the login's own cookie is still there")
	}
	if mark := result.Get("login"); mark == "" || dana.cookie("dispatch_login_done") != mark {
		t.Fatalf("the panel cannot tell this address from one that somebody else has made: mark %q", mark)
	}
	for _, secret := range []string{who.token, who.session, dana.end.String()} {
		if strings.Contains(secret, masterToken) {
			t.Fatal("the master token left the server")
		}
	}
	found, err := s.sessions.Check(who.session, who.token)
	if err != nil || found.Via != session.ViaExternal || found.Callsign != "Dispatcher dana" {
		t.Fatalf("session %+v, %v", found, err)
	}
	if got := s.audit.actions(); !slices.Equal(got, []string{"login"}) {
		t.Fatalf("audited %v", got)
	}
	// The browser's cookies are enough for our own pages to read the status.
	if page, _ := dana.open(s.URL + "/api/status"); !strings.Contains(page, `"userCount"`) {
		t.Fatalf("with cookies: %s", page)
	}
}

func TestAnAccountWithoutTheRoleIsTurnedAway(t *testing.T) {
	s, _ := withProvider(t)
	mallory := newBrowser(t, s)
	result := mallory.logIn("mallory")
	if result.Get("error") != "This account may not dispatch here" || result.Has("authToken") {
		t.Fatalf("the panel is told %v", result)
	}
	if mark := result.Get("login"); mark == "" || mallory.cookie("dispatch_login_done") != mark {
		t.Fatalf("the panel does not believe the refusal: mark %q", mark)
	}
	if mallory.cookie("dispatch_auth_token") != "" {
		t.Fatal("a session cookie was set")
	}
	if len(s.sessions.List()) != 0 || !slices.Equal(s.audit.actions(), []string{"login.refused"}) {
		t.Fatalf("sessions %v, audited %v", s.sessions.List(), s.audit.actions())
	}
}

func TestAUserNamedByIDNeedsNoRole(t *testing.T) {
	s, _ := withProvider(t, func(e *rest.External) { e.AllowedRoles, e.AllowedUsers = nil, []string{"mallory"} })
	if result := newBrowser(t, s).logIn("mallory"); result.Get("sessionId") == "" {
		t.Fatalf("mallory: %v", result)
	}
	if result := newBrowser(t, s).logIn("dana"); result.Get("error") == "" {
		t.Fatalf("dana: %v", result)
	}
}

func TestALoginWorksOnceAndOnlyInItsBrowser(t *testing.T) {
	s, _ := withProvider(t)
	dana := newBrowser(t, s)
	dana.logIn("dana")
	if len(dana.seen) != 1 {
		t.Fatalf("%d callbacks, want 1", len(dana.seen))
	}
	asked := func(r *http.Request) { r.Header.Set("Accept", "application/json") }
	path := strings.TrimPrefix(dana.seen[0], s.URL)

	// The same address again, in the same browser: its cookie is gone.
	s.send("GET", path, credentials{}, nil, asked).refused(t, 400, "does not belong to a login of this browser")
	// Again with the cookie as it was: the state is used up.
	at, _ := url.Parse(dana.seen[0])
	keep := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "dispatch_login", Value: dana.began}) }
	s.send("GET", path, credentials{}, nil, asked, keep).refused(t, 400, "used already")

	// A used code in a new login of another browser, which begins properly: the
	// provider refuses it.
	drew := newBrowser(t, s)
	drew.open(s.URL + "/radio/dispatch/login")
	replay := url.Values{"state": {drew.state}, "code": {at.Query().Get("code")}}
	drew.open(s.URL + callback + "?" + replay.Encode())
	if got := drew.result().Get("error"); got != "The login service refused this login" {
		t.Fatalf("a replayed code: %q", got)
	}

	// Mallory sends a link with her own state and code. It does not end the login that
	// the victim has begun.
	mallory, victim := newBrowser(t, s), newBrowser(t, s)
	mallory.open(s.URL + "/radio/dispatch/login")
	victim.open(s.URL + "/radio/dispatch/login")
	own := victim.cookie("dispatch_login")
	victim.open(s.URL + callback + "?" + url.Values{"state": {mallory.state}, "code": {"mallorys"}}.Encode())
	if got := victim.result().Get("error"); !strings.Contains(got, "state does not belong") {
		t.Fatalf("a foreign state: %q", got)
	}
	if own == "" || victim.cookie("dispatch_login") != own {
		t.Fatal("the victim's own login is over")
	}
	if n := len(s.sessions.List()); n != 1 {
		t.Fatalf("%d sessions, want dana's only", n)
	}
}

// TestNobodysFloodEndsAnothersLogin: the service stores nothing for a login that has
// only begun, and one that comes back properly does not have to wait.
func TestNobodysFloodEndsAnothersLogin(t *testing.T) {
	s, _ := withProvider(t)
	dana := newBrowser(t, s)
	page, at := dana.open(s.URL + "/radio/dispatch/login")
	page, at = dana.submit(page, at, url.Values{"prompt": {"login"}, "login": {"dana"}, "password": {"x"}})
	begun := 0
	for range 3000 {
		s.clock.Pass(20 * time.Millisecond) // as fast as one address may
		if s.send("GET", "/radio/dispatch/login", credentials{}, nil).status == 302 {
			begun++
		}
	}
	if begun != 3000 {
		t.Fatalf("%d logins were begun", begun)
	}
	refused := 0 // and then faster
	for range 300 {
		if s.send("GET", "/radio/dispatch/login", credentials{}, nil).status == 429 {
			refused++
		}
		s.send("GET", callback+"?state=x&code=x", credentials{}, nil)
	}
	if refused == 0 {
		t.Fatal("no login of the flood was refused")
	}
	dana.submit(page, at, url.Values{"prompt": {"consent"}})
	if got := dana.result(); got.Get("sessionId") == "" {
		t.Fatalf("dana comes back and is told %v", got)
	}
}

func TestALoginThatIsBrokenOffIsToldToThePanel(t *testing.T) {
	s, _ := withProvider(t)
	dana := newBrowser(t, s)
	_, at := dana.open(s.URL + "/radio/dispatch/login")
	dana.open(at.String() + "/abort")
	if got := dana.result().Get("error"); got != "The login service refused this login" {
		t.Fatalf("after a cancelled login: %q", got)
	}
}

func TestALoginWaitsTenMinutes(t *testing.T) {
	s, _ := withProvider(t)
	dana := newBrowser(t, s)
	page, at := dana.open(s.URL + "/radio/dispatch/login")
	s.clock.Pass(session.LoginTime)
	page, at = dana.submit(page, at, url.Values{"prompt": {"login"}, "login": {"dana"}, "password": {"x"}})
	dana.submit(page, at, url.Values{"prompt": {"consent"}})
	if got := dana.result().Get("error"); !strings.Contains(got, "too old") {
		t.Fatalf("after ten minutes: %q", got)
	}
}

func TestAProviderThatIsDownIsNotAServerError(t *testing.T) {
	s, provider := withProvider(t)
	dana := newBrowser(t, s)
	dana.open(s.URL + "/radio/dispatch/login")
	provider.Kill()
	path := callback + "?" + url.Values{"state": {dana.state}, "code": {"x"}}.Encode()
	keep := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "dispatch_login", Value: dana.cookie("dispatch_login")})
	}
	a := s.send("GET", path, credentials{}, nil, keep)
	if a.status != 302 || !strings.HasPrefix(a.header.Get("Location"), "/#error=The+login+service+does+not+answer") {
		t.Fatalf("%d to %s", a.status, a.header.Get("Location"))
	}
	if s.log.containing("external login") != 1 {
		t.Fatalf("log %q, want one line on the provider", s.log.all)
	}
	// A program gets the same as JSON.
	dana.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	got, err := dana.client.Get(s.URL + "/radio/dispatch/login")
	dana.read(got, err)
	to, err := got.Location()
	if err != nil {
		t.Fatal(err)
	}
	path = callback + "?" + url.Values{"state": {to.Query().Get("state")}, "code": {"x"}}.Encode()
	asked := func(r *http.Request) { r.Header.Set("Accept", "application/json") }
	s.send("GET", path, credentials{}, nil, keep, asked).refused(t, 502, "does not answer")
}

// TestTheNacLoginStaysUnlessItIsClosed: bots and CAD systems use the NAC login.
func TestTheNacLoginStaysUnlessItIsClosed(t *testing.T) {
	for _, only := range []bool{false, true} {
		external := rest.External{ClientID: "dispatch", ClientSecret: "hush", AuthorizeURL: "https://provider.example/a",
			TokenURL: "https://provider.example/t", UserInfoURL: "https://provider.example/u", AllowedUsers: []string{"1"}, Only: only}
		s := onAir(t, func(o *rest.Options) { o.External = &external })
		if got := s.send("GET", "/api/health", credentials{}, nil).json(t)["authMethod"]; got != "discord" {
			t.Errorf("authMethod %v", got)
		}
		if !only {
			if s.logIn("CAD").session == "" {
				t.Error("the NAC id opens nothing")
			}
			continue
		}
		for range 20 { // not a guess, so nobody is locked out
			s.send("POST", "/radio/dispatch/auth", credentials{}, map[string]any{"nacId": dispatchNac, "callsign": "CAD"}).
				refused(t, 403, "The login with the NAC id is closed here; log in at /radio/dispatch/login")
		}
		s.send("POST", "/radio/dispatch/auth", credentials{}, "{").refused(t, 403, "closed here")
		if len(s.sessions.List()) != 0 {
			t.Error("a session was made")
		}
		// The bearer of the master token still gets one.
		if a := s.send("POST", "/radio/dispatch/reauth", credentials{token: masterToken}, map[string]any{"callsign": "CAD"}); a.status != 200 {
			t.Errorf("reauth: %d %s", a.status, a.body)
		}
	}
}

func TestCookiesAreHiddenFromScriptsWhenAsked(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		s, _ := withProvider(t, func(e *rest.External) { e.HTTPOnlyCookies = hidden })
		drew := newBrowser(t, s)
		var set []*http.Cookie
		drew.client.Transport = watch{func(r *http.Response) { set = append(set, r.Cookies()...) }}
		drew.logIn("drew")
		checked := 0
		for _, c := range set {
			if c.Name == "dispatch_auth_token" || c.Name == "dispatch_session_id" {
				checked++
				if c.HttpOnly != hidden || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.MaxAge != 24*3600 || c.Secure {
					t.Errorf("cookie %+v", c)
				}
			}
			if c.Name == "dispatch_login" && (!c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 600 && c.MaxAge != -1) {
				t.Errorf("the login's own cookie is open to scripts, to other sites or for long: %+v", c)
			}
		}
		if checked != 2 {
			t.Fatalf("%d session cookies, want 2", checked)
		}
	}
}

// watch shows look every answer before the browser gets it.
type watch struct{ look func(*http.Response) }

func (w watch) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		w.look(got)
	}
	return got, err
}
