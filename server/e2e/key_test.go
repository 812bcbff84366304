package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"squelch/core/wire"
)

// administrator is one admin login.
type administrator struct {
	s            *service
	cookie, csrf string
}

func (s *service) administrator() *administrator {
	s.t.Helper()
	a := &administrator{s: s}
	var in wire.AdminSession
	for _, c := range a.call(http.MethodPost, "login", wire.AdminLogin{Password: "county-admin"}, http.StatusOK, &in) {
		a.cookie = c.Name + "=" + c.Value
	}
	a.csrf = in.CSRFToken
	return a
}

func (a *administrator) call(method, path string, body any, want int, into any) []*http.Cookie {
	a.s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		a.s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(a.s.t.Context(), method, a.s.url+"/admin/api/"+path, bytes.NewReader(b))
	if err != nil {
		a.s.t.Fatal(err)
	}
	r.Header.Set("Cookie", a.cookie)
	r.Header.Set("X-CSRF-Token", a.csrf)
	reply, err := client.Do(r)
	if err != nil {
		a.s.t.Fatal(err)
	}
	defer reply.Body.Close()
	if err := json.NewDecoder(reply.Body).Decode(into); err != nil || reply.StatusCode != want {
		a.s.t.Fatalf("%s: %d, want %d: %v", path, reply.StatusCode, want, err)
	}
	return reply.Cookies()
}

func (a *administrator) key(name string, scopes ...wire.Scope) (made wire.AdminKeyCreated) {
	a.s.t.Helper()
	a.call(http.MethodPost, "keys", wire.AdminKeyCreate{Name: wire.Text(name), Scopes: scopes}, http.StatusCreated, &made)
	return made
}

// audited returns the actions in the audit log of one actor.
func (a *administrator) audited(name string) (actions []string) {
	a.s.t.Helper()
	var page wire.AdminAuditPage
	a.call(http.MethodGet, "audit", nil, http.StatusOK, &page)
	for _, e := range page.Entries {
		if e.Actor.Name == name {
			actions = append(actions, e.Surface+" "+e.Action)
		}
	}
	return actions
}

func TestAPIKeysOutliveACrash(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.administrator()
	made := admin.key("CAD bridge", wire.ScopeRead, wire.ScopeTalk, wire.ScopeDispatch)
	leaked := admin.key("Leaked", wire.Scopes...)
	cad, gone := session{AuthToken: made.Key}, session{AuthToken: leaked.Key}
	s.do("/radio/dispatch/broadcast", map[string]any{"message": "Shift change"}, cad)
	bot := s.dispatcher(-6, cad)
	bot.send(`421["triggerAlert",{"frequency":"154.755","enabled":true,"alertType":"SIGNAL 100"}]`)
	bot.wait(`431[{"success":true`)
	old := s.dispatcher(-7, gone)
	old.well() // it is on the radio
	var closed wire.AdminRevoked
	admin.call(http.MethodPost, "keys/revoke", wire.AdminKeyRevoke{ID: wire.Text(leaked.ID)}, http.StatusOK, &closed)
	if old.drain(); len(closed.Closed) != 1 || closed.Closed[0] != -7 {
		t.Errorf("closed %v", closed.Closed)
	}
	if got := strings.Join(admin.audited("CAD bridge"), ", "); got != "rest broadcast, socketio alert" {
		t.Errorf("audited under its name: %s", got)
	}
	if got := strings.Join(admin.audited("admin"), ", "); got != "admin admin.login, admin admin.key.create, admin admin.key.create, admin admin.key.revoke" {
		t.Errorf("audited of the administration: %s", got)
	}
	for range 2 {
		s.Kill() // SIGKILL: nothing is tidied up
		s = s.again()
		s.ask(http.MethodGet, "/api/status", nil, cad, http.StatusOK, nil)
		s.ask(http.MethodGet, "/api/status", nil, gone, http.StatusUnauthorized, nil)
		s.dispatcher(-6, cad).well()
		var list wire.AdminKeyList
		s.administrator().call(http.MethodGet, "keys", nil, http.StatusOK, &list)
		if len(list.Keys) != 1 || list.Keys[0].Name != "CAD bridge" || list.Keys[0].LastUsed == 0 {
			t.Errorf("keys after a crash: %+v", list.Keys)
		}
	}
	s.stop()
	if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
		t.Errorf("audit: %s", report)
	}
	for _, secret := range []string{made.Key, leaked.Key} {
		if where := s.holding(secret[len("sqk_"):]); len(where) > 0 {
			t.Errorf("a key is in %q", where)
		}
	}
	// The search finds what is stored, however it is wrapped.
	if where := s.holding("CAD bridge"); len(where) < 2 {
		t.Errorf("the name of the key is in %q only", where)
	}
}

// holding lists where a text is stored or logged: files of the data folder, and the
// log. The store wraps values in base64, so it is searched for in that form too, as
// it looks after 0, 1 and 2 other bytes.
func (s *service) holding(text string) (where []string) {
	s.t.Helper()
	forms := [][]byte{[]byte(text)}
	for before := range 3 {
		wrapped := base64.StdEncoding.EncodeToString(append(make([]byte, before), text...))
		// The first and last group also hold bits of the neighbours.
		forms = append(forms, []byte(wrapped[4:len(wrapped)-4]))
	}
	holds := func(b []byte) bool {
		return slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(b, form) })
	}
	err := filepath.WalkDir(s.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if holds(b) {
			where = append(where, path)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if holds([]byte(s.Stderr())) {
		where = append(where, "the log")
	}
	return where
}
