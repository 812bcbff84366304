package radio_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/internal/testradio"
	"squelch/server/sio/client"
)

// site is an administrator's browser.
type site struct {
	t    *testing.T
	url  string
	web  *http.Client
	csrf string
}

func (s *site) call(method, path string, body any, status int) []byte {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequest(method, s.url+path, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-CSRF-Token", s.csrf)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer the-master-token-of-this-test")
	a, err := s.web.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	b, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != status {
		s.t.Fatalf("%s %s: %d %s %v", method, path, a.StatusCode, b, err)
	}
	return b
}

// TestAScriptServesAPlayersClient: a player's client asks a script by serverEvent and is
// answered by clientEvent; the script is edited and restarted by an administrator; the
// callsign that the client has saved is asked for and taken.
func TestAScriptServesAPlayersClient(t *testing.T) {
	file := filepath.Join(t.TempDir(), "duty.lua")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const answer = `RegisterNetEvent('duty:ask', function(what) TriggerClientEvent('duty:answer', source, what .. 'WORD', exports.radio:getPlayerName(source)) end)
		exports('ready', function() return true end)`
	write(strings.Replace(answer, "WORD", "!", 1))
	o := named("the-master-token-of-this-test")
	o.Config.Server.AdminPassword = "correct horse battery"
	o.Config.Server.Scripts = []string{file}
	s := testradio.Start(t, o)

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := &site{t: t, url: s.URL, web: &http.Client{Jar: jar}}
	var in wire.AdminSession
	if err := json.Unmarshal(at.call("POST", "/admin/api/login", wire.AdminLogin{Password: "correct horse battery"}, 200), &in); err != nil {
		t.Fatal(err)
	}
	at.csrf = in.CSRFToken
	list := func() wire.AdminScript {
		t.Helper()
		var all wire.AdminScriptList
		if err := json.Unmarshal(at.call("GET", "/admin/api/scripts", nil, 200), &all); err != nil || len(all.Scripts) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all.Scripts[0]
	}
	for end := time.Now().Add(patience); list().State != "started"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%+v", list())
		}
	}
	if got := list(); len(got.Exports) != 1 || len(got.Events) != 1 || got.Events[0] != "duty:ask" || got.Problem != "" {
		t.Errorf("%+v", got)
	}

	var player wire.PlayerReply
	if err := json.Unmarshal(at.call("POST", "/api/player/connect", map[string]any{"serverId": 7, "name": "Ann", "nacId": "LSPD"}, 200), &player); err != nil {
		t.Fatal(err)
	}
	heard, up := make(chan string, 100), make(chan error, 1)
	c, err := client.New(client.Options{URL: s.URL, NoReconnect: true, Auth: func() any { return map[string]any{"authToken": player.PlayerToken, "serverId": 7} },
		OnConnect: func(bool) { up <- nil }, OnConnectError: func(err error) { up <- err },
		OnEvent: func(e client.Event) {
			if e.Name == "clientEvent" {
				heard <- string(e.Args[0])
			}
		}})
	if err == nil {
		err = <-up
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	hears := func(want string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("heard %s, want %s", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("%s is not heard", want)
		}
	}
	send := func(name string, args ...any) string {
		t.Helper()
		done := make(chan string, 1)
		err := c.EmitAck("serverEvent", patience, func(a []json.RawMessage, err error) {
			if err != nil {
				done <- err.Error()
			} else {
				done <- string(a[0])
			}
		}, map[string]any{"name": name, "args": args})
		if err != nil {
			t.Fatal(err)
		}
		return <-done
	}
	hears(`{"name":"radio:resyncCallsign"}`)
	const ok = `{"success":true}`
	if got := send("radio:sendCallsign", "2-ADAM-7"); got != ok {
		t.Error(got)
	}
	if got := send("radio:refresh"); got != ok {
		t.Error(got)
	}
	if got := send("nobody"); !strings.Contains(got, "No script has registered this event") {
		t.Error(got)
	}
	if got := send("duty:ask", "on"); got != ok {
		t.Error(got)
	}
	hears(`{"name":"duty:answer","args":["on!","Ann"]}`)

	write(strings.Replace(answer, "WORD", "?", 1))
	at.call("POST", "/admin/api/scripts/restart", map[string]any{"name": "duty"}, 200)
	if got := send("duty:ask", "off"); got != ok {
		t.Error(got)
	}
	hears(`{"name":"duty:answer","args":["off?","Ann"]}`)
	at.call("POST", "/admin/api/scripts/restart", map[string]any{"name": "nobody"}, 404)
	write("nonsense(")
	if b := at.call("POST", "/admin/api/scripts/restart", map[string]any{"name": "duty"}, 409); !strings.Contains(string(b), "duty.lua:1: ") {
		t.Errorf("%s", b)
	}
	if got := list(); got.State != "stopped" || !strings.Contains(got.Problem, "duty.lua:1: ") {
		t.Errorf("%+v", got)
	}
}
