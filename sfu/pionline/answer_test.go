package pionline

import (
	"net"
	"os"
	"strings"
	"testing"

	"squelch/sfu/line"
	"squelch/sfu/offer"
)

type nobody struct{ line.Owner }

func (nobody) Ended(error) {}

func TestSlotsTakeRedundantVoice(t *testing.T) {
	sdp, err := os.ReadFile("../offer/testdata/chromium.sdp")
	if err != nil {
		t.Fatal(err)
	}
	o, err := offer.Read(string(sdp), false)
	if err != nil {
		t.Fatal(err)
	}
	port, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(line.Ports{UDP: port})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l, answer, err := e.Open(t.Context(), o, len(o.Slots), nobody{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sections := strings.Split(answer, "\r\nm=")[1:]
	if len(sections) != 5 {
		t.Fatalf("%d sections in\n%s", len(sections), answer)
	}
	for i, s := range sections[1:] {
		if !strings.HasPrefix(s, "audio 9 UDP/TLS/RTP/SAVPF 111 63\r\n") || !strings.Contains(s, "\r\na=fmtp:63 111/111\r\n") {
			t.Errorf("slot %d is answered with\n%s", i, s)
		}
	}
	if !strings.HasPrefix(sections[0], "audio 9 UDP/TLS/RTP/SAVPF 111") {
		t.Errorf("the uplink does not send plain Opus first:\n%s", sections[0])
	}
}
