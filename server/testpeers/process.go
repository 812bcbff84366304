// Package testpeers starts the real peers that tests talk to: Node's Socket.IO
// server and client, an OpenID provider, another Go library's server. They live in
// this folder as an npm package with exact versions, which `just deps` installs,
// and as a Go module (zishang), which the go command fetches. A missing peer fails
// the test, it never skips it.
package testpeers

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// firstLineWithin is how long a peer may take to print its first line.
	// A cold `node` on a busy two-core machine needs a few seconds.
	firstLineWithin = 60 * time.Second
	// stderrKept is how many bytes of a peer's stderr are kept for messages.
	stderrKept = 64 << 10
)

// Process is a running peer. It is killed when the test ends, and on Linux also
// when the test itself is killed.
type Process struct {
	// Stdin is the peer's standard input. Closing it asks the peer to exit.
	Stdin io.WriteCloser

	name   string
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // of Wait, valid once exited is closed

	mu     sync.Mutex
	grown  *sync.Cond // signalled when a line was added or the output ended
	lines  []string
	ended  bool
	stderr strings.Builder
}

// Node starts `node script args...` in the testpeers folder and waits for the
// script's first line on stdout (a port, or JSON). It fails the test when node
// or the npm packages are missing, or when the script ends without a line.
func Node(t testing.TB, script string, args ...string) *Process {
	t.Helper()
	folder, err := Folder()
	if err != nil {
		t.Fatalf("test peers: %v", err)
	}
	if err := installed(folder); err != nil {
		t.Fatalf("test peer %s: %v", script, err)
	}
	cmd := exec.Command("node", append([]string{script}, args...)...)
	cmd.Dir = folder
	return Start(t, cmd)
}

// Start runs any peer that announces itself with a first line on stdout. The
// command's Stdin, Stdout, Stderr and SysProcAttr must not be set.
func Start(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	p, err := start(cmd)
	if err != nil {
		t.Fatalf("test peer %s: %v", strings.Join(cmd.Args, " "), err)
	}
	t.Cleanup(p.Kill)
	timer := time.AfterFunc(firstLineWithin, p.Kill)
	defer timer.Stop()
	if _, ok := p.Line(0); !ok {
		t.Fatalf("test peer %s ended without a first line: %v\n%s", p.name, p.Wait(), p.Stderr())
	}
	return p
}

// Folder returns the absolute path of the testpeers folder. It is found from the
// module root, so that a test of any package may call it.
func Folder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		candidate := filepath.Join(dir, "server", "testpeers", "package.json")
		if _, err := os.Stat(candidate); err == nil {
			return filepath.Dir(candidate), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no server/testpeers/package.json above the test's folder")
		}
		dir = parent
	}
}

// installed says what is missing, before node itself fails less clearly.
func installed(folder string) error {
	if _, err := exec.LookPath("node"); err != nil {
		return fmt.Errorf("node is not installed (20.19 or later is needed); run `just deps`")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "socket.io", "package.json")); err != nil {
		return fmt.Errorf("%s/node_modules is missing or incomplete; run `just deps`", folder)
	}
	return nil
}

func start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{name: filepath.Base(cmd.Args[len(cmd.Args)-1]), cmd: cmd, exited: make(chan struct{})}
	p.grown = sync.NewCond(&p.mu)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.Stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	bindToParent(cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // see bindToParent
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.read(stdout, stderr)
		}
	}()
	return p, <-started
}

// read collects the peer's output until both pipes end, and only then waits: exec
// closes the pipes in Wait, which would cut off the last lines.
func (p *Process) read(stdout, stderr io.Reader) {
	var readers sync.WaitGroup
	readers.Go(func() { p.readLines(stdout) })
	readers.Go(func() { p.readStderr(stderr) })
	readers.Wait()
	p.err = p.cmd.Wait()
	p.mu.Lock()
	p.ended = true
	p.grown.Broadcast()
	p.mu.Unlock()
	close(p.exited)
}

func (p *Process) readLines(stdout io.Reader) {
	// ReadString, not Scanner: a transcript is one line of any length.
	in := bufio.NewReader(stdout)
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" || err == nil {
			p.mu.Lock()
			p.lines = append(p.lines, line)
			p.grown.Broadcast()
			p.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (p *Process) readStderr(stderr io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := stderr.Read(buf)
		p.mu.Lock()
		p.stderr.Write(buf[:min(n, stderrKept-min(p.stderr.Len(), stderrKept))])
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Line waits for line i of stdout, counted from 0. It returns false if the peer ended
// before.
func (p *Process) Line(i int) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.lines) <= i && !p.ended {
		p.grown.Wait()
	}
	if len(p.lines) <= i {
		return "", false
	}
	return p.lines[i], true
}

// Lines returns the lines of stdout so far.
func (p *Process) Lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.lines...)
}

// Stderr returns what the peer has written to stderr so far (the first 64 KiB).
func (p *Process) Stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// Alive says whether the peer is still running.
func (p *Process) Alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// PID returns the peer's process id, for reading its memory from /proc.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends the peer a signal. Windows knows os.Kill only.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// Wait waits for the peer's end and returns its exit error, nil for status 0.
func (p *Process) Wait() error {
	<-p.exited
	return p.err
}

// Kill ends the peer and waits until it is gone. Killing twice is harmless.
func (p *Process) Kill() {
	_ = p.Stdin.Close()
	_ = p.cmd.Process.Kill() // fails only if it has ended already
	<-p.exited
}
