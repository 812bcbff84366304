package stream

// Out numbers one slot's packets. The sequence number always goes up by one and the
// timestamp never goes back, so that neither the receiver's jitter buffer nor SRTP's
// replay protection notices that talkers change. Only one goroutine at a time may use
// it.
type Out struct {
	sequence  uint16
	timestamp uint32 // of the last packet
	samples   uint32 // its length
	source    uint32 // the talker's own timestamp of it
	at        int64  // when it was sent, ns; 0: none was
}

// NewOut begins a stream at the given numbers, which should be random (RFC 3550
// section 5.1).
func NewOut(sequence uint16, timestamp uint32) Out {
	return Out{sequence: sequence - 1, timestamp: timestamp}
}

// frame is the unit in which pauses are counted: 20 ms.
const frame = Rate / 50

// Next gives the numbers of a packet that is sent now, in ns: source is the talker's
// own timestamp, samples its length. Within a burst, time advances as the talker's
// own time does; between bursts (fresh), and if the talker's clock jumps, by the time
// that has passed, in whole frames.
func (o *Out) Next(source, samples uint32, now int64, fresh bool) (sequence uint16, timestamp uint32) {
	step := source - o.source
	passed := uint32(0)
	if o.at != 0 {
		passed = uint32(min(uint64(now-o.at)*6/125_000, 1<<31))
	}
	if fresh || step < o.samples || uint64(step) > uint64(passed)+Rate {
		step = max(passed/frame*frame, o.samples)
	}
	o.sequence++
	o.timestamp += step
	o.source, o.samples, o.at = source, samples, now
	return o.sequence, o.timestamp
}
