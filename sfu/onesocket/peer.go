package onesocket

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/pion/rtp"
	"github.com/pion/stun/v4"

	"squelch/sfu/line"
	"squelch/sfu/offer"
	"squelch/sfu/srtp"
)

// peer is a line.
type peer struct {
	e        *engine
	owner    line.Owner
	data     bool // the client has a data channel
	dataMost int  // the longest message that it takes on it, in bytes

	user, other  string // the ICE users: ours, and the client's
	integrity    stun.MessageIntegrity
	password     string
	fingerprints []offer.Fingerprint // of the client's certificate
	ssrcs        []uint32            // of the slots

	born      int64        // on the engine's clock, as are all times
	checkedAt atomic.Int64 // the last valid check; 0: none came
	checks    atomic.Int32 // valid ones since the last sweep
	copies    atomic.Int32 // repeated ones since then
	recent    recent
	path      line.Path
	to        atomic.Pointer[target] // where the client is; nil: it has not chosen yet
	paths     []netip.AddrPort       // the reader's: addresses at which the client has been

	secure  atomic.Pointer[secure]  // nil: no handshake has ended yet
	dtls    atomic.Pointer[session] // nil: none is needed
	heard   atomic.Bool             // something has come under the keys
	lifting sync.Mutex              // one packet at a time goes up; also held to close
	tell    sync.Mutex              // one notice at a time goes up; also held to close
	ended   bool                    // under tell
	closed  atomic.Bool
	alerts  atomic.Int64 // when an alert was last looked at; 0: never

	keep  sync.Mutex // for the change of dtls from a session to its state, or to nothing
	state []byte     // under keep: of a session that was dropped, to say and hear goodbye

	life    sync.Mutex // for working and the change of closed
	working sync.WaitGroup
}

// secure is what protects a connected line. It never changes, except in the streams.
type secure struct {
	in      *srtp.In // under peer.lifting
	out     *srtp.Out
	streams []*srtp.Stream // of the slots
	since   int64
}

var errNotConnected = errors.New("webrtc: not connected")

func (e *engine) newPeer(o offer.Offer, slots int, up line.Owner) (*peer, error) {
	p := &peer{e: e, owner: up, data: o.Data != "", dataMost: o.DataMost, other: o.User, fingerprints: o.Fingerprints, born: e.clock()}
	random := make([]byte, 6+16+4*slots)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	p.user, p.password = hex.EncodeToString(random[:6]), hex.EncodeToString(random[6:22])
	p.integrity = stun.NewShortTermIntegrity(p.password)
	for i := range slots {
		ssrc := binary.BigEndian.Uint32(random[22+4*i:])
		p.ssrcs = append(p.ssrcs, ssrc&^7|uint32(i+1)) // none is 0, and no two are the same
	}
	return p, nil
}

// checked takes a valid connectivity check.
func (p *peer) checked(from netip.AddrPort, nominated bool, back way) {
	now := p.e.clock()
	p.checkedAt.Store(now)
	chosen, _ := p.path.Checked(from, nominated, now)
	if to := p.to.Load(); chosen == from && (to == nil || to.at != from || to.back != back) {
		p.to.Store(back.target(from))
	}
}

// media takes an SRTP or SRTCP packet, which it decrypts in place.
func (p *peer) media(b []byte) {
	s := p.secure.Load()
	if s == nil || len(b) < 2 {
		return
	}
	p.lifting.Lock()
	defer p.lifting.Unlock()
	if p.closed.Load() {
		return
	}
	var err error
	if b[1] >= 192 && b[1] < 224 { // RFC 5761 section 4
		if b, err = s.in.RTCP(b); err == nil {
			p.heard.Store(true)
			p.owner.RTCP(b)
		}
	} else if b, err = s.in.RTP(b); err == nil {
		p.heard.Store(true)
		p.owner.RTP(b)
	}
	if errors.Is(err, srtp.ErrStreams) {
		p.work(func() { p.end(line.ErrStreams) })
	}
}

// work runs what may wait for control code beside the goroutine that reads packets; false:
// the line is closed.
func (p *peer) work(do func()) bool {
	p.life.Lock()
	defer p.life.Unlock()
	if p.closed.Load() {
		return false
	}
	p.working.Go(do)
	return true
}

// notice tells the owner something, unless the line is closed.
func (p *peer) notice(say func()) {
	p.tell.Lock()
	defer p.tell.Unlock()
	if !p.closed.Load() {
		say()
	}
}

// end tells the owner that the line is over, once.
func (p *peer) end(reason error) {
	p.notice(func() {
		if !p.ended {
			p.ended = true
			p.owner.Ended(reason)
		}
	})
}

// sweep ends the line if the client is gone, and the handshake if it is not needed any
// more. It begins another second of checks.
func (p *peer) sweep(now int64) {
	p.checks.Store(0)
	p.copies.Store(0)
	checked := p.checkedAt.Load()
	s := p.secure.Load()
	switch {
	case checked != 0 && now-checked > int64(line.ConsentTimeout):
		p.end(line.ErrLost)
	case s == nil && now-p.born > int64(line.ConnectTimeout):
		p.end(line.ErrFailed)
	case s != nil && !p.data && (p.heard.Load() || now-s.since > int64(linger)):
		p.rest()
	}
}

// SSRC implements line.Line.
func (p *peer) SSRC(slot int) uint32 { return p.ssrcs[slot] }

// WriteRTP implements line.Line.
func (p *peer) WriteRTP(to line.Batch, slot int, h *rtp.Header, payload []byte) error {
	s, at := p.secure.Load(), p.to.Load()
	if s == nil || at == nil || p.closed.Load() {
		return errNotConnected
	}
	h.Version, h.SSRC = 2, p.ssrcs[slot]
	return to.(*batch).add(at, s.streams[slot], h, payload)
}

// WriteRTCP implements line.Line.
func (p *peer) WriteRTCP(compound []byte) error {
	s, at := p.secure.Load(), p.to.Load()
	if s == nil || at == nil || p.closed.Load() {
		return errNotConnected
	}
	room := rooms.Get().(*[line.MaxPacket]byte)
	defer rooms.Put(room)
	b, err := s.out.RTCP(room[:0], compound)
	if err == nil {
		at.back.send(b, at.at)
	}
	return err
}

// rooms are for packets that go out by themselves.
var rooms = sync.Pool{New: func() any { return new([line.MaxPacket]byte) }}

// Close implements line.Line.
func (p *peer) Close() {
	p.life.Lock()
	first := !p.closed.Swap(true)
	p.life.Unlock()
	if first {
		p.e.forget(p)
		p.goodbye()
	}
	p.working.Wait()
	p.lifting.Lock() // what is on its way up arrives before this returns
	defer p.lifting.Unlock()
	p.tell.Lock()
	defer p.tell.Unlock()
	p.secure.Store(nil)
}
