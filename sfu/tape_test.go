package sfu

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/opus/packet"
)

// studio records every talk, but those on channels that it spares.
type studio struct {
	mu    sync.Mutex
	reels []*reel
	spare core.Frequency
}

func (s *studio) Begin(row core.Row) Tape {
	if row.Keyed == s.spare {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &reel{row: row}
	s.reels = append(s.reels, t)
	return t
}

// reel is a tape in memory.
type reel struct {
	mu     sync.Mutex
	row    core.Row
	pieces []Piece
	ended  int
}

func (t *reel) Take(p Piece) {
	p.Payload = bytes.Clone(p.Payload)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pieces = append(t.pieces, p)
}

func (t *reel) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended++
}

// of lists the payloads of a kind.
func (t *reel) of(kind PieceKind) (all [][]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pieces {
		if p.Kind == kind {
			all = append(all, p.Payload)
		}
	}
	return all
}

func (t *reel) missing() (n int) {
	for _, p := range t.pieces {
		n += p.Lost
	}
	return n
}

func wantSame(t *testing.T, says string, got, want [][]byte) {
	t.Helper()
	if !slices.EqualFunc(got, want, bytes.Equal) || len(got) == 0 {
		t.Errorf("%s: %d pieces are on the tape and %d were forwarded, or they differ", says, len(got), len(want))
	}
}

// TestEveryTalkHasATapeOfItsOwn: it begins and ends with the floor and is of one channel,
// listeners or not. Self-tests have none, nor have channels that are not recorded.
func TestEveryTalkHasATapeOfItsOwn(t *testing.T) {
	s := &studio{spare: tac}
	r := onAir(t, Options{Recorder: s})
	r.tune(-1, patrol)
	e := r.listen(-1)
	r.do(core.SetLoopback{User: -1, Enabled: true})
	r.say(-1, patrol, "dGVzdA==")
	r.do(core.SetLoopback{User: -1})
	for _, f := range []core.Frequency{patrol, fire, tac} {
		r.key(-1, f)
	}
	for range 3 { // the first 60 ms are collected
		for _, f := range []core.Frequency{patrol, fire, tac} {
			r.say(-1, f, base64.StdEncoding.EncodeToString(word(1, int(f/10_000))))
		}
	}
	r.sfu.Detach(-1, e) // its link is lost and comes back during the talk
	r.listen(-1)
	r.do(core.KeyDown{User: -1, Frequency: patrol})
	r.key(-1, patrol)
	r.sfu.Close()
	if len(s.reels) != 3 {
		t.Fatalf("%d tapes", len(s.reels))
	}
	for i, f := range []core.Frequency{patrol, fire, patrol} {
		x := s.reels[i]
		if x.row.Keyed != f || x.ended != 1 || x.row.Talk != []int{1, 2, 4}[i] || !strings.HasPrefix(x.row.ID(), "tx-") {
			t.Errorf("tape %d is of %+v and ended %d times", i, x.row, x.ended)
		}
		if want := []int{3, 3, 0}[i]; len(x.pieces) != want || want > 0 && !bytes.Equal(x.pieces[0].Payload, word(1, int(f/10_000))) {
			t.Errorf("tape %d of %v has %+v", i, f, x.pieces)
		}
	}
}

// TestATapeOfWebRTCIsWhatWasForwarded: packets come too late, out of order or not at all,
// and the first ones before the floor. The tape has them in order, each in its time.
func TestATapeOfWebRTCIsWhatWasForwarded(t *testing.T) {
	s := &studio{}
	r := onAir(t, Options{Recorder: s})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	r.listen(-1)
	listener := r.listen(-2)
	now := int64(1e9)
	r.sfu.time = func() int64 { return now }
	u := newUplink(r.sfu, -1, 111)
	var order []int
	for n := range 60 {
		switch n {
		case 20, 30, 31: // lost
		case 10, 41:
			order = append(order, n+1, n)
		case 11, 42:
		default:
			order = append(order, n)
		}
	}
	for _, n := range order {
		now = int64(1e9) + int64(n)*int64(frameTime)
		p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SequenceNumber: uint16(n + 65530), Timestamp: uint32(n) * frameSamples, SSRC: 7}, Payload: word(1, n)}
		b, err := p.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		u.push(b)
		if n == 2 {
			r.key(-1, patrol)
		}
	}
	r.release(-1)
	var heard [][]byte
	for _, h := range listener.all() {
		b, err := base64.StdEncoding.DecodeString(h.text)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == len(word(0, 0)) { // no stand-in
			heard = append(heard, b)
		}
	}
	x := s.reels[0]
	wantSame(t, "WebRTC", x.of(OpusPiece), heard)
	if len(heard) != 57 || x.missing() != 3 {
		t.Errorf("%d packets were heard, and %d are missing", len(heard), x.missing())
	}
	for _, p := range x.pieces {
		if _, n := spoken(p.Payload); p.Time != uint32(n)*frameSamples {
			t.Errorf("packet %d is at %d", n, p.Time)
		}
	}
}

