package phone

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/logging"
	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"
)

// Shake runs the handshake (RFC 5764), with GCM, and begins SRTP. Its datagrams have at
// most mtu bytes.
func (p *Phone) Shake(ctx context.Context, mtu int) error {
	const profile = dtls.SRTP_AEAD_AES_128_GCM
	conn, err := dtls.ClientWithOptions(wire{p}, wire{p}.LocalAddr(), dtls.WithCertificates(p.id.certificate), dtls.WithInsecureSkipVerify(true),
		dtls.WithSRTPProtectionProfiles(profile), dtls.WithExtendedMasterSecret(dtls.RequireExtendedMasterSecret),
		dtls.WithMTU(mtu), dtls.WithLoggerFactory(quiet{}))
	if err != nil {
		return err
	}
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return err
	}
	p.session = conn
	state, ok := conn.ConnectionState()
	if !ok {
		return errors.New("phone: the handshake gives no keys")
	}
	c := srtp.Config{Profile: srtp.ProtectionProfile(profile)}
	if err := c.ExtractSessionKeysFromDTLS(&state, true); err != nil {
		return err
	}
	if p.out, err = srtp.CreateContext(c.Keys.LocalMasterKey, c.Keys.LocalMasterSalt, c.Profile); err != nil {
		return err
	}
	p.in, err = srtp.CreateContext(c.Keys.RemoteMasterKey, c.Keys.RemoteMasterSalt, c.Profile,
		srtp.SRTPReplayProtection(128), srtp.SRTCPReplayProtection(128))
	return err
}

// Hello is the first datagram of a handshake, which goes no further.
func (p *Phone) Hello() []byte {
	first := make(chan []byte, 1)
	q := New(p.id, func(b []byte) {
		select {
		case first <- append([]byte(nil), b...):
		default:
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); _ = q.Shake(ctx, 1200) }()
	hello := <-first
	cancel()
	<-over
	q.Close()
	return hello
}

// Forget ends the DTLS session without a word to the service, as a client does that keeps
// only what voice needs.
func (p *Phone) Forget() {
	p.muted = true
	p.Close()
}

// Close ends the phone; it says goodbye if it is connected.
func (p *Phone) Close() {
	if p.session != nil {
		_ = p.session.Close()
	}
	_ = p.flights.Close()
}

// Talk sends a packet of voice. The header's version is set.
func (p *Phone) Talk(h rtp.Header, payload []byte) error {
	b, err := p.Protect(h, payload)
	if err == nil {
		p.Send(b)
	}
	return err
}

// Protect makes such a packet and does not send it.
func (p *Phone) Protect(h rtp.Header, payload []byte) ([]byte, error) {
	h.Version = 2
	plain, err := (&rtp.Packet{Header: h, Payload: payload}).Marshal()
	if err != nil {
		return nil, err
	}
	return p.out.EncryptRTP(nil, plain, nil)
}

// Tell sends a compound RTCP packet.
func (p *Phone) Tell(compound []byte) error {
	b, err := p.out.EncryptRTCP(nil, compound, nil)
	if err == nil {
		p.Send(b)
	}
	return err
}

// Hear decrypts a packet of voice into room, which is made longer if it is too short, and
// reads it. The payload lies in room.
func (p *Phone) Hear(into *rtp.Packet, room, packet []byte) ([]byte, error) {
	room, err := p.in.DecryptRTP(room, packet, nil)
	if err != nil {
		return room, err
	}
	return room, into.Unmarshal(room)
}

// RollOver is the roll-over counter of a stream of the service (RFC 3711 section 3.2.1).
func (p *Phone) RollOver(ssrc uint32) uint32 {
	n, _ := p.in.ROC(ssrc)
	return n
}

// Read decrypts a compound RTCP packet.
func (p *Phone) Read(packet []byte) ([]byte, error) { return p.in.DecryptRTCP(nil, packet, nil) }

// wire is the phone as DTLS's packet connection.
type wire struct{ *Phone }

func (w wire) ReadFrom(b []byte) (int, net.Addr, error) {
	n, err := w.flights.Read(b)
	return n, w.LocalAddr(), err
}

func (w wire) WriteTo(b []byte, _ net.Addr) (int, error) {
	if !w.muted {
		w.Send(b)
	}
	return len(b), nil
}
func (w wire) Close() error                      { return w.flights.Close() }
func (w wire) LocalAddr() net.Addr               { return &net.UDPAddr{IP: net.IPv4zero} }
func (w wire) SetDeadline(t time.Time) error     { return w.flights.SetReadDeadline(t) }
func (w wire) SetReadDeadline(t time.Time) error { return w.flights.SetReadDeadline(t) }
func (wire) SetWriteDeadline(time.Time) error    { return nil }

// quiet discards pion's log: what matters arrives as errors.
type quiet struct{}

func (quiet) NewLogger(string) logging.LeveledLogger { return quiet{} }
func (quiet) Trace(string)                           {}
func (quiet) Tracef(string, ...any)                  {}
func (quiet) Debug(string)                           {}
func (quiet) Debugf(string, ...any)                  {}
func (quiet) Info(string)                            {}
func (quiet) Infof(string, ...any)                   {}
func (quiet) Warn(string)                            {}
func (quiet) Warnf(string, ...any)                   {}
func (quiet) Error(string)                           {}
func (quiet) Errorf(string, ...any)                  {}
