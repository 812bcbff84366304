package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"squelch/server/rest"
)

// TestHealth: a radio that takes traffic, over HTTP and HTTPS; one that starts; none.
func TestHealth(t *testing.T) {
	ready := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { rest.Ready(w, "") })
	plain, secure := httptest.NewServer(ready), httptest.NewTLSServer(ready)
	defer plain.Close()
	defer secure.Close()
	for _, s := range []*httptest.Server{plain, secure} {
		if out, _ := exits(t, 0, "health", "--listen", s.Listener.Addr().String()); out != "ready\n" {
			t.Errorf("%s: %q", s.URL, out)
		}
	}
	exits(t, 0, "health", "--url", plain.URL+"/")
	if _, errs := exits(t, exitFailed, "health", "--url", secure.URL); !strings.Contains(errs, "certificate") {
		t.Errorf("from elsewhere a certificate counts: %s", errs)
	}
	starts, err := openDebug("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, errs := exits(t, exitFailed, "health", "--listen", starts.listener.Addr().String()); !strings.Contains(errs, "the radio is starting") {
		t.Errorf("it starts: %s", errs)
	}
	starts.close()
	exits(t, exitFailed, "health", "--listen", starts.listener.Addr().String())
	exits(t, exitUsage, "health", "--listen", "7777")
	exits(t, exitUsage, "health", "--url", "radio.example.org")
	for listen, want := range map[string]string{"0.0.0.0:7777": "127.0.0.1:7777", ":80": "127.0.0.1:80", "[::]:80": "[::1]:80", "10.0.0.2:80": "10.0.0.2:80", "radio.lan:80": "radio.lan:80"} {
		if got := nearby(listen); got != want {
			t.Errorf("%s is asked at %s, not %s", listen, got, want)
		}
	}
}

func TestTheManualPageHasEveryCommandAndVariable(t *testing.T) {
	page, _ := exits(t, 0, "manual")
	for _, part := range []string{".TH SQUELCH 1", ".SS squelch serve [flags]", ".SS squelch audit verify [flags]", `\fB\-\-tls\-auto\fR \fIhost\fR`, "SQUELCH_LOG_LEVEL"} {
		if !strings.Contains(page, part) {
			t.Errorf("%q is missing", part)
		}
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") && !strings.Contains(".TH .SH .SS .TP .B .I ", strings.Fields(line)[0]+" ") {
			t.Errorf("not a macro of man: %s", line)
		}
	}
}
