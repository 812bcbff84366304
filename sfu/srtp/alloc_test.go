//go:build !race

package srtp

import (
	"bytes"
	"runtime"
	"testing"
)

// The race detector allocates itself, so these tests run only without it.

// TestSealAllocatesNothing: RTP of one stream, and RTCP.
func TestSealAllocatesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		slot, h, said := l.out.Stream(talker), header(talker, 0), make([]byte, 1000)
		dst, plain := make([]byte, 0, 1200), report(talker, 20)
		sequence := uint16(0)
		if n := testing.AllocsPerRun(1000, func() {
			sequence++
			h[2], h[3] = byte(sequence>>8), byte(sequence)
			if _, err := slot.Seal(dst, h, said); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations per RTP packet", n)
		}
		if n := testing.AllocsPerRun(1000, func() {
			if _, err := l.out.RTCP(dst, plain); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations per RTCP packet", n)
		}
	})
}

// TestOpenAllocatesNothing: what is taken, and what is refused for any reason.
func TestOpenAllocatesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		const packets = 1000
		l := connect(t, k)
		var voice, reports [][]byte
		for i := range uint16(packets + 1) {
			voice = append(voice, l.voice(talker, i))
			reports = append(reports, l.report(talker))
		}
		old, oldReport := bytes.Clone(voice[0]), bytes.Clone(reports[0])
		forged := append(header(talker, packets+1), make([]byte, 100)...)
		stranger := append(header(talker+1, 0), make([]byte, 100)...)
		i := 0
		if n := testing.AllocsPerRun(packets, func() {
			if _, err := l.in.RTP(voice[i]); err != nil {
				t.Fatal(err)
			}
			if _, err := l.in.RTCP(reports[i]); err != nil {
				t.Fatal(err)
			}
			i++
		}); n != 0 {
			t.Errorf("%v allocations per packet and report", n)
		}
		if n := testing.AllocsPerRun(packets, func() {
			_, replay := l.in.RTP(old)
			_, forgery := l.in.RTP(forged)
			_, unknown := l.in.RTP(stranger)
			_, short := l.in.RTP(forged[:20])
			if replay != ErrReplay || forgery != ErrForged || unknown != ErrForged || short != ErrMalformed {
				t.Fatal(replay, forgery, unknown, short)
			}
			_, replay = l.in.RTCP(oldReport)
			_, short = l.in.RTCP(oldReport[:20])
			if replay != ErrReplay || short != ErrMalformed {
				t.Fatal(replay, short)
			}
		}); n != 0 {
			t.Errorf("%v allocations per refused packet", n)
		}
	})
}

// line is a connection of a dispatcher: an uplink, four slots, and reports both ways.
type line struct {
	out *Out
	in  *In
}

// newLine has nothing but its four slots if it is idle.
func newLine(tb testing.TB, k Keys, idle bool) (c line) {
	out, err := NewOut(k)
	if err != nil {
		tb.Fatal(err)
	}
	in, err := NewIn(k, streams)
	if err != nil {
		tb.Fatal(err)
	}
	for slot := range uint32(4) {
		s := out.Stream(slot)
		if idle {
			continue
		}
		voice, err := s.Seal(nil, header(slot, 1), nil)
		if err != nil {
			tb.Fatal(err)
		}
		if slot > 0 { // one uplink
			continue
		}
		if _, err := in.RTP(voice); err != nil {
			tb.Fatal(err)
		}
		sent, err := out.RTCP(nil, report(slot, 5))
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := in.RTCP(sent); err != nil {
			tb.Fatal(err)
		}
	}
	return line{out, in}
}

// lineBytes is the memory of a connection after the garbage has gone.
func lineBytes(tb testing.TB, k Keys, idle bool) uint64 {
	const many = 2000
	lines := make([]line, 0, many)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range many {
		lines = append(lines, newLine(tb, k, idle))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(lines)
	return (after.HeapAlloc - before.HeapAlloc) / many
}

// TestLineAllocs: a connection in full use takes at most 6 KB with the profile that browsers
// choose.
func TestLineAllocs(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		idle, busy := lineBytes(t, k, true), lineBytes(t, k, false)
		t.Logf("%d bytes idle, %d in use", idle, busy)
		if k.Profile == AEAD_AES_128_GCM && busy > 6<<10 {
			t.Errorf("%d bytes per connection", busy)
		}
		if idle == 0 || idle >= busy {
			t.Errorf("%d bytes idle, %d in use", idle, busy)
		}
	})
}
