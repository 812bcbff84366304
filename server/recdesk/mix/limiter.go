package mix

// limiter turns a sum down where it would clip. It knows the block that comes next, so
// that it is down before it must be: within a block its gain moves in a straight line.
type limiter struct {
	wait [block]int32 // the block that comes next
	most float64      // the gain that it bears
	gain float64      // at the end of the block before
}

// first takes the block that comes after silence.
func (l *limiter) first(sum *[block]int32) {
	l.wait, l.most = *sum, bearable(sum)
	l.gain = l.most
}

// next gives the block that has waited, and lets sum wait.
func (l *limiter) next(sum *[block]int32, out *[block]int16) {
	after := bearable(sum)
	l.give(min(l.most, after), out)
	l.wait, l.most = *sum, after
}

// last gives the block that has waited; silence follows.
func (l *limiter) last(out *[block]int16) { l.give(l.most, out) }

// give applies a gain that ends at most at a target. What was taken comes back slowly.
func (l *limiter) give(target float64, out *[block]int16) {
	if target > l.gain {
		target = l.gain + (target-l.gain)*recovery
	}
	step := (target - l.gain) / block
	for i, s := range l.wait {
		out[i] = int16(max(-ceiling, min(ceiling, float64(s)*(l.gain+step*float64(i+1)))))
	}
	l.gain = target
}

// bearable is the highest gain at which a block does not clip, 1 at most.
func bearable(sum *[block]int32) float64 {
	peak := int32(0)
	for _, s := range sum {
		peak = max(peak, s, -s)
	}
	if peak <= ceiling {
		return 1
	}
	return ceiling / float64(peak)
}
