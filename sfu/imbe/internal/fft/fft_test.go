package fft

import (
	"math"
	"math/cmplx"
	"testing"
)

func TestForwardIsTheDefinition(t *testing.T) {
	for _, n := range []int{2, 4, 8, 64, 256} {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(math.Sin(float64(i*i)), math.Cos(float64(3*i)))
		}
		y := append([]complex128(nil), x...)
		p := New(n)
		p.Forward(y)
		for k := range y {
			var want complex128
			for i, v := range x {
				want += v * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
			if cmplx.Abs(y[k]-want) > 1e-9 {
				t.Fatalf("n=%d bin %d: %v, want %v", n, k, y[k], want)
			}
		}
		p.Inverse(y)
		for i := range y {
			if cmplx.Abs(y[i]-x[i]) > 1e-12 {
				t.Fatalf("n=%d: inverse gives %v, want %v", n, y[i], x[i])
			}
		}
	}
}

func TestOnlyPowersOfTwo(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a plan for 12 points was made")
		}
	}()
	New(12)
}
