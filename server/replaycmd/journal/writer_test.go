package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
	"squelch/core/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) logf(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, fmt.Sprintf(format, args...))
}

func radio(t *testing.T) *core.State {
	t.Helper()
	s, err := core.New(core.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAFullDiskEndsTheJournalOnly: the engine goes on logging and never
// waits, the operator reads why.
func TestAFullDiskEndsTheJournalOnly(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var n notes
	r := launch(full, newAlias(""), n.logf, maxWaiting)
	for i := range 1000 {
		r.Log(time.UnixMilli(int64(i)), core.Actor{}, core.KeyUp{User: 1}, false)
	}
	if err := r.Close(radio(t)); err == nil {
		t.Fatal("a full disk took everything")
	}
	r.Log(time.UnixMilli(1), core.Actor{}, core.KeyUp{User: 1}, false) // after the end: nothing happens
	if len(n.all) != 1 || !strings.Contains(n.all[0], "has ended after") {
		t.Fatalf("the operator reads %q", n.all)
	}
}

// TestASlowDiskEndsTheJournal: a bounded number of steps wait.
func TestASlowDiskEndsTheJournal(t *testing.T) {
	in, out, err := os.Pipe() // nobody reads: writes wait when it is full
	if err != nil {
		t.Fatal(err)
	}
	var n notes
	r := launch(out, newAlias(""), n.logf, 10)
	text := strings.Repeat("x", 100_000) // more than a pipe holds
	for range 100 {
		r.Log(time.UnixMilli(1), core.Actor{}, core.Broadcast{Message: text}, true)
	}
	r.mu.Lock()
	failure, waiting := r.failure, len(r.waiting)
	r.mu.Unlock()
	if !errors.Is(failure, errBehind) || waiting > 10 {
		t.Fatalf("%d steps wait: %v", waiting, failure)
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	if err := r.Close(radio(t)); !errors.Is(err, errBehind) {
		t.Fatalf("closed with %v", err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNumbersThatCannotBeWritten: refused ones have only let time pass; one
// that was accepted ends the journal.
func TestNumbersThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	s := radio(t)
	var n notes
	r, err := Create(path, "", wire.Start{Config: *s.View().Config()}, n.logf)
	if err != nil {
		t.Fatal(err)
	}
	nowhere := core.SetPositions{Positions: []core.PlayerPosition{{User: 1, At: core.Position{X: math.NaN()}}}}
	if _, refused := s.Step(time.UnixMilli(5), core.Actor{}, nowhere); refused == nil {
		t.Fatal("the core takes a place that is no number")
	}
	r.Log(time.UnixMilli(5), core.Actor{}, nowhere, true)
	if err := r.Close(s); err != nil || len(n.all) > 0 {
		t.Fatal(err, n.all)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in, err := Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := in.Next(); err != nil || o.At != 5 || o.Command != nil {
		t.Fatalf("%+v %v", o, err)
	}
	if _, err := in.Next(); err != io.EOF || in.End == nil || in.End.Orders != 1 {
		t.Fatalf("%v %+v", err, in.End)
	}
	r, err = Create(path+"2", "", wire.Start{Config: *s.View().Config()}, n.logf)
	if err != nil {
		t.Fatal(err)
	}
	r.Log(time.UnixMilli(5), core.Actor{}, nowhere, false)
	if err := r.Close(s); !errors.Is(err, errNumber) || len(n.all) != 1 {
		t.Fatalf("%v %q", err, n.all)
	}
}

// TestEveryRunKeepsItsJournal: a service that is started again with the same flag
// starts, and the journals of the runs before stay whole.
func TestEveryRunKeepsItsJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "radio.jsonl")
	n := &notes{}
	s := radio(t)
	for run := range 3 {
		w, err := Create(path, fmt.Sprint("run ", run), wire.Start{Config: *s.View().Config()}, n.logf)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(s); err != nil {
			t.Fatal(err)
		}
	}
	for file, build := range map[string]string{path + ".1": "run 0", path + ".2": "run 1", path: "run 2"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Read(bytes.NewReader(b)); err != nil || r.Build != build {
			t.Errorf("%s is of %q, not of %q: %v", file, r.Build, build, err)
		}
	}
	if want := []string{"the journal of the run before is now " + path + ".1", "the journal of the run before is now " + path + ".2"}; !slices.Equal(n.all, want) {
		t.Errorf("the log says %q", n.all)
	}
}

// TestWhatLiesThereAlready: what a crash left of a journal steps aside, anything
// else stays as it is and is an error, at once.
func TestWhatLiesThereAlready(t *testing.T) {
	for _, c := range []struct {
		name string
		lay  func(path string) error
		ours bool
	}{
		{"an empty file", func(p string) error { return os.WriteFile(p, nil, 0o600) }, true},
		{"zeros", func(p string) error { return os.WriteFile(p, make([]byte, 4096), 0o600) }, true},
		{"half a first line", func(p string) error { return os.WriteFile(p, beginning[:9], 0o600) }, true},
		{"a configuration", func(p string) error { return os.WriteFile(p, []byte("Config = {}"), 0o600) }, false},
		{"a folder", func(p string) error { return os.Mkdir(p, 0o700) }, false},
		{"a pipe", func(p string) error { return exec.Command("mkfifo", p).Run() }, false},
	} {
		path := filepath.Join(t.TempDir(), "radio.jsonl")
		if err := c.lay(path); err != nil {
			t.Fatal(c.name, err)
		}
		w, err := Create(path, "", wire.Start{}, t.Logf)
		if err == nil {
			_ = w.Close(radio(t))
		}
		if _, left := os.Lstat(path + ".1"); (err == nil) != c.ours || (left == nil) != c.ours {
			t.Errorf("%s: begun: %v, stepped aside: %v", c.name, err, left == nil)
		}
	}
}

// TestALineThatIsNoStep: it does not pass for a tick.
func TestALineThatIsNoStep(t *testing.T) {
	r, err := Read(strings.NewReader(`{"squelch":"journal","version":1,"start":{}}` + "\n" + `{"at":1}` + "\n" + `{"command":"KeyUp"}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err == nil || err.Error() != "line 3 is no step: it has no moment (at)" {
		t.Errorf("the line is taken: %v", err)
	}
}

// TestWhereNothingCanBeWritten: a clear error at the start.
func TestWhereNothingCanBeWritten(t *testing.T) {
	_, err := Create(filepath.Join(t.TempDir(), "no", "folder"), "", wire.Start{}, t.Logf)
	if err == nil || !strings.Contains(err.Error(), "the journal cannot be written") {
		t.Fatal(err)
	}
}

// FuzzRead: no bytes make the reader panic or go on for ever.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"squelch":"journal","version":1,"start":{}}` + "\n" + `{"at":1}` + "\n" + `{"end":true,"orders":1}` + "\n"))
	f.Add([]byte("{\"squelch\":\"journal\",\"version\":1}\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		for n := 0; ; n++ {
			if _, err := r.Next(); err != nil {
				return
			}
			if n > len(b) {
				t.Fatal("more steps than bytes")
			}
		}
	})
}
