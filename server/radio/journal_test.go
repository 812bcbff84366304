package radio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/server/config"
	"squelch/server/internal/testradio"
	"squelch/server/replaycmd"
	"squelch/server/sio/client"
	"squelch/wasm/parity"
)

const (
	consoles = 20
	orders   = 260 // of each console
)

// The secrets of the service.
const (
	theLogin = "desk-of-the-test"
	theToken = "a-master-token-of-the-test"
)

// TestAJournalPlaysBack: twenty consoles, one of which has logged in with the
// dispatch NAC id, work on a live service that keeps a journal. Played back, natively
// and in core.wasm, the journal ends in the state in which the service stopped, and
// nobody who reads it can log in.
func TestAJournalPlaysBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.jsonl")
	live(t, file)
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{theLogin, theToken} {
		if bytes.Contains(written, []byte(secret)) {
			t.Errorf("the journal tells %s", secret)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the journal: %v %v", info.Mode(), err)
	}
	native := played(t, "--json", file)
	if native.Commands < 5000 || native.Ticks == 0 || native.Refused == 0 || !native.Whole || !native.Same {
		t.Errorf("natively: %+v", native)
	}
	root, err := parity.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	module, err := parity.BuildCompiled(t.Context(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", dir) // where wazero keeps its machine code
	if foreign := played(t, "--json", "--wasm="+module, file); foreign != native {
		t.Errorf("in core.wasm: %+v\nnatively:     %+v", foreign, native)
	}
}

func played(t *testing.T, args ...string) replaycmd.Result {
	t.Helper()
	var out bytes.Buffer
	cmd := replaycmd.Command()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("squelch replay %v: %v\n%s", args, err, out.Bytes())
	}
	var r replaycmd.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// live runs the service while the consoles work.
func live(t *testing.T, file string) {
	t.Helper()
	loaded := config.Default()
	loaded.Server.AuthToken, loaded.Server.DispatchNacID = theToken, theLogin
	loaded.Core.Zones[1].NacIDs = []string{theLogin, "EMS"}
	s := testradio.Start(t, testradio.Options{Config: loaded, Journal: file})
	var work sync.WaitGroup
	for n := range consoles {
		token := theToken
		if n == 0 {
			token = login(t, s.URL)
		}
		work.Go(func() { console(t, s.URL, token, n) })
	}
	work.Wait()
	if err := s.Stop(); err != nil {
		t.Fatalf("the service stopped: %v", err)
	}
}

// login returns the token of a session that begins with the dispatch NAC id.
func login(t *testing.T, url string) string {
	t.Helper()
	body := strings.NewReader(`{"nacId":"` + theLogin + `","callsign":"Desk"}`)
	r, err := http.Post(url+"/radio/dispatch/auth", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var got struct{ AuthToken string }
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil || got.AuthToken == "" {
		t.Fatalf("login: %s %v", r.Status, err)
	}
	return got.AuthToken
}

// console is a dispatcher who joins, scans, talks and patches.
func console(t *testing.T, url, token string, n int) {
	connected := make(chan struct{}, 1)
	c, err := client.New(client.Options{URL: url, NoReconnect: true,
		Auth:      func() any { return map[string]any{"authToken": token, "serverId": -10 - n} },
		OnConnect: func(bool) { connected <- struct{}{} }, OnConnectError: func(err error) { t.Errorf("console %d: %v", n, err) }})
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	<-connected
	r := rand.New(rand.NewSource(int64(n)))
	channels := frequencies()
	for i := range orders {
		at := channels[r.Intn(len(channels))]
		event, arg := "setTalking", any(map[string]any{"state": true, "frequency": at})
		switch r.Intn(9) {
		case 0:
			event, arg = "setSpeakerChannel", at
		case 1:
			event, arg = "addListeningChannel", at
		case 2:
			event, arg = "removeListeningChannel", at
		case 3, 4:
			arg = false
		case 5:
			event, arg = "updateUserInfo", map[string]any{"name": fmt.Sprintf("Desk %d.%d", n, i)}
		case 6:
			event, arg = "triggerAlert", map[string]any{"frequency": at, "enabled": i%2 == 0}
		}
		// One event in twenty waits for its answer, so that no console runs far ahead.
		if err := emit(c, event, arg, i%20 == 0); err != nil {
			t.Errorf("console %d, %s: %v", n, event, err)
			return
		}
	}
	if err := emit(c, "setTalking", false, true); err != nil {
		t.Errorf("console %d: %v", n, err)
	}
}

// emit sends an event, and with wait waits until it is acknowledged.
func emit(c *client.Client, event string, arg any, wait bool) error {
	if !wait {
		return c.Emit(event, arg)
	}
	done := make(chan error, 1)
	err := c.EmitAck(event, time.Minute, func(_ []json.RawMessage, err error) { done <- err }, arg)
	if err != nil {
		return err
	}
	return <-done
}

func frequencies() []string {
	all := []string{"1.5"} // not a channel: refused
	loaded := config.Default()
	defer loaded.Callbacks.Close()
	for _, z := range loaded.Core.Zones {
		for _, c := range z.Channels {
			all = append(all, c.Frequency.String())
		}
	}
	return all
}

// TestARestartIsInTheJournal: the players that the game server registered before are
// registered again by orders, and the journal of the new run has these.
func TestARestartIsInTheJournal(t *testing.T) {
	data, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "session.jsonl")
	run := func(journal string, do func(url string)) {
		t.Helper()
		loaded := config.Default()
		loaded.Server.AuthToken = theToken
		s := testradio.Start(t, testradio.Options{Config: loaded, Data: data, Journal: journal})
		do(s.URL)
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	run("", func(url string) {
		r, err := http.NewRequest("POST", url+"/api/player/connect", strings.NewReader(`{"serverId":7,"name":"Ann","nacId":"PD"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+theToken)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != 200 {
			t.Fatal(answer.Status)
		}
	})
	run(file, func(string) {})
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(written, []byte(`"command":"Register"`)) {
		t.Errorf("the journal knows of nobody:\n%s", written)
	}
	if r := played(t, "--json", file); r.Commands != 1 || r.Refused != 0 || !r.Same {
		t.Errorf("%+v", r)
	}
}

// TestAForeignFileIsNoJournal: the service does not start, and the file is untouched.
func TestAForeignFileIsNoJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(file, []byte("Config = {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := testradio.Open(t, testradio.Options{Journal: file})
	if err == nil {
		err = s.Stop()
	}
	if err == nil || !errors.Is(err, fs.ErrExist) {
		t.Fatalf("the service started: %v", err)
	}
	if b, _ := os.ReadFile(file); string(b) != "Config = {}\n" {
		t.Fatalf("the file was written over: %s", b)
	}
}
