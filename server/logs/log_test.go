package logs

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// page is what an operator reads.
type page struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// TestSixLevels: each level adds lines to those of the one before it.
func TestSixLevels(t *testing.T) {
	for level := Error; level <= Verbose; level++ {
		out := &page{}
		l := New(Options{Level: level, Out: out})
		for at := Error; at <= Verbose; at++ {
			l.Log(t.Context(), Slog(at), "at "+Name(at))
		}
		l.Close()
		if got := strings.Count(out.String(), "\n"); got != level+1 || l.Level() != level {
			t.Errorf("level %d (%d) has %d lines:\n%s", level, l.Level(), got, out)
		}
		if !strings.Contains(out.String(), "level="+Name(level)+" ") {
			t.Errorf("level %d is not called %s:\n%s", level, Name(level), out)
		}
		for _, text := range []string{Name(level), strings.ToUpper(Name(level)), string(rune('0' + level))} {
			if got, err := ParseLevel(text); got != level || err != nil {
				t.Errorf("%q is read as %d, %v", text, got, err)
			}
		}
	}
	if _, err := ParseLevel("6"); err == nil || !strings.Contains(err.Error(), "0 to 5") {
		t.Errorf("level 6: %v", err)
	}
}

// TestNoForgedLines: a callsign with line ends and escape codes stays in its line, in
// both forms.
func TestNoForgedLines(t *testing.T) {
	const callsign = "Ana\n2026-01-01 level=error msg=\"disk on fire\"\r\n\x1b[31mred\u2028x"
	for _, form := range []Format{Text, JSON} {
		out := &page{}
		l := New(Options{Level: Debug, Format: form, Out: out})
		l.Debug("joins", "name", callsign)
		l.Debug(callsign)
		l.Close()
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 2 || strings.ContainsAny(out.String(), "\r\x1b\u2028") {
			t.Errorf("%s: %d lines: %q", form, len(lines), out)
		}
		if form != JSON {
			continue
		}
		var line struct{ Time, Level, Msg, Name string }
		if err := json.Unmarshal([]byte(lines[0]), &line); err != nil || line.Name != callsign || line.Level != "debug" || line.Msg != "joins" {
			t.Errorf("%q is read as %+v, %v", lines[0], line, err)
		}
	}
}

// TestLongValuesAreCut: nobody fills the disk with one value.
func TestLongValuesAreCut(t *testing.T) {
	out := &page{}
	l := New(Options{Level: Debug, Out: out})
	l.Info("joins", "name", strings.Repeat("é", 100_000))
	l.Info(strings.Repeat("x", 1_000_000))
	l.Close()
	if n := len(out.String()); n > maxMessage+maxValue+300 || !strings.Contains(out.String(), "é…") {
		t.Errorf("two lines have %d bytes", n)
	}
}

// stuck is a pipe that nobody reads, until somebody does.
type stuck struct {
	open chan struct{}
	page
}

func (s *stuck) Write(b []byte) (int, error) {
	<-s.open
	return s.page.Write(b)
}

// TestAStuckPipeStopsNobody: whoever logs goes on, and the lines that found no room are
// counted and told when the pipe is read again.
func TestAStuckPipeStopsNobody(t *testing.T) {
	out := &stuck{open: make(chan struct{})}
	now := time.Unix(0, 0)
	l := New(Options{Level: Info, Out: out, Now: func() time.Time { now = now.Add(time.Second); return now }}) // never too many a second
	for range waiting + 500 {
		l.Info("a line")
	}
	_, lost := l.Counts()
	if lost < 400 || lost > 500 {
		t.Errorf("%d lines are lost", lost)
	}
	close(out.open)
	l.Close()
	if got := out.String(); !strings.Contains(got, "level=error") || !strings.Contains(got, "lines of the log were left out") {
		t.Errorf("the operator is not told: %q", got[max(0, len(got)-300):])
	}
}

// TestALogThatNobodyReadsLetsTheServiceEnd: Close does not wait for ever.
func TestALogThatNobodyReadsLetsTheServiceEnd(t *testing.T) {
	out := &stuck{open: make(chan struct{})}
	defer close(out.open)
	l := New(Options{Level: Info, Out: out})
	l.Info("a line")
	ended := make(chan struct{})
	go func() { l.Close(); l.Close(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * closeTime):
		t.Fatal("the service waits for its log")
	}
}

