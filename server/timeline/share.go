package timeline

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"squelch/core"
)

// ErrMoved is what a Log that another service has appended to returns from AppendAt. The
// entries then get other numbers.
var ErrMoved = errors.New("the end of the timeline has moved")

// Follow takes a record that another service has appended to the shared log.
func (t *Timeline) Follow(ctx context.Context, number uint64, record []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reads || t.closed || number <= t.last {
		return
	}
	if e, err := decode(number, record); err == nil && number == t.last+1 {
		t.follow(e)
		return
	}
	t.mu.Unlock() // something is missing, or garbled
	tail, err := t.fetch(ctx, number-min(number-1, tailLength-1), tailLength)
	t.mu.Lock()
	if err == nil && t.reads && len(tail) > 0 && tail[len(tail)-1].Seq > t.last {
		t.tail = nil
		for _, e := range tail {
			t.follow(e)
		}
	}
}

// follow enters what is on the disk; t.mu is held.
func (t *Timeline) follow(e Entry) {
	t.tail = append(t.tail, e)
	if len(t.tail) >= 2*tailLength {
		t.tail = slices.Clone(t.tail[len(t.tail)-tailLength:])
	}
	t.last, t.written = e.Seq, e.Seq
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// Own makes this service write a timeline that another one has written until now. It enters
// those of the moments that are not there: the other may have died before it had. cold says
// that the radio begins anew, so nobody is on the air.
func (t *Timeline) Own(ctx context.Context, moments []core.Moment, cold bool) error {
	tail, err := t.newest(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.take(tail)
	if clear(t.open); cold {
		t.mend()
	} else {
		t.lookForOpen()
	}
	t.reads, t.broken, t.hangs = false, nil, false
	for _, m := range moments {
		if !slices.ContainsFunc(tail, func(e Entry) bool { return sameMoment(e.Moment, m) }) {
			t.enter(m, false)
		}
	}
	t.mu.Unlock()
	t.nudge(t.wake)
	return nil
}

// sameMoment compares what two replicas of a radio have made of the same order. What is
// entered of a transmission has more channels than its end alone.
func sameMoment(a, b core.Moment) bool {
	if a.Kind != b.Kind || a.At != b.At || a.Number != b.Number {
		return false
	}
	a.Frequencies, b.Frequencies = nil, nil
	return reflect.DeepEqual(a, b)
}

// Disown makes this service read only. What it has not written is lost here: the next one
// has it from its own replica.
func (t *Timeline) Disown() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads = true
	n := int(t.last - t.written)
	t.tail = t.tail[:len(t.tail)-n]
	t.last = t.written
	t.broken, t.hangs = nil, false
	clear(t.open)
	for _, w := range t.waiting {
		w.done <- core.ErrStorage("another node writes the timeline now")
	}
	t.waiting = nil
}

// newest reads the newest entries.
func (t *Timeline) newest(ctx context.Context) ([]Entry, error) {
	first, last := t.log.Bounds()
	return t.fetch(ctx, max(first, last-min(last, tailLength-1)), tailLength)
}

// take makes these the newest entries; t.mu is held.
func (t *Timeline) take(tail []Entry) {
	_, last := t.log.Bounds()
	if len(tail) > 0 {
		last = tail[len(tail)-1].Seq
	}
	t.tail, t.last, t.written = tail, last, last
}

// renumber gives what is not written numbers behind what another service has written.
func (t *Timeline) renumber(ctx context.Context) error {
	tail, err := t.newest(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reads {
		return nil
	}
	pending := slices.Clone(t.tail[len(t.tail)-int(t.last-t.written):])
	t.take(tail)
	for i := range pending {
		t.last++
		if b := t.open[pending[i].Moment.ID()]; b != nil && b.seq == pending[i].Seq {
			b.seq = t.last
		}
		pending[i].Seq = t.last
	}
	t.tail = append(t.tail, pending...)
	return nil
}
