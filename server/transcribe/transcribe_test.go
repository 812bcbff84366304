package transcribe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"squelch/core"
)

// engine is one that a test plays.
type engine func(ctx context.Context, file File) (string, error)

func (e engine) Transcribe(ctx context.Context, file File) (string, error) { return e(ctx, file) }

// desk keeps the texts of a test.
type desk struct {
	t     *testing.T
	mu    sync.Mutex
	texts []string
	log   []string
	wrong error // what Keep fails with
}

func (d *desk) keep(id, text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wrong != nil {
		return d.wrong
	}
	d.texts = append(d.texts, id+": "+text)
	return nil
}

func (d *desk) logf(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, fmt.Sprintf(format, args...))
}

// open starts a transcriber whose recordings have as many bytes as their id says.
func (d *desk) open(o Options, pauses ...time.Duration) *Transcriber {
	if o.Open == nil {
		o.Open = func(id string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("Ogg of " + id)), nil }
	}
	o.Keep, o.Logf = d.keep, d.logf
	tr := begin(o, pauses)
	d.t.Cleanup(tr.Close)
	return tr
}

// until polls for a state.
func until(t *testing.T, tr *Transcriber, what string, is func(State) bool) State {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s := tr.State()
		if is(s) {
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %+v", what, s)
		}
	}
}

func idle(s State) bool { return s.Waiting+s.Running == 0 }

func recording(n int) Recording {
	return Recording{ID: fmt.Sprintf("tx-%d-1700000000000", n), Frequency: 154_755_000, Voice: 3 * time.Second, Opus: true}
}

func TestTextsAreKeptAndTold(t *testing.T) {
	d := &desk{t: t}
	var told []string
	tr := d.open(Options{Engine: engine(func(_ context.Context, f File) (string, error) {
		return fmt.Sprintf(" %s, %s\u202e:\x07 %s \n next\tline ", f.Name, f.Type, f.Data), nil
	}), Tell: func(id, text string) { told = append(told, id+": "+text) }})
	tr.Add(recording(1))
	tr.Add(recording(2))
	until(t, tr, "two texts", func(s State) bool { return s.Done == 2 && idle(s) })
	tr.Close()
	want := []string{"tx-1-1700000000000: tx-1-1700000000000.ogg, audio/ogg: Ogg of tx-1-1700000000000 next line",
		"tx-2-1700000000000: tx-2-1700000000000.ogg, audio/ogg: Ogg of tx-2-1700000000000 next line"}
	if !slices.Equal(d.texts, want) || !slices.Equal(told, want) || len(d.log) > 0 {
		t.Errorf("kept %q\ntold %q\nlog %q", d.texts, told, d.log)
	}
}

func TestTheEngineGetsWaveIfItWantsThat(t *testing.T) {
	d := &desk{t: t}
	file := recorded(t, 50, 0)
	tr := d.open(Options{WAV: true, Open: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil },
		Engine: engine(func(_ context.Context, f File) (string, error) {
			waves, _ := tone(f.Data)
			return fmt.Sprintf("%s %s %v", f.Name, f.Type, waves > 400 && waves < 450), nil
		})})
	tr.Add(recording(1))
	until(t, tr, "a text", idle)
	if want := []string{"tx-1-1700000000000: tx-1-1700000000000.wav audio/wav true"}; !slices.Equal(d.texts, want) {
		t.Errorf("%q", d.texts)
	}
}

// TestWhatIsPassedOver: short ones, other channels, what cannot be played.
func TestWhatIsPassedOver(t *testing.T) {
	d := &desk{t: t}
	tr := d.open(Options{MinVoice: time.Second, Channels: nil, Engine: engine(func(context.Context, File) (string, error) { return "x", nil })})
	short, webm := recording(1), recording(2)
	short.Voice, webm.Opus = 999*time.Millisecond, false
	tr.Add(short)
	tr.Add(webm)
	tr.Add(recording(3))
	until(t, tr, "one", idle)
	some := d.open(Options{Channels: []core.Frequency{155_100_000}, Engine: engine(func(context.Context, File) (string, error) { return "y", nil })})
	other, base := recording(5), recording(6)
	other.Frequency, base.Control = 155_100_000, 155_100_000
	some.Add(recording(4))
	some.Add(other)
	some.Add(base)
	until(t, some, "two", idle)
	if want := []string{"tx-3-1700000000000: x", "tx-5-1700000000000: y", "tx-6-1700000000000: y"}; !slices.Equal(d.texts, want) {
		t.Errorf("%q", d.texts)
	}
}

// TestFailuresAreTriedAgainAndGivenUp: three times; the log has one line for the trouble,
// and one for its end.
func TestFailuresAreTriedAgainAndGivenUp(t *testing.T) {
	d := &desk{t: t}
	tries := map[string]int{}
	tr := d.open(Options{Engine: engine(func(_ context.Context, f File) (string, error) {
		tries[f.Name]++ // one at a time
		switch {
		case strings.HasPrefix(f.Name, "tx-1-"), strings.HasPrefix(f.Name, "tx-2-") && tries[f.Name] < 3:
			return "", errors.New("connection refused\x1b[2J")
		case strings.HasPrefix(f.Name, "tx-3-"):
			return "", &Refusal{"it answers 400 Bad Request"}
		}
		return "Shots fired", nil
	})}, time.Millisecond, time.Millisecond)
	for n := 1; n <= 4; n++ {
		tr.Add(recording(n))
	}
	s := until(t, tr, "all", func(s State) bool { return idle(s) && s.Failed == 2 && s.Done == 2 })
	tr.Close()
	if want := "map[tx-1-1700000000000.ogg:3 tx-2-1700000000000.ogg:3 tx-3-1700000000000.ogg:1 tx-4-1700000000000.ogg:1]"; fmt.Sprint(tries) != want {
		t.Errorf("tries %v, state %+v", tries, s)
	}
	if len(d.log) == 0 || !strings.HasPrefix(d.log[0], "warning: a recording cannot be turned into text: tx-1-1700000000000: connection refused [2J") {
		t.Errorf("log %q", d.log)
	}
	for i, line := range d.log {
		if again := line == "recordings are turned into text again"; again != (i%2 == 1) {
			t.Errorf("log %q", d.log)
		}
	}
}

