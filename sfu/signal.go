package sfu

import (
	"context"
	"fmt"

	"github.com/pion/webrtc/v4"

	"squelch/core"
	"squelch/sfu/offer"
)

// Answer takes a client's offer and gives the answer, with all addresses in it:
// nothing more is negotiated until the client makes a new offer. The offer has at
// most one audio section on which the client sends, and recvonly ones that become
// slots, in order; at most maxSlots of them are used. If the events have Control, it has
// a section for data channels too. An earlier connection of the user ends. Errors say
// what is wrong and may be shown to the client.
func (s *SFU) Answer(ctx context.Context, user core.UserID, sdp string, events PeerEvents) (string, error) {
	o, err := offer.Read(sdp, events.Control != nil)
	if err != nil {
		return "", err
	}
	ports, err := s.reserve(user)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	p := &peer{s: s, user: user, events: events, born: s.clock(), dataMost: o.DataMost}
	answer, err := p.negotiate(ctx, ports.build, o, sdp)
	if err == nil {
		err = s.admit(p)
	} else {
		s.release()
	}
	if err != nil {
		if p.pc != nil {
			_ = p.pc.GracefulClose()
		}
		return "", err
	}
	p.pc.OnConnectionStateChange(p.state)
	p.state(p.pc.ConnectionState()) // the connection may be established already
	return answer, nil
}

// reserve counts a peer before it is negotiated, so that there are never more than the
// limit.
func (s *SFU) reserve(user core.UserID) (*ports, error) {
	s.control.Lock()
	defer s.control.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.ports == nil:
		return nil, ErrNoWebRTC
	case user == 0:
		return nil, fmt.Errorf("webrtc: the user id must not be 0")
	case s.peers >= s.ports.peers:
		return nil, fmt.Errorf("%w (%d)", ErrFull, s.ports.peers)
	}
	s.peers++
	return s.ports, nil
}

func (s *SFU) release() {
	s.control.Lock()
	defer s.control.Unlock()
	s.peers--
}

// admit makes p its user's peer. reserve has counted it.
func (s *SFU) admit(p *peer) error {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed {
		return ErrClosed
	}
	if u := (*s.users.Load())[p.user]; u != nil && u.peer != nil {
		s.removePeer(u.peer)
	}
	s.change(p.user, func(u *listener) { u.peer, u.ready = p, false })
	return nil
}

// negotiate builds the connection for a checked offer.
func (p *peer) negotiate(ctx context.Context, b builder, o offer.Offer, sdp string) (string, error) {
	if o.Uplink != "" {
		p.up = newUplink(p.s, p.user, o.Opus)
	}
	for i, mid := range o.Slots[:min(len(o.Slots), maxSlots)] {
		p.slots = append(p.slots, newSlot(i, mid, o.Opus))
	}
	api, pc, err := b.connect(p)
	if err != nil {
		return "", err
	}
	p.pc = pc
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: sdp}); err != nil {
		return "", fmt.Errorf("sdp is not acceptable: %w", err)
	}
	if err := p.fill(api); err != nil {
		return "", err
	}
	answer, err := pc.CreateAnswer(nil)
	if err != nil {
		return "", fmt.Errorf("sdp cannot be answered: %w", err)
	}
	return gather(ctx, pc, answer)
}

// fill puts the slots on the sections on which the client receives, and stops the
// sections for which there is no slot.
func (p *peer) fill(api *webrtc.API) error {
	for _, t := range p.pc.GetTransceivers() {
		if t.Direction() != webrtc.RTPTransceiverDirectionSendonly {
			continue
		}
		s := p.slotOn(t.Mid())
		if s == nil {
			if err := t.Stop(); err != nil {
				return err
			}
			continue
		}
		sender, err := api.NewRTPSender(s, p.pc.SCTP().Transport())
		if err != nil {
			return err
		}
		if err := t.SetSender(sender, s); err != nil {
			return err
		}
	}
	return nil
}

func (p *peer) slotOn(mid string) *slot {
	for _, s := range p.slots {
		if s.mid == mid {
			return s
		}
	}
	return nil
}
