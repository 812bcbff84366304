package srtp

import (
	"math/rand/v2"
	"testing"
)

// TestWindow compares the window with a list of all that was received.
func TestWindow(t *testing.T) {
	r := dice(4)
	taken, repeated, old := 0, 0, 0
	for range 200 {
		var w window
		received := map[uint64]bool{}
		newest, next := uint64(0), uint64(r.IntN(1<<17))
		for range 500 {
			index := around(r, next)
			late := len(received) > 0 && newest >= windowSize && index <= newest-windowSize
			fresh := !received[index] && !late
			if got := w.fresh(index); got != fresh {
				t.Fatalf("%d, %d behind the newest: fresh is %v, received before: %v", index, newest-index, got, received[index])
			}
			switch {
			case fresh:
				w.add(index)
				received[index] = true
				newest = max(newest, index)
				next = newest + 1
				taken++
			case late:
				old++
			default:
				repeated++
			}
		}
	}
	if taken < 10000 || repeated < 5000 || old < 1000 {
		t.Errorf("%d taken, %d repeated, %d too old", taken, repeated, old)
	}
}

// around is an index near the next one: often that, at times one up to twice the window away.
func around(r *rand.Rand, next uint64) uint64 {
	if r.IntN(2) == 0 {
		return next
	}
	return uint64(max(0, int64(next)+int64(r.IntN(4*windowSize)-2*windowSize)>>r.IntN(7)))
}

// TestGuessAtHalf: half a roll-over away there are two that are nearest, and the one with the
// same roll-over counter counts.
func TestGuessAtHalf(t *testing.T) {
	const roll = 1 << 16
	for _, c := range []struct {
		newest   uint64
		sequence uint16
		want     uint64
	}{
		{3*roll + 5, 5 + 1<<15, 3*roll + 5 + 1<<15},
		{3*roll + 5, 6 + 1<<15, 2*roll + 6 + 1<<15},
		{3*roll + 1<<15 + 5, 5, 3*roll + 5},
		{3*roll + 1<<15 + 5, 4, 4*roll + 4},
		{5, 6 + 1<<15, 6 + 1<<15},
		{0, 0xffff, 0xffff}, // also of a stream that has only sent reports
	} {
		if got := guess(c.newest, c.sequence); got != c.want {
			t.Errorf("%d after %#x: %#x, want %#x", c.sequence, c.newest, got, c.want)
		}
	}
}

// TestGuess: from any newest packet, each sequence number stands for the index that is
// nearest (RFC 3711 appendix A).
func TestGuess(t *testing.T) {
	const roll = 1 << 16
	for _, newest := range []uint64{0, 1, 1<<15 - 1, 1 << 15, 1<<15 + 1, roll - 1, roll, roll + 1,
		roll + 1<<15 - 1, roll + 1<<15, roll + 1<<15 + 1, 7*roll - 1, 7 * roll, 1<<48 - 1, 1<<48 - roll} {
		for sequence := range roll {
			got := guess(newest, uint16(sequence))
			distance := int64(got - newest)
			switch {
			case uint16(got) != uint16(sequence):
				t.Fatalf("%d after %#x: %#x", sequence, newest, got)
			case newest < 1<<15 && got < roll: // there is nothing before the first roll-over
			case distance > 1<<15 || distance < -1<<15:
				t.Fatalf("%d after %#x: %#x, %d away", sequence, newest, got, distance)
			}
		}
	}
}
