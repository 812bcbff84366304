package sfu

import (
	"context"
	"fmt"

	"squelch/core"
	"squelch/sfu/line"
	"squelch/sfu/offer"
)

// Answer takes a client's offer and gives the answer, with all addresses in it:
// nothing more is negotiated until the client makes a new offer. The offer has at
// most one audio section on which the client sends, and recvonly ones that become
// slots, in order; at most maxSlots of them are used. If the events have Control, it has
// a section for data channels too. An earlier connection of the user ends. Errors say
// what is wrong and may be shown to the client; ErrOften is one that a later offer does
// not get.
func (s *SFU) Answer(ctx context.Context, user core.UserID, sdp string, events PeerEvents) (string, error) {
	if err := s.offers.allow(user, s.clock()); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, line.AnswerTimeout)
	defer cancel()
	end, err := s.offers.begin(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	o, err := offer.Read(sdp, events.Control != nil)
	if err != nil {
		return "", err
	}
	ports, err := s.reserve(user)
	if err != nil {
		return "", err
	}
	p := s.newPeer(user, o, events)
	l, answer, err := ports.engine.Open(ctx, o, len(p.slots), p)
	if err != nil {
		s.release()
		return "", err
	}
	p.line = l
	if err := s.admit(p); err != nil {
		l.Close()
		return "", err
	}
	return answer, nil
}

// newPeer makes a peer for a checked offer. It has no line yet.
func (s *SFU) newPeer(user core.UserID, o offer.Offer, events PeerEvents) *peer {
	p := &peer{s: s, user: user, events: events, born: s.clock(), dataMost: o.DataMost}
	if o.Uplink != "" {
		p.up = newUplink(s, user, o.Opus)
	}
	for i, mid := range o.Slots[:min(len(o.Slots), maxSlots)] {
		p.slots = append(p.slots, newSlot(p, i, mid, o.Opus, o.Red))
	}
	return p
}

// reserve counts a peer before it is negotiated, so that there are never more than the
// limit.
func (s *SFU) reserve(user core.UserID) (*ports, error) {
	s.control.Lock()
	defer s.control.Unlock()
	ports := s.ports.Load()
	switch {
	case s.closed:
		return nil, ErrClosed
	case ports == nil:
		return nil, ErrNoWebRTC
	case user == 0:
		return nil, fmt.Errorf("webrtc: the user id must not be 0")
	case s.peers >= ports.peers:
		return nil, fmt.Errorf("%w (%d)", ErrFull, ports.peers)
	}
	s.peers++
	return ports, nil
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
