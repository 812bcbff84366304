package recorder

import (
	"bytes"
	"slices"
	"syscall"
	"testing"
	"time"

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
