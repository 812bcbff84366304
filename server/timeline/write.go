package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"squelch/core"
)

// errSlow: a write takes longer than slowWrite, so nobody waits for it any more.
var errSlow = errors.New("a write takes more than " + slowWrite.String())

// run writes what is added. While the disk is broken it tries again after ever longer
// pauses.
func (t *Timeline) run() {
	defer close(t.gone)
	pause := time.Duration(0)
	for {
		batch, closed := t.next()
		switch {
		case len(batch) > 0:
			err := t.write(batch)
			if err == nil {
				pause = 0
				continue
			}
			if closed {
				t.o.Logf("the timeline could not be written at the end (%v): its last %d entries are lost", err, t.end()-1-t.Durable())
				return
			}
			pause = min(max(retryFirst, 2*pause), retryMost)
			t.rest(pause)
		case closed:
			return
		default:
			<-t.wake
			t.gather()
		}
	}
}

// gather waits a moment for more to come, unless somebody waits for the disk.
func (t *Timeline) gather() {
	over := time.NewTimer(linger)
	defer over.Stop()
	select {
	case <-over.C:
	case <-t.rush:
	}
}

// rest waits until the next attempt is due, until somebody waits for the disk, or until
// the end.
func (t *Timeline) rest(pause time.Duration) {
	over := time.NewTimer(pause)
	defer over.Stop()
	for {
		select {
		case <-over.C:
			return
		case <-t.rush:
			return
		case <-t.wake:
			t.mu.Lock()
			closed := t.closed
			t.mu.Unlock()
			if closed {
				return
			}
		}
	}
}

// next gives what is to be written next.
func (t *Timeline) next() (batch []Entry, closed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := int(t.last - t.written)
	pending := t.tail[len(t.tail)-n:]
	return slices.Clone(pending[:min(n, chunk)]), t.closed
}

// write stores a batch and tells those who wait.
func (t *Timeline) write(batch []Entry) error {
	end := batch[len(batch)-1].Seq
	t.mu.Lock()
	was := t.broken
	t.mu.Unlock()
	slow := time.AfterFunc(slowWrite, func() {
		t.mu.Lock()
		t.hangs = true
		t.mu.Unlock()
		t.failed(end, errSlow)
	})
	var err error
	if was != nil {
		err = t.o.Probe(context.Background(), probeBytes)
	}
	if err == nil {
		err = t.append(batch)
	}
	moved := errors.Is(err, ErrMoved)
	if moved {
		err = t.renumber(context.Background())
	}
	slow.Stop()
	t.mu.Lock()
	t.hangs = false
	t.mu.Unlock()
	if err != nil {
		t.failed(end, err)
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if moved || t.reads {
		return nil
	}
	t.written = end
	t.waiting = slices.DeleteFunc(t.waiting, func(w waiter) bool {
		if w.seq <= t.written {
			w.done <- nil
		}
		return w.seq <= t.written
	})
	if t.broken != nil && t.written == t.last {
		t.broken = nil
		t.o.Logf("the timeline is written again")
		if t.dropped > 0 {
			t.enter(core.Moment{Kind: core.MomentHealth, At: t.o.Now().UnixMilli(), Surface: core.BySystem, Detail: "timeline",
				Reason: fmt.Sprintf("%d entries are missing here: the disk was broken for too long", t.dropped)}, false)
			t.dropped = 0
		}
		t.renew()
	}
	return nil
}

// append stores entries, except those that a failed attempt has stored already.
func (t *Timeline) append(batch []Entry) error {
	_, last := t.log.Bounds()
	if there := last + 1; t.o.Forward == nil && there > batch[0].Seq {
		batch = batch[min(uint64(len(batch)), there-batch[0].Seq):]
	}
	if len(batch) == 0 {
		return nil
	}
	records := make([][]byte, 0, len(batch))
	for _, e := range batch {
		data, err := encode(e)
		if err != nil {
			return err
		}
		records = append(records, data)
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	return t.log.AppendAt(ctx, batch[0].Seq, records...)
}

// failed notes that the disk does not take the entries up to a number: nobody waits any
// more.
func (t *Timeline) failed(end uint64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.written >= end { // it did, just now
		return
	}
	if t.broken == nil {
		t.o.Logf("the timeline cannot be written (%v): it stays in memory until the disk is back", err)
	}
	kept := core.ErrStorage("the timeline cannot be written")
	kept.Message += ". The change is in effect and will be entered when the disk is back"
	t.broken = kept
	for _, w := range t.waiting {
		w.done <- kept
	}
	t.waiting = nil
}
