package recorder

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tphakala/go-opus/opus"
	"go.uber.org/goleak"

	"squelch/core"
	"squelch/server/recordings"
	"squelch/sfu"
	"squelch/sfu/imbe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestABurstIsOnTheShelfAsItWasForwarded: every packet, byte for byte, with the names of
// then; the pause in the middle is as long as it was.
func TestABurstIsOnTheShelfAsItWasForwarded(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		ear := s.dispatcher(-2, patrol)
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		began := time.Now().UnixMilli()
		s.say(-1, patrol, words(1, 0, 60)...)
		time.Sleep(400*time.Millisecond - frameTime/2)
		s.say(-1, patrol, words(1, 60, 100)...)
		s.do(core.KeyDown{User: -1})
		s.settled()
		e := s.one()
		packets, at := s.voice(e.ID)
		if !slices.EqualFunc(packets, ear.all(), bytes.Equal) || len(packets) != 100 {
			t.Errorf("%d packets are on the shelf, %d were forwarded", len(packets), len(ear.all()))
		}
		if at[59] != 59 {
			t.Errorf("frame 59 is at %d", at[59])
		}
		if e.Name != "Desk -1" || e.User != -1 || e.Frequency != patrol || e.Start != began || e.End <= e.Start+2000 || e.Packets != 100 || e.Lost != 0 || e.Cut {
			t.Errorf("%+v", e)
		}
		if len(s.finished) != 1 || s.finished[0].ID != e.ID {
			t.Errorf("told of %+v", s.finished)
		}
	})
}

// TestWhatIsMissingLeavesAGap: packets are lost, and the talker pauses, changes the
// transport and begins late. Each packet is where it was said.
func TestWhatIsMissingLeavesAGap(t *testing.T) {
	onAir(t, func(s *station) {
		row := core.Row{Talker: -1, Keyed: patrol, Talk: 1, Since: time.Now().UnixMilli()}
		time.Sleep(3 * time.Second)
		tape := s.recorder.Begin(row)
		took := time.Now()
		take := func(from, to int, stream uint32, lost int) {
			for i, w := range words(1, from, to) {
				if i > 0 {
					lost = 0
				}
				time.Sleep(time.Until(took.Add(time.Duration(from+i) * frameTime)))
				tape.Take(sfu.Piece{Payload: w, Time: stream + uint32(from+i)*960, At: time.Now().UnixNano(), Lost: lost})
			}
		}
		take(0, 10, 7, 2)      // lost before the first one: not of this talk
		take(13, 50, 7, 3)     // three packets are lost
		take(200, 220, 7, 0)   // three seconds of silence suppression
		take(221, 240, 1e9, 0) // another stream
		take(300, 310, 0, 0)   // and again
		tape.End()
		s.settled()
		e := s.one()
		_, at := s.voice(e.ID)
		var want []int
		for _, span := range [][2]int{{0, 10}, {13, 50}, {200, 220}, {221, 240}, {300, 310}} {
			for n := span[0]; n < span[1]; n++ {
				want = append(want, n+150)
			}
		}
		if !slices.Equal(at, want) || e.Lost != 3 || e.VoiceMs != (310+150)*20 {
			t.Errorf("%+v: the packets are at %v, want %v", e, at, want)
		}
	})
}

// TestADigitalTalkIsOnTheShelfInBothForms: the IMBE file is what "squelch imbe decode"
// reads.
func TestADigitalTalkIsOnTheShelfInBothForms(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, digital1)
		plain, p25 := s.dispatcher(-2, digital1), s.dispatcher(-3, digital1)
		s.sfu.AcceptIMBE(-3, true)
		s.do(core.KeyUp{User: -1, Frequency: digital1})
		s.say(-1, digital1, tone(t, 100, 8000)...)
		s.do(core.KeyDown{User: -1})
		s.settled()
		e := s.one()
		packets, _ := s.voice(e.ID)
		if !slices.EqualFunc(packets, plain.all(), bytes.Equal) || len(packets) != 100 {
			t.Errorf("%d packets are on the shelf, %d were heard", len(packets), len(plain.all()))
		}
		frames := s.bytes(e.ID, recordings.IMBE)
		if !bytes.Equal(frames, bytes.Join(p25.all(), nil)) || len(frames) != 100*11 || !e.Digital || e.IMBEBytes != int64(len(frames)) {
			t.Errorf("%+v: %d bytes of IMBE, %d were heard", e, len(frames), len(bytes.Join(p25.all(), nil)))
		}
		var pcm imbe.PCM
		imbe.NewDecoder(imbe.DecoderOptions{}).Decode(imbe.Frame(frames[:11]), &pcm)
	})
}

