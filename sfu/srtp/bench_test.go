package srtp

import (
	"slices"
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
)

const (
	voiceLen = 80 // bytes: 20 ms of Opus at 32 kbit/s
	turn     = 256
)

// compare lets us and pion/srtp take turns, so that a noisy machine hits both, and prints ns
// per packet and the ratio of ours to pion's. Both are given i from 0 to turn-1, after prepare.
func compare(b *testing.B, prepare func(), ours, theirs func(i int) error) {
	run := func(open func(int) error) time.Duration {
		start := time.Now()
		for i := range turn {
			if err := open(i); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start)
	}
	var our, their time.Duration
	turns := 0
	for b.Loop() {
		prepare()
		our += run(ours)
		their += run(theirs)
		turns++
	}
	packets := float64(turns * turn)
	b.ReportMetric(0, "ns/op") // of preparation and both
	b.ReportMetric(float64(our.Nanoseconds())/packets, "ns/packet")
	b.ReportMetric(float64(their.Nanoseconds())/packets, "pion-ns/packet")
	b.ReportMetric(float64(our)/float64(their), "ratio")
}

func benchBoth(b *testing.B, bench func(*testing.B, Keys, *Out, *In)) {
	for _, p := range profiles {
		b.Run(p.String(), func(b *testing.B) {
			k := keys(p)
			out, err := NewOut(k)
			if err != nil {
				b.Fatal(err)
			}
			in, err := NewIn(k, streams)
			if err != nil {
				b.Fatal(err)
			}
			bench(b, k, out, in)
		})
	}
}

// slotHeader is as slots send it: with the talker's id in a CSRC.
func slotHeader(sequence uint16) []byte {
	h := append(header(talker, sequence), 0, 0, 0, 1)
	h[0]++
	return h
}

func BenchmarkSeal(b *testing.B) {
	benchBoth(b, func(b *testing.B, k Keys, out *Out, _ *In) {
		slot, peer := out.Stream(talker), opposite(b, k)
		said, dst := make([]byte, voiceLen), make([]byte, 0, 1200)
		var headers, plain [turn][]byte
		var parsed rtp.Header
		var sequence uint16
		compare(b, func() {
			for i := range turn {
				headers[i] = slotHeader(sequence)
				plain[i] = slices.Concat(headers[i], said)
				sequence++
			}
		}, func(i int) error {
			_, err := slot.Seal(dst, headers[i], said)
			return err
		}, func(i int) error {
			_, err := peer.EncryptRTP(dst, plain[i], &parsed)
			return err
		})
	})
}

func BenchmarkOpen(b *testing.B) {
	benchBoth(b, func(b *testing.B, k Keys, out *Out, in *In) {
		slot, peer := out.Stream(talker), opposite(b, k)
		said := make([]byte, voiceLen)
		var our, their [turn][]byte
		var parsed rtp.Header
		var sequence uint16
		compare(b, func() {
			for i := range turn {
				p, err := slot.Seal(our[i][:0], slotHeader(sequence), said)
				if err != nil {
					b.Fatal(err)
				}
				our[i], their[i] = p, append(their[i][:0], p...)
				sequence++
			}
		}, func(i int) error {
			_, err := in.RTP(our[i])
			return err
		}, func(i int) error {
			_, err := peer.DecryptRTP(their[i], their[i], &parsed)
			return err
		})
	})
}

func BenchmarkSealReport(b *testing.B) {
	benchBoth(b, func(b *testing.B, k Keys, out *Out, _ *In) {
		peer := opposite(b, k)
		plain, dst := report(talker, 5), make([]byte, 0, 1200)
		var parsed rtcp.Header
		compare(b, func() {}, func(int) error {
			_, err := out.RTCP(dst, plain)
			return err
		}, func(int) error {
			_, err := peer.EncryptRTCP(dst, plain, &parsed)
			return err
		})
	})
}

// BenchmarkConnect makes both directions and the four slots. Pion derives all keys then, we
// leave those for reports and for the uplink until the first packet.
func BenchmarkConnect(b *testing.B) {
	benchBoth(b, func(b *testing.B, k Keys, _ *Out, _ *In) {
		compare(b, func() {}, func(int) error {
			out, err := NewOut(k)
			if err != nil {
				return err
			}
			for slot := range uint32(4) {
				out.Stream(slot)
			}
			_, err = NewIn(k, streams)
			return err
		}, func(int) error {
			opposite(b, k)
			opposite(b, k)
			return nil
		})
	})
}
