package journal

import (
	"bytes"
	"encoding/json"
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
	"squelch/server/engine"
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

func step(at int64, c core.Command, refused bool) Step {
	return Step{Order: wire.Order{At: at, Command: c}, Refused: refused}
}

func radio(t *testing.T) *core.State {
	t.Helper()
	s, err := core.New(core.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAFullDiskEndsTheJournalOnly: the engine goes on and never waits, and the
// operator reads why.
func TestAFullDiskEndsTheJournalOnly(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var n notes
	r := newWriter(full, newAlias(""), n.logf)
	for i := range 1000 {
		r.Write(step(int64(i), core.KeyUp{User: 1}, false))
	}
	if err := r.Close(radio(t)); err == nil {
		t.Fatal("a full disk took everything")
	}
	r.Write(step(1, core.KeyUp{User: 1}, false)) // after the end: nothing happens
	if len(n.all) != 1 || !strings.Contains(n.all[0], "ended after") {
		t.Fatalf("the operator reads %q", n.all)
	}
}

// TestASlowDiskEndsTheJournal: a bounded number of steps wait, and the radio goes on.
func TestASlowDiskEndsTheJournal(t *testing.T) {
	in, out, err := os.Pipe() // nobody reads, so writes wait when it is full
	if err != nil {
		t.Fatal(err)
	}
	var n notes
	r := newWriter(out, newAlias(""), n.logf)
	e := engine.Start(radio(t), engine.NewAlone(time.Now, nil), engine.Options{Followers: []engine.Follower{r.follower(10)}})
	text := strings.Repeat("x", 100_000) // more than a pipe holds
	for range 100 {
		if _, err := e.Do(t.Context(), core.Actor{}, core.Broadcast{Message: text}); err == nil {
			t.Fatal("the radio takes such a long message")
		}
	}
	if p := e.Progress()[0]; p.Lost == 0 || p.Waiting > 10 {
		t.Fatalf("%d steps wait, %d are lost", p.Waiting, p.Lost)
	}
	copied := make(chan []byte, 1)
	go func() {
		all, _ := io.ReadAll(in)
		copied <- all
	}()
	e.Close()
	if err := r.Close(e.State()); !errors.Is(err, errBehind) || len(n.all) != 1 {
		t.Fatalf("closed with %v: %q", err, n.all)
	}
	// It is correct up to its end: every line is whole.
	lines := bytes.Split(bytes.TrimSuffix(<-copied, []byte("\n")), []byte("\n"))
	for i, line := range lines {
		if !json.Valid(line) {
			t.Errorf("line %d is %.80q", i, line)
		}
	}
	if len(lines) < 10 || bytes.Contains(lines[len(lines)-1], []byte(`"end"`)) {
		t.Errorf("%d lines, in the end %.80q", len(lines), lines[len(lines)-1])
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestARadioRestoredFromASnapshotEndsTheJournal: no command says what has changed.
func TestARadioRestoredFromASnapshotEndsTheJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	var n notes
	s := radio(t)
	w, err := Create(path, "", wire.Start{Config: *s.View().Config()}, n.logf)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(step(1, nil, false), Step{anew: true}, step(2, nil, false))
	if err := w.Close(s); !errors.Is(err, errResync) || len(n.all) != 1 {
		t.Fatalf("%v %q", err, n.all)
	}
	b, err := os.ReadFile(path)
	if err != nil || bytes.Count(b, []byte("\n")) != 2 {
		t.Errorf("%v\n%s", err, b)
	}
}

// TestNumbersThatCannotBeWritten: a refused command only lets time pass; one that was
// accepted ends the journal.
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
	r.Write(step(5, nowhere, true))
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
	r.Write(step(5, nowhere, false))
	if err := r.Close(s); !errors.Is(err, errNumber) || len(n.all) != 1 {
		t.Fatalf("%v %q", err, n.all)
	}
}

// TestEveryRunKeepsItsJournal: a service that is restarted with the same flag starts,
// and the journals of the runs before stay whole.
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
	if want := []string{"the journal of the previous run is now " + path + ".1", "the journal of the previous run is now " + path + ".2"}; !slices.Equal(n.all, want) {
		t.Errorf("the log says %q", n.all)
	}
}

// TestWhatLiesThereAlready: what a crash left of a journal is renamed; anything else
// stays as it is and is an error, at once.
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

// TestALineThatIsNoStep: it is not taken for a tick.
func TestALineThatIsNoStep(t *testing.T) {
	r, err := Read(strings.NewReader(`{"squelch":"journal","version":1,"start":{}}` + "\n" + `{"at":1}` + "\n" + `{"command":"KeyUp"}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err == nil || err.Error() != "line 3 is not a step: at (its time) is missing" {
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
