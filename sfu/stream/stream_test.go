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

// talk pushes packets 20 ms apart and gives the sequence numbers of those that came
// out.
func talk(sequences ...uint16) ([]uint16, *In) {
	var out []uint16
	in := NewIn(111, func(p Packet) { out = append(out, uint16(p.Timestamp/960)) })
	for i, n := range sequences {
		in.Push(packet(n), int64(i+1)*20*ms)
	}
	return out, in
}

func TestPacketsComeOutInOrder(t *testing.T) {
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
	} {
		out, in := talk(c.in...)
		st := in.Stats()
		if !slices.Equal(out, c.out) || st.Lost != c.lost || st.Late != c.late || st.Packets != uint64(len(c.in)) {
			t.Errorf("%s: %v, %+v", c.says, out, st)
		}
	}
}

func TestAPacketSaysHowManyAreMissingBeforeIt(t *testing.T) {
	missing := map[uint16]uint16{}
	in := NewIn(111, func(p Packet) { missing[uint16(p.Timestamp/960)] = p.Lost })
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
	in := NewIn(111, func(p Packet) { out = append(out, p.Payload[0]) })
	for i, n := range []uint16{65534, 65535, 1, 0, 2} {
		in.Push(packet(n, byte(n)), int64(i+1)*20*ms)
	}
	if !slices.Equal(out, []byte{254, 255, 0, 1, 2}) {
		t.Errorf("%v", out)
	}
}

func TestALeftoverOfOneBurstIsNotHeardInTheNext(t *testing.T) {
	var out []uint16
	in := NewIn(111, func(p Packet) { out = append(out, uint16(p.Timestamp/960)) })
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
	_, in := talk(1, 2, 3, 4, 6, 7, 8, 9, 10) // 5 is lost: 1 of 10
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
	_, in := talk(5, 6, 6, 7) // one twice
	if _, ok := in.Report(600 * ms); !ok {
		t.Fatal("no report of what has come")
	}
	if _, ok := in.Report(700 * ms); ok {
		t.Error("a report although nothing has come since")
	}
}

func TestTheReportCountsWrapAroundsOfTheSequenceNumber(t *testing.T) {
	_, in := talk(65534, 65535)
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

func TestASlotIsOneUnbrokenStream(t *testing.T) {
	o := NewOut(100, 5000)
	now := 50 * ms
	type number struct {
		sequence uint16
		time     uint32
	}
	next := func(source uint32, fresh bool) number {
		s, ts := o.Next(source, 960, now, fresh)
		return number{s, ts}
	}
	want := func(says string, got, want number) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %+v, want %+v", says, got, want)
		}
	}
	want("the first", next(77, true), number{100, 5000})
	now += 20 * ms
	want("the next", next(77+960, false), number{101, 5960})
	now += 1 * ms
	want("one that was held up comes right behind", next(77+2*960, false), number{102, 6920})
	now += 60 * ms
	want("two lost on the way in: time goes on", next(77+5*960, false), number{103, 9800})
	now += 1010 * ms
	want("another talker after a pause of 50 frames", next(1<<31, true), number{104, 9800 + 50*960})
	now += 2 * ms
	want("another talker at once", next(9, true), number{105, 9800 + 51*960})
	now += 20 * ms
	want("a talker whose clock runs back", next(3, false), number{106, 9800 + 52*960})
	now += 40 * ms
	want("a talker whose clock leaps", next(3+1<<30, false), number{107, 9800 + 54*960})
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
