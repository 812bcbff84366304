package rest_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"squelch/server/rest"
	"squelch/server/session"
)

// guild is an identity provider in the shape of Discord's: the user and the member of
// a guild are two answers. It checks that the requests are correct.
func guild(t *testing.T, member func(http.ResponseWriter)) *httptest.Server {
	mux := http.NewServeMux()
	challenge := ""
	mux.HandleFunc("/oauth2/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "app" || q.Get("scope") != "identify guilds.members.read" {
			t.Errorf("authorize %v", q)
		}
		challenge = q.Get("code_challenge")
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"c1"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/api/token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, ok := r.BasicAuth()
		if !ok || id != "app" || secret != "s3" || r.FormValue("code") != "c1" || r.FormValue("grant_type") != "authorization_code" ||
			challengeOf(r.FormValue("code_verifier")) != challenge {
			t.Errorf("token %v %s", r.Form, id)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"access_token":"a1","token_type":"Bearer"}`))
	})
	bearer := func(w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter)) {
		if r.Header.Get("Authorization") != "Bearer a1" {
			t.Errorf("asked %s with %q", r.URL, r.Header.Get("Authorization"))
		}
		answer(w)
	}
	mux.HandleFunc("/api/users/@me", func(w http.ResponseWriter, r *http.Request) {
		bearer(w, r, func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"id":"80351110224678912","username":"nelly","global_name":"Nelly"}`))
		})
	})
	mux.HandleFunc("/api/users/@me/guilds/197/member", func(w http.ResponseWriter, r *http.Request) { bearer(w, r, member) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func challengeOf(verifier string) string {
	raw := make([]byte, 0, 32)
	for i, digits := 0, sum(verifier); i < len(digits); i += 2 {
		raw = append(raw, unhex(digits[i])<<4|unhex(digits[i+1]))
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func unhex(c byte) byte { return byte(strings.IndexByte("0123456789abcdef", c)) }

func TestTheRolesOfAGuildMemberDecide(t *testing.T) {
	answers := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(status); _, _ = w.Write([]byte(body)) }
	}
	for _, c := range []struct {
		name         string
		member       func(http.ResponseWriter)
		roles, users []string
		callsign     string // of the session; "": refused
		message      string
	}{
		{name: "the role", member: answers(200, `{"user":{"id":"8"},"nick":"Desk 1","roles":["41","42"]}`), roles: []string{"42"}, callsign: "Desk 1"},
		{name: "another role", member: answers(200, `{"nick":"Desk 1","roles":["41"]}`), roles: []string{"42"}, message: "may not dispatch"},
		{name: "any member", member: answers(200, `{"nick":null,"roles":[]}`), callsign: "Nelly"},
		{name: "no member", member: answers(404, `{"message":"Unknown Guild"}`), message: "may not dispatch"},
		{name: "forbidden", member: answers(403, `{}`), users: []string{"*"}, message: "may not dispatch"},
		{name: "the user by id", member: answers(200, `{"roles":[]}`), roles: []string{"42"}, users: []string{"80351110224678912"}, callsign: "Nelly"},
		{name: "a name nobody can print", member: answers(200, `{"nick":"\u0007\u200b `+strings.Repeat("x", 500)+`","roles":["42"]}`), roles: []string{"42"}, callsign: strings.Repeat("x", 128)},
		{name: "the provider is broken", member: answers(500, `{}`), roles: []string{"42"}, message: "does not answer"},
		{name: "the provider talks nonsense", member: answers(200, `<html>`), roles: []string{"42"}, message: "does not answer"},
		{name: "the provider talks without end", member: answers(200, `{"nick":"`+strings.Repeat("x", 2<<20)), roles: []string{"42"}, message: "does not answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			provider := guild(t, c.member)
			s := onAir(t, func(o *rest.Options) {
				o.External = &rest.External{ClientID: "app", ClientSecret: "s3", Scopes: []string{"identify", "guilds.members.read"},
					AuthorizeURL: provider.URL + "/oauth2/authorize", TokenURL: provider.URL + "/api/token", UserInfoURL: provider.URL + "/api/users/@me",
					MemberURL: provider.URL + "/api/users/@me/guilds/197/member", AllowedRoles: c.roles, AllowedUsers: c.users}
			})
			b := newBrowser(t, s)
			b.open(s.URL + "/radio/dispatch/login")
			result := b.result()
			if c.callsign == "" {
				if !contains(result.Get("error"), c.message) || result.Has("sessionId") {
					t.Fatalf("result %v", result)
				}
				return
			}
			found, err := s.sessions.Check(result.Get("sessionId"), result.Get("authToken"))
			if err != nil || found.Callsign != c.callsign {
				t.Fatalf("session %+v %v, result %v", found, err, result)
			}
		})
	}
}

// An external login makes a session as any login does, and counts towards their rate.
func TestExternalLoginsHaveTheRateOfLogins(t *testing.T) {
	provider := guild(t, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{}`)) })
	s := onAir(t, func(o *rest.Options) {
		o.External = &rest.External{ClientID: "app", ClientSecret: "s3", Scopes: []string{"identify", "guilds.members.read"},
			AuthorizeURL: provider.URL + "/oauth2/authorize", TokenURL: provider.URL + "/api/token", UserInfoURL: provider.URL + "/api/users/@me", AllowedUsers: []string{"*"}}
		o.Logins = session.NewLimiter(1, 2, o.Now)
	})
	open := func() url.Values {
		b := newBrowser(t, s)
		b.open(s.URL + "/radio/dispatch/login")
		return b.result()
	}
	s.logIn("CAD")
	if result := open(); !result.Has("sessionId") {
		t.Errorf("the second login: %v", result)
	}
	if result := open(); !contains(result.Get("error"), "Too many requests") || result.Has("sessionId") {
		t.Errorf("a third at once: %v", result)
	}
	s.clock.Pass(time.Second)
	if result := open(); !result.Has("sessionId") {
		t.Errorf("a second later: %v", result)
	}
}

func TestBehindTLSCookiesAreSecure(t *testing.T) {
	provider := guild(t, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{}`)) })
	s := onAir(t, behindProxy, func(o *rest.Options) {
		o.External = &rest.External{ClientID: "app", ClientSecret: "s3", Scopes: []string{"identify", "guilds.members.read"},
			AuthorizeURL: provider.URL + "/oauth2/authorize", TokenURL: provider.URL + "/api/token", UserInfoURL: provider.URL + "/api/users/@me", AllowedUsers: []string{"*"}}
	})
	for proto, want := range map[string]bool{"https": true, "HTTPS, http": true, "http": false, "": false} {
		a := s.send("GET", "/radio/dispatch/login", credentials{}, nil, func(r *http.Request) {
			r.Header.Set("X-Forwarded-For", "203.0.113.9")
			r.Header.Set("X-Forwarded-Proto", proto)
		})
		set := a.header.Get("Set-Cookie")
		to, err := url.Parse(a.header.Get("Location"))
		if err != nil || a.status != 302 {
			t.Fatalf("%d %v", a.status, a.header)
		}
		scheme := "http://"
		if want {
			scheme = "https://"
		}
		if contains(set, "Secure") != want || !contains(set, "HttpOnly") || !contains(set, "SameSite=Lax") || !strings.HasPrefix(to.Query().Get("redirect_uri"), scheme) {
			t.Errorf("%q: cookie %s, redirect %s", proto, set, to.Query().Get("redirect_uri"))
		}
	}
}
