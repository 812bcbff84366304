package onesocket

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/transport/v4/packetio"

	"squelch/sfu/line"
	"squelch/sfu/srtp"
)

const (
	// flightBytes is how much of what a client sends during a handshake may wait, in bytes:
	// some flights of the longest kind.
	flightBytes = 32 << 10
	// handshakeBytes is how much a client may send for its handshake in all, in bytes, because
	// pion keeps up to 2 MB of fragments of messages that are never complete. A handshake takes
	// 2 to 4 KB, and 40 KB if the client repeats it for 15 s.
	handshakeBytes = 64 << 10
	// alertEvery is how often an alert is looked at, because it takes some work.
	alertEvery = time.Second
)

// session is the DTLS side of a line, as pion needs it: a packet connection.
type session struct {
	*packetio.Buffer // what came from the client
	peer             *peer
	conn             *dtls.Conn  // nil during the handshake
	mute             atomic.Bool // nothing is sent any more
	dropped          atomic.Bool
	born             time.Time
	taken            atomic.Int64 // bytes of the handshake that were passed on
}

func (p *peer) newSession() *session {
	d := &session{Buffer: packetio.NewBuffer(), peer: p, born: time.Now()}
	d.SetLimitSize(flightBytes)
	return d
}

// ReadFrom implements net.PacketConn.
func (d *session) ReadFrom(b []byte) (int, net.Addr, error) {
	n, err := d.Read(b)
	return n, d.LocalAddr(), err
}

// WriteTo implements net.PacketConn. It sends to where the client is, whatever the address.
func (d *session) WriteTo(b []byte, _ net.Addr) (int, error) {
	if to := d.peer.to.Load(); to != nil && !d.mute.Load() {
		to.back.send(b, to.at)
	}
	return len(b), nil
}

// LocalAddr implements net.PacketConn.
func (d *session) LocalAddr() net.Addr { return d.peer.e.ports.UDP.LocalAddr() }

// SetDeadline implements net.PacketConn.
func (d *session) SetDeadline(t time.Time) error { return d.SetReadDeadline(t) }

// SetWriteDeadline implements net.PacketConn; writing never waits.
func (d *session) SetWriteDeadline(time.Time) error { return nil }

// drop ends the session without a word to the client.
func (d *session) drop() {
	d.mute.Store(true)
	d.dropped.Store(true)
	if d.conn != nil {
		_ = d.conn.Close()
	}
	_ = d.Buffer.Close()
}

// handshake takes a datagram of DTLS, from the client or from somebody who writes its address
// into datagrams. The first one begins the handshake, if there is room for it.
func (p *peer) handshake(b []byte) {
	if b = line.Records(b); len(b) == 0 {
		return
	}
	d := p.dtls.Load()
	if d == nil {
		if p.secure.Load() != nil {
			p.alert(b)
			return
		}
		if d = p.begin(b); d == nil {
			return
		}
	}
	if p.secure.Load() == nil || shakes(b) {
		if d.taken.Load()+int64(len(b)) > handshakeBytes {
			return
		}
		d.taken.Add(int64(len(b)))
	}
	_, _ = d.Write(b) // what finds no room is lost, as on any line
}

// shakes says whether a datagram has a record of a handshake. There may be some afterwards:
// repeated flights, and the beginning of another handshake, which never comes.
func shakes(b []byte) bool {
	const header, length = 13, 11 // RFC 6347 section 4.1
	for len(b) >= header {
		if b[0] == line.HandshakeRecord {
			return true
		}
		end := header + int(binary.BigEndian.Uint16(b[length:]))
		if end > len(b) {
			break
		}
		b = b[end:]
	}
	return false
}

// begin begins the handshake; nil: it cannot begin now, and the client tries again.
func (p *peer) begin(b []byte) *session {
	if b[0] != line.HandshakeRecord || p.closed.Load() {
		return nil
	}
	d := p.newSession()
	if !p.e.places.take(d) {
		return nil
	}
	if !p.dtls.CompareAndSwap(nil, d) {
		p.e.places.leave(d)
		return p.dtls.Load()
	}
	if !p.work(func() { p.shake(d) }) {
		p.e.places.leave(d)
	}
	return d
}

// shake runs the handshake, and what follows it.
func (p *peer) shake(d *session) {
	conn, err := p.agree(d)
	p.e.places.leave(d)
	switch {
	case err != nil:
	case p.data:
		err = p.channels(conn)
	default:
		p.listen(d)
	}
	if err != nil {
		d.drop()
		p.end(line.ErrFailed)
	}
}

// listen waits for the client's goodbye, as long as the session lasts. Whatever else comes, a
// warning or data that there is no use for, is none.
func (p *peer) listen(d *session) {
	for !left(d) {
	}
	if !d.dropped.Load() {
		p.end(line.ErrLeft)
	}
}

// left takes what comes next on a session, and says whether it is the client's goodbye, or
// the session's end on this side.
func left(d *session) bool {
	var none [1]byte
	_, err := d.conn.Read(none[:])
	return errors.Is(err, io.EOF)
}

func (p *peer) agree(d *session) (*dtls.Conn, error) {
	conn, err := dtls.ServerWithOptions(d, d.LocalAddr(), p.options()...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		d.mute.Store(true)
		_ = conn.Close()
		return nil, err
	}
	d.conn = conn
	return conn, p.connected(conn)
}

