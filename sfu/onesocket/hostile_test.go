package onesocket

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/rtp"
	"github.com/pion/stun/v4"
	"github.com/pion/transport/v4/packetio"

	"squelch/sfu/line"
	"squelch/sfu/srtp"
)

// recorder is DTLS's packet connection to nobody.
type recorder struct {
	*packetio.Buffer
	sent chan []byte
}

func (r *recorder) ReadFrom(b []byte) (int, net.Addr, error) {
	n, err := r.Read(b)
	return n, r.LocalAddr(), err
}

func (r *recorder) WriteTo(b []byte, _ net.Addr) (int, error) {
	select {
	case r.sent <- bytes.Clone(b):
	default:
	}
	return len(b), nil
}
func (r *recorder) LocalAddr() net.Addr              { return &net.UDPAddr{} }
func (r *recorder) SetDeadline(t time.Time) error    { return r.SetReadDeadline(t) }
func (r *recorder) SetWriteDeadline(time.Time) error { return nil }

// aHello is the first datagram of a client's handshake.
func aHello(t testing.TB) []byte {
	t.Helper()
	r := &recorder{packetio.NewBuffer(), make(chan []byte, 1)}
	conn, err := dtls.ClientWithOptions(r, r.LocalAddr(), dtls.WithInsecureSkipVerify(true), dtls.WithSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM),
		dtls.WithExtendedMasterSecret(dtls.RequireExtendedMasterSecret), dtls.WithLoggerFactory(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error)
	go func() { over <- conn.HandshakeContext(ctx) }()
	hello := <-r.sent
	cancel()
	<-over
	_ = conn.Close()
	_ = r.Buffer.Close()
	return hello
}

func TestTenThousandHalfOpenHandshakes(t *testing.T) {
	e := service(t, "127.0.0.1:0")
	p := newPhone(t, e)
	p.newCertificate()
	hello := aHello(t)
	const many = 10_000
	var lines []interface{ Close() }
	for range many {
		l, answer, err := open(e, newDesk(), p.print, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
		check, err := stun.Build(stun.BindingRequest, stun.TransactionID, stun.NewUsername(attribute(answer, "ice-ufrag")+":"+theirs), nominate,
			stun.NewShortTermIntegrity(attribute(answer, "ice-pwd")), stun.Fingerprint)
		if err != nil {
			t.Fatal(err)
		}
		n := len(lines)
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, byte(n >> 8), byte(n)}), 9)
		if got := e.check(check.Raw, from, e.socket); got == nil {
			t.Fatalf("check %d is not taken", n)
		} else {
			got.handshake(hello)
		}
	}
	if n := e.places.taken(); n != maxHandshakes {
		t.Errorf("%d handshakes run at once, want the most there may be, %d", n, maxHandshakes)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	each := (m.HeapAlloc + m.StackInuse) / many
	t.Logf("%d goroutines, %d bytes for each of %d", runtime.NumGoroutine(), each, many)
	if n := runtime.NumGoroutine(); n > 6*maxHandshakes {
		t.Errorf("%d goroutines", n)
	}
	if each > 16<<10 {
		t.Errorf("each takes %d bytes", each)
	}
	q, _ := calls(t, e, newDesk()) // in place of the one that has run longest
	defer q.session.Close()
	if n := e.places.taken(); n < maxHandshakes/2 {
		t.Errorf("only %d handshakes still run: it had to wait for others to fail", n)
	}
	for _, l := range lines {
		l.Close()
	}
	until(t, "all places are free", func() bool { return e.places.taken() == 0 })
}

// An attacker behind the same NAT as a client floods the port with checks: of nobody, of
// itself, and forged ones of itself. The client is still seen.
func TestAFloodOfChecksLeavesRoomForOthers(t *testing.T) {
	e := service(t, "127.0.0.1:0")
	client, attacker := newPhone(t, e), newPhone(t, e)
	client.offers(e, newDesk(), 1)
	attacker.offers(e, newDesk(), 1)
	check := func(user, pass string) []byte { return checkOf(t, user, pass, nominate) }
	from := netip.MustParseAddrPort("127.0.0.1:9")
	nobodys, forged := check("nobody", attacker.pass), check(attacker.user, "wrong password of the answer")
	taken := 0
	for range 20 * checksEach {
		for _, b := range [][]byte{nobodys, forged, check(attacker.user, attacker.pass)} {
			if e.check(b, from, e.socket) != nil {
				taken++
			}
		}
	}
	if p := e.peer([]byte(attacker.user)); taken > checksEach || p.checks.Load() < checksEach {
		t.Errorf("%d of the attacker's checks were taken, the limit is %d", taken, checksEach)
	}
	if e.check(check(client.user, client.pass), from, e.socket) == nil {
		t.Error("a client at the same address is not seen")
	}
	p := e.peer([]byte(attacker.user))
	p.sweep(e.clock())
	if e.check(check(attacker.user, attacker.pass), from, e.socket) == nil {
		t.Error("a second later a check is still refused")
	}
}

