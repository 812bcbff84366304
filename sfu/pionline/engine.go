package pionline

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/pion/dtls/v3"
	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/logging"
	"github.com/pion/transport/v4/packetio"
	"github.com/pion/webrtc/v4"

	"squelch/sfu/line"
	"squelch/sfu/offer"
)

// engine makes PeerConnections, tuned for voice:
// AES-GCM first, DTLS server, ICE-lite, one UDP port, no interceptors
// (RATIONALE, "How are WebRTC connections set up?").
type engine struct {
	ports       line.Ports
	udp         ice.UDPMux
	tcp         ice.TCPMux // nil: none
	settings    webrtc.SettingEngine
	codecs      *webrtc.MediaEngine
	certificate webrtc.Certificate
}

// New takes over open ports. It closes them if it fails.
func New(p line.Ports) (line.Engine, error) {
	e := &engine{ports: p, codecs: &webrtc.MediaEngine{}}
	e.udp = ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: newPort(p.UDP), Logger: quiet{}, Net: p.Net})
	if p.TCP != nil {
		// With a write buffer a stuck client loses packets instead of holding up
		// the talker.
		e.tcp = ice.NewTCPMuxDefault(ice.TCPMuxParams{Listener: p.TCP, Logger: quiet{}, ReadBufferSize: line.TCPPackets, WriteBufferSize: line.TCPBuffer})
	}
	if err := e.build(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// mimeRED is redundant audio (RFC 2198), which slots send where the client's line loses
// packets.
const mimeRED = "audio/red"

func (e *engine) build() error {
	// In-band FEC is on. No RTCP feedback is offered, so clients ask for no
	// retransmission or pacing.
	if err := e.codecs.RegisterCodec(webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000, Channels: 2,
			SDPFmtpLine: "minptime=10;useinbandfec=1"},
		PayloadType: 111,
	}, webrtc.RTPCodecTypeAudio); err != nil {
		return err
	}
	if err := e.codecs.RegisterCodec(webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: mimeRED, ClockRate: 48_000, Channels: 2, SDPFmtpLine: "111/111"},
		PayloadType:        63,
	}, webrtc.RTPCodecTypeAudio); err != nil {
		return err
	}
	// One key serves all peers: they get its fingerprint in the answer.
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	certificate, err := webrtc.GenerateCertificate(key)
	if err != nil {
		return err
	}
	e.certificate = *certificate

	s := &e.settings
	s.LoggerFactory = quiet{}
	s.SetLite(true)
	s.SetICEUDPMux(e.udp)
	networks := []webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6}
	if e.tcp != nil {
		s.SetICETCPMux(e.tcp)
		networks = append(networks, webrtc.NetworkTypeTCP4, webrtc.NetworkTypeTCP6)
	}
	s.SetNetworkTypes(networks)
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	at, _ := e.ports.UDP.LocalAddr().(*net.UDPAddr)
	s.SetIncludeLoopbackCandidate(at != nil && at.IP.IsLoopback())
	s.DisableActiveTCP(true)
	s.SetICETimeouts(line.PathSuspect, line.ConsentTimeout-line.PathSuspect, 0)
	s.SetReceiveMTU(line.ReceiveMTU)
	// Browsers that are the DTLS server choose SHA-1, so this side is the server.
	if err := s.SetAnsweringDTLSRole(webrtc.DTLSRoleServer); err != nil {
		return err
	}
	s.SetSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM, dtls.SRTP_AES128_CM_HMAC_SHA1_80)
	// ICE has already shown that the client is where it says: no cookie round.
	s.SetDTLSInsecureSkipHelloVerify(true)
	if e.ports.Net != nil {
		s.SetNet(e.ports.Net)
	}
	return nil
}

