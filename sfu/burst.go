package sfu

import "sync/atomic"

// burst is what is remembered of one row from the grant of the floor to its release.
// Times are ns on the SFU's clock.
type burst struct {
	counts     *channelCounts
	began      int64
	reportedAt atomic.Int64 // the last lease report
	pacer      pacer        // of a legacy talker
	spoke      atomic.Bool  // a frame of it has had its turn
}

// due says whether the lease must be reported now.
func (b *burst) due(now int64) bool {
	last := b.reportedAt.Load()
	return (last == 0 || now-last >= int64(leaseReport)) && b.reportedAt.CompareAndSwap(last, now)
}
