package sfu

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
)

// voice is the media plane's memory of one talker. It lives as long as the user
// is attached.
type voice struct {
	user     core.UserID
	packets  atomic.Uint64 // frames taken by a row
	dropped  atomic.Uint64 // routed, but late or in no form that could be carried
	opaque   atomic.Uint64 // routed, but no packets: not carried to peers
	unrouted atomic.Uint64 // without a row

	unroutedAt    atomic.Int64 // ns, the last frame without a row
	unroutedSince atomic.Int64 // ns, the first one of this burst
	unroutedTold  atomic.Bool  // this burst was reported

	bitErrors atomic.Uint64 // rate of a modelled weak signal
	codecBusy atomic.Bool   // a frame of the talker is being carried
	codec     *codec        // of whoever has set codecBusy
}

func newVoice(user core.UserID) *voice { return &voice{user: user} }

// burst is one row's memory, from grant to release.
type burst struct {
	channel *channelCount
	began   int64        // ns
	toldAt  atomic.Int64 // ns, the last lease report
	pacer   pacer        // of a legacy talker
}

// due says whether the lease must be reported now.
func (b *burst) due(now int64) bool {
	last := b.toldAt.Load()
	return (last == 0 || now-last >= int64(leaseReport)) && b.toldAt.CompareAndSwap(last, now)
}

type channelCount struct{ packets, dropped, lost, preRolled atomic.Uint64 }

// count notes a frame that this row carries.
func (r *row) count(f *Frame) {
	r.voice.packets.Add(1)
	c := r.burst.channel
	c.packets.Add(1)
	if f.lost > 0 {
		c.lost.Add(uint64(f.lost))
	}
	if f.preRolled {
		c.preRolled.Add(1)
	}
}

// drop notes a frame that some listeners of the row do not get.
func (r *row) drop() {
	r.voice.dropped.Add(1)
	r.burst.channel.dropped.Add(1)
}

// counters are all counts that outlive a plan.
type counters struct {
	strangers atomic.Uint64 // frames of users who are not attached
	mu        sync.Mutex    // guards channels; control code only
	channels  map[core.Frequency]*channelCount
}

func (c *counters) channel(f core.Frequency) *channelCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.channels[f]
	if n == nil {
		n = &channelCount{}
		c.channels[f] = n
	}
	return n
}

// TalkerStats counts one talker's frames since it was attached.
type TalkerStats struct {
	User     core.UserID
	Packets  uint64 // that had a route; a frame on two channels counts twice
	Dropped  uint64 // of these, left out: late, or in no form for some listeners
	Opaque   uint64 // of these, no packets (a container), so for legacy clients only
	Unrouted uint64 // that had none
}

// ChannelStats counts the frames keyed on one channel since the start.
type ChannelStats struct {
	Frequency core.Frequency // zero: the self-test
	Packets   uint64
	Dropped   uint64 // of these, left out: late, or in no form for some listeners
	Lost      uint64 // missing on the talkers' lines
	PreRolled uint64 // of these, came before the floor
}

// SlotStats are one downlink's counts. Loss, jitter and round trip are what the
// client reports (RFC 3550 section 6.4.1).
type SlotStats struct {
	Packets   uint64
	Dropped   uint64 // not sent: no Opus, too long, or the socket refused
	Lost      uint64
	Jitter    time.Duration
	RoundTrip time.Duration
}

// Stats is a copy of all counts, sorted.
type Stats struct {
	Talkers   []TalkerStats
	Channels  []ChannelStats
	Peers     []PeerStats
	Strangers uint64 // frames of users who were not attached
}

// Stats reads all counts.
func (s *SFU) Stats() Stats {
	st := Stats{Strangers: s.stats.strangers.Load()}
	for id, u := range *s.users.Load() {
		v := u.voice
		st.Talkers = append(st.Talkers, TalkerStats{User: id, Packets: v.packets.Load(),
			Dropped: v.dropped.Load(), Opaque: v.opaque.Load(), Unrouted: v.unrouted.Load()})
		if u.peer != nil {
			st.Peers = append(st.Peers, u.peer.stats(u.ready))
		}
	}
	s.stats.mu.Lock()
	for f, n := range s.stats.channels {
		st.Channels = append(st.Channels, ChannelStats{Frequency: f, Packets: n.packets.Load(),
			Dropped: n.dropped.Load(), Lost: n.lost.Load(), PreRolled: n.preRolled.Load()})
	}
	s.stats.mu.Unlock()
	slices.SortFunc(st.Talkers, func(a, b TalkerStats) int { return cmp.Compare(a.User, b.User) })
	slices.SortFunc(st.Channels, func(a, b ChannelStats) int { return cmp.Compare(a.Frequency, b.Frequency) })
	slices.SortFunc(st.Peers, func(a, b PeerStats) int { return cmp.Compare(a.User, b.User) })
	return st
}

func (p *peer) stats(ready bool) PeerStats {
	st := PeerStats{User: p.user, Connected: ready}
	if p.up != nil {
		st.Up = p.up.in.Stats()
		st.PreRolled, st.Flooded, st.Opaque = p.up.preRolled.Load(), p.up.flooded.Load(), p.up.opaque.Load()
	}
	for _, s := range p.slots {
		st.Slots = append(st.Slots, s.stats())
	}
	return st
}

func (s *slot) stats() SlotStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return SlotStats{
		Packets: uint64(s.packets), Dropped: s.dropped, Lost: uint64(s.heard.TotalLost), RoundTrip: s.roundTrip,
		Jitter: time.Duration(s.heard.Jitter) * time.Second / 48_000,
	}
}
