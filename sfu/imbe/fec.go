package imbe

import "math/bits"

// ErrorCounts holds the bits corrected in the code words c0..c6, parity bits
// included (7.6): e0..e3 of the Golay words (0..3), e4..e6 of the Hamming
// words (0 or 1). c7 is not protected.
type ErrorCounts [7]int

// Total is e_T of Eq. 95.
func (e ErrorCounts) Total() int {
	t := 0
	for _, n := range e {
		t += n
	}
	return t
}

// FEC turns information frames into channel frames and back: Golay(23,12) for
// u0..u3, Hamming(15,11) for u4..u6, the PN modulation of 7.4 and the
// interleaving of Annex H. The zero value is ready to use and has no state; BitErrors,
// if set, damages channel frames before they are decoded.
type FEC struct {
	// BitErrors simulates a weak signal. Nil, the default, is a clean channel.
	BitErrors *BitErrors
}

// Where the vectors begin in the 144 channel bits, and how long they are.
var (
	codeStart = [8]int{0, 23, 46, 69, 92, 107, 122, 137}
	codeBits  = [8]int{23, 23, 23, 23, 15, 15, 15, 7}
	infoStart = [8]int{0, 12, 24, 36, 48, 59, 70, 81}
	infoWidth = [8]int{12, 12, 12, 12, 11, 11, 11, 7}
)

// Encode protects a frame for the air (7.3 to 7.5).
func (FEC) Encode(f *Frame) ChannelFrame {
	var c [8]uint32
	for i := range c {
		u := getBits(f[:], infoStart[i], infoWidth[i])
		switch {
		case i < 4:
			c[i] = golayEncode(u)
		case i < 7:
			c[i] = hammingEncode(u)
		default:
			c[i] = u
		}
	}
	modulate(&c, getBits(f[:], 0, 12))
	var flat ChannelFrame
	for i, v := range c {
		putBits(flat[:], codeStart[i], codeBits[i], v)
	}
	var out ChannelFrame
	for p, from := range interleave {
		out[p>>3] |= flat[from>>3] >> (7 - from&7) & 1 << (7 - p&7)
	}
	return out
}

// Decode corrects a channel frame and reports how many bits it changed in each
// code word. Any 18 bytes decode to something: the Golay code is perfect, and
// what cannot be trusted shows in the counts.
func (c FEC) Decode(in *ChannelFrame) (Frame, ErrorCounts) {
	rx := *in
	if c.BitErrors != nil {
		c.BitErrors.Apply(&rx)
	}
	var flat ChannelFrame
	for p, to := range interleave {
		flat[to>>3] |= rx[p>>3] >> (7 - p&7) & 1 << (7 - to&7)
	}
	var w [8]uint32
	for i := range w {
		w[i] = getBits(flat[:], codeStart[i], codeBits[i])
	}
	var e ErrorCounts
	var u [8]uint32
	u[0], e[0] = golayDecode(w[0])
	modulate(&w, u[0])
	for i := 1; i < 4; i++ {
		u[i], e[i] = golayDecode(w[i])
	}
	for i := 4; i < 7; i++ {
		u[i], e[i] = hammingDecode(w[i])
	}
	u[7] = w[7]
	var f Frame
	for i, v := range u {
		putBits(f[:], infoStart[i], infoWidth[i], v)
	}
	return f, e
}

// modulate applies the PN sequence seeded by u0 to c1..c6 (Eq. 84 to 94). It
// is its own inverse.
func modulate(c *[8]uint32, u0 uint32) {
	p := 16 * u0
	for i := 1; i < 7; i++ {
		for bit := codeBits[i] - 1; bit >= 0; bit-- {
			p = (173*p + 13849) & 0xffff
			c[i] ^= p >> 15 << bit
		}
	}
}

// golaySyndrome[s] is the error pattern of least weight with the syndrome s.
var golaySyndrome = makeGolaySyndrome()

func makeGolaySyndrome() (t [2048]uint32) {
	syndrome := func(e uint32) uint32 { return e&0x7ff ^ golayEncode(e>>11)&0x7ff }
	for i := range 23 {
		a := uint32(1) << i
		t[syndrome(a)] = a
		for j := range i {
			b := a | 1<<j
			t[syndrome(b)] = b
			for k := range j {
				c := b | 1<<k
				t[syndrome(c)] = c
			}
		}
	}
	return t
}

func golayEncode(u uint32) uint32 {
	var parity uint32
	for i, row := range golayParity {
		if u>>(11-i)&1 != 0 {
			parity ^= uint32(row)
		}
	}
	return u<<11 | parity
}

func golayDecode(c uint32) (uint32, int) {
	e := golaySyndrome[c&0x7ff^golayEncode(c>>11)&0x7ff]
	return (c ^ e) >> 11, bits.OnesCount32(e)
}

func hammingEncode(u uint32) uint32 {
	var parity uint32
	for i, row := range hammingParity {
		if u>>(10-i)&1 != 0 {
			parity ^= uint32(row)
		}
	}
	return u<<4 | parity
}

func hammingDecode(c uint32) (uint32, int) {
	s := c&15 ^ hammingEncode(c>>4)&15
	if s == 0 {
		return c >> 4, 0
	}
	for i, row := range hammingParity {
		if s == uint32(row) {
			return c>>4 ^ 1<<(10-i), 1
		}
	}
	return c >> 4, 1 // the error was in a parity bit
}

// getBits reads n <= 32 bits from bit position at, most significant first.
func getBits(b []byte, at, n int) uint32 {
	var v uint32
	for i := at; i < at+n; i++ {
		v = v<<1 | uint32(b[i>>3]>>(7-i&7)&1)
	}
	return v
}

// putBits writes the low n bits of v at bit position at into zeroed bytes.
func putBits(b []byte, at, n int, v uint32) {
	for i := range n {
		b[(at+i)>>3] |= byte(v>>(n-1-i)&1) << (7 - (at+i)&7)
	}
}
