// Package sfu is the media plane: it carries frames from talkers to listeners as the
// route table of the core says, and decides nothing itself.
//
//	Publish ── one atomic load ──► plan (routes × sinks) ──► Sink.Send
//
// Control code (Attach, Detach, SetRoutes, Answer) holds a lock of its own and
// swaps in a new plan; the hot path in forward.go never takes that lock.
package sfu

import (
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/sfu/line"
)

// Every tunable number of the media plane, except those of the codecs
// (transcode.go).
const (
	// frameSamples is one 20 ms frame at 48 kHz.
	frameSamples = 960
	// roomBytes is the memory that a frame keeps for decoded text, in bytes:
	// the longest packet that fits an RTP packet, rounded up.
	roomBytes = 2048

	// leaseReport is how often a talker's voice is reported to the engine, which
	// renews the lease: a quarter of the default talkLease.
	leaseReport = 500 * time.Millisecond
	// burstPause separates series of frames that nobody may hear: after a longer
	// pause the next such frame is reported again.
	burstPause = time.Second
	// unroutedGrace is how long RTP may come without a floor before the engine is
	// told, because key-up travels on another connection.
	unroutedGrace = 250 * time.Millisecond
	// reportQueue is how many reports wait for a slow engine.
	reportQueue = 256

	// preRoll is how many packets are held for a floor that is granted after the
	// voice begins: 60 ms, by which signalling is slower than RTP on a bad link.
	preRoll = 3
	// preRollAge is the age above which such a packet is no longer heard.
	preRollAge = 120 * time.Millisecond
	// burstTail is how long after a burst's end its last packets may still
	// arrive; they are not the next burst's pre-roll.
	burstTail = 200 * time.Millisecond
	// uplinkSpacing and uplinkBunch bound the packets that a peer sends: one every
	// 5 ms in the long run (minptime allows one every 10 ms), and as many at once
	// as may arrive after an outage of 2 s.
	uplinkSpacing = 5 * time.Millisecond
	uplinkBunch   = 100

	// startBuffer is how much of a legacy talker's burst is collected before peers
	// get it, because TCP delivers in bunches.
	startBuffer = 60 * time.Millisecond
	// maxLate is the lateness above which a legacy frame is dropped.
	maxLate = 400 * time.Millisecond
	// catchUp is by how much lateness shrinks at least from frame to frame while a
	// queue empties; lateness that does not shrink comes from a pause.
	catchUp = 5 * time.Millisecond
	// maxEarly is how far legacy voice may run ahead of its time; more is a flood. A client
	// whose media connection has died says up to 2 s again, all at once.
	maxEarly = 2 * time.Second

	// aheadTime is how long a frame from another node waits for its row. Orders and voice
	// travel within a cluster in a few ms; an order that is sent again is 150 ms late.
	aheadTime = 200 * time.Millisecond
	// aheadFrames is how many frames wait for one row: aheadTime at 20 ms each.
	aheadFrames = 10
	// aheadRows and aheadBytes bound all that waits: more talks than begin in aheadTime, and
	// packets of 100 bytes for each.
	aheadRows  = 256
	aheadBytes = 1 << 20
	// nodeQuiet is how long a node must be silent before the same talk is taken from another
	// one: a talker who moves is for a moment attached to two.
	nodeQuiet = 100 * time.Millisecond
	// farSpacing and farBunch bound the frames of a row that come from another node: twice
	// what a peer may send, because a packet out of order comes in two copies.
	farSpacing = uplinkSpacing / 2
	farBunch   = 2 * uplinkBunch
	// farEpochs is set in the epoch of each stream from another node; those of peers count
	// from 1.
	farEpochs = 1 << 31

	// maxSlots is how many downlinks a peer has: nobody understands more than four
	// talkers at once, and each downlink costs memory.
	maxSlots = 4
	// maxPayload is what is left of the longest datagram for voice after RTP header,
	// CSRC and SRTP tag, in bytes.
	maxPayload = line.MaxPacket - 12 - 4 - 16
	// defaultPeers is the most peers, unless configured: a full game server.
	defaultPeers = 2048

	// reportEvery is the pace of RTCP reports. RFC 3550 section 6.2 allows a
	// fraction of the bandwidth; this is under 2 kbit/s per active stream.
	reportEvery = time.Second
)

