package imbe

import "math"

// Sizes of a frame (TIA-102.BABA-A section 4 and 7.1).
const (
	SampleRate    = 8000 // Hz, the only rate of the codec
	FrameSamples  = 160  // samples of one frame: 20 ms
	FrameBytes    = 11   // 88 information bits u0..u7
	ChannelBytes  = 18   // 144 channel bits after FEC
	infoBits      = 88
	channelBits   = 144
	minHarmonics  = 9   // fewest harmonics (Eq. 31 at b0 = 0)
	maxHarmonics  = 56  // most harmonics (Eq. 31 at b0 = 207)
	maxPitchIndex = 207 // largest legal b0 (6.1); 208..255 are reserved
	maxBands      = 12  // most voicing bands (Eq. 34)
)

// Frame is the 88 information bits of one 20 ms frame: the vectors u0..u7 in
// order, each most significant bit first (7.1).
type Frame [FrameBytes]byte

// ChannelFrame is the 144 bits that go on the air: after FEC, PN modulation and
// interleaving (7.3 to 7.5), first transmitted bit in the top bit of byte 0.
type ChannelFrame [ChannelBytes]byte

// PCM is one frame of 8 kHz, 16-bit mono samples.
type PCM [FrameSamples]int16

// index holds the quantiser values b_0..b_{L+2} of a frame. [58] is the sync
// bit of a frame with L = 56.
type index [maxHarmonics + 3]int

// bitPlace names bit 'bit' (LSB = 0) of quantiser value b_m.
type bitPlace struct{ m, bit uint8 }

// bitOrder[L] lists, for each of the 88 information bits in transmission
// order, which bit of which quantiser value it carries (7.1, figures 20 to 25).
var bitOrder = makeBitOrder()

func makeBitOrder() (order [maxHarmonics + 1][infoBits]bitPlace) {
	for l := minHarmonics; l <= maxHarmonics; l++ {
		order[l] = bitOrderOf(l)
	}
	return order
}

func bitOrderOf(l int) (o [infoBits]bitPlace) {
	scan := scanOrder(l)
	n := 0
	put := func(m, bit int) { o[n] = bitPlace{uint8(m), uint8(bit)}; n++ }
	take := func(count int) {
		for range count {
			o[n] = scan[0]
			scan = scan[1:]
			n++
		}
	}
	for bit := 7; bit >= 2; bit-- {
		put(0, bit)
	}
	for bit := 5; bit >= 3; bit-- {
		put(2, bit)
	}
	take(3 + 36)
	for bit := bandsOf(l) - 1; bit >= 0; bit-- {
		put(1, bit)
	}
	put(2, 2)
	put(2, 1)
	take(len(scan))
	put(2, 0)
	put(0, 1)
	put(0, 0)
	put(l+2, 0)
	return o
}

// scanOrder walks the bit planes of b_3..b_{L+1} from the top, so that the
// most valuable bits get the strongest code (7.1).
func scanOrder(l int) []bitPlace {
	var scan []bitPlace
	for plane := 15; plane >= 0; plane-- {
		for m := 3; m <= l+1; m++ {
			if int(bitsOf(l, m)) > plane {
				scan = append(scan, bitPlace{uint8(m), uint8(plane)})
			}
		}
	}
	return scan
}

// bitsOf gives the width of b_m, m = 3..L+1 (Annexes F and G).
func bitsOf(l, m int) uint8 {
	if m < 8 {
		return gainBits[l][m-3]
	}
	return hocBits[l][m-8]
}

// pitchOf gives w0 in radians per sample of the pitch index b0 (Eq. 45, 46).
func pitchOf(b0 int) float64 { return 4 * math.Pi / (float64(b0) + 39.5) }

// harmonicsOf gives the number of harmonics L at the pitch w0 (Eq. 31).
func harmonicsOf(w0 float64) int {
	return int(0.9254 * math.Floor(math.Pi/w0+0.25))
}

// bandsOf gives the number of voicing bands K (Eq. 34).
func bandsOf(l int) int { return min((l+2)/3, maxBands) }

// bandOf gives the voicing band 1..K of harmonic l (5.2).
func bandOf(l int) int { return min((l+2)/3, maxBands) }

// pitchIndex reads only b0, on which the places of the other values depend.
func (f *Frame) pitchIndex() int {
	return int(f[0]&0xfc) | int(f[10]>>1&3)
}

// unpack reads the quantiser values. It reports false when b0 is reserved.
func (f *Frame) unpack(b *index) (l int, ok bool) {
	b0 := f.pitchIndex()
	if b0 > maxPitchIndex {
		return 0, false
	}
	l = harmonicsOf(pitchOf(b0))
	*b = index{}
	for i, p := range &bitOrder[l] {
		b[p.m] |= int(f[i>>3]>>(7-i&7)&1) << p.bit
	}
	return l, true
}

// pack writes the quantiser values of a frame with l harmonics.
func (f *Frame) pack(b *index, l int) {
	*f = Frame{}
	for i, p := range &bitOrder[l] {
		f[i>>3] |= byte(b[p.m]>>p.bit&1) << (7 - i&7)
	}
}
