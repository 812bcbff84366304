package metrics

import (
	"time"

	"squelch/core"
	"squelch/sfu"
)

// PeersEvery is how often connections are looked at: as often as browsers report.
const PeersEvery = 5 * time.Second

// Peers notes how well the connections of clients are doing. It is for one goroutine.
type Peers struct {
	m    *Metrics
	last map[core.UserID]path
}

// path is what a connection had counted: packets that should have come, and those that
// did not.
type path struct{ up, upLost, down, downLost uint64 }

// Peers returns an observer of connections.
func (m *Metrics) Peers() *Peers { return &Peers{m, map[core.UserID]path{}} }

// See takes the connections as they are now. Only those with voice since the last look
// count, and a connection that is new counts from its first one on.
func (p *Peers) See(stats []sfu.PeerStats) {
	now := make(map[core.UserID]path, len(stats))
	for _, s := range stats {
		at := path{up: s.Up.Packets + s.Up.Lost, upLost: s.Up.Lost}
		var jitter time.Duration
		for _, slot := range s.Slots {
			at.down += slot.Packets
			at.downLost += slot.Lost
			jitter = max(jitter, slot.Jitter)
		}
		now[s.User] = at
		before, known := p.last[s.User]
		if !known || at.up < before.up || at.down < before.down { // another connection of the same user
			continue
		}
		p.observe("up", at.up-before.up, at.upLost, before.upLost, s.Up.Jitter)
		p.observe("down", at.down-before.down, at.downLost, before.downLost, jitter)
	}
	p.last = now
}

func (p *Peers) observe(direction string, packets, lost, lostBefore uint64, jitter time.Duration) {
	if packets == 0 {
		return
	}
	share := 0.0
	if lost > lostBefore {
		share = min(1, float64(lost-lostBefore)/float64(packets))
	}
	p.m.made().loss.WithLabelValues(direction).Observe(share)
	p.m.made().jitter.WithLabelValues(direction).Observe(jitter.Seconds())
}
