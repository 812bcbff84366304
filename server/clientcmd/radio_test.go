package clientcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"squelch/server/config"
	"squelch/server/internal/testradio"
	"squelch/server/ogg"
	"squelch/server/ogg/demo"
	"squelch/server/testpeers"
)

// The secrets of testdata/config.lua.
const (
	masterToken = "master-token-of-the-county"
	dispatchNac = "D-911"
)

// program is the whole program, built once with the race detector.
var program string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "clientcmd")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-race", "-o", program, "squelch/server")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "the program cannot be built:", err)
		os.Exit(1)
	}
	// Otherwise the race detector holds every process for a second at its end.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder)
		os.Exit(code)
	}))
}

// service is a radio on the air.
type service struct {
	t   *testing.T
	url string
}

// serve starts a radio in this process.
func serve(t *testing.T) *service {
	t.Helper()
	loaded, err := config.Load("testdata/config.lua")
	if err != nil {
		t.Fatal(err)
	}
	return &service{t, testradio.Start(t, testradio.Options{Config: loaded}).URL}
}

// mortal is a radio in a process of its own, which can be killed.
type mortal struct {
	service
	*testpeers.Process
	data string
}

func serveMortal(t *testing.T) *mortal {
	t.Helper()
	return mortalAt(t, "127.0.0.1:0", filepath.Join(t.TempDir(), "data"))
}

func mortalAt(t *testing.T, listen, data string) *mortal {
	t.Helper()
	p := testpeers.Start(t, exec.Command(program, "serve", "--config", "testdata/config.lua", "--data", data, "--listen", listen))
	line, _ := p.Line(0)
	_, rest, found := strings.Cut(line, "on the air at http://")
	address, _, _ := strings.Cut(rest, " ")
	if !found {
		t.Fatalf("the service greets with %q", line)
	}
	t.Cleanup(func() {
		p.Kill()
		if strings.Contains(p.Stderr(), "DATA RACE") || strings.Contains(p.Stderr(), "panic") {
			t.Errorf("the service: %s", p.Stderr())
		}
	})
	return &mortal{service{t, "http://" + address}, p, data}
}

// again restarts a killed radio at the same address.
func (s *mortal) again() *mortal {
	s.t.Helper()
	return mortalAt(s.t, strings.TrimPrefix(s.url, "http://"), s.data)
}

// command is one `squelch client --json`.
func (s *service) command(flags ...string) *exec.Cmd {
	return exec.Command(program, append([]string{"client", "--json", "--server", s.url}, flags...)...)
}

// station is a radio on the command line that stays on the air.
type station struct {
	*testpeers.Process
	t    *testing.T
	next int // first line that was not waited for yet
}

// event is one line of the output.
type event struct {
	At      int64
	Event   string
	Payload json.RawMessage
}

// open starts a radio with --json and waits until it is on its channels.
func (s *service) open(flags ...string) *station {
	s.t.Helper()
	r := &station{Process: testpeers.Start(s.t, s.command(flags...)), t: s.t}
	r.wait("ready", "")
	return r
}

// dispatcher logs in with the NAC id.
func (s *service) dispatcher(callsign, id string, flags ...string) *station {
	s.t.Helper()
	return s.open(append([]string{"--nac-id", dispatchNac, "--callsign", callsign, "--id", id}, flags...)...)
}

// wait reads until an event of that name whose payload contains part.
func (r *station) wait(name, part string) event {
	r.t.Helper()
	for {
		line, ok := r.Line(r.next)
		if !ok {
			r.t.Fatalf("the radio ended (%v) before %s %s: %s\n%s", r.Process.Wait(), name, part, r.Stderr(), strings.Join(r.Lines(), "\n"))
		}
		r.next++
		if e := parse(r.t, line); e.Event == name && strings.Contains(string(e.Payload), part) {
			return e
		}
	}
}

// ends waits for the radio's own end and expects exit code 0.
func (r *station) ends() {
	r.t.Helper()
	if err := r.Process.Wait(); err != nil {
		r.t.Fatalf("the radio ended with %v: %s\n%s", err, r.Stderr(), strings.Join(r.Lines(), "\n"))
	}
}

