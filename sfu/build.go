package sfu

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"io"

	"github.com/pion/dtls/v3"
	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/packetio"
	"github.com/pion/webrtc/v4"
)

// builder makes PeerConnections, tuned for voice:
// AES-GCM first, DTLS server, ICE-lite, one UDP port, no interceptors
// (RATIONALE, "How are WebRTC connections set up?").
type builder struct {
	settings    webrtc.SettingEngine
	codecs      *webrtc.MediaEngine
	certificate webrtc.Certificate
}

func newBuilder(p *ports, public []string, loopback bool, simulated transport.Net) (builder, error) {
	var b builder
	b.codecs = &webrtc.MediaEngine{}
	// In-band FEC is on. No RTCP feedback is offered, so clients ask for no
	// retransmission or pacing.
	if err := b.codecs.RegisterCodec(webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000, Channels: 2,
			SDPFmtpLine: "minptime=10;useinbandfec=1"},
		PayloadType: 111,
	}, webrtc.RTPCodecTypeAudio); err != nil {
		return b, err
	}
	// One key serves all peers: they get its fingerprint in the answer.
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return b, err
	}
	certificate, err := webrtc.GenerateCertificate(key)
	if err != nil {
		return b, err
	}
	b.certificate = *certificate

	e := &b.settings
	e.LoggerFactory = quiet{}
	e.SetLite(true)
	e.SetICEUDPMux(p.udp)
	networks := []webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6}
	if p.tcp != nil {
		e.SetICETCPMux(p.tcp)
		networks = append(networks, webrtc.NetworkTypeTCP4, webrtc.NetworkTypeTCP6)
	}
	e.SetNetworkTypes(networks)
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	e.SetIncludeLoopbackCandidate(loopback)
	e.DisableActiveTCP(true)
	e.SetICETimeouts(pathSuspect, consentTimeout-pathSuspect, 0)
	e.SetReceiveMTU(receiveMTU)
	// Browsers that are the DTLS server choose SHA-1, so this side is the server.
	if err := e.SetAnsweringDTLSRole(webrtc.DTLSRoleServer); err != nil {
		return b, err
	}
	e.SetSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM, dtls.SRTP_AES128_CM_HMAC_SHA1_80)
	// ICE has already shown that the client is where it says: no cookie round.
	e.SetDTLSInsecureSkipHelloVerify(true)
	if simulated != nil {
		e.SetNet(simulated)
	}
	if len(public) > 0 {
		err = e.SetICEAddressRewriteRules(webrtc.ICEAddressRewriteRule{External: public,
			AsCandidateType: webrtc.ICECandidateTypeHost, Mode: webrtc.ICEAddressRewriteReplace})
	}
	return b, err
}

// connect makes a connection whose decrypted packets go straight to the peer, on
// the goroutines that decrypt: no buffer, no reader per stream.
func (b builder) connect(p *peer) (*webrtc.API, *webrtc.PeerConnection, error) {
	e := b.settings
	e.BufferFactory = func(kind packetio.BufferPacketType, _ uint32) io.ReadWriteCloser {
		p.opened()
		if kind == packetio.RTPBufferPacket {
			return packetFunc(p.rtp)
		}
		return packetFunc(p.rtcp)
	}
	e.SetICEBindingRequestHandler(p.check)
	if p.events.Control != nil {
		e.DetachDataChannels() // whoever handles the messages reads them, at its own pace
		e.SetSCTPMaxMessageSize(controlMessage)
		e.SetSCTPMaxReceiveBufferSize(controlWindow)
	}
	api := webrtc.NewAPI(webrtc.WithSettingEngine(e), webrtc.WithMediaEngine(b.codecs), webrtc.WithInterceptorRegistry(&interceptor.Registry{}))
	pc, err := api.NewPeerConnection(webrtc.Configuration{Certificates: []webrtc.Certificate{b.certificate}})
	if err == nil && p.events.Control != nil {
		pc.OnDataChannel(p.dataChannel)
	}
	return api, pc, err
}

// probe makes a connection that is only used to find out which addresses there are.
func (b builder) probe() (*webrtc.PeerConnection, error) {
	_, pc, err := b.connect(&peer{})
	if err != nil {
		return nil, err
	}
	if _, err := pc.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio); err != nil {
		_ = pc.GracefulClose()
		return nil, err
	}
	return pc, nil
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
