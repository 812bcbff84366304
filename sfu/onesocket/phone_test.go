package onesocket

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"
	"github.com/pion/stun/v4"
	"github.com/pion/transport/v4/packetio"

	"squelch/sfu/line"
	"squelch/sfu/offer"
)

// desk is the owner of a line. It notes what it is told.
type desk struct {
	up    chan struct{} // closed by Connected
	over  chan error    // Ended
	mu    sync.Mutex
	voice []string
	rtcp  int
	// channels are those that the client opens; nil: none is wanted
	channels chan line.Channel
}

func newDesk() *desk { return &desk{up: make(chan struct{}), over: make(chan error, 4)} }

func (d *desk) RTP(b []byte) {
	var p rtp.Packet
	if p.Unmarshal(b) == nil {
		d.mu.Lock()
		d.voice = append(d.voice, string(p.Payload))
		d.mu.Unlock()
	}
}
func (d *desk) RTCP([]byte)               { d.mu.Lock(); d.rtcp++; d.mu.Unlock() }
func (d *desk) Connected()                { close(d.up) }
func (d *desk) Ended(reason error)        { d.over <- reason }
func (d *desk) Opening(string, bool) bool { return d.channels != nil }
func (d *desk) Opened(c line.Channel)     { d.channels <- c }

func (d *desk) heard() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.voice, " ")
}

// phone is a client made of pion's parts: an ICE check, DTLS and SRTP, each of which a test
// can do wrong.
type phone struct {
	t           testing.TB
	conn        *net.UDPConn
	to          *net.UDPAddr
	certificate tls.Certificate
	print       string
	user, pass  string // of the answer
	tells       chan []byte
	flights     *packetio.Buffer // DTLS of the service
	loseLast    atomic.Bool      // the first datagram of its last flight is lost
	lose        atomic.Int32     // so many DTLS datagrams of the service are lost
	mtu         int
	repeats     atomic.Int32 // so many last flights of the service have come
	spoil       func()       // nil: nothing is done before each datagram of its handshake
	data        bool         // it offers a data channel

	session *dtls.Conn
	profile srtp.ProtectionProfile
	out, in *srtp.Context
}

const theirs = "abcd"

// service is an engine on loopback, or at another address.
func service(t testing.TB, at string) *engine {
	t.Helper()
	addr, err := net.ResolveUDPAddr("udp", at)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.ListenUDP("udp", addr)
	if err != nil {
		t.Skipf("no such address here: %v", err) // a machine without IPv6
	}
	e, err := New(line.Ports{UDP: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e.(*engine)
}

// still is a service that neither ends nor forgets anything by itself.
func still(t testing.TB) *engine {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(line.Ports{UDP: c})
	if err := e.open(); err != nil {
		t.Fatal(err)
	}
	e.done.Go(e.read)
	t.Cleanup(e.Close)
	return e
}

func newPhone(t testing.TB, e *engine) *phone {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: e.socket.local.IP})
	if err != nil {
		t.Fatal(err)
	}
	p := &phone{t: t, conn: conn, to: e.socket.local, tells: make(chan []byte, 1000), flights: packetio.NewBuffer(), mtu: 1200}
	p.newCertificate()
	t.Cleanup(func() { conn.Close(); p.flights.Close() })
	go p.read()
	return p
}

func (p *phone) newCertificate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		p.t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	p.print = strings.ToUpper(strings.ReplaceAll(fmt.Sprintf("% x", sum[:]), " ", ":"))
	p.certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// read sorts what comes.
func (p *phone) read() {
	for {
		b := make([]byte, 1500)
		n, err := p.conn.Read(b)
		if err != nil {
			return
		}
		if b = b[:n]; n > 0 && b[0] >= 20 && b[0] < 64 {
			if b[0] == line.ChangeCipherRecord {
				p.repeats.Add(1)
			}
			if b[0] == line.ChangeCipherRecord && p.loseLast.CompareAndSwap(true, false) {
				continue
			}
			if p.lose.Add(-1) < 0 {
				_, _ = p.flights.Write(b)
			}
			continue
		}
		select {
		case p.tells <- b:
		default:
		}
	}
}

// offers opens a line with one uplink and so many slots.
func (p *phone) offers(e *engine, d *desk, slots int) (line.Line, string) {
	p.t.Helper()
	l, answer, err := open(e, d, p.print, slots, p.data)
	if err != nil {
		p.t.Fatal(err)
	}
	p.user, p.pass = attribute(answer, "ice-ufrag"), attribute(answer, "ice-pwd")
	return l, answer
}

func open(e *engine, d line.Owner, print string, slots int, data bool) (line.Line, string, error) {
	sdp := "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:" + theirs + "\r\na=ice-pwd:0123456789012345678901\r\na=setup:actpass\r\na=fingerprint:sha-256 " + print + "\r\n"
	for i := range slots + 1 {
		direction := "recvonly"
		if i == 0 {
			direction = "sendonly"
		}
		sdp += fmt.Sprintf("m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:%d\r\na=%s\r\na=rtcp-mux\r\na=rtpmap:111 opus/48000/2\r\n", i, direction)
	}
	if data {
		sdp += "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=mid:data\r\na=sctp-port:5000\r\n"
	}
	o, err := offer.Read(sdp, data)
	if err != nil {
		return nil, "", err
	}
	return e.Open(context.Background(), o, slots, d)
}

