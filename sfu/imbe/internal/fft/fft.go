// Package fft is a radix-2 Fourier transform without allocation.
package fft

import (
	"fmt"
	"math"
	"math/bits"
)

// Plan holds the twiddle factors of one size. It is read-only after New and
// may be shared between goroutines.
type Plan struct {
	n       int
	twiddle []complex128
	swap    [][2]int32
}

// New makes a plan for n points; n must be a power of two from 2.
func New(n int) *Plan {
	if n < 2 || n&(n-1) != 0 {
		panic(fmt.Sprintf("fft: size %d is not a power of two", n))
	}
	p := &Plan{n: n, twiddle: make([]complex128, n/2)}
	for k := range p.twiddle {
		s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
		p.twiddle[k] = complex(c, s)
	}
	shift := 64 - bits.TrailingZeros(uint(n))
	for i := range n {
		if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
			p.swap = append(p.swap, [2]int32{int32(i), int32(j)})
		}
	}
	return p
}

// Forward replaces x by its transform sum x(n) exp(-2 pi i k n / N), without
// scaling. len(x) must be the size of the plan.
func (p *Plan) Forward(x []complex128) {
	x = x[:p.n]
	for _, s := range p.swap {
		x[s[0]], x[s[1]] = x[s[1]], x[s[0]]
	}
	for i := 0; i < len(x); i += 2 {
		a, b := x[i], x[i+1]
		x[i], x[i+1] = a+b, a-b
	}
	for half := 2; half < p.n; half *= 2 {
		stride := p.n / (2 * half)
		for start := 0; start < p.n; start += 2 * half {
			lo, hi := x[start:start+half], x[start+half:start+2*half]
			for k := range lo {
				t := p.twiddle[k*stride]
				h := hi[k]
				v := complex(real(h)*real(t)-imag(h)*imag(t), real(h)*imag(t)+imag(h)*real(t))
				a := lo[k]
				lo[k], hi[k] = a+v, a-v
			}
		}
	}
}

// Inverse is the inverse of Forward, including the factor 1/N.
func (p *Plan) Inverse(x []complex128) {
	x = x[:p.n]
	for i, v := range x {
		x[i] = complex(real(v), -imag(v))
	}
	p.Forward(x)
	scale := 1 / float64(p.n)
	for i, v := range x {
		x[i] = complex(real(v)*scale, -imag(v)*scale)
	}
}