// Options connect the SFU to the rest of the program.
type Options struct {
	// Heard is called when a talker's voice comes: at most every 500 ms for each
	// talker and channel, and once for each series of frames without a floor
	// (keyed is then what the frame named; zero: every channel held). It runs on a
	// goroutine of its own and may block. Nil: nobody asks.
	Heard    func(talker core.UserID, keyed core.Frequency)
	Recorder Recorder // nil: nothing is recorded
}

// SFU is the media plane.
type SFU struct {
	plan      atomic.Pointer[plan]
	users     atomic.Pointer[map[core.UserID]*listener]
	ports     atomic.Pointer[Ports] // nil: no WebRTC
	ownPorts  bool                  // nobody else uses them
	mostPeers int                   // how many connections there may be
	reports   chan report
	counters  counters
	offers    offers
	messages  sync.Pool // *Message, with a batch for the peers
	began     time.Time
	recorder  Recorder // nil: nothing is recorded
	notices   noticeQueue
	ahead     ahead // frames from other nodes that came before their row
	far       farCounts
	farEpoch  atomic.Uint32 // counts the streams that came from other nodes
	// newestTalk is the highest core.Row.Talk that any table has had: a talk up to it that has
	// no row is over.
	newestTalk atomic.Int64
	time       func() int64 // the clock of a test; nil: the real one

	control sync.Mutex // serialises control code
	routes  *core.RouteTable
	tapes   map[talkID]Tape // of the talks in routes; nil: not recorded
	cascade Cascade         // nil: there are no other nodes
	// carryAll: rows that nobody hears on another node go there, too.
	carryAll bool
	isolated bool // from the other nodes
	peers    int  // connections, including those being negotiated
	closed   bool
	past     Totals // of users and connections that have gone
	stop     chan struct{}
	done     sync.WaitGroup
}

type report struct {
	talker core.UserID
	keyed  core.Frequency
}

// New starts a media plane without users. It has to be closed.
func New(o Options) *SFU {
	s := &SFU{began: time.Now(), recorder: o.Recorder, notices: newNoticeQueue(), offers: newOffers(), reports: make(chan report, reportQueue), routes: &core.RouteTable{}, stop: make(chan struct{})}
	s.counters.channels = map[core.Frequency]*channelCounts{}
	s.messages.New = func() any { return new(Message) }
	s.plan.Store(&plan{})
	s.users.Store(&map[core.UserID]*listener{})
	s.done.Go(func() { s.report(o.Heard) })
	s.done.Go(s.notify)
	return s
}

// report passes the queued reports of voice to the engine.
func (s *SFU) report(heard func(core.UserID, core.Frequency)) {
	for {
		select {
		case r := <-s.reports:
			if heard != nil {
				heard(r.talker, r.keyed)
			}
		case <-s.stop:
			return
		}
	}
}

// watch sends RTCP reports for the peers, every reportEvery, and drops connections
// that were not established in time, or whose data channel was not.
func (s *SFU) watch() {
	t := time.NewTicker(reportEvery)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
		}
		now := s.clock()
		s.offers.forget(now)
		users := *s.users.Load()
		worst := worstLoss(users, now)
		for id, u := range users {
			if u.peer == nil {
				continue
			}
			switch late := now-u.peer.born > int64(line.ConnectTimeout); {
			case late && !u.ready:
				s.dropPeer(u.peer, errNeverConnected)
			case late && u.peer.events.Control != nil && !u.peer.control.Load():
				s.dropPeer(u.peer, errNoControl)
			case u.ready:
				u.peer.report(now, worst[id])
			}
		}
	}
}

// clock is the time since the start, in ns. It is never 0, which means "not yet".
func (s *SFU) clock() int64 {
	if s.time != nil {
		return s.time()
	}
	return int64(time.Since(s.began)) + 1
}

// Close ends all delivery and every connection, and waits until no goroutine is
// left. Publish may still be called; it carries nothing.
func (s *SFU) Close() {
	s.control.Lock()
	if s.closed {
		s.control.Unlock()
		s.done.Wait()
		return
	}
	s.closed = true
	for _, u := range *s.users.Load() {
		if p := u.peer; p != nil {
			s.done.Go(p.line.Close)
		}
	}
	s.cascade = nil
	s.plan.Store(&plan{})
	s.users.Store(&map[core.UserID]*listener{})
	s.ahead.close()
	_, tapes := s.tapesOf(nil)
	endAll(tapes)
	s.control.Unlock()
	close(s.stop)
	s.done.Wait()
	if ports := s.ports.Load(); ports != nil && s.ownPorts {
		ports.Close()
	}
}
