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
	ports, counted, err := s.reserve(user)
	if err != nil {
		return "", err
	}
	p := s.newPeer(user, o, events)
	l, answer, err := ports.engine.Open(ctx, o, len(p.slots), p)
	if err != nil {
		if counted {
			s.release()
		}
		return "", err
	}
	p.line = l
	if err := s.admit(p, ports, counted); err != nil {
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
// limit. One that will take the place of its user's earlier peer is not counted: a client
// whose network has changed comes back although the service is full.
func (s *SFU) reserve(user core.UserID) (_ *Ports, counted bool, _ error) {
	s.control.Lock()
	defer s.control.Unlock()
	ports := s.ports.Load()
	switch {
	case s.closed:
		return nil, false, ErrClosed
	case ports == nil:
		return nil, false, ErrNoWebRTC
	case user == 0:
		return nil, false, fmt.Errorf("webrtc: the user id must not be 0")
	}
	if u := (*s.users.Load())[user]; u != nil && u.peer != nil {
		return ports, false, nil
	}
	if err := s.count(); err != nil {
		return nil, false, err
	}
	return ports, true, nil
}

// count counts one more peer, unless there are as many as there may be. The caller holds the
// control lock.
func (s *SFU) count() error {
	if s.peers >= s.mostPeers {
		return fmt.Errorf("%w (%d)", ErrFull, s.mostPeers)
	}
	s.peers++
	return nil
}

func (s *SFU) release() {
	s.control.Lock()
	defer s.control.Unlock()
	s.peers--
}

// admit makes p its user's peer. If reserve has not counted it, the earlier one has made room,
// unless it has ended meanwhile and others have taken its place.
func (s *SFU) admit(p *peer, ports *Ports, counted bool) error {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed {
		return ErrClosed
	}
	if u := (*s.users.Load())[p.user]; u != nil && u.peer != nil {
		s.removePeer(u.peer)
	}
	if !counted {
		if err := s.count(); err != nil {
			return err
		}
	}
	s.change(p.user, func(u *listener) { u.peer, u.ready = p, false })
	return nil
}
