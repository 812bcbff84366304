package onesocket

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/stun/v4"
	"go.uber.org/goleak"

	"squelch/sfu/line"
	"squelch/sfu/offer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hears waits for the next packet of voice, decrypted by pion.
func (p *phone) hears() *rtp.Packet {
	p.t.Helper()
	for {
		select {
		case b := <-p.tells:
			if len(b) < 2 || b[0] < 128 || b[1] >= 192 && b[1] < 224 {
				continue
			}
			plain, err := p.in.DecryptRTP(nil, b, nil)
			if err != nil {
				p.t.Fatalf("pion cannot read what is sent: %v", err)
			}
			packet := &rtp.Packet{}
			if err := packet.Unmarshal(plain); err != nil {
				p.t.Fatal(err)
			}
			return packet
		case <-time.After(20 * time.Second):
			p.t.Fatal("nothing is heard")
		}
	}
}

func TestVoiceGoesBothWays(t *testing.T) {
	for says, c := range map[string]struct {
		at      string
		profile dtls.SRTPProtectionProfile
	}{
		"GCM":           {"127.0.0.1:0", dtls.SRTP_AEAD_AES_128_GCM},
		"SHA-1":         {"127.0.0.1:0", dtls.SRTP_AES128_CM_HMAC_SHA1_80},
		"GCM over IPv6": {"[::1]:0", dtls.SRTP_AEAD_AES_128_GCM},
	} {
		t.Run(says, func(t *testing.T) {
			e, d := service(t, c.at), newDesk()
			p, l := calls(t, e, d, c.profile)
			defer p.session.Close()
			for n, word := range []string{"engine", "twelve", "responding"} {
				p.send(p.talks(uint16(n), word))
			}
			until(t, "the talk arrives", func() bool { return d.heard() == "engine twelve responding" })
			b := e.Batch()
			for n := range 200 { // more than one batch
				h := &rtp.Header{PayloadType: 111, SequenceNumber: uint16(n), Timestamp: uint32(n) * 960, Marker: n == 0, CSRC: []uint32{42}}
				if err := l.WriteRTP(b, 1, h, bytes.Repeat([]byte{byte(n)}, 100)); err != nil {
					t.Fatal(err)
				}
			}
			b.Flush()
			for n := range 200 {
				got := p.hears()
				if got.SequenceNumber != uint16(n) || got.SSRC != l.SSRC(1) || got.Timestamp != uint32(n)*960 || got.Marker != (n == 0) ||
					len(got.CSRC) != 1 || got.CSRC[0] != 42 || len(got.Payload) != 100 || got.Payload[99] != byte(n) {
					t.Fatalf("packet %d is heard as %v", n, got)
				}
			}
			report, _ := rtcp.Marshal([]rtcp.Packet{&rtcp.ReceiverReport{SSRC: 7}})
			protected, err := p.out.EncryptRTCP(nil, report, nil)
			if err != nil {
				t.Fatal(err)
			}
			p.send(protected)
			p.send(protected) // again: a replay
			until(t, "the report arrives", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.rtcp > 0 })
			if err := l.WriteRTCP(report); err != nil {
				t.Fatal(err)
			}
			select {
			case b := <-p.tells:
				plain, err := p.in.DecryptRTCP(nil, b, nil)
				if err != nil || !bytes.Equal(plain, report) {
					t.Errorf("pion reads the report as % x, %v", plain, err)
				}
			case <-time.After(20 * time.Second):
				t.Error("no report comes back")
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.rtcp != 1 {
				t.Errorf("one report was taken %d times", d.rtcp)
			}
		})
	}
}

func TestReplayedAndForgedVoiceIsNotHeard(t *testing.T) {
	e, d := service(t, "127.0.0.1:0"), newDesk()
	p, _ := calls(t, e, d)
	defer p.session.Close()
	first, second := p.talks(1, "first"), p.talks(2, "second")
	forged := bytes.Clone(p.talks(30_000, "forged")) // far ahead: it must not move the window
	forged[20] ^= 1
	another := newPhone(t, e)
	for _, b := range [][]byte{first, forged, second, first, second, {0x80, 111}, append([]byte{0x80, 111}, make([]byte, 60)...)} {
		p.send(b)
		another.send(b) // from an address that has shown nothing
	}
	third := p.talks(3, "third")
	p.send(third)
	until(t, "the talk arrives", func() bool { return strings.HasSuffix(d.heard(), "third") })
	if got := d.heard(); got != "first second third" {
		t.Errorf("heard %q", got)
	}
}

