package srtp

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"testing"
)

// at lets a stream have been on the air until index, at both ends.
func (l *link) at(ssrc uint32, index uint64) {
	s := l.out.Stream(ssrc)
	s.sent.add(index)
	l.in.sources = append(l.in.sources, source{ssrc: ssrc})
	l.in.sources[len(l.in.sources)-1].rtp.add(index)
}

// TestAVeryLongTalk: streams that have been on the air for 20 minutes (2^16 packets), for over
// two years (2^32), and until the key may be used no more (2^48) go on over the roll-over, with
// lost and overtaken packets.
func TestAVeryLongTalk(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		for _, roll := range []uint64{1 << 16, 1 << 32, 1 << 47} {
			l := connect(t, k)
			l.at(talker, roll-4)
			pion := opposite(t, k)
			pion.SetROC(talker, uint32((roll-4)>>16))
			var sent [][]byte
			for _, sequence := range []uint16{0xfffd, 0xfffe, 0xffff, 0, 1, 5, 6} {
				sent = append(sent, l.voice(talker, sequence))
				if _, err := pion.DecryptRTP(nil, sent[len(sent)-1], nil); err != nil {
					t.Errorf("pion does not hear %d at %#x: %v", sequence, roll, err)
				}
			}
			for _, i := range []int{0, 3, 1, 5, 2, 6, 4} {
				l.hears(sent[i])
			}
			if got := l.in.sources[0].rtp.newest; got != roll+6 {
				t.Errorf("at %#x: the newest index is %#x", roll, got)
			}
			for _, p := range sent {
				l.refuses(p, ErrReplay)
			}
		}
	})
}

// TestTheKeyIsUsedUp: nothing more is sent and nothing more is taken.
func TestTheKeyIsUsedUp(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		l.at(talker, maxRTP-2)
		l.hears(l.voice(talker, 0xffff))
		for range 2 {
			dst := []byte("before")
			got, err := l.out.Stream(talker).Seal(dst, header(talker, 0), frame(0))
			if err != ErrExhausted || !bytes.Equal(got, dst) {
				t.Errorf("sealing after the last packet: %q, %v", got, err)
			}
		}
		fresh := connect(t, k) // a peer that goes on all the same
		l.refuses(fresh.voice(talker, 0), ErrExhausted)
		l.hears(l.voice(talker+1, 0)) // another stream has its own count

		l.out.reports = maxRTCP - 1
		last := l.report(talker)
		l.reads(last)
		l.refusesReport(last, ErrReplay)
		if got, err := l.out.RTCP([]byte("before"), report(talker, 5)); err != ErrExhausted || string(got) != "before" {
			t.Errorf("a report after the last one: %q, %v", got, err)
		}
	})
}

// TestSequenceNumbersGoUp: what would encrypt a second packet with the same key stream, or
// lose the receiver, is refused, and the stream goes on as if it had not been asked. A packet
// that comes late is sent late, once.
func TestSequenceNumbersGoUp(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		l.hears(l.voice(talker, 60000))
		l.hears(l.voice(talker, 59999))
		l.hears(l.voice(talker, 60000-windowSize+1))
		const far = 60000 + 1<<15 - 1<<16 // 2^15 above 60000
		for _, sequence := range []uint16{60000, 59999, 60000 - windowSize, far, far + 1} {
			got, err := l.out.Stream(talker).Seal([]byte("before"), header(talker, sequence), frame(sequence))
			if err != ErrSequence || string(got) != "before" {
				t.Errorf("%d after 60000: %q, %v", sequence, got, err)
			}
		}
		l.hears(l.voice(talker, far-1))
		l.hears(l.voice(talker, far))
		if _, err := l.out.Stream(talker).Seal(nil, header(talker+1, 1), nil); err != ErrSSRC {
			t.Errorf("another stream's packet: %v", err)
		}
	})
}

// TestInPlace: a packet that has been put together where it will be sent from is protected
// there, and one that is not in its place is not written to.
func TestInPlace(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l, slot := connect(t, k), connect(t, k).out.Stream(talker)
		head, said := header(talker, 1), frame(1)
		apart := l.voice(talker, 1)
		buffer := slices.Concat([]byte("before"), head, said, make([]byte, Overhead))
		dst, place := buffer[:6], buffer[6:6+len(head)+len(said)]
		got, err := slot.Seal(dst, place[:len(head)], place[len(head):])
		if err != nil || &got[0] != &buffer[0] {
			t.Fatalf("%v, or moved", err)
		}
		want(t, "packet", got, slices.Concat([]byte("before"), apart))
		l.hears(got[6:])
		want(t, "header", head, header(talker, 1))
		want(t, "payload", said, frame(1))

		apart = l.report(talker)
		buffer = append(report(talker, 5), make([]byte, Overhead)...)
		got, err = connect(t, k).out.RTCP(buffer[:0], buffer[:len(buffer)-Overhead])
		if err != nil || &got[0] != &buffer[0] {
			t.Fatalf("%v, or moved", err)
		}
		want(t, "report", got, apart)
	})
}

