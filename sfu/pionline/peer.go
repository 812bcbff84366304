// Package pionline carries each line on a PeerConnection of pion/webrtc.
package pionline

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/stun/v4"
	"github.com/pion/webrtc/v4"

	"squelch/sfu/line"
	"squelch/sfu/offer"
)

// peer is a line on a PeerConnection.
type peer struct {
	pc      *webrtc.PeerConnection
	owner   line.Owner
	tracks  []*track
	path    line.Path
	streams atomic.Int32 // how many the connection has
	up      atomic.Bool  // has been connected
	born    time.Time

	mu     sync.Mutex // never held while the owner is called
	ended  bool
	closed bool
}

func newPeer(o offer.Offer, slots int, up line.Owner) *peer {
	l := &peer{owner: up, born: time.Now()}
	for _, mid := range o.Slots[:min(slots, len(o.Slots))] {
		l.tracks = append(l.tracks, &track{mid: mid, payloadType: o.Opus})
	}
	return l
}

// opened counts the streams of the connection, ours included. pion keeps state for
// each one until the end, so a client that opens ever more of them is cut off.
func (l *peer) opened() {
	if l.streams.Add(1) == line.MaxStreams {
		l.end(line.ErrStreams)
	}
}

// negotiate answers a checked offer.
func (l *peer) negotiate(ctx context.Context, api *webrtc.API, o offer.Offer) (string, error) {
	if err := l.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: o.SDP}); err != nil {
		return "", fmt.Errorf("sdp is not acceptable: %w", err)
	}
	if err := l.fill(api); err != nil {
		return "", err
	}
	answer, err := l.pc.CreateAnswer(nil)
	if err != nil {
		return "", fmt.Errorf("sdp cannot be answered: %w", err)
	}
	return gather(ctx, l.pc, answer)
}

// fill puts the slots on the sections on which the client receives, and stops the
// sections for which there is no slot.
func (l *peer) fill(api *webrtc.API) error {
	for _, t := range l.pc.GetTransceivers() {
		if t.Direction() != webrtc.RTPTransceiverDirectionSendonly {
			continue
		}
		s := l.trackOn(t.Mid())
		if s == nil {
			if err := t.Stop(); err != nil {
				return err
			}
			continue
		}
		sender, err := api.NewRTPSender(s, l.pc.SCTP().Transport())
		if err != nil {
			return err
		}
		if err := t.SetSender(sender, s); err != nil {
			return err
		}
	}
	return nil
}

func (l *peer) trackOn(mid string) *track {
	for _, s := range l.tracks {
		if s.mid == mid {
			return s
		}
	}
	return nil
}

// state follows the state of the connection.
func (l *peer) state(st webrtc.PeerConnectionState) {
	switch st {
	case webrtc.PeerConnectionStateConnected:
		if l.up.CompareAndSwap(false, true) {
			l.owner.Connected()
		}
	case webrtc.PeerConnectionStateFailed:
		if l.up.Load() {
			l.end(line.ErrLost)
		} else {
			l.end(line.ErrFailed)
		}
	case webrtc.PeerConnectionStateClosed:
		l.end(line.ErrLeft)
	}
}

func (l *peer) end(reason error) {
	l.mu.Lock()
	over := l.ended || l.closed
	l.ended = true
	l.mu.Unlock()
	if !over {
		l.owner.Ended(reason)
	}
}

// check is called by pion's ICE agent, which has verified the message. It says whether
// to move to the address that it came from.
func (l *peer) check(m *stun.Message, _, remote ice.Candidate, _ *ice.CandidatePair) bool {
	ip, err := netip.ParseAddr(remote.Address())
	if err != nil {
		return false
	}
	_, moved := l.path.Checked(netip.AddrPortFrom(ip, uint16(remote.Port())), m.Contains(stun.AttrUseCandidate), int64(time.Since(l.born)))
	return moved
}

// SSRC implements line.Line.
func (l *peer) SSRC(slot int) uint32 {
	if b := l.tracks[slot].bound.Load(); b != nil {
		return b.ssrc
	}
	return 0
}

// WriteRTP implements line.Line.
func (l *peer) WriteRTP(_ line.Batch, slot int, h *rtp.Header, payload []byte) error {
	b := l.tracks[slot].bound.Load()
	if b == nil {
		return errNotBound
	}
	h.Version, h.SSRC = 2, b.ssrc
	_, err := b.writer.WriteRTP(h, payload)
	return err
}

// WriteRTCP implements line.Line.
func (l *peer) WriteRTCP(compound []byte) error {
	whole := rtcp.RawPacket(compound)
	return l.pc.WriteRTCP([]rtcp.Packet{&whole})
}

// Close implements line.Line.
func (l *peer) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	_ = l.pc.GracefulClose()
}

var errNotBound = errors.New("webrtc: not connected")

// track is a slot's stream as a webrtc.TrackLocal.
type track struct {
	mid         string
	payloadType uint8
	bound       atomic.Pointer[binding] // nil: not negotiated yet, or over
}

type binding struct {
	writer webrtc.TrackLocalWriter
	ssrc   uint32
}

// Bind begins the stream once the connection is negotiated. The context has this
// side's payload types, but the client's number for Opus counts.
func (s *track) Bind(c webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	for _, codec := range c.CodecParameters() {
		if codec.MimeType == webrtc.MimeTypeOpus {
			s.bound.Store(&binding{c.WriteStream(), uint32(c.SSRC())})
			codec.PayloadType = webrtc.PayloadType(s.payloadType)
			return codec, nil
		}
	}
	return webrtc.RTPCodecParameters{}, errors.New("webrtc: the client does not take Opus")
}

// Unbind ends the stream.
func (s *track) Unbind(webrtc.TrackLocalContext) error {
	s.bound.Store(nil)
	return nil
}

func (s *track) ID() string                { return "slot" + s.mid }
func (s *track) RID() string               { return "" }
func (s *track) StreamID() string          { return "squelch" }
func (s *track) Kind() webrtc.RTPCodecType { return webrtc.RTPCodecTypeAudio }