func (p *peer) options() []dtls.ServerOption {
	return []dtls.ServerOption{
		dtls.WithCertificates(p.e.certificate),
		dtls.WithSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM, dtls.SRTP_AES128_CM_HMAC_SHA1_80),
		dtls.WithExtendedMasterSecret(dtls.RequireExtendedMasterSecret),
		dtls.WithClientAuth(dtls.RequireAnyClientCert),
		dtls.WithInsecureSkipVerify(true), // the fingerprint counts, not who has signed
		dtls.WithVerifyPeerCertificate(p.verify),
		dtls.WithInsecureSkipVerifyHello(true), // ICE has shown that the client is where it says
		dtls.WithMTU(line.MaxPacket),
		dtls.WithLoggerFactory(quiet{}),
	}
}

var errFingerprint = errors.New("webrtc: the client's certificate is not the one of its offer")

// verify compares the client's certificate with its offer (RFC 5763 section 5).
func (p *peer) verify(raw [][]byte, _ [][]*x509.Certificate) error {
	if len(raw) == 0 {
		return errFingerprint
	}
	for _, f := range p.fingerprints {
		h := f.Hash.New()
		h.Write(raw[0])
		if bytes.Equal(h.Sum(nil), f.Sum) {
			return nil
		}
	}
	return errFingerprint
}

// connected begins what the handshake was for.
func (p *peer) connected(conn *dtls.Conn) error {
	state, ok := conn.ConnectionState()
	profile, chosen := conn.SelectedSRTPProtectionProfile()
	if !ok || !chosen {
		return errors.New("webrtc: the client agrees to no protection of voice")
	}
	theirs, ours, err := srtp.DTLSKeys(srtp.Profile(profile), &state)
	if err != nil {
		return err
	}
	s := &secure{since: p.e.clock()}
	if s.in, err = srtp.NewIn(theirs, line.MaxStreams-len(p.ssrcs)); err != nil {
		return err
	}
	if s.out, err = srtp.NewOut(ours); err != nil {
		return err
	}
	for _, ssrc := range p.ssrcs {
		s.streams = append(s.streams, s.out.Stream(ssrc))
	}
	p.secure.Store(s)
	p.notice(p.owner.Connected)
	return nil
}

// rest drops the session, and keeps its state. Nothing is sent any more when the state is taken,
// so that no number is used twice: the last flight of the handshake may have been repeated.
func (p *peer) rest() {
	p.keep.Lock()
	d := p.dtls.Load()
	if d == nil {
		p.keep.Unlock()
		return
	}
	d.mute.Store(true)
	if state, ok := d.conn.ConnectionState(); ok {
		state.PeerCertificates = nil       // they have served
		p.state, _ = state.MarshalBinary() // of a session that has been up it cannot fail
	}
	p.dtls.Store(nil)
	p.keep.Unlock()
	d.drop()
}

// kept is the state of a session that was dropped; nil: there is none.
func (p *peer) kept() []byte {
	p.keep.Lock()
	defer p.keep.Unlock()
	return p.state
}

// alert looks at an alert that comes after the session was dropped: the client may say
// goodbye.
func (p *peer) alert(b []byte) {
	now, last := p.e.clock(), p.alerts.Load()
	if b[0] != line.AlertRecord || last != 0 && now-last < int64(alertEvery) {
		return
	}
	p.alerts.Store(now)
	b = bytes.Clone(b)
	p.work(func() {
		d := p.newSession()
		defer d.drop()
		d.mute.Store(true)
		if p.resume(p.kept(), d) != nil {
			return
		}
		_, _ = d.Write(b)
		_ = d.conn.SetReadDeadline(time.Now().Add(alertEvery))
		if left(d) {
			p.end(line.ErrLeft)
		}
	})
}

// resume takes up the session again.
func (p *peer) resume(kept []byte, d *session) error {
	state := &dtls.State{}
	if err := state.UnmarshalBinary(kept); err != nil {
		return err
	}
	conn, err := dtls.ResumeWithOptions(state, d, d.LocalAddr(), dtls.WithCertificates(p.e.certificate),
		dtls.WithInsecureSkipVerify(true), dtls.WithLoggerFactory(quiet{}), dtls.WithMTU(line.MaxPacket))
	if err != nil {
		return err
	}
	d.conn = conn
	ctx, cancel := context.WithTimeout(context.Background(), alertEvery)
	defer cancel()
	return conn.HandshakeContext(ctx) // it is over at once, and lets the session be used
}

// goodbye tells the client that the line is closed.
func (p *peer) goodbye() {
	p.keep.Lock()
	d, kept := p.dtls.Swap(nil), p.state
	p.keep.Unlock()
	if p.secure.Load() == nil {
		if d != nil {
			_ = d.Buffer.Close() // ends the handshake
		}
		return
	}
	if d == nil {
		d = p.newSession()
		if p.resume(kept, d) != nil {
			return
		}
	}
	if d.conn != nil {
		_ = d.conn.Close()
	}
	d.drop()
}

// newCertificate makes a certificate and its fingerprint (RFC 8122 section 5). One key serves
// all lines.
func newCertificate() (tls.Certificate, string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, "", err
	}
	template := &x509.Certificate{SerialNumber: number, Subject: pkix.Name{CommonName: "WebRTC"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(10 * 365 * 24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	sum := sha256.Sum256(der)
	var text strings.Builder
	for i, b := range sum {
		if i > 0 {
			text.WriteByte(':')
		}
		fmt.Fprintf(&text, "%02X", b)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, "sha-256 " + text.String(), nil
}
