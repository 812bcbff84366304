package stream

// Numbers are where a packet stands in its talker's own stream.
type Numbers struct {
	Sequence  uint16 // without meaning unless Counted
	Epoch     uint32 // another one: the stream has begun again
	Timestamp uint32
	Samples   uint32 // the packet's length
	Counted   bool   // there is a sequence number
}

// Out numbers one slot's packets. A talker's numbers are moved by a fixed distance, so
// that the receiver sees which of the talker's packets are missing, and can put the others
// in order; between talkers the sequence number goes up by one and the timestamp by the
// time that has passed, so that neither the receiver's buffer nor SRTP's replay protection
// notices that they change. No number is used twice. Only one goroutine at a time may use
// it.
type Out struct {
	sequence  uint16  // the highest
	timestamp uint32  // of that packet
	source    Numbers // of that packet
	span      uint16  // how many places before the highest a late packet may be, at most window
	at        int64   // when the highest was sent, ns; 0: none was
	began     int64   // when the first was sent, ns
	media     int64   // samples from the first packet to the highest
	places    uint64  // sequence numbers so far
	sent      uint64  // bit n: the number n places before the highest was used
}

// NewOut begins a stream at the given numbers, which should be random (RFC 3550
// section 5.1).
func NewOut(sequence uint16, timestamp uint32) Out {
	return Out{sequence: sequence - 1, timestamp: timestamp}
}

// frame is the unit in which pauses are counted: 20 ms.
const frame = Rate / 50

// Next gives the numbers of a packet that is sent now, in ns. fresh is the first one of a
// burst. Within a burst, time advances as the talker's own time does; between bursts, and
// if the talker's clock jumps, in whole frames up to the time that has passed since the
// stream began, so that neither rounding nor talkers' clocks add up. ok is false for a
// packet of before the burst, and for one that would be sent twice.
func (o *Out) Next(n Numbers, now int64, fresh bool) (sequence uint16, timestamp uint32, ok bool) {
	ahead := int16(n.Sequence - o.source.Sequence)
	follows := !fresh && n.Counted && o.source.Counted && n.Epoch == o.source.Epoch
	if follows && ahead <= 0 {
		return o.late(n, uint16(-ahead))
	}
	passed := uint32(0)
	if o.at != 0 {
		passed = uint32(min(uint64(now-o.at)*6/125_000, 1<<31))
	}
	places, step := uint16(1), n.Timestamp-o.source.Timestamp
	if follows {
		places = uint16(ahead)
	}
	if fresh || step < o.source.Samples || uint64(step) > uint64(passed)+Rate || places > jump {
		places, step = 1, o.catchUp(now)
		follows = false
	}
	o.sequence += places
	o.places += uint64(places)
	o.timestamp += step
	o.media += int64(step)
	o.sent = o.sent<<places | 1
	o.span = min(o.span+places, window-1)
	if !follows {
		o.span = 0
	}
	o.source, o.at = n, now
	return o.sequence, o.timestamp, true
}

// catchUp is the step to the time of a packet that does not follow the one before: at
// least that one's length, and at most what a receiver can tell from a step back.
func (o *Out) catchUp(now int64) uint32 {
	if o.at == 0 {
		o.began = now
	}
	behind := (now-o.began)*6/125_000 - o.media
	return uint32(min(max(behind/frame*frame, int64(o.source.Samples)), 1<<31-1))
}

// Places is how many sequence numbers the stream has had, sent or not.
func (o *Out) Places() uint64 { return o.places }

// late numbers a packet that comes after one behind it.
func (o *Out) late(n Numbers, places uint16) (sequence uint16, timestamp uint32, ok bool) {
	back := o.source.Timestamp - n.Timestamp
	if places > o.span || o.sent>>places&1 != 0 || back == 0 || back > Rate*2 {
		return 0, 0, false
	}
	o.sent |= 1 << places
	return o.sequence - places, o.timestamp - back, true
}
