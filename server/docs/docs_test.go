package docs

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"squelch/core/wire"
)

func handler(t *testing.T) *Handler {
	t.Helper()
	h := New(wire.OpenAPI, wire.AsyncAPI, func(r *http.Request) string { return "https://" + r.Host })
	if _, err := h.made(); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestThePageHasEverything: each route with a command, and each event with its example.
func TestThePageHasEverything(t *testing.T) {
	h := handler(t)
	m, err := h.made()
	if err != nil {
		t.Fatal(err)
	}
	page := string(m.page)
	for _, r := range append(append([]wire.Route{}, wire.Routes...), wire.AdminRoutes...) {
		if !strings.Contains(page, `<b class="method">`+r.Method+`</b> <code>`+r.Path+`</code>`) {
			t.Errorf("%s %s is not on the page", r.Method, r.Path)
		}
	}
	for _, part := range []string{`id="client_setTalking"`, `id="server_talkingState"`, `An API key needs the scope talk.`,
		`curl -X POST -H &#34;Authorization: Bearer $KEY&#34; -H &#34;Content-Type: application/json&#34; -d`, `curl -H &#34;Authorization: Bearer $KEY&#34; &#34;$URL/api/status&#34;`,
		`<code>serverId</code>`} {
		if !strings.Contains(page, part) {
			t.Errorf("%q is not on the page", part)
		}
	}
	if n := strings.Count(page, "<details"); n != len(wire.Routes)+len(wire.AdminRoutes)+strings.Count(page, `id="client_`)+strings.Count(page, `id="server_`) {
		t.Errorf("%d entries", n)
	}
}

// TestThePageLoadsNothing: no address of another origin, no picture, font or frame; style
// and script are those of the policy.
func TestThePageLoadsNothing(t *testing.T) {
	h := handler(t)
	w := httptest.NewRecorder()
	h.Page(w, httptest.NewRequest("GET", "/docs", nil))
	page := w.Body.String()
	if bad := regexp.MustCompile(`(?i)\b(src|srcset|action|poster|data)=|href="(https?:)?//`).FindString(page); bad != "" {
		t.Errorf("the page has %q", bad)
	}
	if strings.Contains(style, "@import") || strings.Contains(style, "url(") {
		t.Error("the style loads something")
	}
	policy := w.Header().Get("Content-Security-Policy")
	for _, tag := range []string{"style", "script"} {
		inner := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(inner) != 1 || !strings.Contains(policy, hash(inner[0][1])) {
			t.Errorf("the policy %q does not allow the page's own %s", policy, tag)
		}
	}
	r := httptest.NewRequest("GET", "/docs", nil)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	again := httptest.NewRecorder()
	if h.Page(again, r); again.Code != http.StatusNotModified {
		t.Errorf("asked again: %d", again.Code)
	}
}

// TestTheDocumentsNameThisRadio, at the address at which they were asked for.
func TestTheDocumentsNameThisRadio(t *testing.T) {
	h := handler(t)
	r := httptest.NewRequest("GET", "http://radio.example.org/openapi.json", nil)
	var open struct {
		OpenAPI string
		Servers []struct{ URL string }
		Paths   map[string]any
	}
	w := httptest.NewRecorder()
	h.OpenAPI(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &open); err != nil || open.OpenAPI != "3.1.0" || len(open.Servers) != 1 || open.Servers[0].URL != "https://radio.example.org" || len(open.Paths) < 40 {
		t.Errorf("%v %+v", err, open.Servers)
	}
	var async struct {
		Servers map[string]struct{ Host, Protocol, Pathname string }
	}
	w = httptest.NewRecorder()
	h.AsyncAPI(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &async); err != nil || async.Servers["radio"].Host != "radio.example.org" || async.Servers["radio"].Protocol != "wss" {
		t.Errorf("%v %+v", err, async.Servers)
	}
}
