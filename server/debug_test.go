package main

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestTheDebuggingPort: profiles are there, the command line is not, and a radio that
// starts is not ready.
func TestTheDebuggingPort(t *testing.T) {
	p, err := openDebug("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if doubt := p.warning(); doubt != "" {
		t.Errorf("of loopback it is said: %s", doubt)
	}
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/readyz":                           {503, "the radio is starting"},
		"/metrics":                          {503, "the radio is starting"},
		"/debug/pprof/":                     {200, "goroutine"},
		"/debug/pprof/goroutine?debug=1":    {200, "goroutine profile"},
		"/debug/pprof/cmdline":              {404, ""},
		"/":                                 {404, ""},
		"/api/status":                       {404, ""},
		"/debug/pprof/heap?debug=1":         {200, "heap profile"},
		"/debug/pprof/no-such-profile":      {404, ""},
		"/debug/pprof/trace?seconds=0.0001": {200, ""},
	} {
		reply, err := http.Get("http://" + p.listener.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		if reply.StatusCode != want.code || !strings.Contains(string(text), want.text) {
			t.Errorf("%s: %d %.200s", path, reply.StatusCode, text)
		}
	}
	_, err = openDebug(p.listener.Addr().String())
	if err == nil || !strings.Contains(err.Error(), "--debug-listen: ") {
		t.Errorf("a port in use: %v", err)
	}
}

// TestADebuggingPortForEverybodyIsADoubt.
func TestADebuggingPortForEverybodyIsADoubt(t *testing.T) {
	p, err := openDebug(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	_, port, _ := net.SplitHostPort(p.listener.Addr().String())
	if doubt := p.warning(); !strings.Contains(doubt, port) || !strings.Contains(doubt, "--debug-listen") {
		t.Errorf("%q", doubt)
	}
}
