package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/session"
)

// made makes a key and reads the only answer that carries it.
func (b *browser) made(name string, scopes ...wire.Scope) (made wire.AdminKeyCreated) {
	b.s.t.Helper()
	a := b.send("POST", "keys", wire.AdminKeyCreate{Name: wire.Text(name), Scopes: scopes})
	if err := json.Unmarshal(a.body, &made); err != nil || a.status != 201 || !made.Success {
		b.s.t.Fatalf("%d %s", a.status, a.body)
	}
	return made
}

func (b *browser) keys() (list []wire.AdminKey) {
	b.s.t.Helper()
	var in wire.AdminKeyList
	b.send("GET", "keys", nil).ok(&in)
	return in.Keys
}

func TestAKeyIsMadeShownOnceAndRevoked(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	if got := b.keys(); got == nil || len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	made := b.made("  CAD bridge ", "talk", "read", "talk")
	if !session.KeyForm(made.Key) || made.Name != "CAD bridge" || !slices.Equal(made.Scopes, []wire.Scope{"read", "talk"}) ||
		made.Created != s.clock.Now().UnixMilli() || made.LastUsed != 0 {
		t.Fatalf("%+v", made)
	}
	s.clock.Pass(time.Second)
	b.made("Monitor", "metrics")
	s.clock.Pass(time.Minute)
	if _, ok := s.sessions.Keys().Check(made.Key); !ok {
		t.Fatal("the key does not work")
	}
	s.connect(-4, "key "+made.ID)
	got := b.keys()
	if len(got) != 2 || got[0].Name != "CAD bridge" || got[0].LastUsed != s.clock.Now().UnixMilli() || !slices.Equal(got[0].Users, []core.UserID{-4}) ||
		got[1].LastUsed != 0 || got[1].Users == nil {
		t.Fatalf("%+v", got)
	}
	var gone wire.AdminRevoked
	b.send("POST", "keys/revoke", wire.AdminKeyRevoke{ID: wire.Text(made.ID)}).ok(&gone)
	if _, ok := s.sessions.Keys().Check(made.Key); ok || !slices.Equal(s.sockets.ended, []string{"key " + made.ID}) || !slices.Equal(gone.Closed, []core.UserID{-1}) {
		t.Fatalf("%+v, sockets of %v", gone, s.sockets.ended)
	}
	b.send("POST", "keys/revoke", wire.AdminKeyRevoke{ID: wire.Text(made.ID)}).refused(404, "id", "No such API key")
	if got := b.keys(); len(got) != 1 || got[0].Name != "Monitor" {
		t.Fatalf("%+v", got)
	}
	if got := s.actions(); !slices.Equal(got, []string{"admin.login", "admin.key.create", "admin.key.create", "admin.key.revoke"}) {
		t.Fatalf("audited %v", got)
	}
	entries, err := s.log.Read(t.Context(), 1, 10)
	if err != nil || entries[1].Target != "CAD bridge" || entries[3].Target != "CAD bridge" || fmt.Sprint(entries[1].Detail["scopes"]) != "[read talk]" {
		t.Fatalf("%+v, %v", entries, err)
	}
	for _, record := range s.paper.records {
		if strings.Contains(string(record), made.Key[4:]) {
			t.Fatalf("the audit log has the key: %s", record)
		}
	}
}

func TestWrongKeysAreRefusedByField(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	b.made("CAD", "read")
	for _, c := range []struct{ body, field, text string }{
		{`{"scopes":["read"]}`, "name", "name is missing"},
		{`{"name":"x"}`, "scopes", "scopes is missing"},
		{`{"name":"x","scopes":[]}`, "scopes", "scopes must not be empty; it takes read, talk, dispatch"},
		{`{"name":"x","scopes":"read"}`, "scopes", "scopes must be an array of strings"},
		{`{"name":"x","scopes":[1]}`, "scopes", "scopes must be an array of strings"},
		{`{"name":"x","scopes":["read","dispach"]}`, "scopes[2]", "scopes[2] is unknown; did you mean dispatch?"},
		{`{"name":"x","scopes":["READ"]}`, "scopes[1]", "did you mean read?"},
		{`{"name":"x","scopes":["everything"]}`, "scopes[1]", "scopes[1] must be one of read, talk, dispatch, recordings, game, themes, metrics"},
		{`{"name":"x","scopes":[""]}`, "scopes[1]", "must be one of"},
		{`{"name":"","scopes":["read"]}`, "name", "name must not be empty"},
		{`{"name":" \u202e ","scopes":["read"]}`, "name", "name must not be empty"},
		{`{"name":"two\nlines","scopes":["read"]}`, "name", "name must not contain control characters"},
		{`{"name":"bell\u0007","scopes":["read"]}`, "name", "control characters"},
		{`{"name":"` + strings.Repeat("ä", 65) + `","scopes":["read"]}`, "name", "name is longer than 64 characters"},
		{`[]`, "", "The body must be a JSON object"},
	} {
		b.send("POST", "keys", c.body).refused(400, c.field, c.text)
	}
	b.send("POST", "keys", `{"name":"cad","scopes":["read"]}`).refused(409, "name", "Another API key has this name")
	b.send("POST", "keys/revoke", `{}`).refused(400, "id", "id is missing")
	b.send("POST", "keys/revoke", `{"id":"../apikey.1"}`).refused(404, "id", "No such API key")
	if got := b.keys(); len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	if made := b.made("A\u202eB\u2066C\u200f "+strings.Repeat("ä", 60), "game"); made.Name != "ABC "+strings.Repeat("ä", 60) {
		t.Errorf("%q", made.Name)
	}
}

func TestKeysAreOnlyForAdministrators(t *testing.T) {
	s := onAir(t)
	made := s.logIn().made("CAD", wire.Scopes...)
	stranger := &browser{s: s}
	stranger.send("GET", "keys", nil).refused(401, "", "Authentication required")
	stranger.send("POST", "keys", `{"name":"x","scopes":["read"]}`).refused(401, "", "Authentication required")
	// A key with every scope is no administrator, on any route.
	stranger.change = func(r *http.Request) { r.Header.Set("Authorization", "bearer  "+made.Key) }
	for _, route := range wire.AdminRoutes {
		if route.Auth == wire.Admin {
			stranger.send(route.Method, strings.TrimPrefix(route.Path, "/admin/api/"), `{}`).refused(403, "", "API keys do not open the administration")
		}
	}
	b := s.logIn()
	b.csrf = ""
	b.send("POST", "keys", `{"name":"x","scopes":["read"]}`).refused(403, "", "X-CSRF-Token")
}

func TestThereIsAnEndToKeys(t *testing.T) {
	s := onAir(t)
	for i := range session.MaxKeys {
		if _, _, err := s.sessions.Keys().Create(t.Context(), fmt.Sprint(i), []string{"read"}); err != nil {
			t.Fatal(err)
		}
	}
	s.logIn().send("POST", "keys", `{"name":"x","scopes":["read"]}`).refused(409, "name", "Too many API keys: there are 256; revoke one first")
}

func TestAKeyThatCannotBeAuditedIsNotMade(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	s.paper.fails = core.ErrStorage("the disk is full")
	b.send("POST", "keys", `{"name":"x","scopes":["read"]}`).refused(503, "", "Storage unavailable: the disk is full")
	if got := b.keys(); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
}