// TestLatePackets: a packet that is up to 127 behind is heard, once; an older one is not.
func TestLatePackets(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		for _, first := range []uint16{1000, 0xffff - 200, 0xffff - 64, 0xffff - 127, 0} {
			l := connect(t, k)
			var sent [][]byte
			for i := range uint16(windowSize + 1) {
				sent = append(sent, l.voice(talker, first+i))
			}
			l.hears(sent[1])
			l.hears(sent[windowSize])
			l.refuses(sent[0], ErrReplay)
			for i := windowSize - 1; i > 1; i-- {
				l.hears(sent[i])
			}
			for _, p := range sent {
				l.refuses(p, ErrReplay)
			}
		}
	})
}

// TestForgedPacketsChangeNothing: after packets with far sequence numbers, changed packets
// and cut ones, the talker is heard as before.
func TestForgedPacketsChangeNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		first, late, next := l.voice(talker, 500), l.voice(talker, 501), l.voice(talker, 502)
		l.hears(first)
		state := *l.in.find(talker)
		for _, far := range []uint16{503, 600, 630, 5000, 500 + 1<<15, 500 + 1<<15 + 1, 0xffff} {
			forged := bytes.Clone(next)
			binary.BigEndian.PutUint16(forged[2:], far)
			l.refuses(forged, ErrForged)
		}
		for i := range next {
			forged := bytes.Clone(next)
			forged[i] ^= 0x08
			_, err := l.in.RTP(forged)
			if err != ErrForged && err != ErrMalformed && err != ErrReplay {
				t.Errorf("byte %d changed: %v", i, err)
			}
		}
		for n := range next {
			if _, err := l.in.RTP(bytes.Clone(next[:n])); err != ErrForged && err != ErrMalformed {
				t.Errorf("cut after %d bytes: %v", n, err)
			}
		}
		l.refuses(append(bytes.Clone(next), 0), ErrForged)
		if *l.in.find(talker) != state || len(l.in.sources) != 1 {
			t.Errorf("the state has become %+v, it was %+v", l.in.sources, state)
		}
		l.hears(next)
		l.hears(late)
	})
}

// TestForgedReportsChangeNothing is the same for SRTCP.
func TestForgedReportsChangeNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		first, late, next := l.report(talker), l.report(talker), l.report(talker)
		l.reads(first)
		state := *l.in.find(talker)
		for i := range next {
			for bit := range 8 {
				forged := bytes.Clone(next)
				forged[i] ^= 1 << bit
				_, err := l.in.RTCP(forged)
				if !slices.Contains([]error{ErrForged, ErrMalformed, ErrReplay, ErrUnencrypted}, err) {
					t.Errorf("bit %d of byte %d changed: %v", bit, i, err)
				}
			}
		}
		for n := range next {
			if _, err := l.in.RTCP(bytes.Clone(next[:n])); err == nil {
				t.Errorf("cut after %d bytes: read", n)
			}
		}
		if *l.in.find(talker) != state || len(l.in.sources) != 1 {
			t.Errorf("the state has become %+v, it was %+v", l.in.sources, state)
		}
		l.reads(next)
		l.reads(late)
		l.refusesReport(late, ErrReplay)
		for range windowSize {
			l.reads(l.report(talker))
		}
		l.refusesReport(next, ErrReplay)
	})
}

// TestUnencryptedReports are legal SRTCP (RFC 3711 section 3.4), but not in WebRTC: pion's are
// authentic and refused.
func TestUnencryptedReports(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		l.refusesReport(openly(t, k, report(talker, 5)), ErrUnencrypted)
		l.reads(l.report(talker))
	})
}

// TestTooManyStreams: only authentic packets count, and the streams that are there stay.
func TestTooManyStreams(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		for ssrc := range uint32(1000) {
			l.refuses(append(header(ssrc, 7), make([]byte, 40)...), ErrForged)
			forged := report(ssrc, 9)
			forged[len(forged)-wordLen] |= 0x80
			forged[len(forged)-wordLen-tagLenCM] |= 0x80
			l.refusesReport(forged, ErrForged)
		}
		for ssrc := range uint32(streams) {
			if ssrc%2 == 0 {
				l.hears(l.voice(ssrc, 1))
			}
			l.reads(l.report(ssrc)) // the same stream
		}
		for range 2 {
			l.refuses(l.voice(streams, uint16(l.out.Stream(streams).sent.newest)+1), ErrStreams)
			l.refusesReport(l.report(streams), ErrStreams)
		}
		l.refuses(append(header(streams, 7), make([]byte, 40)...), ErrForged)
		for ssrc := range uint32(streams) {
			l.hears(l.voice(ssrc, 2))
			l.reads(l.report(ssrc))
		}
	})
}

