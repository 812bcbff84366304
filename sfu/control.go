package sfu

import (
	"errors"
	"io"
	"sync/atomic"
	"time"

	"squelch/sfu/line"
)

// Limits of the data channel. SCTP runs on goroutines of its own, beside SRTP, and only
// for peers that asked for it.
const (
	// controlLabel is the label of the one data channel that is accepted.
	controlLabel = "control"
	// controlRoom is the memory that a channel keeps for reading, in bytes. Nearly
	// every event of a client fits.
	controlRoom = 1 << 10
	// controlBacklog is how much may wait for a client that does not read, in bytes; it
	// is that of a socket (sio.Options.MaxBacklog).
	controlBacklog = 1 << 20
	// controlLinger is how long a closing channel may take to deliver what was sent.
	controlLinger = time.Second
	// maxDataChannels is how many data channels end the connection of the client that opens
	// them. All but one are closed at once, but pion keeps state for each.
	maxDataChannels = 8
)

var (
	errNoControl   = errors.New(`the client did not open the data channel "` + controlLabel + `"`)
	errChannels    = errors.New("the client opened too many data channels")
	errLongMessage = errors.New("the client sent a message that is too long")
	errBinary      = errors.New("the client sent a message that is not text")
	errSlow        = errors.New("the client does not read")
)

// Control is a peer's data channel for control messages: whole texts, in order, none of
// them lost. It lasts as long as the peer's connection: when one ends, so does the
// other. Its methods may be called from any goroutine, except Receive, which is one
// goroutine's.
type Control struct {
	peer  *peer
	raw   line.Channel
	room  []byte
	ended atomic.Bool
	over  chan struct{} // closed when Receive has failed
}

// Opening implements line.Owner: the first channel that is as it must be is wanted.
func (p *peer) Opening(label string, reliable bool) bool {
	if p.channels.Add(1) == maxDataChannels {
		p.s.notices.call(func() { p.s.dropPeer(p, errChannels) })
	}
	return label == controlLabel && reliable && p.claimed.CompareAndSwap(false, true)
}

// Opened implements line.Owner.
func (p *peer) Opened(c line.Channel) {
	p.s.controlOpen(&Control{peer: p, raw: c, room: make([]byte, controlRoom), over: make(chan struct{})})
}

// controlOpen gives an open channel to the peer's owner, unless the peer has been
// replaced.
func (s *SFU) controlOpen(c *Control) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed || !c.Current() {
		return
	}
	c.peer.control.Store(true)
	s.done.Go(func() { c.peer.events.Control(c) })
}

// Current says whether the connection is still the one of its user: it has not ended,
// and no newer offer has replaced it.
func (c *Control) Current() bool {
	u := (*c.peer.s.users.Load())[c.peer.user]
	return u != nil && u.peer == c.peer
}

// MaxMessage is the longest message that the client takes, in bytes.
func (c *Control) MaxMessage() int { return c.peer.dataMost }

// Receive waits for the next message. An error means that there will be none: the
// connection has ended. What had arrived before that is still received.
func (c *Control) Receive() ([]byte, error) {
	message, err := c.receive()
	switch {
	case err == nil:
		return message, nil
	case errors.Is(err, errLongMessage), errors.Is(err, errBinary):
		c.peer.s.dropPeer(c.peer, err)
	default:
		c.peer.s.dropPeer(c.peer, line.ErrLeft)
	}
	close(c.over)
	return nil, err
}

func (c *Control) receive() ([]byte, error) {
	room := c.room
	for {
		n, text, err := c.raw.ReadDataChannel(room)
		switch {
		case errors.Is(err, io.ErrShortBuffer) && len(room) >= line.MaxMessage:
			return nil, errLongMessage
		case errors.Is(err, io.ErrShortBuffer): // the message stays where it is
			room = make([]byte, 4*len(room))
			continue
		case err != nil:
			return nil, err
		case !text:
			return nil, errBinary
		}
		return append([]byte(nil), room[:n]...), nil
	}
}

// Send hands a message to the client and never waits. It says whether the message was
// accepted: a client that has controlBacklog waiting is put out. The bytes may be used
// again at once. A message must not be longer than MaxMessage.
func (c *Control) Send(message []byte) bool {
	if c.ended.Load() {
		return false
	}
	if waiting := int(c.raw.BufferedAmount()); waiting > 0 && waiting+len(message) > controlBacklog {
		c.ended.Store(true)
		c.peer.s.dropPeer(c.peer, errSlow)
		return false
	}
	_, err := c.raw.WriteDataChannel(message, true)
	return err == nil
}

// Close ends the connection when the client has got what was sent so far, at the
// latest after controlLinger. Receive goes on until then.
func (c *Control) Close() {
	if c.ended.Swap(true) {
		return
	}
	s := c.peer.s
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed || !c.Current() {
		return
	}
	s.done.Go(func() {
		_ = c.raw.Close() // the client closes its side when it has got everything
		late := time.NewTimer(controlLinger)
		defer late.Stop()
		select {
		case <-c.over:
		case <-late.C:
		case <-s.stop:
		}
		s.dropPeer(c.peer, line.ErrLeft)
	})
}

// Cut ends the connection at once.
func (c *Control) Cut() {
	c.ended.Store(true)
	c.peer.s.dropPeer(c.peer, line.ErrLost)
}