func TestOnlyTheClientOfTheOfferIsTaken(t *testing.T) {
	e, d := service(t, "127.0.0.1:0"), newDesk()
	p := newPhone(t, e)
	p.offers(e, d, 1)
	p.newCertificate() // it is not the one of the offer
	p.arrives()
	if err := p.shakes(); err == nil {
		t.Error("the handshake succeeds with another certificate")
	}
	select {
	case reason := <-d.over:
		if reason != line.ErrFailed {
			t.Errorf("ended with %v", reason)
		}
	case <-d.up:
		t.Error("it is connected")
	case <-time.After(20 * time.Second):
		t.Error("the owner is not told")
	}
}

func TestForgedChecksAreNotAnswered(t *testing.T) {
	e, d := service(t, "127.0.0.1:0"), newDesk()
	p := newPhone(t, e)
	p.offers(e, d, 1)
	for says, m := range map[string]*stun.Message{
		"a wrong password":  p.check(p.user, "wrong password of the answer", nominate),
		"an unknown client": p.check("nobody", p.pass, nominate),
		"no user":           p.check("", p.pass),
	} {
		if m != nil {
			t.Errorf("%s is answered with %v", says, m)
		}
	}
	m := p.check(p.user, p.pass, controlled{})
	if m == nil || m.Type != stun.BindingError {
		t.Errorf("a client that says it is controlled is answered with %v", m)
	} else if code := (stun.ErrorCodeAttribute{}); code.GetFrom(m) != nil || code.Code != stun.CodeRoleConflict {
		t.Errorf("the error is %v", code)
	}
	m = p.check(p.user, p.pass)
	var mapped stun.XORMappedAddress
	if m == nil || m.Type != stun.BindingSuccess || mapped.GetFrom(m) != nil || mapped.Port != p.conn.LocalAddr().(*net.UDPAddr).Port {
		t.Fatalf("a check that does not nominate is answered with %v", m)
	}
	if stun.NewShortTermIntegrity(p.pass).Check(m) != nil || stun.Fingerprint.Check(m) != nil {
		t.Error("the answer is not authentic")
	}
	if e.all()[0].to.Load() != nil {
		t.Error("a check that does not nominate has chosen the address")
	}
	p.arrives()
	if to := e.all()[0].to.Load(); to == nil || to.at != addressOf(p) {
		t.Errorf("the nominated check has chosen %v", to)
	}
}

type controlled struct{}

func (controlled) AddTo(m *stun.Message) error {
	m.Add(stun.AttrICEControlled, make([]byte, 8))
	return nil
}

func TestTheClientMovesOnlyWithAnAuthenticCheck(t *testing.T) {
	e, d := service(t, "127.0.0.1:0"), newDesk()
	p, l := calls(t, e, d)
	defer p.session.Close()
	peer := e.all()[0]
	moved := newPhone(t, e)
	moved.user, moved.pass = p.user, p.pass
	moved.check(p.user, "wrong password of the answer", nominate)
	moved.check(p.user, p.pass)
	if at := peer.to.Load().at; at != addressOf(p) {
		t.Errorf("voice goes to %v although the client has chosen %v", at, addressOf(p))
	}
	moved.arrives()
	if at := peer.to.Load().at; at != addressOf(moved) {
		t.Errorf("voice goes to %v although the client has nominated %v", at, addressOf(moved))
	}
	moved.in, moved.out = p.in, p.out
	b := e.Batch()
	if err := l.WriteRTP(b, 0, &rtp.Header{PayloadType: 111}, []byte("over here")); err != nil {
		t.Fatal(err)
	}
	b.Flush()
	if got := moved.hears(); string(got.Payload) != "over here" {
		t.Errorf("heard %q", got.Payload)
	}
	moved.send(moved.talks(9, "moving"))
	until(t, "the talk arrives from there", func() bool { return d.heard() == "moving" })
}

func TestHandshakesOverABadLine(t *testing.T) {
	for says, spoil := range map[string]func(p *phone){
		"the first answer is lost": func(p *phone) { p.lose.Store(1) },
		"the last answer is lost":  func(p *phone) { p.loseLast.Store(true) },
		"in small pieces":          func(p *phone) { p.mtu = 200 },
	} {
		t.Run(says, func(t *testing.T) {
			e, d := service(t, "127.0.0.1:0"), newDesk()
			p := newPhone(t, e)
			p.offers(e, d, 1)
			p.arrives()
			spoil(p)
			if err := p.shakes(); err != nil {
				t.Fatal(err)
			}
			defer p.session.Close()
			if p.loseLast.Load() {
				t.Error("nothing was lost")
			}
			p.connected(d)
			p.send(p.talks(1, "copy"))
			until(t, "the talk arrives", func() bool { return d.heard() == "copy" })
		})
	}
}