// TestWebMIsOnTheShelfAsItCame: there is no codec for it, so it has no waveform.
func TestWebMIsOnTheShelfAsItCame(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		blobs := [][]byte{append([]byte{0x1a, 0x45, 0xdf, 0xa3}, make([]byte, 5000)...), bytes.Repeat([]byte{0xa3}, 4000), words(1, 0, 1)[0]}
		s.say(-1, patrol, blobs...)
		s.do(core.KeyDown{User: -1})
		s.settled()
		e := s.one()
		if got := s.bytes(e.ID, recordings.WebM); !bytes.Equal(got, bytes.Join(blobs, nil)) || e.Format != recordings.WebM || e.Packets != 3 {
			t.Errorf("%+v: %d bytes", e, len(got))
		}
		if p, err := s.recorder.Peaks(s.t.Context(), e.ID); err != nil || p != nil {
			t.Errorf("a waveform %v, %v", p, err)
		}
	})
}

// TestWhatIsRecorded: a talk without listeners, one across a patch (once, with the patch),
// two talkers at once on a channel, and a working frequency of a talkgroup. What is not
// recorded: a self-test, a channel that is not named, and a key-up without a word.
func TestWhatIsRecorded(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		s.dispatcher(-2, patrol)
		s.do(core.SetLoopback{User: -1, Enabled: true})
		s.say(-1, patrol, words(9, 0, 10)...)
		s.do(core.SetLoopback{User: -1}, core.KeyUp{User: -1, Frequency: fire})
		s.say(-1, fire, words(9, 0, 10)...)
		s.do(core.KeyDown{User: -1}, core.KeyUp{User: -1, Frequency: patrol}, core.KeyDown{User: -1})
		s.do(core.CreatePatch{Frequencies: []core.Frequency{patrol, fire}})
		s.do(core.KeyUp{User: -1, Frequency: patrol}, core.KeyUp{User: -2, Frequency: patrol, Override: true})
		for n := range 20 {
			s.say(-1, patrol, words(1, n, n+1)...)
			s.say(-2, patrol, words(2, n, n+1)...)
		}
		s.do(core.KeyDown{User: -1}, core.KeyDown{User: -2})
		s.do(core.Register{User: 7}, core.Connect{Want: 7, Owner: "player"}, core.JoinAsSpeaker{User: 7, Frequency: group})
		s.sfu.Attach(7, &listener{})
		s.do(core.KeyUp{User: 7})
		working := s.state.Routes().Rows(7)[0].Keyed
		s.say(7, working, words(3, 0, 10)...)
		s.do(core.KeyDown{User: 7})
		s.settled()
		all := s.list()
		if len(all) != 3 {
			t.Fatalf("%+v", all)
		}
		for i, want := range []struct {
			user    core.UserID
			packets int
			patch   int
		}{{-1, 20, 1}, {-2, 20, 1}, {7, 10, 0}} {
			e := all[i]
			packets, _ := s.voice(e.ID)
			if e.User != want.user || len(packets) != want.packets || e.Patch != want.patch || packets[0][1] != byte(i+1) {
				t.Errorf("%+v, %d packets", e, len(packets))
			}
		}
		if working == group || all[2].Frequency != working || all[2].Control != group {
			t.Errorf("on %v: %+v", working, all[2])
		}
	})
}

// TestAnotherConfigurationIsRecordedAtOnce: a channel that comes while the service runs.
func TestAnotherConfigurationIsRecordedAtOnce(t *testing.T) {
	onAir(t, func(s *station) {
		const more core.Frequency = 155_030_000
		cfg := *s.state.View().Config()
		cfg.Zones = slices.Clone(cfg.Zones)
		cfg.Zones[0].Channels = append(slices.Clone(cfg.Zones[0].Channels), core.Channel{Name: "More", Type: core.Conventional, Frequency: more})
		if s.recorder.Recorded(more) {
			t.Error("a channel is recorded that is not there")
		}
		s.do(core.ReplaceConfig{Config: cfg})
		if !s.recorder.Recorded(more) || s.recorder.Recorded(fire) {
			t.Error("the new configuration is not recorded")
		}
	})
}

// TestTheEndOfTheServiceIsTheEndOfATalk: what is on the air is whole, and on the shelf.
func TestTheEndOfTheServiceIsTheEndOfATalk(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		s.do(core.KeyUp{User: -1, Frequency: patrol})
		s.say(-1, patrol, words(1, 0, 50)...)
		s.stop()
		s.start()
		e := s.one()
		if packets, _ := s.voice(e.ID); len(packets) != 50 || e.Cut || e.Lost != 0 || e.End < e.Start+1000 {
			t.Errorf("%+v, %d packets", e, len(packets))
		}
	})
}

var errFull = &recordings.DiskError{Reason: "the disk is full", Path: "/recordings", Err: syscall.ENOSPC}

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

// TestAClockThatIsPutBackKeepsNoTalkOpen: a talk that was just over goes onto the shelf.
func TestAClockThatIsPutBackKeepsNoTalkOpen(t *testing.T) {
	onAir(t, func(s *station) {
		tape := s.recorder.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: 1, Since: time.Now().UnixMilli()}).(*tape)
		for n, w := range words(1, 0, 50) {
			tape.Take(sfu.Piece{Payload: w, Time: uint32(n) * 960, At: time.Now().UnixNano()})
		}
		tape.ended.Store(time.Now().Add(time.Hour).UnixMilli()) // as it was on the clock of before
		time.Sleep(2 * writeEvery)
		s.one()
	})
}

