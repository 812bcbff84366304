package sfu

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/client"
	"squelch/sfu/line"
)

func TestGarbageAndFloodsHarmNobodyElse(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		good, _ := c.dispatcher(r, -1, patrol)
		bad, _ := c.dispatcher(r, -2, fire)
		l, _ := c.dispatcher(r, -3, patrol)
		near, _ := c.dispatcher(r, -4, fire)
		r.key(-1, patrol)
		r.key(-2, fire)
		stranger, err := c.attach("10.0.2.1").ListenUDP("udp4", &net.UDPAddr{})
		if err != nil {
			t.Fatal(err)
		}
		defer stranger.Close()
		server := &net.UDPAddr{IP: net.ParseIP("10.0.0.1"), Port: 7778}
		random := rand.New(rand.NewPCG(7, 7))
		noise := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(random.Uint32())
			}
			return b
		}
		for n := range 200 {
			good.Send(word(1, n))
			for k := range 20 { // 1000 packets a second, most of them no Opus
				bad.SendRTP(rtp.Header{SequenceNumber: uint16(n*20 + k), Timestamp: random.Uint32()}, noise(1+int(random.Uint32()%1000)))
			}
			stun := append([]byte{0, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42}, noise(20)...)
			for _, b := range [][]byte{noise(40), stun, append([]byte{0x80, 111}, noise(60)...), append([]byte{22, 254, 253}, noise(80)...)} {
				stranger.WriteTo(b, server)
			}
			time.Sleep(frameTime)
		}
		l.wantHeard(t, "the talker beside it", -1, 1, 0, 200)
		st := r.sfu.Stats().Peers[2]
		if st.User != -2 || st.Flooded < 2500 || st.Opaque == 0 {
			t.Errorf("counted %+v", st)
		}
		if n := len(near.all()); n == 0 || n > 4000/5+uplinkBunch+10 {
			t.Errorf("%d packets of the flood were passed on", n)
		}
		if len(bad.ends()) != 0 {
			t.Errorf("the flooding client was disconnected: %v", bad.ends())
		}
	})
}

func TestAClientThatOpensStreamAfterStreamIsPutOut(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		bad, _ := c.dispatcher(r, -2, patrol)
		for n := range uint32(200) {
			bad.SendRTP(rtp.Header{SequenceNumber: 1, SSRC: 1000 + n}, word(1, 1))
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if got := bad.ends(); len(got) != 1 || got[0] != line.ErrStreams {
			t.Errorf("ended %v", got)
		}
	})
}

