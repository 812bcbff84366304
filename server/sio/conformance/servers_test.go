package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"squelch/server/testpeers"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Stories mostly wait: for heartbeats, and for the other process.
	_ = flag.Set("test.parallel", "8")
	status := m.Run()
	if builds.dir != "" {
		_ = os.RemoveAll(builds.dir)
	}
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// builds keeps the server programs that this run has built, by package.
var builds struct {
	sync.Mutex
	dir string
}

// server is one running server under test.
type server struct {
	*testpeers.Process
	base string // http://127.0.0.1:port
}

func nodes(t *testing.T, script string, args ...string) server {
	t.Helper()
	return listening(t, testpeers.Node(t, script, args...))
}

// ours builds a program of server/sio with the race detector and starts it: a
// race that a case provokes ends up on its stderr and fails the test.
func ours(t *testing.T, pkg string, args ...string) server {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "squelch-conformance")
		if err != nil {
			t.Fatal(err)
		}
		builds.dir = dir
	}
	program := filepath.Join(builds.dir, filepath.Base(pkg))
	if _, err := os.Stat(program); err != nil {
		if out, err := exec.Command("go", "build", "-race", "-o", program, pkg).CombinedOutput(); err != nil {
			t.Fatalf("go build %s: %v\n%s", pkg, err, out)
		}
	}
	s := listening(t, testpeers.Start(t, exec.Command(program, args...)))
	t.Cleanup(func() { s.unharmed(t) })
	return s
}

// listening reads the port from the peer's first line.
func listening(t *testing.T, p *testpeers.Process) server {
	t.Helper()
	line, _ := p.Line(0)
	port := line[strings.LastIndexAny(line, ": ")+1:]
	return server{p, "http://127.0.0.1:" + port}
}

// unharmed fails the test if the server has died, panicked or raced.
func (s server) unharmed(t *testing.T) {
	t.Helper()
	if !s.Alive() {
		t.Errorf("the server died: %v\n%s", s.Wait(), s.Stderr())
		return
	}
	for _, word := range []string{"DATA RACE", "panic", "fatal error"} {
		if strings.Contains(s.Stderr(), word) {
			t.Errorf("the server's stderr tells of a %s:\n%s", word, s.Stderr())
			return
		}
	}
}

// story is one case: what a client does, and what it must hear.
type story struct {
	name string
	tell func(c *talk)
	want string // the transcript, one answer a line
	// ours is our server's transcript if it differs from Node's on purpose.
	ours string
	why  string // the reason for the difference
}

// pair is Node's server and ours with the same settings.
type pair struct{ node, ours server }

// heart is how fast a pair's heart beats, in milliseconds.
type heart struct{ interval, timeout, connect int }

var (
	// quickHeart beats several times in a story, but waits for a PONG longer than a
	// busy machine stalls.
	quickHeart = heart{interval: 300, timeout: 3000, connect: 3000}
	// calmHeart is for the stories that are not about time. It does not beat
	// while a case waits for an answer (silence).
	calmHeart = heart{interval: 120_000, timeout: 60_000, connect: 120_000}
)

func startPair(t *testing.T, h heart) pair {
	t.Helper()
	ms := func(n int) string { return strconv.Itoa(n) }
	return pair{
		node: nodes(t, "socketio-server.mjs", ms(h.interval), ms(h.timeout), ms(h.connect)),
		ours: ours(t, "squelch/server/sio/suiteserver", "-addr", "127.0.0.1:0",
			"-ping-interval", ms(h.interval)+"ms", "-ping-timeout", ms(h.timeout)+"ms", "-connect-timeout", ms(h.connect)+"ms"),
	}
}

// tellAll runs every story against both servers and compares what they answered.
func (p pair) tellAll(t *testing.T, path string, stories []story) {
	for _, s := range stories {
		want := strings.TrimSpace(s.want)
		if want == "" || (s.ours == "") != (s.why == "") {
			t.Fatalf("%s: a story needs an answer, and a difference its reason", s.name)
		}
		t.Run(s.name+"/node", func(t *testing.T) { compare(t, p.node, path, s, want) })
		if s.ours != "" {
			want = strings.TrimSpace(s.ours)
		}
		t.Run(s.name+"/ours", func(t *testing.T) { compare(t, p.ours, path, s, want) })
	}
}

func compare(t *testing.T, to server, path string, s story, want string) {
	t.Parallel()
	c := newTalk(t, to.base, path)
	s.tell(c)
	if got := c.transcript(); got != want {
		t.Errorf("heard:\n%s\nwant:\n%s", got, want)
	}
}