func TestGoodbyes(t *testing.T) {
	for says, late := range map[string]bool{"at once": false, "when the session is forgotten": true} {
		t.Run(says, func(t *testing.T) {
			e := service(t, "127.0.0.1:0")
			caller, called := newDesk(), newDesk()
			p, _ := calls(t, e, caller)
			q, l := calls(t, e, called)
			if late {
				p.send(p.talks(1, "hello"))
				q.send(q.talks(1, "hello"))
				until(t, "the sessions are forgotten", func() bool {
					for _, x := range e.all() {
						if x.dtls.Load() != nil {
							return false
						}
					}
					return true
				})
			}
			_ = p.session.Close()
			select {
			case reason := <-caller.over:
				if reason != line.ErrLeft {
					t.Errorf("the caller has left: %v", reason)
				}
			case <-time.After(20 * time.Second):
				t.Error("the caller has left, nobody is told")
			}
			gone := make(chan error, 1)
			go func() {
				_, err := q.session.Read(make([]byte, 100))
				gone <- err
			}()
			l.Close()
			select {
			case err := <-gone:
				if err == nil {
					t.Error("the client reads something")
				}
			case <-time.After(20 * time.Second):
				t.Error("the line is closed, the client is not told")
			}
			select {
			case reason := <-called.over:
				t.Errorf("a line that was closed has ended: %v", reason)
			default:
			}
			if err := l.WriteRTP(e.Batch(), 0, &rtp.Header{}, nil); err == nil {
				t.Error("a closed line takes voice")
			}
		})
	}
}

// The last flight of the handshake is lost, so it is sent again, and takes numbers. The goodbye
// of the service must not have one of those.
func TestAGoodbyeAfterRepeatedFlights(t *testing.T) {
	e, d := still(t), newDesk()
	p, l := calls(t, e, d)
	for n := range 3 {
		before := p.repeats.Load()
		until(t, "the last flight is repeated", func() bool {
			p.send(piece(100+n, 0, 0, 10))
			return p.repeats.Load() > before
		})
	}
	p.send(p.talks(1, "hello"))
	until(t, "the talk arrives", func() bool { return d.heard() == "hello" })
	peer := l.(*peer)
	peer.sweep(e.clock())
	if peer.dtls.Load() != nil {
		t.Fatal("the session is not forgotten")
	}
	gone := make(chan error, 1)
	go func() {
		_, err := p.session.Read(make([]byte, 100))
		gone <- err
	}()
	l.Close()
	select {
	case err := <-gone:
		if err == nil {
			t.Error("the client reads something")
		}
	case <-time.After(20 * time.Second):
		t.Error("the line is closed, the client is not told")
		_ = p.session.Close()
	}
}

func TestTheAnswerToABrowser(t *testing.T) {
	sdp, err := os.ReadFile("../offer/testdata/chromium.sdp")
	if err != nil {
		t.Fatal(err)
	}
	o, err := offer.Read(string(sdp), false)
	if err != nil {
		t.Fatal(err)
	}
	e := service(t, "127.0.0.1:0")
	l, answer, err := e.Open(t.Context(), o, 3, newDesk())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	head, rest, _ := strings.Cut(answer, "\r\nm=")
	sections := strings.Split(rest, "\r\nm=")
	if len(sections) != 5 || !strings.Contains(head, "a=group:BUNDLE 0 1 2 3\r\n") || !strings.Contains(head, "a=ice-lite") {
		t.Fatalf("%d sections in\n%s", len(sections), answer)
	}
	if s := sections[0]; !strings.HasPrefix(s, "audio 9 UDP/TLS/RTP/SAVPF 111\r\n") || !strings.Contains(s, "a=recvonly") || !strings.Contains(s, "a=candidate:1 1 udp") {
		t.Errorf("the uplink is answered with\n%s", s)
	}
	for i, s := range sections[1:4] {
		if !strings.HasPrefix(s, "audio 9 UDP/TLS/RTP/SAVPF 111 63\r\n") || !strings.Contains(s, "a=sendonly") || !strings.Contains(s, "a=fmtp:63 111/111") {
			t.Errorf("slot %d is answered with\n%s", i, s)
		}
	}
	if s := sections[4]; !strings.HasPrefix(s, "audio 0 ") || !strings.Contains(s, "a=inactive") {
		t.Errorf("the slot that is one too many is answered with\n%s", s)
	}
	if l.SSRC(0) == 0 || l.SSRC(0) == l.SSRC(1) || l.SSRC(1) == l.SSRC(2) {
		t.Errorf("the streams are %d, %d, %d", l.SSRC(0), l.SSRC(1), l.SSRC(2))
	}
}

func TestALineThatIsNotConnectedTakesNothing(t *testing.T) {
	e, d := service(t, "127.0.0.1:0"), newDesk()
	p := newPhone(t, e)
	l, _ := p.offers(e, d, 1)
	if err := l.WriteRTP(e.Batch(), 0, &rtp.Header{}, []byte{1}); !errors.Is(err, errNotConnected) {
		t.Errorf("voice: %v", err)
	}
	if err := l.WriteRTCP([]byte{1}); !errors.Is(err, errNotConnected) {
		t.Errorf("a report: %v", err)
	}
}