// TestTwoTransportsAtOnce: a client that sends by both has two goroutines.
func TestTwoTransportsAtOnce(t *testing.T) {
	onAir(t, func(s *station) {
		tape := s.recorder.Begin(core.Row{Talker: -1, Keyed: patrol, Talk: 1, Since: time.Now().UnixMilli()})
		done := make(chan struct{}, 2)
		for range 2 {
			go func() {
				for n, w := range words(1, 0, 1000) {
					tape.Take(sfu.Piece{Payload: w, Time: uint32(n) * 960, At: time.Now().UnixNano()})
				}
				done <- struct{}{}
			}()
		}
		<-done
		<-done
		tape.End()
		s.settled()
		if e := s.one(); e.Packets != 2000 {
			t.Errorf("%+v", e)
		}
		tape.Take(sfu.Piece{Payload: words(1, 0, 1)[0]}) // far too late
	})
}

// tone makes packets of a tone, as loud as it is said to be.
func tone(t testing.TB, frames, loud int) (out [][]byte) {
	t.Helper()
	enc, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: 48_000, Channels: 1, Bitrate: 32_000, Complexity: 5})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1500)
	for n := range frames {
		var pcm [960]int16
		for i := range pcm {
			pcm[i] = int16(float64(loud) * math.Sin(2*math.Pi*440*float64(n*960+i)/48_000))
		}
		size, err := enc.Encode(pcm[:], buf)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bytes.Clone(buf[:size]))
	}
	return out
}

// TestAWaveformShowsWhereItIsLoud: it is made in the background, or at once for somebody
// who asks.
func TestAWaveformShowsWhereItIsLoud(t *testing.T) {
	onAir(t, func(s *station) {
		s.dispatcher(-1, patrol)
		talk := func() string {
			s.do(core.KeyUp{User: -1, Frequency: patrol})
			s.say(-1, patrol, tone(t, 100, 3000)...)
			s.say(-1, patrol, tone(t, 100, 20000)...)
			s.do(core.KeyDown{User: -1})
			s.settled()
			all := s.list()
			return all[len(all)-1].ID
		}
		id := talk()
		time.Sleep(time.Minute)
		e, _ := s.shelf.Get(id)
		if len(e.Peaks) != recordings.MaxPeaks || e.Peaks[20] < 10 || e.Peaks[20] > 40 || e.Peaks[80] < 110 || e.Peaks[80] > 200 {
			t.Errorf("in the background: %v", e.Peaks)
		}
		if err := s.shelf.SetPeaks(id, nil); err != nil {
			t.Fatal(err)
		}
		got, err := s.recorder.Peaks(s.t.Context(), id)
		if err != nil || !bytes.Equal(got, e.Peaks) {
			t.Errorf("at once: %v, %v", got, err)
		}
		if e, _ := s.shelf.Get(id); !bytes.Equal(e.Peaks, got) {
			t.Errorf("on the shelf: %v", e.Peaks)
		}
		if _, err := s.recorder.Peaks(s.t.Context(), "tx-9-9"); !errors.Is(err, recordings.ErrNotFound) {
			t.Errorf("of nothing: %v", err)
		}
	})
}

// TestWaveformsTakeASmallPartOfACore: after each step they rest nineteen times as long.
func TestWaveformsTakeASmallPartOfACore(t *testing.T) {
	onAir(t, func(s *station) {
		b, err := s.shelf.Create(recordings.Entry{ID: "tx-1-946684800000"})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range tone(t, 100, 3000) {
			if err := b.WriteOpus(p, 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Done(recordings.Entry{End: 946684802000}); err != nil {
			t.Fatal(err)
		}
		e := s.one()
		rests := 0
		if _, err := s.recorder.makePeaks(s.t.Context(), &e, func(ctx context.Context, spent time.Duration) { rests++ }); err != nil || rests != 100/peaksStep {
			t.Errorf("%d rests, %v", rests, err)
		}
		began := time.Now()
		rest(s.t.Context(), 10*time.Millisecond)
		if slept := time.Since(began); slept != 190*time.Millisecond {
			t.Errorf("after 10 ms of work it rests %v", slept)
		}
	})
}

// FuzzPause: whatever times a client sends, no pause is longer than the clock allows.
func FuzzPause(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add(bytes.Repeat([]byte{255, 0, 128}, 50))
	f.Fuzz(func(t *testing.T, in []byte) {
		var w writing
		payload := words(1, 0, 1)[0]
		now := int64(1)
		for ; len(in) >= 6; in = in[6:] {
			now += int64(in[4])<<24 | int64(in[5])<<16
			p := sfu.Piece{Payload: payload, Time: uint32(in[0])<<24 | uint32(in[1])<<16 | uint32(in[2])<<8 | uint32(in[3]), At: now}
			before := w.lastAt
			pause := w.pause(&p)
			if most := uint64((now-before)*48/1e6) + 48_000 + 960; w.began && pause > most {
				t.Fatalf("a pause of %d samples where the clock allows %d", pause, most)
			}
			w.began = true
		}
	})
}
