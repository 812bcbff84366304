package rest_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheInterfacesDescribeThemselves, to everybody, and to pages of any origin as JSON.
func TestTheInterfacesDescribeThemselves(t *testing.T) {
	s := onAir(t)
	for path, want := range map[string]struct{ kind, text, origin string }{
		"/openapi.json":  {"application/json", `"url": "` + s.URL + `"`, "*"},
		"/asyncapi.json": {"application/json", `"host": "` + strings.TrimPrefix(s.URL, "http://") + `"`, "*"},
		"/docs":          {"text/html; charset=utf-8", "/radio/dispatch/status", ""},
	} {
		a := s.send("GET", path, credentials{}, nil)
		if a.status != http.StatusOK || a.header.Get("Content-Type") != want.kind || !strings.Contains(string(a.body), want.text) || a.header.Get("Access-Control-Allow-Origin") != want.origin {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
		if a := s.send("POST", path, credentials{}, map[string]any{}); a.status != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d", path, a.status)
		}
	}
}
