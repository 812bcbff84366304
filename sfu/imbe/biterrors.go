package imbe

// BitErrors flips bits of channel frames at a given rate, before the FEC decoder. So it
// simulates a weak signal: what a listener at the edge of coverage hears comes from the
// real error handling (7.6 to 7.8). The same seed flips the same bits. Only one
// goroutine at a time may use an instance.
type BitErrors struct {
	rate  float64
	state uint64
}

// NewBitErrors makes one that flips each bit with probability rate, which is limited
// to 0..0.5 (NaN counts as 0).
func NewBitErrors(rate float64, seed uint64) *BitErrors {
	e := &BitErrors{state: seed}
	e.SetRate(rate)
	return e
}

// SetRate changes the bit error rate, as signal strength changes.
func (e *BitErrors) SetRate(rate float64) {
	switch {
	case !(rate > 0):
		e.rate = 0
	case rate > 0.5:
		e.rate = 0.5
	default:
		e.rate = rate
	}
}

// Rate is the bit error rate in force.
func (e *BitErrors) Rate() float64 { return e.rate }

// Apply flips bits of one channel frame in place and returns how many.
func (e *BitErrors) Apply(c *ChannelFrame) int {
	if e.rate == 0 {
		return 0
	}
	threshold := uint32(e.rate * (1 << 32))
	flipped := 0
	for i := range channelBits {
		if e.next() < threshold {
			c[i>>3] ^= 1 << (7 - i&7)
			flipped++
		}
	}
	return flipped
}

// next is splitmix64 (Steele, Lea, Flood 2014), public domain: tiny, seedable
// with any value and without allocation.
func (e *BitErrors) next() uint32 {
	e.state += 0x9e3779b97f4a7c15
	z := e.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32((z ^ z>>31) >> 32)
}