func attribute(sdp, key string) string {
	_, rest, _ := strings.Cut(sdp, "a="+key+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// check sends a connectivity check, and returns what comes back within a moment; nil:
// nothing does.
func (p *phone) check(user, pass string, more ...stun.Setter) *stun.Message {
	p.t.Helper()
	setters := append([]stun.Setter{stun.BindingRequest, stun.TransactionID, stun.NewUsername(user + ":" + theirs)}, more...)
	m, err := stun.Build(append(setters, stun.NewShortTermIntegrity(pass), stun.Fingerprint)...)
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(m.Raw)
	for {
		select {
		case b := <-p.tells:
			answer := &stun.Message{Raw: b}
			if stun.IsMessage(b) && answer.Decode() == nil && answer.TransactionID == m.TransactionID {
				return answer
			}
		case <-time.After(300 * time.Millisecond):
			return nil
		}
	}
}

func (p *phone) send(b []byte) {
	if _, err := p.conn.WriteToUDP(b, p.to); err != nil {
		p.t.Error(err)
	}
}

var nominate = useCandidate{}

type useCandidate struct{}

func (useCandidate) AddTo(m *stun.Message) error { m.Add(stun.AttrUseCandidate, nil); return nil }

// arrives makes the nominated check, until it is answered.
func (p *phone) arrives() {
	p.t.Helper()
	for range 20 {
		if m := p.check(p.user, p.pass, nominate); m != nil && m.Type == stun.BindingSuccess {
			return
		}
	}
	p.t.Fatal("no check is answered")
}

// The phone is DTLS's packet connection.
func (p *phone) ReadFrom(b []byte) (int, net.Addr, error) {
	n, err := p.flights.Read(b)
	return n, p.to, err
}
func (p *phone) WriteTo(b []byte, _ net.Addr) (int, error) {
	if p.spoil != nil {
		p.spoil()
	}
	return p.conn.WriteToUDP(b, p.to)
}
func (p *phone) Close() error                      { return p.flights.Close() }
func (p *phone) LocalAddr() net.Addr               { return p.conn.LocalAddr() }
func (p *phone) SetDeadline(t time.Time) error     { return p.flights.SetReadDeadline(t) }
func (p *phone) SetReadDeadline(t time.Time) error { return p.flights.SetReadDeadline(t) }
func (p *phone) SetWriteDeadline(time.Time) error  { return nil }

// shakes runs the handshake and begins SRTP.
func (p *phone) shakes(profiles ...dtls.SRTPProtectionProfile) error {
	if len(profiles) == 0 {
		profiles = []dtls.SRTPProtectionProfile{dtls.SRTP_AEAD_AES_128_GCM}
	}
	conn, err := dtls.ClientWithOptions(p, p.to, dtls.WithCertificates(p.certificate), dtls.WithInsecureSkipVerify(true),
		dtls.WithSRTPProtectionProfiles(profiles...), dtls.WithExtendedMasterSecret(dtls.RequireExtendedMasterSecret),
		dtls.WithFlightInterval(200*time.Millisecond), dtls.WithMTU(p.mtu), dtls.WithLoggerFactory(quiet{}))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	p.session = conn
	chosen, _ := conn.SelectedSRTPProtectionProfile()
	p.profile = srtp.ProtectionProfile(chosen)
	state, _ := conn.ConnectionState()
	c := srtp.Config{Profile: p.profile}
	if err := c.ExtractSessionKeysFromDTLS(&state, true); err != nil {
		return err
	}
	if p.out, err = srtp.CreateContext(c.Keys.LocalMasterKey, c.Keys.LocalMasterSalt, p.profile); err != nil {
		return err
	}
	p.in, err = srtp.CreateContext(c.Keys.RemoteMasterKey, c.Keys.RemoteMasterSalt, p.profile)
	return err
}

// talks is a protected packet of the phone's voice.
func (p *phone) talks(sequence uint16, word string) []byte {
	p.t.Helper()
	plain, err := (&rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 111, SSRC: 7, SequenceNumber: sequence}, Payload: []byte(word)}).Marshal()
	if err != nil {
		p.t.Fatal(err)
	}
	b, err := p.out.EncryptRTP(nil, plain, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// calls makes a phone with an open line, on the air.
func calls(t testing.TB, e *engine, d *desk, profiles ...dtls.SRTPProtectionProfile) (*phone, line.Line) {
	t.Helper()
	p := newPhone(t, e)
	p.data = d.channels != nil
	l, _ := p.offers(e, d, 2)
	p.arrives()
	if err := p.shakes(profiles...); err != nil {
		t.Fatal(err)
	}
	p.connected(d)
	return p, l
}

func (p *phone) connected(d *desk) {
	p.t.Helper()
	select {
	case <-d.up:
	case reason := <-d.over:
		p.t.Fatalf("the line has ended: %v", reason)
	case <-time.After(20 * time.Second):
		p.t.Fatal("the owner is not told that the line is up")
	}
}

// until waits for something that happens soon.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for range 1500 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s: it never happened", what)
}

func addressOf(p *phone) netip.AddrPort {
	at := p.conn.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