// anOffer is what a console sends.
func anOffer(t testing.TB) (sdp string) {
	stop := errors.New("only the offer")
	_, err := client.Dial(context.Background(), client.Options{Loopback: true}, func(_ context.Context, offer string) (string, error) {
		sdp = offer
		return "", stop
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	return sdp
}

func TestTheAnswerSaysWhatIsWrong(t *testing.T) {
	r := onAir(t, Options{})
	sdp := anOffer(t)
	ctx := context.Background()
	if _, err := r.sfu.Answer(ctx, -1, sdp, PeerEvents{}); !errors.Is(err, ErrNoWebRTC) {
		t.Errorf("without a port: %v", err)
	}
	r.listenOn(Network{UDP: "127.0.0.1:0", Peers: 2})
	for want, text := range map[string]string{
		"sdp is missing":         "",
		"nothing could be heard": strings.ReplaceAll(sdp, "a=recvonly", "a=inactive"),
		"does not offer opus":    strings.ReplaceAll(sdp, "opus/48000/2", "G722/8000"),
		"sdp is not acceptable":  strings.ReplaceAll(sdp, "a=fingerprint:sha-256 ", "a=fingerprint:sha-256"),
	} {
		if _, err := r.sfu.Answer(ctx, -1, text, PeerEvents{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, have %v", want, err)
		}
	}
	for id := range 2 {
		if _, err := r.sfu.Answer(ctx, -1-core.UserID(id), sdp, PeerEvents{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.sfu.Answer(ctx, -3, sdp, PeerEvents{}); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "2") {
		t.Errorf("the third of two: %v", err)
	}
	r.sfu.ClosePeer(-1)
	answer, err := r.sfu.Answer(ctx, -3, sdp, PeerEvents{})
	if err != nil {
		t.Fatalf("a place was free again: %v", err)
	}
	for _, want := range []string{"a=ice-lite", "a=setup:passive", "a=recvonly", "a=candidate:", "useinbandfec=1"} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer lacks %s", want)
		}
	}
	if n := strings.Count(answer, "a=sendonly"); n != maxSlots {
		t.Errorf("%d slots in the answer", n)
	}
	r.sfu.Close()
	if _, err := r.sfu.Answer(ctx, -4, sdp, PeerEvents{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestAServerThatNobodyCouldReachDoesNotStart(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	for says, n := range map[string]Network{
		"no address":            {},
		"no such address":       {UDP: "203.0.113.7:0"},
		"no such port":          {UDP: "127.0.0.1:99999"},
		"a TCP port in use":     {UDP: "127.0.0.1:0", TCP: "203.0.113.7:1"},
		"no such public name":   {UDP: "127.0.0.1:0", PublicAddresses: []string{"no such host"}},
		"no such engine":        {UDP: "127.0.0.1:0", Engine: "steam"},
		"an address of no link": {UDP: "10.0.0.7:1", simulated: mutedNet(t)},
	} {
		if n.Engine == "" {
			n.Engine = carrier
		}
		if err := s.Listen(n); err == nil {
			t.Errorf("%s: it listens", says)
		}
	}
	if err := s.Listen(Network{Engine: carrier, UDP: "127.0.0.1:0", PublicAddresses: []string{"198.51.100.4"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(Network{Engine: carrier, UDP: "127.0.0.1:0"}); err == nil {
		t.Error("it listens twice")
	}
}

// deafLine is a line whose only slot has the SSRC 5. Nothing is sent on it.
type deafLine struct{ line.Line }

func (deafLine) SSRC(int) uint32 { return 5 }
func (deafLine) Close()          {}

func TestReportsOfStrangersStreamsAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		defer s.Close()
		p := &peer{s: s, line: deafLine{}}
		p.slots = []*slot{newSlot(p, 0, "1", 111, 0)}
		for _, packet := range []rtcp.Packet{
			&rtcp.ReceiverReport{SSRC: 1, Reports: []rtcp.ReceptionReport{{SSRC: 6, TotalLost: 9}}},
			&rtcp.SenderReport{SSRC: 1, NTPTime: 1 << 40},
			&rtcp.PictureLossIndication{MediaSSRC: 5},
		} {
			b, err := packet.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			p.RTCP(b)
		}
		p.RTCP([]byte("nonsense"))
		if st := p.slots[0].stats(); st.Lost != 0 {
			t.Errorf("%+v", st)
		}
		b, _ := (&rtcp.ReceiverReport{SSRC: 1, Reports: []rtcp.ReceptionReport{{SSRC: 5, TotalLost: 9, Jitter: 480, LastSenderReport: 0xffff_ffff}}}).Marshal()
		p.RTCP(b)
		if st := p.slots[0].stats(); st.Lost != 9 || st.Jitter != 10*time.Millisecond || st.RoundTrip < 0 {
			t.Errorf("%+v", st)
		}
	})
}

func FuzzPeer(f *testing.F) {
	good, _ := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SequenceNumber: 1, SSRC: 7}, Payload: word(1, 1)}).Marshal()
	report, _ := (&rtcp.SenderReport{SSRC: 7, Reports: []rtcp.ReceptionReport{{SSRC: 5}}}).Marshal()
	f.Add(good, report)
	s := New(Options{})
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		p := &peer{s: s, user: -1, line: deafLine{}}
		p.slots = []*slot{newSlot(p, 0, "1", 111, 0)}
		p.up = newUplink(s, -1, 111)
		for range 5 {
			p.RTP(a)
			p.RTCP(b)
			p.RTP(b)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	s := New(Options{})
	if err := s.Listen(Network{Engine: carrier, UDP: "127.0.0.1:0", Peers: 1 << 30}); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	f.Add(anOffer(f))
	user := core.UserID(0)
	f.Fuzz(func(t *testing.T, sdp string) {
		user-- // of one user, few offers are read
		if _, err := s.Answer(t.Context(), user, sdp, PeerEvents{}); err == nil {
			s.ClosePeer(user)
		}
	})
}