// TestAFloodIsBounded: of many lines at once only so many are written, and how many
// there were is still counted.
func TestAFloodIsBounded(t *testing.T) {
	out := &page{}
	still := time.Unix(0, 0)
	l := New(Options{Level: Debug, Out: out, Now: func() time.Time { return still }})
	for range 5 * burst {
		l.Debug("login.refused")
	}
	l.Close()
	if n := strings.Count(out.String(), "login.refused"); n > burst {
		t.Errorf("%d lines of a flood are written, at most %d should be", n, burst)
	}
	if counts, _ := l.Counts(); counts[Debug] != 5*burst {
		t.Errorf("%d lines are counted", counts[Debug])
	}
}

// TestTheAdministrationSeesTheNewestLines, by level, and only what is new.
func TestTheAdministrationSeesTheNewestLines(t *testing.T) {
	l := New(Options{Level: Verbose, Out: io.Discard, Now: later()})
	defer l.Close()
	for i := range keptLines + 10 {
		l.Log(t.Context(), Slog(i%2*Debug), "a line", "number", i) // error, debug, error, …
	}
	all, last := l.Recent(0, Verbose, 0)
	if len(all) != keptLines || all[0].Seq != 11 || last != keptLines+10 || all[0].Fields[0] != (Field{"number", "10"}) {
		t.Errorf("%d lines are kept, from %+v to %d", len(all), all[0], last)
	}
	if errors, _ := l.Recent(0, Error, 0); len(errors) != keptLines/2 || errors[0].Level != Error {
		t.Errorf("%d of them are errors", len(errors))
	}
	if three, _ := l.Recent(last-5, Verbose, 3); len(three) != 3 || three[2].Seq != last {
		t.Errorf("the newest three: %+v", three)
	}
	if none, _ := l.Recent(last, Verbose, 0); len(none) != 0 {
		t.Errorf("nothing is new, but %+v", none)
	}
	if all, _ := l.Recent(last+100, Verbose, 0); len(all) != keptLines {
		t.Errorf("a page of an earlier start sees %d lines", len(all))
	}
}

// later is a clock on which no flood happens.
func later() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time { now = now.Add(time.Second); return now }
}

// TestSentences: parts that log sentences say themselves which are warnings.
func TestSentences(t *testing.T) {
	out := &page{}
	l := New(Options{Level: Info, Out: out, Timeless: true})
	Printf(l.Logger, Info)("player %d is back", 7)
	Printf(l.With(slog.String("part", "themes")), Info)("warning: %s", "no such theme")
	l.Close()
	want := "level=info msg=\"player 7 is back\"\nlevel=warn msg=\"no such theme\" part=themes\n"
	if out.String() != want {
		t.Errorf("written: %q", out)
	}
	if lines, _ := l.Recent(0, Verbose, 0); len(lines) != 2 || len(lines[1].Fields) != 1 || lines[1].Fields[0].Value != "themes" {
		t.Errorf("kept: %+v", lines)
	}
}

// TestAPartShowsItsOwnLinesOnly: a radio's part of the log, with the radio's name; the host
// sees all.
func TestAPartShowsItsOwnLinesOnly(t *testing.T) {
	var out strings.Builder
	l := New(Options{Level: Info, Out: &out})
	county, city := l.Of("county"), l.Of("city")
	county.Info("first")
	city.Warn("second")
	l.Info("third")
	for i := range radioLines + 10 {
		county.Info("more", "i", i)
	}
	lines, last := city.Recent(0, Verbose, 0)
	if len(lines) != 1 || last != 1 || lines[0].Message != "second" || !slices.Contains(lines[0].Fields, Field{"radio", "city"}) {
		t.Errorf("%+v", lines)
	}
	if lines, last = county.Recent(0, Verbose, 0); len(lines) != radioLines || last != radioLines+11 {
		t.Errorf("%d lines, the last is %d", len(lines), last)
	}
	if lines, _ = l.Recent(0, Verbose, 3000); len(lines) != radioLines+13 {
		t.Errorf("the host sees %d lines", len(lines))
	}
	if county.SetLevel(Error); l.Level() != Error {
		t.Error("the level is not one for all")
	}
	city.Close()
	l.Error("fourth")
	l.Close()
	if text := out.String(); !strings.Contains(text, `msg=second radio=city`) || !strings.Contains(text, "fourth") {
		t.Errorf("written: %s", text)
	}
}
