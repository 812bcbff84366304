package stream

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/pion/rtcp"
)

var (
	aSender = Sender{SSRC: 0xdeadbeef, NTP: 1<<63 | 5, RTP: 1 << 31, Packets: 77, Octets: 1 << 20}
	aBlock  = rtcp.ReceptionReport{SSRC: 9, FractionLost: 200, TotalLost: 0xabcdef, LastSequenceNumber: 1<<31 | 3, Jitter: 480, LastSenderReport: 7, Delay: 8}
)

// pions is what pion/rtcp makes of the same reports.
func pions(t testing.TB) []byte {
	t.Helper()
	b, err := rtcp.Marshal([]rtcp.Packet{
		&rtcp.SenderReport{SSRC: aSender.SSRC, NTPTime: aSender.NTP, RTPTime: aSender.RTP, PacketCount: aSender.Packets, OctetCount: aSender.Octets},
		&rtcp.ReceiverReport{SSRC: 5, Reports: []rtcp.ReceptionReport{aBlock}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReportsAreThoseOfPion(t *testing.T) {
	ours := AppendReceiver(AppendSender(nil, aSender), 5, aBlock)
	if want := pions(t); !bytes.Equal(ours, want) {
		t.Errorf("% x, pion has\n% x", ours, want)
	}
	other, err := rtcp.Marshal([]rtcp.Packet{&rtcp.PictureLossIndication{}, &rtcp.SourceDescription{Chunks: []rtcp.SourceDescriptionChunk{{Source: 1}}},
		&rtcp.ReceiverReport{SSRC: 5, Reports: []rtcp.ReceptionReport{aBlock, aBlock}}, &rtcp.ReceiverReport{SSRC: 6}})
	if err != nil {
		t.Fatal(err)
	}
	var sent []uint64
	var blocks []rtcp.ReceptionReport
	read := func(b []byte) bool {
		sent, blocks = nil, nil
		return Reports(b, func(ntp uint64) { sent = append(sent, ntp) }, func(r rtcp.ReceptionReport) { blocks = append(blocks, r) })
	}
	if !read(append(ours, other...)) || !reflect.DeepEqual(sent, []uint64{aSender.NTP}) || !reflect.DeepEqual(blocks, []rtcp.ReceptionReport{aBlock, aBlock, aBlock}) {
		t.Errorf("read %v and %+v", sent, blocks)
	}
	for n := range len(ours) {
		if whole := n == 0 || n == 28; read(ours[:n]) != whole {
			t.Errorf("the first %d bytes: well-formed is %v", n, !whole)
		}
	}
}

// FuzzReports: what pion/rtcp reads, we read, and the same.
func FuzzReports(f *testing.F) {
	f.Add(pions(f))
	f.Add([]byte{0x81, 201, 0, 7, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		var sent, wantSent []uint64
		var blocks, want []rtcp.ReceptionReport
		ok := Reports(b, func(ntp uint64) { sent = append(sent, ntp) }, func(r rtcp.ReceptionReport) { blocks = append(blocks, r) })
		packets, err := rtcp.Unmarshal(b)
		if err != nil {
			return
		}
		if !ok {
			t.Fatalf("pion reads % x, we do not", b)
		}
		for _, p := range packets {
			switch p := p.(type) {
			case *rtcp.SenderReport:
				wantSent, want = append(wantSent, p.NTPTime), append(want, p.Reports...)
			case *rtcp.ReceiverReport:
				want = append(want, p.Reports...)
			}
		}
		if !reflect.DeepEqual(sent, wantSent) || !reflect.DeepEqual(blocks, want) {
			t.Fatalf("% x: %v %v, pion reads %v %v", b, sent, blocks, wantSent, want)
		}
	})
}