// TestAHangingEngineIsLeft: after its time, with an error that says so.
func TestAHangingEngineIsLeft(t *testing.T) {
	d := &desk{t: t}
	tr := d.open(Options{Timeout: 10 * time.Millisecond, Engine: engine(func(ctx context.Context, _ File) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})})
	tr.Add(recording(1))
	if s := until(t, tr, "given up", func(s State) bool { return idle(s) && s.Failed == 1 }); s.Problem != "there was no answer within 10ms" {
		t.Errorf("%+v", s)
	}
}

// TestNobodyWaitsForAnEngine: while it hangs, thousands of recordings come. The newest
// stay, the others are counted; and the end does not wait for it either.
func TestNobodyWaitsForAnEngine(t *testing.T) {
	d := &desk{t: t}
	began := make(chan string, 1)
	tr := d.open(Options{Timeout: time.Hour, Engine: engine(func(ctx context.Context, f File) (string, error) {
		began <- f.Name
		<-ctx.Done()
		return "", ctx.Err()
	})})
	tr.Add(recording(0))
	<-began
	const more = 5000
	for n := range more {
		tr.Add(recording(1 + n))
	}
	if s := tr.State(); s.Waiting != maxWaiting || s.Running != 1 || s.Dropped != more-maxWaiting {
		t.Errorf("%+v", s)
	}
	tr.mu.Lock()
	if first, last := tr.jobs[0].ID, tr.jobs[maxWaiting-1].ID; first != recording(1+more-maxWaiting).ID || last != recording(more).ID {
		t.Errorf("from %s to %s", first, last)
	}
	tr.mu.Unlock()
	tr.Close()
	tr.Add(recording(more + 1)) // and that does no harm
}

// TestSeveralAtOnce: as many as the configuration says, and no more.
func TestSeveralAtOnce(t *testing.T) {
	d := &desk{t: t}
	var now, most atomic.Int32
	three := make(chan struct{})
	tr := d.open(Options{AtOnce: 3, Engine: engine(func(context.Context, File) (string, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == 3 {
			close(three)
		}
		<-three
		return "x", nil
	})})
	for n := range 3 {
		tr.Add(recording(n))
	}
	until(t, tr, "all", func(s State) bool { return s.Done == 3 })
	if most.Load() != 3 {
		t.Errorf("%d at once", most.Load())
	}
}

// TestADeletedRecordingIsForgotten: before and while it is turned into text.
func TestADeletedRecordingIsForgotten(t *testing.T) {
	d := &desk{t: t, wrong: fmt.Errorf("tx-2: %w", fs.ErrNotExist)}
	tr := d.open(Options{Open: func(id string) (io.ReadCloser, error) {
		if strings.HasPrefix(id, "tx-1-") {
			return nil, &fs.PathError{Op: "open", Path: id, Err: fs.ErrNotExist}
		}
		return io.NopCloser(strings.NewReader("")), nil
	}, Engine: engine(func(context.Context, File) (string, error) { return "x", nil })})
	tr.Add(recording(1))
	tr.Add(recording(2))
	if s := until(t, tr, "nothing", idle); s.Failed+s.Done+s.Silent != 0 || s.Problem != "" || len(d.log) > 0 {
		t.Errorf("%+v %q", s, d.log)
	}
}

// TestATextOutlivesAFailingDisk: the engine is not asked again for what it has said.
func TestATextOutlivesAFailingDisk(t *testing.T) {
	d := &desk{t: t, wrong: errors.New("no space left on device")}
	asked := 0
	tr := d.open(Options{Engine: engine(func(context.Context, File) (string, error) { asked++; return "x", nil })}, time.Millisecond, time.Hour)
	tr.Add(recording(1))
	until(t, tr, "a second try", func(s State) bool { return s.Waiting == 1 && s.Problem == "no space left on device" })
	d.mu.Lock()
	d.wrong = nil
	d.mu.Unlock()
	tr.mu.Lock()
	if len(tr.jobs) == 1 {
		tr.jobs[0].due = time.Time{}
	}
	tr.mu.Unlock()
	tr.signal()
	until(t, tr, "kept", func(s State) bool { return s.Done == 1 })
	tr.Close()
	if asked != 1 || !slices.Equal(d.texts, []string{"tx-1-1700000000000: x"}) {
		t.Errorf("asked %d times, %q", asked, d.texts)
	}
}

func TestSilenceHasNoText(t *testing.T) {
	d := &desk{t: t}
	tr := d.open(Options{Engine: engine(func(context.Context, File) (string, error) { return " \n\x00\u200b", nil })})
	tr.Add(recording(1))
	if until(t, tr, "silence", func(s State) bool { return s.Silent == 1 }); len(d.texts) > 0 {
		t.Errorf("%q", d.texts)
	}
}

func FuzzClean(f *testing.F) {
	f.Add(" Shots fired.\n Second line\r\n")
	f.Add("\u202e\x1b[2J\xff\x00")
	f.Add(strings.Repeat("word ", 1000))
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxText || got != strings.TrimSpace(got) {
			t.Errorf("%q", got)
		}
		for _, r := range got {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Errorf("%q has %U", got, r)
			}
		}
		if Clean(got) != got {
			t.Errorf("%q becomes %q", got, Clean(got))
		}
	})
}