// connect makes a connection whose decrypted packets go straight to the owner, on
// the goroutines that decrypt: no buffer, no reader per stream.
func (e *engine) connect(l *peer, data bool) (*webrtc.API, *webrtc.PeerConnection, error) {
	s := e.settings
	s.BufferFactory = func(kind packetio.BufferPacketType, _ uint32) io.ReadWriteCloser {
		l.opened()
		if kind == packetio.RTPBufferPacket {
			return packetFunc(l.owner.RTP)
		}
		return packetFunc(l.owner.RTCP)
	}
	s.SetICEBindingRequestHandler(l.check)
	if data {
		s.DetachDataChannels() // whoever handles the messages reads them, at its own pace
		s.SetSCTPMaxMessageSize(line.MaxMessage)
		s.SetSCTPMaxReceiveBufferSize(line.MessageWindow)
	}
	if public := e.public(); len(public) > 0 {
		if err := s.SetICEAddressRewriteRules(webrtc.ICEAddressRewriteRule{External: public,
			AsCandidateType: webrtc.ICECandidateTypeHost, Mode: webrtc.ICEAddressRewriteReplace}); err != nil {
			return nil, nil, err
		}
	}
	api := webrtc.NewAPI(webrtc.WithSettingEngine(s), webrtc.WithMediaEngine(e.codecs), webrtc.WithInterceptorRegistry(&interceptor.Registry{}))
	pc, err := api.NewPeerConnection(webrtc.Configuration{Certificates: []webrtc.Certificate{e.certificate}})
	if err == nil && data {
		pc.OnDataChannel(l.dataChannel)
	}
	return api, pc, err
}

func (e *engine) public() []string {
	if e.ports.Public == nil {
		return nil
	}
	var out []string
	for _, a := range e.ports.Public() {
		out = append(out, a.String())
	}
	return out
}

// Candidates makes a connection only to find out which addresses there are.
func (e *engine) Candidates(ctx context.Context) (int, error) {
	_, pc, err := e.connect(&peer{}, false)
	if err != nil {
		return 0, err
	}
	defer func() { _ = pc.GracefulClose() }()
	if _, err := pc.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio); err != nil {
		return 0, err
	}
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		return 0, err
	}
	sdp, err := gather(ctx, pc, offer)
	return strings.Count(sdp, "a=candidate:"), err
}

// Open negotiates a connection.
func (e *engine) Open(ctx context.Context, o offer.Offer, slots int, up line.Owner) (line.Line, string, error) {
	l := newPeer(o, slots, up)
	api, pc, err := e.connect(l, o.Data != "")
	if err != nil {
		return nil, "", err
	}
	l.pc = pc
	answer, err := l.negotiate(ctx, api, o)
	if err != nil {
		l.Close()
		return nil, "", err
	}
	pc.OnConnectionStateChange(l.state)
	return l, answer, nil
}

// Batch gives a batch that is always empty: pion sends each packet by itself.
func (e *engine) Batch() line.Batch { return noBatch{} }

type noBatch struct{}

func (noBatch) Flush() {}

// Close closes the ports. The lines must have been closed.
func (e *engine) Close() {
	if e.tcp != nil {
		_ = e.tcp.Close()
	}
	_ = e.udp.Close()
	_ = e.ports.UDP.Close()
}

// gather sets the local description and waits until it names all addresses.
func gather(ctx context.Context, pc *webrtc.PeerConnection, d webrtc.SessionDescription) (string, error) {
	done := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(d); err != nil {
		return "", err
	}
	select {
	case <-done:
		return pc.LocalDescription().SDP, nil
	case <-ctx.Done():
		return "", fmt.Errorf("webrtc: gathering addresses: %w", ctx.Err())
	}
}

// packetFunc stands in for a stream's buffer: it is called with each packet that is
// written to it, and there is never anything to read.
type packetFunc func([]byte)

func (f packetFunc) Write(b []byte) (int, error) { f(b); return len(b), nil }
func (f packetFunc) Read([]byte) (int, error)    { return 0, io.EOF }
func (f packetFunc) Close() error                { return nil }

// quiet discards pion's log: what matters arrives as errors and states.
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
