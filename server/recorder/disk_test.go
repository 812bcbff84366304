package recorder

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"squelch/core"
	"squelch/sfu"
)

// TestAFullDiskStopsTheRecorderAlone: the talk on the air is cut, voice goes on, and the
// recorder says why once. When the disk is back it starts by itself, and records what is
// said then, also by somebody who keyed while it was full.
func TestAFullDiskStopsTheRecorderAlone(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		ear := s.dispatcher(-2, patrol)
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		s.say(-1, patrol, words(1, 0, 50)...)
		s.disk.set(errFull, nil)
		s.say(-1, patrol, words(1, 50, 100)...)
		s.do(core.KeyDown{User: -1})
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		s.say(-1, patrol, words(2, 0, 500)...)
		if got := s.recorder.Problem(); got != "the disk is full" {
			t.Errorf("the problem is %q", got)
		}
		if s.disk.probes < 3 || s.disk.probes > 6 {
			t.Errorf("the disk was tried %d times in 10 s", s.disk.probes)
		}
		s.disk.set(nil, nil)
		s.say(-1, patrol, words(2, 500, 1500)...)
		s.do(core.KeyDown{User: -1})
		s.settled()
		if n := len(ear.all()); n != 1600 {
			t.Errorf("%d packets were heard", n)
		}
		all := s.list()
		if len(all) != 2 || !all[0].Cut || all[0].Packets < 40 || all[0].Packets > 60 || all[1].Cut {
			t.Fatalf("%+v", all)
		}
		if s.mu.Lock(); len(s.finished) != 2 || s.finished[0].ID != all[0].ID || !s.finished[0].Cut || s.finished[1].ID != all[1].ID { // the first one when the disk was back
			t.Errorf("told of %+v", s.finished)
		}
		s.mu.Unlock()
		packets, _ := s.voice(all[1].ID)
		if last := packets[len(packets)-1]; !bytes.Equal(last, words(2, 1499, 1500)[0]) || all[1].Lost < 500 || all[1].Packets+all[1].Lost != 1500 {
			t.Errorf("%+v", all[1])
		}
		if want := []string{"the disk is full", ""}; !slices.Equal(s.problems, want) {
			t.Errorf("told %q", s.problems)
		}
	})
}

// TestADiskThatIsFullWhenATalkBegins: its file cannot even be made.
func TestADiskThatIsFullWhenATalkBegins(t *testing.T) {
	onAir(t, func(s *station) {
		s.disk.set(errFull, nil)
		s.dispatcher(-1, patrol)
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		s.say(-1, patrol, words(1, 0, 20)...)
		s.do(core.KeyDown{User: -1})
		s.settled()
		s.disk.set(nil, nil)
		time.Sleep(2 * lastRetry) // nobody talks: it finds out by itself
		synctest.Wait()
		if s.recorder.Problem() != "" || len(s.list()) != 0 {
			t.Errorf("%q, %+v", s.recorder.Problem(), s.list())
		}
	})
}

// TestADiskThatIsFullFromTheStart: it is told before anybody talks, also when it becomes full
// while nobody does. After a start with a disk that is well again, that is told.
func TestADiskThatIsFullFromTheStart(t *testing.T) {
	onAir(t, func(s *station) {
		again := func(broken error, failed bool) *Recorder {
			s.problems = nil
			s.disk.set(broken, nil)
			return Start(Options{shelf: s.disk, Recorded: s.recorder.o.Recorded, Problem: s.recorder.o.Problem, Failed: failed}, s.state.View().Config())
		}
		told := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			if !slices.Equal(s.problems, want) {
				t.Errorf("%s: told %q, want %q", what, s.problems, want)
			}
		}
		s.settled()
		s.recorder.Close()
		told("an ordinary start")
		r := again(errFull, false)
		time.Sleep(time.Second)
		told("full at the start", "the disk is full")
		s.disk.set(nil, nil)
		time.Sleep(lastRetry)
		told("and well again", "the disk is full", "")
		s.disk.set(errFull, nil)
		time.Sleep(askEvery + time.Second)
		told("and full while nobody talks", "the disk is full", "", "the disk is full")
		r.Close()
		r = again(errFull, true)
		time.Sleep(time.Second)
		told("a start with the disk still full")
		if r.Problem() != "the disk is full" {
			t.Errorf("the problem is %q", r.Problem())
		}
		r.Close()
		r = again(nil, true)
		time.Sleep(time.Second)
		told("a start after it was full", "")
		r.Close()
	})
}

