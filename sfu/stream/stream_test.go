package stream

import (
	"slices"
	"testing"
	"time"

	"github.com/pion/rtp"
)

const ms = int64(time.Millisecond)

func packet(sequence uint16, payload ...byte) []byte {
	if len(payload) == 0 {
		payload = []byte{byte(sequence)}
	}
	p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SequenceNumber: sequence, Timestamp: uint32(sequence) * 960, SSRC: 7}, Payload: payload}
	b, err := p.Marshal()
	if err != nil {
		panic(err)
	}
	return b
}

// talk pushes packets 20 ms apart and gives the sequence numbers of those that had their
// turn, and of those that were handed on when they came.
func talk(sequences ...uint16) (turns, came []uint16, in *In) {
	in = NewIn(111, func(p Packet) {
		if p.Turn {
			turns = append(turns, p.Sequence)
		}
		if p.Comes {
			came = append(came, p.Sequence)
		}
	})
	for i, n := range sequences {
		in.Push(packet(n), int64(i+1)*20*ms)
	}
	return turns, came, in
}

func TestPacketsGoOnWhenTheyComeAndHaveTheirTurnInOrder(t *testing.T) {
	for _, c := range []struct {
		says       string
		in, out    []uint16
		lost, late uint64
	}{
		{"in order", []uint16{5, 6, 7}, []uint16{5, 6, 7}, 0, 0},
		{"two exchanged", []uint16{5, 7, 6, 8}, []uint16{5, 6, 7, 8}, 0, 0},
		{"one two places late", []uint16{5, 7, 8, 6, 9}, []uint16{5, 6, 7, 8, 9}, 0, 0},
		{"one three places late", []uint16{5, 7, 8, 9, 6, 10}, []uint16{5, 7, 8, 9, 10}, 1, 1},
		{"one lost", []uint16{5, 7, 8, 9, 10}, []uint16{5, 7, 8, 9, 10}, 1, 0},
		{"two lost apart", []uint16{1, 3, 5, 6, 7}, []uint16{1, 3, 5, 6, 7}, 2, 0},
		{"one twice", []uint16{5, 6, 6, 7}, []uint16{5, 6, 7}, 0, 1},
		{"one twice while waiting", []uint16{5, 7, 7, 6, 8}, []uint16{5, 6, 7, 8}, 0, 1},
		{"one from before the beginning", []uint16{5, 4, 6, 7}, []uint16{5, 6, 7}, 0, 1},
	} {
		out, came, in := talk(c.in...)
		st := in.Stats()
		var once []uint16
		for _, n := range c.in {
			if !slices.Contains(once, n) {
				once = append(once, n)
			}
		}
		if !slices.Equal(came, once) {
			t.Errorf("%s: handed on %v, want %v", c.says, came, once)
		}
		if !slices.Equal(out, c.out) || st.Lost != c.lost || st.Late != c.late || st.Packets != uint64(len(c.in)) {
			t.Errorf("%s: %v, %+v", c.says, out, st)
		}
	}
}

func TestAPacketSaysHowManyAreMissingBeforeIt(t *testing.T) {
	missing := map[uint16]uint16{}
	in := NewIn(111, func(p Packet) {
		if p.Turn {
			missing[p.Sequence] = p.Lost
		}
	})
	for i, n := range []uint16{1, 2, 5, 7, 8, 9, 10} {
		in.Push(packet(n), int64(i+1)*20*ms)
	}
	for n, lost := range map[uint16]uint16{1: 0, 2: 0, 5: 2, 7: 1, 8: 0, 10: 0} {
		if got, there := missing[n]; !there || got != lost {
			t.Errorf("before packet %d %d are missing (%v), want %d", n, got, there, lost)
		}
	}
}

func TestTheSequenceTurnsOver(t *testing.T) {
	var out []byte
	in := NewIn(111, func(p Packet) {
		if p.Turn {
			out = append(out, p.Payload[0])
		}
	})
	for i, n := range []uint16{65534, 65535, 1, 0, 2} {
		in.Push(packet(n, byte(n)), int64(i+1)*20*ms)
	}
	if !slices.Equal(out, []byte{254, 255, 0, 1, 2}) {
		t.Errorf("%v", out)
	}
}

func TestALeftoverOfOneBurstIsNotHeardInTheNext(t *testing.T) {
	var out []uint16
	in := NewIn(111, func(p Packet) {
		if p.Turn {
			out = append(out, p.Sequence)
		}
	})
	in.Push(packet(1), 20*ms)
	in.Push(packet(3), 40*ms) // 2 never comes, the burst is over
	in.Push(packet(4), 5000*ms)
	in.Push(packet(5), 5020*ms)
	if !slices.Equal(out, []uint16{1, 4, 5}) {
		t.Errorf("%v", out)
	}
}

