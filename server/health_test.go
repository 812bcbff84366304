package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"squelch/server/rest"
)

// TestAHealthCheck of a container: ready, not ready with the reason, nobody there.
func TestAHealthCheck(t *testing.T) {
	why := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { rest.Ready(w, why) }))
	exits(t, 0, "health", "--url", s.URL+"/")
	t.Setenv("SQUELCH_LISTEN", strings.TrimPrefix(s.URL, "http://"))
	exits(t, 0, "health")
	why = "storage unavailable: the disk is full"
	if _, errs := exits(t, exitFailed, "health"); !strings.Contains(errs, "is not ready: "+why) {
		t.Errorf("%q", errs)
	}
	s.Close()
	if _, errs := exits(t, exitFailed, "health"); !strings.Contains(errs, "does not answer") {
		t.Errorf("%q", errs)
	}
	for listen, want := range map[string]string{"": "http://127.0.0.1:7777", "0.0.0.0:80": "http://127.0.0.1:80", ":81": "http://127.0.0.1:81", "[::]:82": "http://127.0.0.1:82", "10.0.0.1:83": "http://10.0.0.1:83"} {
		if got := here(listen); got != want {
			t.Errorf("a service at %q is asked at %s, want %s", listen, got, want)
		}
	}
}
