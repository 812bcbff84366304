package sfu

import (
	"errors"
	"sync/atomic"

	"github.com/pion/rtcp"

	"squelch/core"
	"squelch/sfu/line"
	"squelch/sfu/stream"
)

// peer is one user's WebRTC connection: its own voice in, up to four slots out. It is
// the owner of its line.
type peer struct {
	s      *SFU
	user   core.UserID
	line   line.Line
	events PeerEvents
	slots  []*slot
	up     *uplink // nil: the client only listens
	born   int64   // ns

	ready   atomic.Bool // has been connected
	reports []byte      // memory of report

	// Of a peer with a data channel (control.go).
	dataMost int          // the longest message that the client takes, in bytes
	channels atomic.Int32 // how many data channels the client has opened
	claimed  atomic.Bool  // one of them is the control channel
	control  atomic.Bool  // that channel has been open

	// Control code only.
	wants   []want
	waiting []want
	quiet   bool // the slots are free and nobody waits
	turns   uint64
	view    atomic.Pointer[Slots]
}

// PeerEvents are called to tell the owner of a peer; each may be nil. Slots and Closed
// run on one goroutine of the SFU, one call at a time for all peers, and must not wait
// for the SFU.
type PeerEvents struct {
	// Slots is called after changes of what the slots carry, with the newest
	// state.
	Slots func(Slots)
	// Closed is called once, unless ClosePeer or another offer of the user ends the
	// connection.
	Closed func(reason error)
	// Control is called with the data channel "control" when the client has opened it,
	// on a goroutine of its own that may receive until the channel ends. If it is nil,
	// an offer with a data channel is refused, otherwise one without is.
	Control func(*Control)
}

var errNeverConnected = errors.New("connection never established")

// RTP takes the user's own voice.
func (p *peer) RTP(b []byte) {
	if p.up != nil {
		p.up.push(b)
	}
}

// RTCP takes the client's reports: the time of its uplink's clock, and how our slots
// arrive.
func (p *peer) RTCP(b []byte) {
	now := p.s.clock()
	stream.Reports(b, func(ntp uint64) {
		if p.up != nil {
			p.up.in.SenderReport(ntp, now)
		}
	}, func(r rtcp.ReceptionReport) {
		for _, s := range p.slots {
			if s.ssrc() == r.SSRC {
				s.received(r, now)
			}
		}
	})
}

// report sends our RTCP reports: without receiver reports a browser knows of no loss
// and adds no in-band FEC; without sender reports nobody knows the round trip. While
// nothing is sent or received there are none. worst is the loss at the listener who hears
// this user worst: the encoder has to protect the voice against that too.
func (p *peer) report(now int64, worst float64) {
	b := p.reports[:0]
	if p.up != nil {
		if r, ok := p.up.in.Report(now); ok {
			r.FractionLost = max(r.FractionLost, uint8(worst*256))
			b = stream.AppendReceiver(b, p.slots[0].ssrc(), r)
		}
	}
	for _, s := range p.slots {
		if s.hearing.calm(now) {
			s.generations.Store(0)
		}
		if r, ok := s.senderReport(now); ok {
			b = stream.AppendSender(b, r)
		}
	}
	if p.reports = b; len(b) > 0 {
		_ = p.line.WriteRTCP(b) // a lost report is followed by the next
	}
}

// Connected implements line.Owner.
func (p *peer) Connected() { p.s.peerReady(p) }

// Ended implements line.Owner.
func (p *peer) Ended(reason error) {
	if !p.ready.Load() && reason == line.ErrFailed {
		reason = errNeverConnected
	}
	p.s.dropPeer(p, reason)
}

// peerReady moves a user's voice from its sinks to its slots.
func (s *SFU) peerReady(p *peer) {
	s.control.Lock()
	defer s.control.Unlock()
	if u := (*s.users.Load())[p.user]; u != nil && u.peer == p && !u.ready {
		p.ready.Store(true)
		s.change(p.user, func(u *listener) { u.ready = true })
	}
}

// dropPeer removes a connection that has failed, and tells its owner why.
func (s *SFU) dropPeer(p *peer, reason error) {
	s.control.Lock()
	u := (*s.users.Load())[p.user]
	mine := u != nil && u.peer == p && !s.closed
	if mine {
		s.removePeer(p)
	}
	s.control.Unlock()
	if mine && p.events.Closed != nil {
		s.notices.call(func() { p.events.Closed(reason) })
	}
}

// ClosePeer ends a user's connection. Voice for the user goes to its sinks again, and first
// what the client has reported missing on a dead line.
func (s *SFU) ClosePeer(user core.UserID) {
	s.control.Lock()
	u := (*s.users.Load())[user]
	if u == nil || u.peer == nil || s.closed {
		s.control.Unlock()
		return
	}
	missed := u.peer.unheard(s.clock())
	s.removePeer(u.peer)
	s.control.Unlock()
	for _, x := range missed {
		x.send(u.sinks)
	}
}

// removePeer takes a peer away from its user and closes it on another goroutine. The
// caller holds the control lock and knows that it is the user's current peer.
func (s *SFU) removePeer(p *peer) {
	s.peers--
	s.change(p.user, func(u *listener) { u.peer, u.ready = nil, false })
	s.done.Go(p.line.Close)
}

// SlotsOf is whom a user's peer hears now.
func (s *SFU) SlotsOf(user core.UserID) Slots {
	if u := (*s.users.Load())[user]; u != nil && u.peer != nil {
		if v := u.peer.view.Load(); v != nil {
			return *v
		}
	}
	return Slots{}
}

// PeerStats are one connection's counts.
type PeerStats struct {
	User      core.UserID
	Connected bool
	Up        stream.InStats // the user's own voice, as it arrived here
	PreRolled uint64         // packets that came before the floor was granted and were heard
	Flooded   uint64         // packets above the rate of voice: dropped
	Opaque    uint64         // packets that are not Opus: dropped
	Slots     []SlotStats
}
