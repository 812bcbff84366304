package sfu

import "sync/atomic"

// talker is what is remembered of one user's own voice while the user is attached.
// Times are ns on the SFU's clock.
type talker struct {
	packets  atomic.Uint64 // frames carried by a row
	dropped  atomic.Uint64 // routed, but late or without a form that some listeners take
	opaque   atomic.Uint64 // routed, but not packets: not carried to peers
	unrouted atomic.Uint64 // without a row
	encoded  atomic.Uint64 // blocks turned into IMBE
	decoded  atomic.Uint64 // blocks turned into sound

	unroutedAt       atomic.Int64 // the last frame without a row
	unroutedSince    atomic.Int64 // the first one of this series
	unroutedReported atomic.Bool  // the series was reported

	bitErrors atomic.Uint64 // SetBitErrors, times bitErrorScale
	codecBusy atomic.Bool   // a goroutine is using codec
	codec     *codec        // only for the goroutine that has set codecBusy
}
