// Package sfu is the voice plane: it carries frames from talkers to listeners
// as the route table of the core says, and decides nothing itself.
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

// Every tunable number of the media plane.
const (
	// frameSamples is one 20 ms frame at 48 kHz.
	frameSamples = 960
	// roomBytes is the memory that a frame keeps for decoded text, in bytes:
	// the longest packet that fits an RTP packet, rounded up.
	roomBytes = 2048

	// leaseReport is how often a talker's voice is reported to the engine
	// (decisions, Radio rules: at most every 500 ms).
	leaseReport = 500 * time.Millisecond
	// burstPause ends a burst of frames that nobody may hear: a pause longer
	// than this and the next such frame is reported anew.
	burstPause = time.Second
	// unroutedGrace is how long RTP may go without a floor before the engine is
	// told: key-up travels on another connection.
	unroutedGrace = 250 * time.Millisecond
	// reportQueue is how many reports wait for a slow engine.
	reportQueue = 256

	// preRoll is how many packets are held for a floor that comes later than
	// the voice: 60 ms, what signalling needs more than RTP on a bad link.
	preRoll = 3
	// preRollAge is the age above which such a packet is not heard any more.
	preRollAge = 120 * time.Millisecond
	// burstTail is how long after a burst's end its last packets may still
	// arrive; they are not the next burst's pre-roll.
	burstTail = 200 * time.Millisecond
	// uplinkSpacing and uplinkBunch bound a peer's own packets: one every 5 ms
	// in the long run (10 ms is the shortest that minptime allows), and as many
	// at once as an outage of 2 s may let loose.
	uplinkSpacing = 5 * time.Millisecond
	uplinkBunch   = 100

	// startBuffer is how much of a legacy talker's burst is collected before
	// the peers get it (TCP comes in bunches).
	startBuffer = 60 * time.Millisecond
	// maxLate is the lateness above which a legacy frame is dropped.
	maxLate = 400 * time.Millisecond
	// catchUp is by how much a queue of late frames shrinks from frame to frame
	// at least; what does not shrink is no queue but a pause.
	catchUp = 5 * time.Millisecond
	// maxEarly is how far legacy voice may run ahead of time; more is a flood.
	maxEarly = time.Second

	// maxSlots is the downlinks of a peer: more than four at once are not
	// understood by anybody, and each costs memory.
	maxSlots = 4
	// receiveMTU is the longest datagram that is read, in bytes: what an Ethernet
	// carries. Browsers' handshakes need more than voice does: the first flight of
	// Firefox is one datagram of 1408 bytes, and what is cut off never connects.
	receiveMTU = 1500
	// maxPacket is the longest datagram that is sent, in bytes; maxPayload what is
	// left of it for voice after RTP header, CSRC, SRTP tag.
	maxPacket  = 1200
	maxPayload = maxPacket - 12 - 4 - 16
	// maxStreams is how many RTP and RTCP streams one connection may open, four
	// slots and an uplink included. A browser opens under ten.
	maxStreams = 64
	// defaultPeers is the most peers unless configured: a full game server.
	defaultPeers = 2048

	// socketBuffer is asked of the system for the UDP socket, in bytes: 100 ms
	// of 2000 peers at 50 packets a second, 200 bytes each in the kernel's books
	// counted as 512.
	socketBuffer = 4 << 20

	// linkSuspect and consentTimeout: without a valid consent check for 5 s a
	// link counts as broken, for 30 s as gone (RFC 7675 section 5.1).
	linkSuspect    = 5 * time.Second
	consentTimeout = 30 * time.Second
	// addressPatience is how long the chosen address of a client must have been
	// silent before another one counts: browsers check every 2.5 s at most.
	addressPatience = 4 * time.Second
	// connectTimeout ends a connection that does not come about.
	connectTimeout = 30 * time.Second
	// answerTimeout bounds the making of an answer: milliseconds, unless the
	// system cannot list its addresses.
	answerTimeout = 5 * time.Second
	// reportEvery is the pace of RTCP reports. RFC 3550 section 6.2 allows a
	// fraction of the bandwidth; this is under 2 kbit/s per active stream.
	reportEvery = time.Second
	// tcpPackets and tcpBuffer bound what waits for a client on ICE-TCP: in
	// packets read and in bytes to write (1 s of four talkers).
	tcpPackets = 64
	tcpBuffer  = 64 << 10
)

// Options are the SFU's ties to the rest of the program.
type Options struct {
	// Heard is told that a talker's voice came, at most every 500 ms per talker
	// and channel, and once per burst of a talker without a floor (keyed as the
	// frame named it; zero is every channel held). It runs on a goroutine of
	// its own and may block. Nil: nobody asks.
	Heard func(talker core.UserID, keyed core.Frequency)
	// Tap, when given, hears every talk once, on the channel that was keyed, as
	// a listener who takes Opus: a recorder. Self-tests are not talks.
	Tap Sink
}

// SFU is the voice plane.
type SFU struct {
	plan  atomic.Pointer[plan]
	users atomic.Pointer[map[core.UserID]*listener]
	heard chan report
	stats counters
	began time.Time
	tap   Sink // nil: nobody records
	news  news
	time  func() int64 // tests: a clock of their own; nil is the real one

	control sync.Mutex // serialises control code
	routes  *core.RouteTable
	ports   *ports // nil: no WebRTC
	peers   int    // connections, the ones being negotiated included
	closed  bool
	stop    chan struct{}
	done    sync.WaitGroup
}

type report struct {
	talker core.UserID
	keyed  core.Frequency
}

var messages = sync.Pool{New: func() any { return new(Message) }}

// New starts a silent voice plane. Close it.
func New(o Options) *SFU {
	s := &SFU{began: time.Now(), tap: o.Tap, heard: make(chan report, reportQueue), routes: &core.RouteTable{}, stop: make(chan struct{})}
	s.stats.channels = map[core.Frequency]*channelCount{}
	s.news.some = make(chan struct{}, 1)
	s.plan.Store(&plan{})
	s.users.Store(&map[core.UserID]*listener{})
	s.done.Go(func() { s.reports(o.Heard) })
	s.done.Go(s.tellNews)
	return s
}

// reports tells the engine of voice.
func (s *SFU) reports(heard func(core.UserID, core.Frequency)) {
	for {
		select {
		case r := <-s.heard:
			if heard != nil {
				heard(r.talker, r.keyed)
			}
		case <-s.stop:
			return
		}
	}
}

// watch looks after the peers once in a while: RTCP, and connections that never
// came about.
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
			switch {
			case u.peer == nil:
			case u.ready:
				u.peer.report(now)
			case now-u.peer.born > int64(connectTimeout):
				s.dropPeer(u.peer, errNeverConnected)
			}
		}
	}
}

// clock is the time since the start in ns; never 0, which means "not yet".
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