func TestAStreamThatBeginsAnew(t *testing.T) {
	var out []byte
	in := NewIn(111, func(p Packet) { out = append(out, p.Payload[0]) })
	in.Push(packet(100, 1), 20*ms)
	in.Push(packet(40000, 2), 40*ms)
	other, _ := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SequenceNumber: 39000, SSRC: 8}, Payload: []byte{3}}).Marshal()
	in.Push(other, 60*ms)
	if !slices.Equal(out, []byte{1, 2, 3}) || in.Stats().Lost != 0 {
		t.Errorf("%v %+v", out, in.Stats())
	}
}

func TestWhatIsNotOfTheStreamIsDropped(t *testing.T) {
	n := 0
	in := NewIn(111, func(Packet) { n++ })
	video, _ := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 96, SSRC: 7}, Payload: []byte{1}}).Marshal()
	empty, _ := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SSRC: 7}}).Marshal()
	long, _ := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SSRC: 7}, Payload: make([]byte, 1400)}).Marshal()
	for _, p := range [][]byte{nil, {1, 2, 3}, video, empty, long} {
		in.Push(p, ms)
	}
	if n != 0 || in.Stats().Malformed != 5 {
		t.Errorf("%d delivered, %+v", n, in.Stats())
	}
}

func TestTheReportTellsTheTalkerOfItsLoss(t *testing.T) {
	_, _, in := talk(1, 2, 3, 4, 6, 7, 8, 9, 10) // 5 is lost: 1 of 10
	in.SenderReport(0x1234_5678_9abc_def0, 100*ms)
	r, ok := in.Report(600 * ms)
	if !ok || r.SSRC != 7 || r.TotalLost != 1 || r.FractionLost != 25 || r.LastSequenceNumber != 10 {
		t.Errorf("%+v", r)
	}
	if r.LastSenderReport != 0x5678_9abc || r.Delay != 32768 {
		t.Errorf("echo %x after %d", r.LastSenderReport, r.Delay)
	}
	if _, ok := in.Report(700 * ms); ok {
		t.Error("a report about nothing")
	}
}

func TestASilentTalkerGetsNoReport(t *testing.T) {
	_, _, in := talk(5, 6, 6, 7) // one twice
	if _, ok := in.Report(600 * ms); !ok {
		t.Fatal("no report of what has come")
	}
	if _, ok := in.Report(700 * ms); ok {
		t.Error("a report although nothing has come since")
	}
}

func TestTheReportCountsWrapAroundsOfTheSequenceNumber(t *testing.T) {
	_, _, in := talk(65534, 65535)
	if r, _ := in.Report(600 * ms); r.LastSequenceNumber != 65535 {
		t.Errorf("after 65535 the highest sequence number is %d", r.LastSequenceNumber)
	}
	in.Push(packet(0), 700*ms)
	if r, _ := in.Report(800 * ms); r.LastSequenceNumber != 65536 {
		t.Errorf("after the wrap-around the highest sequence number is %d, want 65536", r.LastSequenceNumber)
	}
	in.Push(packet(10_000), 900*ms) // the stream begins again
	if r, _ := in.Report(1000 * ms); r.LastSequenceNumber != 10_000 {
		t.Errorf("after a new beginning the highest sequence number is %d, want 10000", r.LastSequenceNumber)
	}
}

func TestJitterIsMeasured(t *testing.T) {
	in := NewIn(111, func(Packet) {})
	for n := range uint16(200) {
		shake := int64(n%2) * 10 * ms
		in.Push(packet(n), int64(n+1)*20*ms+shake)
	}
	if j := in.Stats().Jitter; j < 8*time.Millisecond || j > 12*time.Millisecond {
		t.Errorf("jitter of a 10 ms shake: %v", j)
	}
}

func TestAPacketThatIsFarTooLateIsNotHandedOn(t *testing.T) {
	var came []uint16
	in := NewIn(111, func(p Packet) { came = append(came, p.Sequence) })
	for i, n := range []uint16{100, 101, 103, 104, 105, 200, 102, 137, 136} {
		in.Push(packet(n), int64(i+1)*20*ms)
	}
	if last := came[len(came)-1]; last != 137 || slices.Contains(came, 102) {
		t.Errorf("handed on %v; 102 and 136 are 64 places and more behind 200", came)
	}
}

// slot is a slot's stream and the time.
type slot struct {
	t   *testing.T
	out Out
	now int64
}

type number struct {
	sequence uint16
	time     uint32
}

// wants numbers a packet some milliseconds after the last one. Nothing is wanted of a
// packet that must not be sent.
func (s *slot) wants(says string, after int64, n Numbers, fresh bool, want *number) {
	s.t.Helper()
	s.now += after * ms
	n.Samples = 960
	sequence, time, ok := s.out.Next(n, s.now, fresh)
	switch got := (number{sequence, time}); {
	case ok != (want != nil):
		s.t.Errorf("%s: sent %v", says, ok)
	case ok && got != *want:
		s.t.Errorf("%s: %+v, want %+v", says, got, *want)
	}
}