// TestADiskThatOnlySeemsToWork: consoles are not told with every talk.
func TestADiskThatOnlySeemsToWork(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		s.disk.set(errFull, nil)
		s.disk.seems = true
		for range 300 {
			s.do(core.KeyUp{User: -1, Frequency: patrol})
			s.say(-1, patrol, words(1, 0, 10)...)
			s.do(core.KeyDown{User: -1})
			time.Sleep(2 * time.Second)
		}
		if n := len(s.problems); n < 4 || n > 40 {
			t.Errorf("in 11 minutes consoles were told %d times", n)
		}
	})
}

// TestADiskThatDoesNotAnswerDelaysNobody: voice goes on, and what has no room in memory is
// lost and counted.
func TestADiskThatDoesNotAnswerDelaysNobody(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		ear := s.dispatcher(-2, patrol)
		gate := make(chan struct{})
		s.disk.set(nil, gate)
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		long := make([][]byte, 500)
		for i := range long {
			long[i] = append(slices.Clone(words(1, i, i+1)[0]), make([]byte, 1000)...)
		}
		before := time.Now()
		s.say(-1, patrol, long...)
		if took := time.Since(before); took != 500*frameTime || len(ear.all()) != 500 {
			t.Errorf("500 frames took %v, and %d were heard", took, len(ear.all()))
		}
		if !strings.HasPrefix(s.recorder.Problem(), "the disk does not answer") {
			t.Errorf("the problem is %q", s.recorder.Problem())
		}
		close(gate)
		s.disk.set(nil, nil)
		s.do(core.KeyDown{User: -1})
		s.settled()
		e := s.one()
		if e.Packets+e.Lost != 500 || e.Lost < 200 || e.Packets < maxTape/1100 || e.Cut {
			t.Errorf("%+v", e)
		}
		if s.recorder.Problem() != "" || len(s.problems) != 2 {
			t.Errorf("told %q", s.problems)
		}
		if held := s.recorder.waiting.Load(); held != 0 {
			t.Errorf("%d bytes are still taken", held)
		}
	})
}

// TestKeyUpsWhileTheDiskDoesNotAnswerTakeBoundedMemory: nothing of a talk is given back
// before the disk answers, so that others begin without a tape.
func TestKeyUpsWhileTheDiskDoesNotAnswerTakeBoundedMemory(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		gate := make(chan struct{})
		s.disk.set(nil, gate)
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		s.say(-1, patrol, words(1, 0, 50)...)
		taped := 0
		const talks = 2 * maxWaiting / tapeBytes
		for i := range talks {
			tape := s.recorder.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: 100 + i, Since: time.Now().UnixMilli()})
			if tape != nil {
				taped++
				tape.End()
			}
		}
		if held := s.recorder.waiting.Load(); held > maxWaiting+2*tapeBytes || taped < talks/5 || taped == talks {
			t.Errorf("%d of %d talks have a tape, and take %d bytes; %d are the most", taped, talks, held, maxWaiting)
		}
		close(gate)
		s.disk.set(nil, nil)
		s.do(core.KeyDown{User: -1})
		s.settled()
		time.Sleep(2 * tail)
		if tape := s.recorder.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: 7, Since: time.Now().UnixMilli()}); tape == nil {
			t.Error("nothing is recorded although the disk answers")
		} else {
			tape.End()
		}
		time.Sleep(2 * tail)
		if held := s.recorder.waiting.Load(); held != 0 {
			t.Errorf("%d bytes are still taken", held)
		}
	})
}

// TestAFloodIsNotRecorded: of what comes faster than voice can be, no more than voice would
// take is kept, and what is missing is counted.
func TestAFloodIsNotRecorded(t *testing.T) {
	onAir(t, func(s *station) {
		tape := s.recorder.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: 1, Since: time.Now().UnixMilli()})
		const pieces = 1000
		for range pieces { // 40 MB in ten seconds
			tape.Take(sfu.Piece{Kind: sfu.OpaquePiece, Payload: make([]byte, 40_000), At: time.Now().UnixNano()})
			time.Sleep(10 * time.Millisecond)
		}
		tape.End()
		s.settled()
		e := s.one()
		if most := int64(maxAhead + 10*voiceRate); e.Bytes > most || e.Bytes < most-100_000 || e.Packets+e.Lost != pieces {
			t.Errorf("%d bytes of at most %d, %d packets, %d lost", e.Bytes, most, e.Packets, e.Lost)
		}
	})
}
