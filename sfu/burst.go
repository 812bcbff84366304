package sfu

import (
	"sync/atomic"
	"time"
)

// burst is what is remembered of one row from the grant of the floor to its release.
// Times are ns on the SFU's clock.
type burst struct {
	counts     *channelCounts
	began      int64
	endedAt    atomic.Int64 // when its row went; 0: it goes on
	reportedAt atomic.Int64 // the last lease report
	pacer      pacer        // of a legacy talker
	spoke      atomic.Bool  // a frame of it has had its turn
	sent       past         // frames that went to slots as they came
	decoded    past         // frames that went to slots through the vocoder
	far        *far         // if its talker is or was attached to another node; control code only
}

// due says whether the lease must be reported now.
func (b *burst) due(now int64) bool {
	last := b.reportedAt.Load()
	return (last == 0 || now-last >= int64(leaseReport)) && b.reportedAt.CompareAndSwap(last, now)
}

// over says whether it has ended, and longer than a time ago.
func (b *burst) over(now int64, ago time.Duration) bool {
	ended := b.endedAt.Load()
	return ended != 0 && now-ended > int64(ago)
}

// pastOf is what has been sent of the burst in a form.
func (b *burst) pastOf(f form) *past {
	if f == asSent {
		return &b.sent
	}
	return &b.decoded
}

// remember notes a frame that has gone to the kinds of slots in to.
func (b *burst) remember(f *Frame, to reach) {
	if f.Encoding == Opus && to&toPeers != 0 {
		b.sent.remember(f.timestamp, f.Bytes())
	}
	if f.decoded != nil && to&toDecoded != 0 {
		b.decoded.remember(f.timestamp-f.decoded.lead, f.decoded.Payload)
	}
}