// A client sends pieces of messages that are never complete: as many and as long as it
// likes, beside each other and overlapping, before its handshake and after it.
func TestPiecesOfAHandshakeFillNoMemory(t *testing.T) {
	e := service(t, "127.0.0.1:0")
	d := newDesk()
	p := newPhone(t, e)
	p.offers(e, d, 1)
	p.arrives()
	for n := range 4000 {
		p.handles(e, piece(n, n%50, n*700, 1000))
	}
	session := e.all()[0].dtls.Load()
	if session == nil {
		t.Fatal("no handshake has begun")
	}
	if size := session.Size(); size > flightBytes {
		t.Errorf("%d bytes wait", size)
	}
	if taken := session.taken.Load(); taken > handshakeBytes || taken < handshakeBytes/2 {
		t.Errorf("%d bytes were taken, the limit is %d", taken, handshakeBytes)
	}
	q, _ := calls(t, e, newDesk()) // others connect, and what they repeat is bounded too
	defer q.session.Close()
	session = e.peer([]byte(q.user)).dtls.Load()
	for n := range 4000 {
		q.handles(e, piece(n, 10+n%50, n*700, 1000))
	}
	if taken := session.taken.Load(); taken > handshakeBytes || taken < handshakeBytes/2 {
		t.Errorf("%d bytes were taken of a client that is connected, the limit is %d", taken, handshakeBytes)
	}
}

// handles gives the service a datagram as its reader does, so that none is lost.
func (p *phone) handles(e *engine, b []byte) { e.peer([]byte(p.user)).handshake(b) }

// piece is the nth record, with a piece of a message of 16 MB (RFC 6347 section 4.2.2).
func piece(n, message, offset, length int) []byte {
	b := []byte{line.HandshakeRecord, 254, 253, 0, 0, 0, 0, 0, 1, byte(n >> 8), byte(n)}
	b = append(b, byte((length+12)>>8), byte(length+12), 1, 255, 255, 255, byte(message>>8), byte(message))
	b = append(b, byte(offset>>16), byte(offset>>8), byte(offset), byte(length>>16), byte(length>>8), byte(length))
	return append(b, make([]byte, length)...)
}

func TestAClientHasFewAddresses(t *testing.T) {
	w := where{peers: map[netip.AddrPort]*peer{}}
	p, other := &peer{}, &peer{}
	at := func(port int) netip.AddrPort {
		return netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), uint16(port))
	}
	for n := range 100 {
		w.add(at(n), p)
		w.add(at(n), p)
	}
	w.add(at(99), other)
	if len(w.peers) != maxPaths || len(p.paths) != maxPaths || w.peers[at(99)] != other {
		t.Errorf("%d addresses are known, %d of the client", len(w.peers), len(p.paths))
	}
	p.closed.Store(true)
	w.forget()
	if len(w.peers) != 1 {
		t.Errorf("%d addresses are known of one client", len(w.peers))
	}
}

// FuzzDatagram: whatever comes to the port, from a stranger or from the address of a client,
// ends nothing. The client's session is forgotten, so each alert that may be its goodbye is
// looked at, for up to a second.
func FuzzDatagram(f *testing.F) {
	e, d := still(f), newDesk()
	phone, l := calls(f, e, d)
	p := l.(*peer)
	phone.send(phone.talks(1, "hello")) // the reader has seen everything before
	until(f, "the talk arrives", func() bool { return d.heard() == "hello" })
	p.sweep(e.clock())
	p.working.Wait()
	client, stranger := addressOf(phone), netip.MustParseAddrPort("127.0.0.2:9")
	voice, _ := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SSRC: 7}, Payload: make([]byte, 40)}).Marshal()
	for _, b := range [][]byte{checkOf(f, phone.user, phone.pass, nominate), aHello(f), voice, {0x81, 201, 0, 1, 0, 0, 0, 7}} {
		f.Add(b)
	}
	for _, b := range aStorm() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p.checks.Store(0)
		p.copies.Store(0)
		p.alerts.Store(0)
		for _, from := range []netip.AddrPort{client, stranger} {
			if len(b) > 0 {
				e.datagram(append([]byte(nil), b...), from)
			}
		}
		p.working.Wait()
		if len(d.over) > 0 {
			t.Fatalf("the line has ended: %v", <-d.over)
		}
	})
}

// secureWith is what a handshake gives.
func secureWith(t testing.TB, slots int) *secure {
	t.Helper()
	keys := srtp.Keys{Profile: srtp.AEAD_AES_128_GCM, Key: make([]byte, 16), Salt: make([]byte, 12)}
	out, err := srtp.NewOut(keys)
	if err != nil {
		t.Fatal(err)
	}
	keys.Key = append(make([]byte, 15), 1)
	in, err := srtp.NewIn(keys, 8)
	if err != nil {
		t.Fatal(err)
	}
	s := &secure{in: in, out: out}
	for i := range slots {
		s.streams = append(s.streams, out.Stream(uint32(i+1)))
	}
	return s
}
