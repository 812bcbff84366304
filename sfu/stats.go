package sfu

import (
	"cmp"
	"slices"
	"time"

	"squelch/core"
)

// TalkerStats counts one talker's frames since it was attached.
type TalkerStats struct {
	User     core.UserID
	Packets  uint64 // frames with a route; one on two channels counts twice
	Dropped  uint64 // of these: late, or without a form that some listeners take
	Opaque   uint64 // of these: not packets but a container, so for legacy clients only
	Unrouted uint64 // frames without a route
}

// ChannelStats counts the frames keyed on one channel since the start.
type ChannelStats struct {
	Frequency core.Frequency // zero: the self-test
	Packets   uint64
	Dropped   uint64 // of these: late, or without a form that some listeners take
	Lost      uint64 // packets that were lost on the talkers' lines
	PreRolled uint64 // of Packets: came before the floor was granted
}

// SlotStats are one downlink's counts. Loss, jitter and round trip come from the
// client's reports (RFC 3550 section 6.4.1).
type SlotStats struct {
	Packets   uint64
	Dropped   uint64 // not sent: not Opus, too long, or the socket failed
	Lost      uint64
	Jitter    time.Duration
	RoundTrip time.Duration
}

// Stats is a copy of all counts, sorted by user and by frequency.
type Stats struct {
	Talkers   []TalkerStats
	Channels  []ChannelStats
	Peers     []PeerStats
	Strangers uint64 // frames of users who were not attached
}

// Stats reads all counts.
func (s *SFU) Stats() Stats {
	st := Stats{Strangers: s.counters.strangers.Load()}
	for id, u := range *s.users.Load() {
		v := u.talker
		st.Talkers = append(st.Talkers, TalkerStats{User: id, Packets: v.packets.Load(),
			Dropped: v.dropped.Load(), Opaque: v.opaque.Load(), Unrouted: v.unrouted.Load()})
		if u.peer != nil {
			st.Peers = append(st.Peers, u.peer.stats(u.ready))
		}
	}
	s.counters.mu.Lock()
	for f, n := range s.counters.channels {
		st.Channels = append(st.Channels, ChannelStats{Frequency: f, Packets: n.packets.Load(),
			Dropped: n.dropped.Load(), Lost: n.lost.Load(), PreRolled: n.preRolled.Load()})
	}
	s.counters.mu.Unlock()
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
		Packets: uint64(s.packets), Dropped: s.dropped.Load(), Lost: uint64(s.reception.TotalLost), RoundTrip: s.roundTrip,
		Jitter: time.Duration(s.reception.Jitter) * time.Second / 48_000,
	}
}
