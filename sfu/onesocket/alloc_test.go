//go:build !race

package onesocket

import (
	"net"
	"net/netip"
	"testing"

	"github.com/pion/rtp"
)

// TestAFanOutAllocatesNothing: 200 listeners, each packet encrypted for each, in batches.
func TestAFanOutAllocatesNothing(t *testing.T) {
	e := service(t, "127.0.0.1:0")
	nobody, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	var peers [200]*peer
	for i := range peers {
		p := &peer{e: e, ssrcs: []uint32{1}}
		p.secure.Store(secureWith(t, 1))
		p.to.Store(e.socket.target(netip.MustParseAddrPort(nobody.LocalAddr().String())))
		peers[i] = p
	}
	b := e.Batch()
	h := &rtp.Header{PayloadType: 111, CSRC: []uint32{42}}
	payload := make([]byte, 80)
	const frames = 200
	if n := testing.AllocsPerRun(frames, func() {
		h.SequenceNumber++
		for _, p := range peers {
			if err := p.WriteRTP(b, 0, h, payload); err != nil {
				t.Fatal(err)
			}
		}
		b.Flush()
	}); n != 0 {
		t.Errorf("%v allocations per fan-out to %d listeners", n, len(peers))
	}
}
