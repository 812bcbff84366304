package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/internal/testradio"
)

// passwordOf is the last word of what a command prints.
func passwordOf(t *testing.T, out string) string {
	t.Helper()
	words := strings.Fields(out)
	if len(words) == 0 || len(words[len(words)-1]) < wire.MinPassword {
		t.Fatalf("printed: %q", out)
	}
	return words[len(words)-1]
}

// comesIn says whether somebody can log in to the administration.
func comesIn(t *testing.T, url, name, password string) bool {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"name": name, "password": password})
	reply, err := http.Post(url+"/admin/api/login", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	_, _ = io.Copy(io.Discard, reply.Body)
	return reply.StatusCode == http.StatusOK
}

// TestNobodyKnowsThePasswordAnyMore: on the folder of a stopped service it is made anew.
// While the service runs, the command says what to do.
func TestNobodyKnowsThePasswordAnyMore(t *testing.T) {
	start := func(data string) *testradio.Service {
		loaded := config.Default()
		loaded.Server.AdminPassword, loaded.Server.Missing = "forgotten password", []string{"authToken", "dispatchNacId"}
		return testradio.Start(t, testradio.Options{Config: loaded, Data: data})
	}
	s := start("")
	if _, errs := exits(t, exitFailed, "admin", "reset-password", "--data", s.Data); !strings.Contains(errs, "stop it first") {
		t.Errorf("while the service runs: %q", errs)
	}
	if !comesIn(t, s.URL, "", "forgotten password") {
		t.Error("the password of the configuration does not open")
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	out, _ := exits(t, 0, "admin", "reset-password", "--data", s.Data)
	fresh := passwordOf(t, out)
	out, _ = exits(t, 0, "admin", "add", "Ana", "--role", "viewer", "--data", s.Data)
	anas := passwordOf(t, out)
	exits(t, 0, "admin", "add", "Ben", "--data", s.Data)
	exits(t, 0, "admin", "remove", "ben", "--data", s.Data)
	if _, errs := exits(t, exitFailed, "admin", "remove", "Anna", "--data", s.Data); !strings.Contains(errs, "did you mean Ana?") {
		t.Errorf("%q", errs)
	}
	if _, errs := exits(t, exitFailed, "admin", "add", "Eve", "--role", "boss", "--data", s.Data); !strings.Contains(errs, "owner, admin or viewer") {
		t.Errorf("%q", errs)
	}
	exits(t, exitUsage, "admin", "add")
	exits(t, exitFailed, "admin", "list", "--data", t.TempDir())
	out, _ = exits(t, 0, "admin", "list", "--json", "--data", s.Data)
	var list wire.AdminAccountList
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Accounts) != 2 || list.Accounts[0].File || list.Accounts[1].Role != wire.RoleViewer {
		t.Errorf("%v %s", err, out)
	}
	s = start(s.Data)
	for _, c := range []struct {
		name, password string
		opens          bool
	}{{"owner", fresh, true}, {"", fresh, true}, {"", "forgotten password", false}, {"ana", anas, true}, {"Ben", anas, false}} {
		if got := comesIn(t, s.URL, c.name, c.password); got != c.opens {
			t.Errorf("%q comes in: %v", c.name, got)
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if out, _ := exits(t, 0, "audit", "verify", "--data", s.Data); !strings.Contains(out, "intact") {
		t.Errorf("the audit log: %q", out)
	}
}
