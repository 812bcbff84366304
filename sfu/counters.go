package sfu

import (
	"sync"
	"sync/atomic"

	"squelch/core"
)

// counters are the counts that outlive a plan. Stats copies them.
type counters struct {
	strangers atomic.Uint64 // frames of users who are not attached
	toSockets atomic.Uint64 // frames to listeners over Socket.IO
	toPeers   atomic.Uint64 // and over WebRTC
	mu        sync.Mutex    // guards channels; control code only
	channels  map[core.Frequency]*channelCounts
}

// channelCounts are the frames keyed on one channel.
type channelCounts struct{ packets, dropped, lost, preRolled atomic.Uint64 }

// channel finds the counts of a channel, or begins them at zero.
func (c *counters) channel(f core.Frequency) *channelCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.channels[f]
	if n == nil {
		n = &channelCounts{}
		c.channels[f] = n
	}
	return n
}

// out counts a frame to the listeners of a run, once for all of them.
func (c *counters) out(r *run) {
	if r.reach == toTexts {
		c.toSockets.Add(uint64(len(r.sinks)))
	} else {
		c.toPeers.Add(uint64(len(r.sinks)))
	}
}

// count counts a frame that this row carries.
func (r *row) count(f *Frame) {
	r.talker.packets.Add(1)
	c := r.burst.counts
	c.packets.Add(1)
	if f.preRolled {
		c.preRolled.Add(1)
	}
}

// drop counts a frame that some listeners of the row do not get.
func (r *row) drop() {
	r.talker.dropped.Add(1)
	r.burst.counts.dropped.Add(1)
}