func TestASlotIsOneUnbrokenStream(t *testing.T) {
	s := &slot{t, NewOut(100, 5000), 50 * ms}
	at := func(timestamp uint32) Numbers { return Numbers{Timestamp: timestamp} }
	s.wants("the first", 0, at(77), true, &number{100, 5000})
	s.wants("the next", 20, at(77+960), false, &number{101, 5960})
	s.wants("one that was held up comes right behind", 1, at(77+2*960), false, &number{102, 6920})
	s.wants("two lost on the way in: time goes on", 60, at(77+5*960), false, &number{103, 9800})
	s.wants("another talker, 1091 ms after the first packet", 1010, at(1<<31), true, &number{104, 5000 + 54*960})
	s.wants("another talker at once", 2, at(9), true, &number{105, 5000 + 55*960})
	s.wants("a talker whose clock runs back", 20, at(3), false, &number{106, 5000 + 56*960})
	s.wants("a talker whose clock leaps", 40, at(3+1<<30), false, &number{107, 5000 + 57*960})
}

// Between talks, time goes on in whole frames. What is rounded off is not lost: after a
// day of talks the stream's time is the time of day.
func TestPausesDoNotAddUp(t *testing.T) {
	o := NewOut(0, 0)
	now, last := 50*ms, uint32(0)
	for n := range 5000 {
		for k := range 10 {
			// The talker's clock is fast by 1 in 1000.
			_, timestamp, ok := o.Next(Numbers{Timestamp: uint32(k) * 961, Samples: 960}, now, k == 0)
			due := uint32((now - 50*ms) * 6 / 125_000)
			if off := int32(timestamp - due); !ok || off > 2*960 || off < -2*960 || n+k > 0 && int32(timestamp-last) <= 0 {
				t.Fatalf("packet %d of talk %d: %d after %d, want about %d", k, n, timestamp, last, due)
			}
			last = timestamp
			now += 20 * ms
		}
		now += 17_019 * ms // it is 19 ms beyond a frame
	}
}

func TestTheListenerSeesWhatIsMissingOfATalk(t *testing.T) {
	s := &slot{t, NewOut(100, 5000), 50 * ms}
	at := func(sequence uint16) Numbers {
		return Numbers{Sequence: sequence, Timestamp: uint32(int32(int16(sequence))) * 960, Epoch: 1, Counted: true}
	}
	s.wants("the first", 0, at(65534), true, &number{100, 5000})
	s.wants("the next", 20, at(65535), false, &number{101, 5000 + 960})
	s.wants("one behind a gap of one", 40, at(1), false, &number{103, 5000 + 3*960})
	s.wants("the missing one, late", 1, at(0), false, &number{102, 5000 + 2*960})
	s.wants("the missing one again", 1, at(0), false, nil)
	s.wants("one of before the burst", 1, at(65533), false, nil)
	s.wants("the next", 20, at(2), false, &number{104, 5000 + 4*960})
	s.wants("another talk, whose numbers have run on meanwhile", 1000, at(300), true, &number{105, 5000 + 54*960})
	s.wants("one of before it, late", 1, at(299), false, nil)
	s.wants("its next", 19, at(301), false, &number{106, 5000 + 55*960})
	again := at(9)
	again.Epoch = 2
	s.wants("the talker's stream begins again", 20, again, false, &number{107, 5000 + 56*960})
	legacy := Numbers{Timestamp: 7}
	s.wants("a talker without numbers", 20, legacy, true, &number{108, 5000 + 57*960})
}

func FuzzPush(f *testing.F) {
	f.Add(packet(5), packet(7), packet(6))
	f.Add([]byte{0xbf, 111, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 2}, []byte{0x90}, []byte{})
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		in := NewIn(111, func(p Packet) {
			if len(p.Payload) == 0 || len(p.Payload) > maxPayload {
				t.Fatalf("a payload of %d bytes", len(p.Payload))
			}
		})
		for i, p := range [][]byte{a, b, c, a, b} {
			in.Push(p, int64(i)*20*ms)
		}
		if in.Report(200 * ms); len(in.held) > holds || len(in.spare) > holds+2 {
			t.Fatalf("%d held, %d spare", len(in.held), len(in.spare))
		}
	})
}

// FuzzOut: no number is sent twice, whatever a talker's numbers are, because SRTP must
// never encrypt two packets under one number (RFC 3711 section 9.1).
func FuzzOut(f *testing.F) {
	f.Add([]byte{1, 0, 1, 0, 3, 0, 2, 0, 2, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		o := NewOut(65500, 1)
		used := map[int64]bool{}
		highest, now := int64(65499), int64(ms)
		for len(script) >= 2 {
			n := Numbers{Sequence: uint16(script[0]) * 13, Timestamp: uint32(script[0]) * 960, Samples: 960,
				Epoch: uint32(script[1] & 1), Counted: script[1]&2 == 0}
			fresh := script[1]&28 == 28
			script = script[2:]
			now += 20 * ms
			sequence, _, ok := o.Next(n, now, fresh)
			if !ok {
				continue
			}
			place := highest + int64(int16(sequence-uint16(highest)))
			if used[place] {
				t.Fatalf("number %d is sent twice", sequence)
			}
			used[place] = true
			highest = max(highest, place)
		}
	})
}
