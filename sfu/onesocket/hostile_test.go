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
		l, answer, err := open(e, newDesk(), p.print, 4)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
		check, err := stun.Build(stun.BindingRequest, stun.TransactionID, stun.NewUsername(attribute(answer, "ice-ufrag")+":"+theirs), nominate,
			stun.NewShortTermIntegrity(attribute(answer, "ice-pwd")), stun.Fingerprint)
		if err != nil {
			t.Fatal(err)
		}
		// As from an address of its own, because checks are bounded for each.
		n := len(lines)
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, byte(n >> 8), byte(n)}), 9)
		e.checks.calm()
		if got := e.check(check.Raw, from, e.socket); got == nil {
			t.Fatalf("check %d is not taken", n)
		} else {
			got.handshake(hello)
		}
	}
	if n := len(e.places); n != maxHandshakes {
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
	d := newDesk()
	for _, l := range lines {
		l.Close()
	}
	q, _ := calls(t, e, d) // and there is room again
	_ = q.session.Close()
}

func TestAFloodOfChecksIsBounded(t *testing.T) {
	var c checks
	one := netip.MustParseAddr("192.0.2.1")
	passed := 0
	for range 10 * checksEach {
		if c.allow(one) {
			passed++
		}
	}
	if passed != checksEach {
		t.Errorf("%d checks of one address are looked at, the limit is %d", passed, checksEach)
	}
	for n := range uint32(10 * maxAddresses) {
		c.allow(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}))
	}
	if len(c.from) != maxAddresses {
		t.Errorf("%d addresses are known, the limit is %d", len(c.from), maxAddresses)
	}
	c.calm()
	if !c.allow(one) {
		t.Error("a second later a check is still refused")
	}
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

// FuzzDatagram: whatever comes to the port, from a stranger or from a client, ends nothing.
func FuzzDatagram(f *testing.F) {
	e := service(f, "127.0.0.1:0")
	d := newDesk()
	l, answer, err := open(e, d, "E3:B0:C4:42:98:FC:1C:14:9A:FB:F4:C8:99:6F:B9:24:27:AE:41:E4:64:9B:93:4C:A4:95:99:1B:78:52:B8:55", 2)
	if err != nil {
		f.Fatal(err)
	}
	p := l.(*peer)
	p.secure.Store(secureWith(f, 2))
	client, stranger := netip.MustParseAddrPort("127.0.0.1:9"), netip.MustParseAddrPort("127.0.0.2:9")
	check, err := stun.Build(stun.BindingRequest, stun.TransactionID, stun.NewUsername(attribute(answer, "ice-ufrag")+":"+theirs), nominate,
		stun.NewShortTermIntegrity(attribute(answer, "ice-pwd")), stun.Fingerprint)
	if err != nil {
		f.Fatal(err)
	}
	voice, _ := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SSRC: 7}, Payload: make([]byte, 40)}).Marshal()
	for _, b := range [][]byte{check.Raw, aHello(f), voice, {21, 254, 253, 0, 1, 0, 0, 0, 0, 0, 1, 0, 2, 1, 0}, {0x81, 201, 0, 1, 0, 0, 0, 7}} {
		f.Add(b)
	}
	// The reader waits for a datagram meanwhile, so its table is this test's.
	e.where.add(client, p)
	f.Fuzz(func(t *testing.T, b []byte) {
		e.checks.calm()
		for _, from := range []netip.AddrPort{client, stranger} {
			if len(b) > 0 {
				e.datagram(append([]byte(nil), b...), from)
			}
		}
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
