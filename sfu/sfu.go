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
	// maxEarly is how far legacy voice may run ahead of its time; more is a flood.
	maxEarly = time.Second

	// maxSlots is how many downlinks a peer has: nobody understands more than four
	// talkers at once, and each downlink costs memory.
	maxSlots = 4
	// receiveMTU is the longest datagram that is read, in bytes: the MTU of Ethernet.
	// Browsers' handshakes are longer than voice: Firefox's first flight is one
	// datagram of 1408 bytes, and if that is cut off, it never connects.
	receiveMTU = 1500
	// maxPacket is the longest datagram that is sent, in bytes. maxPayload is what
	// is left of it for voice after RTP header, CSRC and SRTP tag.
	maxPacket  = 1200
	maxPayload = maxPacket - 12 - 4 - 16
	// maxStreams is how many RTP and RTCP streams one connection may open, four
	// slots and an uplink included. A browser opens under ten.
	maxStreams = 64
	// defaultPeers is the most peers, unless configured: a full game server.
	defaultPeers = 2048

	// socketBuffer is the buffer that is requested for the UDP socket, in bytes:
	// about 100 ms of 2000 peers at 50 packets a second. The kernel counts a packet
	// of 200 bytes as 512.
	socketBuffer = 4 << 20

	// pathSuspect and consentTimeout: without a valid consent check for 5 s a
	// connection counts as interrupted, for 30 s as lost (RFC 7675 section 5.1).
	pathSuspect    = 5 * time.Second
	consentTimeout = 30 * time.Second
	// addressPatience is how long a client's chosen address must have been silent
	// before another one counts: browsers check at least every 2.5 s.
	addressPatience = 4 * time.Second
	// connectTimeout is how long a connection may take to be established.
	connectTimeout = 30 * time.Second
	// answerTimeout is how long an answer may take to make. It takes milliseconds,
	// unless the system cannot list its addresses.
	answerTimeout = 5 * time.Second
	// reportEvery is the pace of RTCP reports. RFC 3550 section 6.2 allows a
	// fraction of the bandwidth; this is under 2 kbit/s per active stream.
	reportEvery = time.Second
	// tcpPackets and tcpBuffer bound what waits on a client's ICE-TCP connection:
	// packets that were read, and bytes to write (1 s of four talkers).
	tcpPackets = 64
	tcpBuffer  = 64 << 10
)

// Options connect the SFU to the rest of the program.
type Options struct {
	// Heard is called when a talker's voice comes: at most every 500 ms for each
	// talker and channel, and once for each series of frames without a floor
	// (keyed is then what the frame named; zero: every channel held). It runs on a
	// goroutine of its own and may block. Nil: nobody asks.
	Heard func(talker core.UserID, keyed core.Frequency)
	// Tap, if not nil, gets every talk once, on the channel that was keyed, as a
	// listener who takes Opus would: a recorder. Self-tests are not talks.
	Tap Sink
}

// SFU is the media plane.
type SFU struct {
	plan     atomic.Pointer[plan]
	users    atomic.Pointer[map[core.UserID]*listener]
	reports  chan report
	counters counters
	began    time.Time
	tap      Sink // nil: nobody records
	notices  noticeQueue
	time     func() int64 // the clock of a test; nil: the real one

	control sync.Mutex // serialises control code
	routes  *core.RouteTable
	ports   *ports // nil: no WebRTC
	peers   int    // connections, including those being negotiated
	closed  bool
	stop    chan struct{}
	done    sync.WaitGroup
}

type report struct {
	talker core.UserID
	keyed  core.Frequency
}

var messages = sync.Pool{New: func() any { return new(Message) }}

// New starts a media plane without users. It has to be closed.
func New(o Options) *SFU {
	s := &SFU{began: time.Now(), tap: o.Tap, notices: newNoticeQueue(), reports: make(chan report, reportQueue), routes: &core.RouteTable{}, stop: make(chan struct{})}
	s.counters.channels = map[core.Frequency]*channelCounts{}
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
		for _, u := range *s.users.Load() {
			if u.peer == nil {
				continue
			}
			switch late := now-u.peer.born > int64(connectTimeout); {
			case late && !u.ready:
				s.dropPeer(u.peer, errNeverConnected)
			case late && u.peer.events.Control != nil && !u.peer.control.Load():
				s.dropPeer(u.peer, errNoControl)
			case u.ready:
				u.peer.report(now)
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
			s.done.Go(func() { _ = p.pc.GracefulClose() })
		}
	}
	s.plan.Store(&plan{})
	s.users.Store(&map[core.UserID]*listener{})
	ports := s.ports
	s.control.Unlock()
	close(s.stop)
	s.done.Wait()
	if ports != nil {
		ports.close()
	}
}