// TestATapeOfAnOlderClientIsWhatPeersGet: voice over TCP in bunches, and once so late that
// the pacer drops it.
func TestATapeOfAnOlderClientIsWhatPeersGet(t *testing.T) {
	s := &studio{}
	withRecorder(t, s, func(t *testing.T, c *city, r *radio) {
		r.tune(-1, patrol)
		r.listen(-1)
		w, _ := c.dispatcher(r, -2, patrol)
		r.key(-1, patrol)
		for n := range 200 {
			switch {
			case n == 50:
				time.Sleep(2 * time.Second)
			case n < 50 || n > 150:
				time.Sleep(frameTime)
			case n%10 == 0:
				time.Sleep(time.Millisecond)
			}
			r.say(-1, patrol, base64.StdEncoding.EncodeToString(word(1, n)))
		}
		time.Sleep(time.Second)
		var heard [][]byte
		for _, p := range w.all() {
			heard = append(heard, p.Payload)
		}
		x := s.reels[0]
		wantSame(t, "an older client", x.of(OpusPiece), heard)
		if dropped := 200 - len(heard); dropped < 50 || x.missing() != dropped {
			t.Errorf("%d frames came too late, %d are missing on the tape", dropped, x.missing())
		}
		for i, p := range x.pieces[1:] {
			_, n := spoken(p.Payload)
			if _, before := spoken(x.pieces[i].Payload); p.Time-x.pieces[i].Time != uint32(n-before)*frameSamples {
				t.Errorf("frame %d is %d samples after frame %d", n, p.Time-x.pieces[i].Time, before)
			}
		}
	})
}

// TestATapeOfADigitalChannelHasBothForms: the Opus that consoles hear and the IMBE that
// P25 radios get, however the talker sends.
func TestATapeOfADigitalChannelHasBothForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &studio{}
		r, p25, plain := digitalRadio(t, s)
		transmit(r, -1, Opus, opusSpeech(t)[:100])
		wantSame(t, "Opus", s.reels[0].of(OpusPiece), plain.frames)
		wantSame(t, "IMBE", s.reels[0].of(IMBEPiece), p25.frames)
		r.release(-1)
		sent := slices.Clone(p25.frames)
		plain.frames, p25.frames = nil, nil
		time.Sleep(time.Second)
		r.key(-1, digital1)
		r.sfu.SetBitErrors(-1, 0.02)
		transmit(r, -1, IMBE, sent)
		wantSame(t, "a weak signal as Opus", s.reels[1].of(OpusPiece), plain.frames)
		wantSame(t, "a weak signal as IMBE", s.reels[1].of(IMBEPiece), p25.frames)
		if slices.EqualFunc(sent, p25.frames, bytes.Equal) {
			t.Error("the signal was not weak")
		}
	})
}

// TestADigitalTalkToNobodyIsOnTape: the vocoder runs for the tape alone. IMBE on another
// channel is kept as it is sent, and as what consoles hear.
func TestADigitalTalkToNobodyIsOnTape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &studio{}
		r := onAir(t, Options{Recorder: s})
		r.tune(-1, digital1)
		r.listen(-1)
		r.key(-1, digital1)
		speech := opusSpeech(t)[:50]
		transmit(r, -1, Opus, speech)
		first := s.reels[0]
		if n := len(first.of(OpusPiece)); n != len(speech) || len(first.of(IMBEPiece)) != n {
			t.Fatalf("%d packets became %d and %d", len(speech), n, len(first.of(IMBEPiece)))
		}
		r.release(-1)
		time.Sleep(time.Second)
		r.key(-1, patrol)
		for _, p := range first.of(IMBEPiece) {
			r.sfu.Publish(&Frame{Talker: -1, Keyed: patrol, Encoding: IMBE, Text: base64.StdEncoding.EncodeToString(p)})
			time.Sleep(frameTime)
		}
		wantSame(t, "IMBE on an analogue channel", s.reels[1].of(IMBEPiece), first.of(IMBEPiece))
		for _, p := range s.reels[1].of(OpusPiece) {
			if packet.Samples(p) != frameSamples {
				t.Fatalf("%x is no Opus", p)
			}
		}
		r.sfu.Close()
	})
}

// TestATapeTakesWebMAsItComes: and a text that is not base64 harms nobody.
func TestATapeTakesWebMAsItComes(t *testing.T) {
	s := &studio{}
	r := onAir(t, Options{Recorder: s})
	r.tune(-1, patrol)
	r.listen(-1)
	r.key(-1, patrol)
	blobs := [][]byte{append([]byte{0x1a, 0x45, 0xdf, 0xa3}, bytes.Repeat([]byte("voice"), 900)...), word(1, 2), bytes.Repeat([]byte{0xa3}, 4000)}
	for _, b := range blobs {
		r.say(-1, patrol, base64.StdEncoding.EncodeToString(b))
	}
	r.say(-1, patrol, "not base64!")
	wantSame(t, "WebM", s.reels[0].of(OpaquePiece), blobs)
	if len(s.reels[0].pieces) != len(blobs) {
		t.Errorf("%d pieces of %d blobs", len(s.reels[0].pieces), len(blobs))
	}
}

// TestATalkAcrossAPatchIsOnOneTape: it is one talk, whatever hears it.
func TestATalkAcrossAPatchIsOnOneTape(t *testing.T) {
	s := &studio{}
	r := onAir(t, Options{Recorder: s})
	r.tune(-1, patrol)
	r.tune(-2, fire)
	r.listen(-1)
	far := r.listen(-2)
	r.do(core.CreatePatch{Frequencies: []core.Frequency{patrol, fire}})
	r.key(-1, patrol)
	for n := range 5 {
		r.say(-1, patrol, base64.StdEncoding.EncodeToString(word(1, n)))
	}
	r.release(-1)
	if len(s.reels) != 1 || len(s.reels[0].pieces) != 5 || far.count() != 5 {
		t.Errorf("%d tapes, heard %d times", len(s.reels), far.count())
	}
}