// TestMalformed: packets that are no RTP or RTCP are refused, in both directions.
func TestMalformed(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		l := connect(t, k)
		tag := make([]byte, 40)
		for name, p := range map[string][]byte{
			"nothing":                 nil,
			"one byte":                {0x80},
			"a header only":           header(talker, 1),
			"version 0":               slices.Concat([]byte{0x00}, header(talker, 1)[1:], tag),
			"version 1":               slices.Concat([]byte{0x40}, header(talker, 1)[1:], tag),
			"version 3":               slices.Concat([]byte{0xc0}, header(talker, 1)[1:], tag),
			"CSRCs beyond the end":    slices.Concat([]byte{0x8f}, header(talker, 1)[1:], tag),
			"CSRCs into the tag":      slices.Concat([]byte{0x88}, header(talker, 1)[1:], tag),
			"extension beyond":        slices.Concat([]byte{0x90}, header(talker, 1)[1:], []byte{0xbe, 0xde, 0xff, 0xff}, tag),
			"extension into the tag":  slices.Concat([]byte{0x90}, header(talker, 1)[1:], []byte{0xbe, 0xde, 0, 8}, tag),
			"no room for extension":   slices.Concat([]byte{0x9a}, header(talker, 1)[1:], tag),
			"half a header":           header(talker, 1)[:7],
			"a header and half a tag": append(header(talker, 1), tag[:9]...),
		} {
			l.T = t
			if got, err := l.in.RTP(p); err != ErrMalformed || got != nil {
				t.Errorf("%s: got %x, %v", name, got, err)
			}
		}
		for name, p := range map[string][]byte{
			"nothing": nil, "one byte": {0x80}, "a header only": report(talker, 0),
			"version 0": append([]byte{0}, report(talker, 9)[1:]...),
			"no tag":    report(talker, 1), "half a tag": report(talker, 3),
		} {
			if got, err := l.in.RTCP(p); err != ErrMalformed || got != nil {
				t.Errorf("RTCP, %s: got %x, %v", name, got, err)
			}
		}
		slot := l.out.Stream(talker)
		for name, h := range map[string][]byte{
			"nothing": nil, "too short": header(talker, 1)[:11], "too long": append(header(talker, 1), 0),
			"version 1": append([]byte{0x40}, header(talker, 1)[1:]...), "no CSRC": append([]byte{0x81}, header(talker, 1)[1:]...),
		} {
			if _, err := slot.Seal(nil, h, nil); err != ErrMalformed {
				t.Errorf("sealing, %s: %v", name, err)
			}
		}
		if _, err := slot.Seal(nil, header(talker, 1), make([]byte, 1<<16)); err != ErrMalformed {
			t.Errorf("sealing more than a datagram: %v", err)
		}
		for _, p := range [][]byte{nil, report(talker, 0)[:7], append([]byte{0x40}, report(talker, 1)[1:]...), report(talker, 1<<14)} {
			if _, err := l.out.RTCP(nil, p); err != ErrMalformed {
				t.Errorf("sealing a report of %d bytes: %v", len(p), err)
			}
		}
	})
}

// TestFourSlotsAtOnce: the slots of a connection are sealed by different goroutines, while
// others send reports.
func TestFourSlotsAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		const slots, packets = 4, 200
		l := connect(t, k)
		var voice [slots][packets][]byte
		var reports [slots][packets][]byte
		var all sync.WaitGroup
		for slot := range voice {
			all.Go(func() {
				for i := range voice[slot] {
					h := header(uint32(slot), uint16(i))
					p, err := l.out.Stream(uint32(slot)).Seal(nil, h, frame(uint16(i)))
					if err != nil {
						t.Error(err)
					}
					voice[slot][i] = p
				}
			})
			all.Go(func() {
				for i := range reports[slot] {
					p, err := l.out.RTCP(nil, report(uint32(slot), 5))
					if err != nil {
						t.Error(err)
					}
					reports[slot][i] = p
				}
			})
		}
		all.Wait()
		for slot := range voice {
			for _, p := range voice[slot] {
				l.hears(p)
			}
			for _, p := range reports[slot] {
				l.reads(p)
			}
		}
	})
}
