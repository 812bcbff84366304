// Package phone is a WebRTC client in parts: an offer, connectivity checks, a DTLS
// handshake and SRTP, made with pion. Whoever uses it decides which part comes when, and
// which never comes: it is for tests, and for the attacks of the benchmark. It has no
// socket, and no goroutine once the handshake is over.
package phone

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/srtp/v3"
	"github.com/pion/stun/v4"
	"github.com/pion/transport/v4/packetio"
)

// Identity is a certificate. Many phones may share one.
type Identity struct {
	certificate tls.Certificate
	print       string // SHA-256, as SDP has it
}

// NewIdentity makes a certificate that is valid for two days around now.
func NewIdentity() (*Identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(der)
	print := strings.ToUpper(strings.ReplaceAll(fmt.Sprintf("% x", sum[:]), " ", ":"))
	return &Identity{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, print}, nil
}

// Phone is one client. Its methods may be called by one goroutine at a time, except that
// Take may be called during Shake.
type Phone struct {
	// Send sends a datagram to the service. It must not keep it.
	Send func(datagram []byte)

	id         *Identity
	user, pass string         // of the answer
	service    netip.AddrPort // of the answer
	integrity  stun.MessageIntegrity
	flights    *packetio.Buffer // DTLS of the service
	session    *dtls.Conn
	muted      bool
	out, in    *srtp.Context
}

// New makes a phone. It has to be closed.
func New(id *Identity, send func([]byte)) *Phone {
	return &Phone{Send: send, id: id, flights: packetio.NewBuffer()}
}

// theirs is the ICE user of every phone: the service knows it by the user of its answer.
const theirs = "abcd"

// Offer is an offer with an uplink and so many slots.
func (p *Phone) Offer(slots int) string {
	var b strings.Builder
	b.WriteString("v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:" + theirs + "\r\na=ice-pwd:0123456789012345678901\r\na=setup:actpass\r\n")
	fmt.Fprintf(&b, "a=fingerprint:sha-256 %s\r\na=group:BUNDLE", p.id.print)
	for i := range slots + 1 {
		fmt.Fprintf(&b, " %d", i)
	}
	b.WriteString("\r\n")
	for i := range slots + 1 {
		direction := "recvonly"
		if i == 0 {
			direction = "sendonly"
		}
		fmt.Fprintf(&b, "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:%d\r\na=%s\r\na=rtcp-mux\r\na=rtpmap:111 opus/48000/2\r\n", i, direction)
	}
	return b.String()
}

// Answered takes the answer: the credentials, and the service's first address.
func (p *Phone) Answered(answer string) error {
	p.user, p.pass = attribute(answer, "ice-ufrag"), attribute(answer, "ice-pwd")
	p.integrity = stun.NewShortTermIntegrity(p.pass)
	candidate := strings.Fields(attribute(answer, "candidate"))
	if p.user == "" || p.pass == "" || len(candidate) < 6 {
		return errors.New("phone: the answer has no credentials or no address")
	}
	ip, err := netip.ParseAddr(candidate[4])
	if err != nil {
		return fmt.Errorf("phone: the address of the answer: %w", err)
	}
	var port uint16
	if _, err := fmt.Sscan(candidate[5], &port); err != nil {
		return fmt.Errorf("phone: the port of the answer: %w", err)
	}
	p.service = netip.AddrPortFrom(ip, port)
	return nil
}

func attribute(sdp, key string) string {
	_, rest, _ := strings.Cut(sdp, "a="+key+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// Service is the service's address for media.
func (p *Phone) Service() netip.AddrPort { return p.service }

// Check sends a connectivity check that nominates the path (RFC 8445 section 7.2.2).
func (p *Phone) Check() error { return p.check(p.user, p.integrity) }

// Forge sends one that is not authentic: of this phone with a wrong password, or of a user
// whom nobody knows.
func (p *Phone) Forge(user string) error {
	if user == "" {
		user = p.user
	}
	return p.check(user, wrong)
}

var wrong = stun.NewShortTermIntegrity("not the password of any answer")

func (p *Phone) check(user string, integrity stun.MessageIntegrity) error {
	m, err := stun.Build(stun.BindingRequest, stun.TransactionID, stun.NewUsername(user+":"+theirs), nominated{}, integrity, stun.Fingerprint)
	if err == nil {
		p.Send(m.Raw)
	}
	return err
}

// nominated are the attributes of the controlling side.
type nominated struct{}

// AddTo implements stun.Setter.
func (nominated) AddTo(m *stun.Message) error {
	m.Add(stun.AttrICEControlling, make([]byte, 8))
	m.Add(stun.AttrPriority, []byte{110, 255, 255, 255})
	m.Add(stun.AttrUseCandidate, nil)
	return nil
}

// Kind is what a datagram of the service is.
type Kind uint8

// The kinds of datagrams.
const (
	Other  Kind = iota
	Check       // the answer to a check
	Flight      // of the handshake, which gets it
	Voice       // RTP, for Hear
	Report      // RTCP, for Read
)

// Take says what a datagram of the service is (RFC 7983 section 7, RFC 5761 section 4).
// Nothing of it is kept.
func (p *Phone) Take(b []byte) Kind {
	switch {
	case len(b) < 2:
	case b[0] < 4:
		if m := (&stun.Message{Raw: b}); m.Decode() == nil && m.Type == stun.BindingSuccess {
			return Check
		}
	case b[0] >= 20 && b[0] < 64:
		_, _ = p.flights.Write(b)
		return Flight
	case b[0] >= 128 && b[0] < 192 && b[1] >= 192 && b[1] < 224:
		return Report
	case b[0] >= 128 && b[0] < 192:
		return Voice
	}
	return Other
}
