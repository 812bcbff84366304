package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/internal/contract"
	"squelch/server/sio/client"
	"squelch/server/testpeers"
)

// patience ends a wait that would otherwise last forever; nothing is measured with
// it.
const patience = 60 * time.Second

const configFile = `
Config = { serverName = "Test radio", authToken = "the-master-token", dispatchNacId = "desk-1", adminPassword = "correct horse" }
Config.webrtc = { udpPort = 0 }
Config.zones = { { name = "City", Channels = {
	{ name = "North", type = "conventional", frequency = "154.755" },
	{ name = "South", type = "conventional", frequency = "154.815" } } } }
`

// program is the real service on a data folder.
type program struct {
	t                      *testing.T
	binary, config, data   string
	peer                   *testpeers.Process
	url                    string
	web                    *http.Client
	csrf, token, sessionID string
}

func build(t *testing.T) *program {
	t.Helper()
	dir := t.TempDir()
	p := &program{t: t, binary: filepath.Join(dir, "squelch"), config: filepath.Join(dir, "config.lua"), data: filepath.Join(dir, "data")}
	cmd := exec.Command("go", "build", "-trimpath", "-o", p.binary, "squelch/server") // as it is released, which is compiled once
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.WriteFile(p.config, []byte(configFile), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

var address = regexp.MustCompile(`http://[\d.:]+`)

func (p *program) start() {
	p.t.Helper()
	p.peer = testpeers.Start(p.t, exec.Command(p.binary, "serve", "--config", p.config, "--data", p.data, "--listen", "127.0.0.1:0"))
	line, _ := p.peer.Line(0)
	if p.url = address.FindString(line); p.url == "" {
		p.t.Fatalf("no address in %q", line)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.web = &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
}

// call sends JSON and expects status 200.
func (p *program) call(method, path string, body, into any) []byte {
	p.t.Helper()
	status, b := p.ask(method, path, body)
	if status != 200 {
		p.t.Fatalf("%s %s: %d %s\n%s", method, path, status, b, p.peer.Stderr())
	}
	if into != nil {
		if err := json.Unmarshal(b, into); err != nil {
			p.t.Fatalf("%s %s: %v in %s", method, path, err, b)
		}
	}
	return b
}

func (p *program) ask(method, path string, body any) (int, []byte) {
	p.t.Helper()
	j, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(j))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("X-CSRF-Token", p.csrf)
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("X-Session-Id", p.sessionID)
	a, err := p.web.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := contract.Answer(r, a.StatusCode, b); err != nil {
		p.t.Errorf("the document does not promise that: %v", err)
	}
	return a.StatusCode, b
}

func (p *program) logIn() {
	p.t.Helper()
	var in wire.AdminSession
	p.call("POST", "/admin/api/login", wire.AdminLogin{Password: "correct horse"}, &in)
	p.csrf = in.CSRFToken
	var desk wire.AuthReply
	p.call("POST", "/radio/dispatch/auth", map[string]string{"nacId": "desk-1", "callsign": "Desk"}, &desk)
	p.token, p.sessionID = desk.AuthToken, desk.SessionID
}

func (p *program) names() []string {
	p.t.Helper()
	var c wire.ConfigBody
	p.call("GET", "/radio/dispatch/config", nil, &c)
	var out []string
	for _, ch := range c.Zones[0].Channels {
		out = append(out, ch.Name)
	}
	return out
}

// listener is a legacy client: a console that hears events.
type listener struct {
	t      *testing.T
	client *client.Client
	up     chan bool
	heard  chan client.Event
	ended  chan string
	failed chan error
}

func (p *program) listen(auth map[string]any) *listener {
	p.t.Helper()
	l := &listener{p.t, nil, make(chan bool, 10), make(chan client.Event, 1000), make(chan string, 10), make(chan error, 10)}
	c, err := client.New(client.Options{URL: p.url, Auth: func() any { return auth }, ReconnectDelay: 50 * time.Millisecond,
		OnConnect:      func(recovered bool) { l.up <- recovered },
		OnEvent:        func(e client.Event) { l.heard <- e },
		OnDisconnect:   func(reason string) { l.ended <- reason },
		OnConnectError: func(err error) { l.failed <- err }})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(c.Close)
	l.client = c
	return l
}

// player is a game client, announced by the game server. It may use every channel.
func (p *program) player(id int) *listener {
	p.t.Helper()
	token := p.token
	defer func() { p.token = token }()
	p.token = "the-master-token"
	var in wire.PlayerReply
	p.call("POST", "/api/player/connect", map[string]any{"serverId": id, "name": "Sam", "aces": map[string]any{"connect": true, "zones": true}}, &in)
	return p.listen(map[string]any{"authToken": in.PlayerToken, "serverId": id})
}

// onAir waits until the radio answers the client.
func (l *listener) onAir() {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	<-l.up
	if _, err := l.client.Call(ctx, "setSpeakerChannel", "154.755"); err != nil {
		l.t.Fatal(err)
	}
}

// hears waits for an event whose payload holds a text.
func (l *listener) hears(name, text string) {
	l.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		select {
		case e := <-l.heard:
			if e.Name == name && len(e.Args) > 0 && strings.Contains(string(e.Args[0]), text) {
				return
			}
		case <-limit.C:
			l.t.Fatalf("no %s with %q", name, text)
		}
	}
}

func renamed(c wire.AdminConfig, name string) wire.AdminEdit {
	c.Config.Zones[0].Channels[0].Name = name
	return wire.AdminEdit{Revision: c.Revision, Config: wire.AdminParts{Zones: c.Config.Zones}}
}

func TestTheRunningService(t *testing.T) {
	p := build(t)
	p.start()
	if status, b := p.ask("GET", "/admin/api/config", nil); status != 401 || !strings.Contains(string(b), "Authentication required") {
		t.Fatalf("without a login: %d %s", status, b)
	}
	p.logIn()
	bot := p.listen(map[string]any{"authToken": "the-master-token", "serverId": -5})
	bot.onAir()
	desk := p.listen(map[string]any{"authToken": p.token, "sessionId": p.sessionID, "serverId": -1})
	desk.onAir()
	unit := p.player(7)
	unit.onAir()

	var shown, edited wire.AdminConfig
	p.call("GET", "/admin/api/config", nil, &shown)
	p.call("PUT", "/admin/api/config", renamed(shown, "Northern"), &edited)
	for _, l := range []*listener{bot, desk} { // consoles fetch it again when they hear of it
		l.hears("configUpdate", `"version":"`+wire.Version+`"`)
		l.hears("configRefresh", "{}")
	}
	unit.hears("configUpdate", `"name":"Northern"`)
	if got := p.names(); !slices.Equal(got, []string{"Northern", "South"}) {
		t.Fatalf("channels %v", got)
	}
	if status, _ := p.ask("PUT", "/admin/api/config", renamed(shown, "Nordic")); status != 409 {
		t.Fatalf("an edit of an old revision: %d", status)
	}
	if status, b := p.ask("GET", "/admin/api/nothing", nil); status != 404 || !strings.Contains(string(b), "No such path") {
		t.Fatalf("%d %s", status, b)
	}

	revokedAtOnce(t, p, desk)

	p.peer.Kill() // as a power cut would
	p.start()
	p.logIn()
	if got := p.names(); !slices.Equal(got, []string{"Northern", "South"}) {
		t.Fatalf("channels after the restart %v", got)
	}
	if log := p.peer.Stderr(); !strings.Contains(log, "live edits from /admin override the configuration file for [zones], until they are reset") {
		t.Fatalf("the start log does not say so:\n%s", log)
	}
	p.call("POST", "/admin/api/config/reset", wire.AdminReset{Revision: edited.Revision}, &edited)
	if got := p.names(); !slices.Equal(got, []string{"North", "South"}) {
		t.Fatalf("channels after the reset %v", got)
	}
	logTells(t, p)
	stopped(t, p)
}

// revokedAtOnce: the console's socket is closed, and it cannot reconnect.
func revokedAtOnce(t *testing.T, p *program, desk *listener) {
	t.Helper()
	var list wire.AdminSessionList
	p.call("GET", "/admin/api/sessions", nil, &list)
	if len(list.Sessions) != 1 || len(list.Sessions[0].Users) != 1 || list.Sessions[0].Users[0] != -1 {
		t.Fatalf("%+v", list)
	}
	var gone wire.AdminRevoked
	p.call("POST", "/admin/api/sessions/revoke", wire.AdminRevoke{Key: wire.Text(list.Sessions[0].Key)}, &gone)
	if reason := <-desk.ended; !strings.Contains(reason, "server") {
		t.Fatalf("the console's socket ended: %s", reason)
	}
	back := p.listen(map[string]any{"authToken": p.token, "sessionId": p.sessionID, "serverId": -1})
	if err := <-back.failed; !strings.Contains(err.Error(), "Authentication required") {
		t.Fatalf("it comes back: %v", err)
	}
	if status, _ := p.ask("GET", "/radio/dispatch/config", nil); status != 401 {
		t.Fatalf("its REST calls: %d", status)
	}
	var users wire.AdminUserList
	p.call("GET", "/admin/api/users", nil, &users)
	if len(users.Users) != 2 || users.Users[0].ServerID != -5 || users.Users[1].Name != "Sam" {
		t.Fatalf("on the radio are still %+v", users.Users)
	}
}

// logTells: every change is in the log, by the administration, and the log is intact.
func logTells(t *testing.T, p *program) {
	t.Helper()
	var told []string
	for _, line := range strings.Split(strings.TrimSpace(string(p.call("GET", "/admin/api/audit.jsonl", nil, nil))), "\n") {
		var e audit.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if e.Surface == audit.Admin {
			told = append(told, e.Action)
		}
	}
	want := []string{"admin.login", "admin.config.edit", "config", "admin.session.revoke", "admin.login", "admin.config.reset", "config", "admin.audit.download"}
	if !slices.Equal(told, want) {
		t.Fatalf("audited %v", told)
	}
	var v wire.AdminVerification
	p.call("GET", "/admin/api/audit/verify", nil, &v)
	if !v.OK || v.Last < uint64(len(want)) {
		t.Fatalf("%+v", v)
	}
}

func stopped(t *testing.T, p *program) {
	t.Helper()
	if err := p.peer.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.peer.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.peer.Stderr())
	}
}
