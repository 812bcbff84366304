// Package client is a small WebRTC client of the media plane, for tests and the
// command line: one uplink, four slots, Opus packets in and out. It neither records
// nor decodes.
package client

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/rtp"
	"github.com/pion/transport/v4"
	"github.com/pion/webrtc/v4"

	"squelch/core"
	"squelch/sfu/opus/packet"
	"squelch/sfu/red"
)

// Slots is how many downlinks a client asks for.
const Slots = 4

// redundantType is the payload type of redundant voice, as Chromium has it.
const redundantType = 63

// mtu is the longest packet read, in bytes.
const mtu = 1500

// Received is one packet of somebody's voice. Payload is the client's own copy.
type Received struct {
	Slot      int // 0-based
	Mid       string
	Talker    core.UserID // from the CSRC; 0: none was there
	Sequence  uint16
	Timestamp uint32
	Marker    bool // the first packet of a burst
	Payload   []byte
	Repeated  bool // by a later packet, whose Sequence this is; the frame itself may have come too
	// RoundTrip is set if this is the client's own voice (the self-test): the time
	// from Send until it came back.
	RoundTrip time.Duration
}

// Options of a client. The zero value connects to a server on other machines.
type Options struct {
	// ID is the client's own id, by which it recognizes its own voice in a
	// self-test.
	ID core.UserID
	// Heard takes the voice that arrives. It is called concurrently for different
	// slots; the packets of one slot come in the order of arrival. Nil: nobody
	// listens.
	Heard func(Received)
	// Gone is called once, if the connection ends without Close.
	Gone func()
	// Loopback offers addresses of this machine's loopback interface too.
	Loopback bool
	// TCP uses ICE-TCP only.
	TCP bool
	// PayloadType is the number that the offer gives Opus; 0 is 111, as Chromium
	// has it (Firefox has 109).
	PayloadType uint8
	// CheckEvery is the pace of connectivity checks; 0 is 1 s. Chromium has 2.5 s.
	CheckEvery time.Duration
	// Redundant takes packets that repeat earlier frames (RFC 2198).
	Redundant bool
	// Net is a simulated network; nil: the real one.
	Net transport.Net
	// Control takes the texts that arrive on the data channel "control", which is
	// offered if this is not nil. The texts come one after the other.
	Control func(text []byte)
}

// Client is one connection.
type Client struct {
	id     core.UserID
	pc     *webrtc.PeerConnection
	voice  *uplink
	data   *webrtc.DataChannel // nil: none was asked for
	gone   func()
	done   sync.WaitGroup
	closed sync.Once

	up, failed         chan struct{}
	upOnce, failedOnce sync.Once
	leaving            atomic.Bool
}

// Dial offers a connection, gets the answer from signal, and waits until voice can
// flow.
func Dial(ctx context.Context, o Options, signal func(ctx context.Context, offer string) (answer string, err error)) (*Client, error) {
	pc, err := connection(o)
	if err != nil {
		return nil, err
	}
	c := &Client{id: o.ID, pc: pc, voice: &uplink{}, up: make(chan struct{}), failed: make(chan struct{}), gone: o.Gone}
	if err := c.negotiate(ctx, o, signal); err != nil {
		c.Close()
		return nil, err
	}
	select {
	case <-c.up:
		return c, nil
	case <-c.failed:
		err = errors.New("webrtc: the server cannot be reached")
	case <-ctx.Done():
		err = fmt.Errorf("webrtc: connecting: %w", ctx.Err())
	}
	c.Close()
	return nil, err
}

func connection(o Options) (*webrtc.PeerConnection, error) {
	var e webrtc.SettingEngine
	e.LoggerFactory = silent{}
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	e.SetIncludeLoopbackCandidate(o.Loopback)
	e.SetICETimeouts(10*time.Second, 30*time.Second, cmp.Or(o.CheckEvery, time.Second))
	if o.TCP {
		e.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4, webrtc.NetworkTypeTCP6})
	} else {
		e.DisableActiveTCP(true)
		e.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6})
	}
	if o.Net != nil {
		e.SetNet(o.Net)
	}
	payloadType := webrtc.PayloadType(111)
	if o.PayloadType != 0 {
		payloadType = webrtc.PayloadType(o.PayloadType)
	}
	m := &webrtc.MediaEngine{}
	if err := m.RegisterCodec(webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: packet.Rate, Channels: 2, SDPFmtpLine: "minptime=10;useinbandfec=1"},
		PayloadType:        payloadType,
	}, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	if o.Redundant {
		if err := m.RegisterCodec(webrtc.RTPCodecParameters{
			RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: "audio/red", ClockRate: packet.Rate, Channels: 2,
				SDPFmtpLine: fmt.Sprintf("%d/%[1]d", payloadType)},
			PayloadType: redundantType,
		}, webrtc.RTPCodecTypeAudio); err != nil {
			return nil, err
		}
	}
	voiceReports, err := reports()
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate, err := webrtc.GenerateCertificate(key)
	if err != nil {
		return nil, err
	}
	api := webrtc.NewAPI(webrtc.WithSettingEngine(e), webrtc.WithMediaEngine(m), webrtc.WithInterceptorRegistry(voiceReports))
	return api.NewPeerConnection(webrtc.Configuration{Certificates: []webrtc.Certificate{*certificate}})
}