// off ends the radio as Ctrl-C does.
func (r *station) off() {
	r.t.Helper()
	if err := r.Signal(os.Interrupt); err != nil {
		r.t.Fatal(err)
	}
	r.ends()
}

// said returns the events of a name so far.
func (r *station) said(name string) []event {
	r.t.Helper()
	var events []event
	for _, line := range r.Lines() {
		if e := parse(r.t, line); e.Event == name {
			events = append(events, e)
		}
	}
	return events
}

// parse expects every line to be one whole event.
func parse(t *testing.T, line string) event {
	t.Helper()
	var e event
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil || e.Event == "" || e.At == 0 || len(e.Payload) == 0 {
		t.Fatalf("%v in the line %q", err, line)
	}
	return e
}

// speech writes the demo's packets from one to another into a file of its own.
func speech(t *testing.T, from, to int) (path string, packets [][]byte) {
	t.Helper()
	r, err := ogg.NewReader(bytes.NewReader(demo.Speech))
	if err != nil {
		t.Fatal(err)
	}
	packets = drain(t, r)[from:to]
	path = filepath.Join(t.TempDir(), "speech.ogg")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ogg.NewWriter(f, 1, r.Head, r.Tags)
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
	return path, packets
}

// recording is a file to record into, and reads it.
type recording string

func newRecording(t *testing.T) recording { return recording(filepath.Join(t.TempDir(), "heard.ogg")) }

func (r recording) packets(t *testing.T) [][]byte {
	t.Helper()
	f, err := os.Open(string(r))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := ogg.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return drain(t, in)
}

func drain(t *testing.T, r *ogg.Reader) (packets [][]byte) {
	t.Helper()
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return packets
		}
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, bytes.Clone(p))
	}
}

// voice returns the packets that are not pauses.
func voice(packets [][]byte) (voice [][]byte) {
	for _, p := range packets {
		if !ogg.IsGap(p) {
			voice = append(voice, p)
		}
	}
	return voice
}

// identical expects every packet, byte for byte.
func identical(t *testing.T, said, heard [][]byte) {
	t.Helper()
	if len(said) != len(heard) {
		t.Errorf("%d packets were said, %d recorded", len(said), len(heard))
		return
	}
	for i := range said {
		if !bytes.Equal(said[i], heard[i]) {
			t.Errorf("packet %d differs", i)
			return
		}
	}
}

// mostly expects more than half of the packets, identical and in order, and no
// others. RTP may lose some, and what a stalled machine delivers 400 ms late is
// dropped by rule; package sfu shows that nothing else is lost.
func mostly(t *testing.T, said, heard [][]byte) {
	t.Helper()
	i := 0
	for n, p := range heard {
		for i < len(said) && !bytes.Equal(said[i], p) {
			i++
		}
		if i == len(said) {
			t.Errorf("packet %d of %d that were recorded was not said, or not then", n, len(heard))
			return
		}
		i++
	}
	if len(heard)*2 <= len(said) {
		t.Errorf("%d packets were said, %d recorded", len(said), len(heard))
	}
}

// player registers a unit as the game server does and returns its token.
func (s *service) player(id int, name string) string {
	s.t.Helper()
	body := fmt.Sprintf(`{"serverId":%d,"name":%q,"nacId":"PD"}`, id, name)
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/api/player/connect", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+masterToken)
	r.Close = true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	var got struct{ PlayerToken string }
	if err := json.NewDecoder(reply.Body).Decode(&got); err != nil || got.PlayerToken == "" {
		s.t.Fatalf("the game server gets %s: %v", reply.Status, err)
	}
	return got.PlayerToken
}

// exits runs a radio to its end and expects an exit code.
func exits(t *testing.T, cmd *exec.Cmd, code int) (stderr string) {
	t.Helper()
	var text bytes.Buffer
	cmd.Stderr = &text
	err := cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%q exits with %d (%v), want %d: %s", cmd.Args[1:], got, err, code, &text)
	}
	return text.String()
}
