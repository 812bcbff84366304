package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"squelch/server/testpeers"
)

// The secrets of testdata/config.lua.
const (
	masterToken = "master-token-of-the-county"
	dispatchNac = "D-911"
)

// service is one run of the program.
type service struct {
	*testpeers.Process
	t    testing.TB
	data string
	conf string
	url  string
}

// start runs the program on a fresh data folder; more is Lua to append to the
// configuration.
func start(t testing.TB, more ...string) *service {
	t.Helper()
	return resume(t, configure(t, more...), filepath.Join(t.TempDir(), "data"))
}

// configure writes the configuration and returns its path.
func configure(t testing.TB, more ...string) string {
	t.Helper()
	base, err := os.ReadFile(filepath.Join("testdata", "config.lua"))
	if err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(t.TempDir(), "config.lua")
	if err := os.WriteFile(conf, []byte(string(base)+strings.Join(more, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return conf
}

// resume runs the program on a data folder that may have been used before. When the
// test ends, the program must have had no data race and no panic.
func resume(t testing.TB, conf, data string, flags ...string) *service {
	t.Helper()
	return greeted(t, serve(conf, data, flags...), conf, data)
}

// greeted starts a command that serves, and waits until it is on the air.
func greeted(t testing.TB, serving *exec.Cmd, conf, data string) *service {
	t.Helper()
	p := testpeers.Start(t, serving)
	n := 0
	line, running := p.Line(n)
	for running && strings.HasPrefix(line, "generated ") {
		n++
		line, running = p.Line(n)
	}
	_, rest, found := strings.Cut(line, "http://")
	address, _, _ := strings.Cut(rest, " ")
	if !found {
		t.Fatalf("the service greets with %q", line)
	}
	s := &service{p, t, data, conf, "http://" + address}
	t.Cleanup(func() {
		p.Kill()
		for _, bad := range []string{"DATA RACE", "panicked", "goroutine "} {
			if strings.Contains(p.Stderr(), bad) {
				t.Errorf("the service logged:\n%s", p.Stderr())
				return
			}
		}
	})
	return s
}

// serve is the program's command; the last of two equal flags wins.
func serve(conf, data string, flags ...string) *exec.Cmd {
	return exec.Command(program, append([]string{"serve", "--config", conf, "--data", data, "--listen", "127.0.0.1:0"}, flags...)...)
}

// stop asks the service to end, as an init system does, and expects exit code 0.
func (s *service) stop() {
	s.t.Helper()
	if err := s.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		s.t.Fatalf("the service did not stop cleanly: %v\n%s", err, s.Stderr())
	}
}

// again starts the service again on the same data.
func (s *service) again() *service {
	s.t.Helper()
	return resume(s.t, s.conf, s.data)
}

// session is the result of a login.
type session struct {
	SessionID string `json:"sessionId"`
	AuthToken string `json:"authToken"`
}

func (s *service) login(callsign string) session {
	s.t.Helper()
	var got session
	s.ask(http.MethodPost, "/radio/dispatch/auth", map[string]any{"nacId": dispatchNac, "callsign": callsign}, session{}, http.StatusOK, &got)
	return got
}

// ask makes a REST call, expects a status, and decodes the reply.
func (s *service) ask(method, path string, body any, by session, want int, into any) {
	s.t.Helper()
	code, text := s.call(method, path, body, by)
	if code != want {
		s.t.Fatalf("%s %s: status %d, want %d: %s", method, path, code, want, text)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			s.t.Fatalf("%s: %v in %s", path, err, text)
		}
	}
}

// call makes a REST call and returns the status and body of the answer.
func (s *service) call(method, path string, body any, by session) (int, string) {
	s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	if by.AuthToken != "" {
		r.Header.Set("Authorization", "Bearer "+by.AuthToken)
	}
	if by.SessionID != "" {
		r.Header.Set("X-Session-Id", by.SessionID)
	}
	reply, err := client.Do(r)
	if err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

func (s *service) do(path string, body any, by session) {
	s.t.Helper()
	s.ask(http.MethodPost, path, body, by, http.StatusOK, nil)
}

// auditVerify runs the program's own check on the stopped service's data.
func (s *service) auditVerify() string {
	s.t.Helper()
	out, err := exec.Command(program, "audit", "verify", "--data", s.data, "--json").CombinedOutput()
	if err != nil {
		s.t.Fatalf("audit verify: %v: %s", err, out)
	}
	return string(out)
}