func (c *Client) negotiate(ctx context.Context, o Options, signal func(context.Context, string) (string, error)) error {
	c.pc.OnConnectionStateChange(c.state)
	if _, err := c.pc.AddTransceiverFromTrack(c.voice, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendonly}); err != nil {
		return err
	}
	for range Slots {
		if _, err := c.pc.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
			return err
		}
	}
	if o.Control != nil {
		if err := c.openControl(o.Control); err != nil {
			return err
		}
	}
	c.pc.OnTrack(func(t *webrtc.TrackRemote, r *webrtc.RTPReceiver) { c.listen(t, r, o.Heard) })
	offer, err := c.pc.CreateOffer(nil)
	if err != nil {
		return err
	}
	gathered := webrtc.GatheringCompletePromise(c.pc)
	if err := c.pc.SetLocalDescription(offer); err != nil {
		return err
	}
	select {
	case <-gathered:
	case <-ctx.Done():
		return ctx.Err()
	}
	answer, err := signal(ctx, c.pc.LocalDescription().SDP)
	if err != nil {
		return err
	}
	return c.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer})
}

// openControl offers the data channel. With it, the connection is up when the channel
// is open.
func (c *Client) openControl(take func([]byte)) (err error) {
	if c.data, err = c.pc.CreateDataChannel("control", nil); err != nil {
		return err
	}
	c.data.OnOpen(func() { c.upOnce.Do(func() { close(c.up) }) })
	c.data.OnMessage(func(m webrtc.DataChannelMessage) { take(m.Data) })
	c.data.OnClose(c.ended)
	return nil
}

// SendControl sends a text over the data channel.
func (c *Client) SendControl(text string) error { return c.data.SendText(text) }

// state may run on several goroutines at once.
func (c *Client) state(st webrtc.PeerConnectionState) {
	switch st {
	case webrtc.PeerConnectionStateConnected:
		if c.data == nil {
			c.upOnce.Do(func() { close(c.up) })
		}
	case webrtc.PeerConnectionStateFailed, webrtc.PeerConnectionStateClosed:
		c.ended()
	}
}

// ended notes that the connection is of no use any more.
func (c *Client) ended() {
	c.failedOnce.Do(func() {
		close(c.failed)
		if c.gone != nil && !c.leaving.Load() {
			c.gone()
		}
	})
}

// listen reads one slot until the connection ends.
func (c *Client) listen(t *webrtc.TrackRemote, r *webrtc.RTPReceiver, heard func(Received)) {
	mid := ""
	slot := 0
	for i, tr := range c.pc.GetTransceivers() {
		if tr.Receiver() == r {
			mid, slot = tr.Mid(), i-1
		}
	}
	c.done.Go(func() { // RTCP must be read for reports to be answered
		buf := make([]byte, mtu)
		for {
			if _, _, err := r.Read(buf); err != nil {
				return
			}
		}
	})
	c.done.Go(func() {
		buf := make([]byte, mtu)
		var p rtp.Packet
		for {
			n, _, err := t.Read(buf)
			if err != nil {
				return
			}
			if p.Unmarshal(buf[:n]) != nil || heard == nil {
				continue
			}
			blocks := [...]red.Block{{Payload: p.Payload}}
			frames := blocks[:]
			if p.PayloadType == redundantType {
				if frames, err = red.Split(nil, p.Payload); err != nil {
					continue
				}
			}
			for i, f := range frames {
				got := Received{Slot: slot, Mid: mid, Sequence: p.SequenceNumber, Timestamp: p.Timestamp - f.Age, Marker: p.Marker,
					Repeated: i < len(frames)-1, Payload: append([]byte(nil), f.Payload...)}
				if len(p.CSRC) > 0 {
					got.Talker = core.UserID(int32(p.CSRC[0]))
				}
				if c.id != 0 && got.Talker == c.id {
					got.RoundTrip = c.voice.roundTrip(got.Payload, time.Now())
				}
				heard(got)
			}
		}
	})
}

// Send sends one Opus packet now. The caller paces the packets; a pause of more than
// 200 ms begins a new burst.
func (c *Client) Send(opus []byte) error {
	samples := packet.Samples(opus)
	if samples == 0 {
		return errors.New("webrtc: not an Opus packet")
	}
	return c.voice.send(opus, uint32(samples), time.Now())
}

// SendRTP sends a packet with the caller's own header. The client sets the payload
// type and, if it is 0, the SSRC. Tests use it for what no client should send.
func (c *Client) SendRTP(h rtp.Header, payload []byte) error { return c.voice.write(h, payload) }

// Close ends the connection and waits until no goroutine is left.
func (c *Client) Close() {
	c.closed.Do(func() {
		c.leaving.Store(true)
		_ = c.pc.GracefulClose()
		c.done.Wait()
	})
}

// silent discards pion's log.
type silent struct{}

func (silent) NewLogger(string) logging.LeveledLogger { return silent{} }
func (silent) Trace(string)                           {}
func (silent) Tracef(string, ...any)                  {}
func (silent) Debug(string)                           {}
func (silent) Debugf(string, ...any)                  {}
func (silent) Info(string)                            {}
func (silent) Infof(string, ...any)                   {}
func (silent) Warn(string)                            {}
func (silent) Warnf(string, ...any)                   {}
func (silent) Error(string)                           {}
func (silent) Errorf(string, ...any)                  {}
