package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	client "squelch/clients/go"
	"squelch/core"
	"squelch/core/wire"
	"squelch/server/ogg"
	"squelch/server/testpeers"
	"squelch/sfu/opus/packet"
)

// patience is how long a test waits for what happens within a second on a quiet machine.
const patience = 30 * time.Second

const masterToken = "master-token-of-the-county" // of testdata/config.lua

// radio is the real service in a process of its own.
type radio struct {
	*testpeers.Process
	t         *testing.T
	url, data string
}

func start(t *testing.T) *radio {
	t.Helper()
	return startAt(t, "127.0.0.1:0", filepath.Join(t.TempDir(), "data"))
}

func startAt(t *testing.T, listen, data string) *radio {
	t.Helper()
	p := testpeers.Start(t, exec.Command(filepath.Join(programs, "server"), "serve", "--config", filepath.Join("testdata", "config.lua"), "--data", data, "--listen", listen))
	for n := 0; ; n++ {
		line, more := p.Line(n)
		if !more {
			t.Fatalf("the service does not say where it is: %s", p.Stderr())
		}
		if _, rest, found := strings.Cut(line, "http://"); found {
			address, _, _ := strings.Cut(rest, " ")
			t.Cleanup(func() {
				p.Kill()
				if strings.Contains(p.Stderr(), "DATA RACE") || strings.Contains(p.Stderr(), "panic") {
					t.Errorf("the service: %s", p.Stderr())
				}
			})
			return &radio{p, t, "http://" + address, data}
		}
	}
}

// again kills the service and starts it at the same address, on the same data.
func (r *radio) again() *radio {
	r.t.Helper()
	r.Kill()
	return startAt(r.t, strings.TrimPrefix(r.url, "http://"), r.data)
}

// key makes an API key as an administrator does.
func (r *radio) key(name string, scopes ...wire.Scope) string {
	r.t.Helper()
	var in wire.AdminSession
	cookies := r.admin("login", wire.AdminLogin{Password: "county-admin"}, nil, "", http.StatusOK, &in)
	var made wire.AdminKeyCreated
	r.admin("keys", wire.AdminKeyCreate{Name: wire.Text(name), Scopes: scopes}, cookies, in.CSRFToken, http.StatusCreated, &made)
	return made.Key
}

func (r *radio) admin(path string, body any, cookies []*http.Cookie, csrf string, want int, into any) []*http.Cookie {
	r.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+"/admin/api/"+path, bytes.NewReader(b))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Close = true
	q.Header.Set("X-CSRF-Token", csrf)
	for _, c := range cookies {
		q.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer reply.Body.Close()
	if err := json.NewDecoder(reply.Body).Decode(into); err != nil || reply.StatusCode != want {
		r.t.Fatalf("%s: %d, want %d: %v", path, reply.StatusCode, want, err)
	}
	return reply.Cookies()
}

// client is a client with a credential; it ends with the test.
func (r *radio) client(key string) *client.Client {
	r.t.Helper()
	c, err := client.New(r.url, client.Key(key))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

// connect puts a user on the radio; it leaves with the test.
func (r *radio) connect(c *client.Client, user core.UserID, handlers ...client.Handler) *client.Link {
	r.t.Helper()
	l, err := c.Connect(within(r.t), user, handlers...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(l.Close)
	return l
}

// unit announces a player as the game server does, and puts it on a channel.
func (r *radio) unit(user core.UserID, name, channel string, handlers ...client.Handler) *client.Link {
	r.t.Helper()
	made, err := r.client(masterToken).PostPlayerConnect(within(r.t), wire.PlayerConnect{ServerID: client.User(user), Name: wire.Text(name), NacID: "PD"})
	if err != nil {
		r.t.Fatal(err)
	}
	l := r.connect(r.client(made.PlayerToken), user, handlers...)
	if err := l.SetSpeakerChannel(within(r.t), client.MustFrequency(channel)); err != nil {
		r.t.Fatal(err)
	}
	return l
}

// bot starts a bot and gives its process once it has printed its first line.
func (r *radio) bot(key, name string, args ...string) *testpeers.Process {
	r.t.Helper()
	p := testpeers.Start(r.t, r.command(key, name, args...))
	r.t.Cleanup(func() {
		p.Kill()
		if strings.Contains(p.Stderr(), "DATA RACE") || strings.Contains(p.Stderr(), "panic") {
			r.t.Errorf("%s: %s", name, p.Stderr())
		}
	})
	return p
}

func (r *radio) command(key, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(programs, name), args...)
	cmd.Env = append(os.Environ(), "SQUELCH_URL="+r.url, "SQUELCH_KEY="+key)
	return cmd
}

// within is a context for what should be over soon.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// prints waits for a line of a bot with this text and returns it.
func prints(t *testing.T, p *testpeers.Process, part string) string {
	t.Helper()
	timer := time.AfterFunc(patience, p.Kill)
	defer timer.Stop()
	for n := 0; ; n++ {
		line, more := p.Line(n)
		if !more {
			t.Fatalf("%q was never printed, but %q\n%s", part, p.Lines(), p.Stderr())
		}
		if strings.Contains(line, part) {
			return line
		}
	}
}

// take waits for what a handler passes on.
func take[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("%s never came", what)
		panic("unreachable")
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to this: %s", what)
		}
	}
}

// speech is a part of the demo voice, as packets and as a file.
func speech(t *testing.T, from, to int) (packets [][]byte, path string) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "server", "ogg", "demo", "speech.ogg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := client.ReadOgg(f)
	if err != nil {
		t.Fatal(err)
	}
	packets = all[from:to]
	var b bytes.Buffer
	w, err := ogg.NewWriter(&b, 1, ogg.Head{Channels: 1, InputRate: packet.Rate}, ogg.Tags{Vendor: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packets {
		if err := w.WritePacket(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "speech.ogg")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return packets, path
}
