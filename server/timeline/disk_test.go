package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"squelch/core"
	"squelch/server/timeline"
)

// patience ends a wait that would otherwise last forever; nothing is measured with it.
const patience = 2 * time.Minute

// disk is a log that fails as it is told.
type disk struct {
	mu      sync.Mutex
	records [][]byte
	removed int // of the oldest
	err     error
	keeps   int // how many records of a failing write are kept all the same
	hangs   chan struct{}
	writes  int
}

func (d *disk) AppendAt(_ context.Context, at uint64, records ...[]byte) error {
	if d.hangs != nil {
		<-d.hangs
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes++
	if next := uint64(d.removed+len(d.records)) + 1; at != next {
		return fmt.Errorf("the next record is number %d, not %d", next, at)
	}
	if d.err != nil {
		kept := min(d.keeps, len(records))
		d.keeps -= kept
		d.records = append(d.records, records[:kept]...)
		return d.err
	}
	d.records = append(d.records, records...)
	return nil
}

func (d *disk) Read(_ context.Context, from uint64, limit int) (uint64, [][]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first := max(from, uint64(d.removed)+1)
	n := int(first) - d.removed - 1
	if n >= len(d.records) {
		return first, nil, nil
	}
	return first, slices.Clone(d.records[n:min(len(d.records), n+limit)]), nil
}

func (d *disk) Bounds() (first, last uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return uint64(d.removed) + 1, uint64(d.removed + len(d.records))
}

func (d *disk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (d *disk) remove(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records, d.removed = d.records[n:], d.removed+n
}

func open(t testing.TB, d timeline.Log, o timeline.Options) *timeline.Timeline {
	t.Helper()
	o.Logf = t.Logf
	tl, err := timeline.Open(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// opened closes its timeline at the end of the test.
func opened(t testing.TB, d timeline.Log, o timeline.Options) *timeline.Timeline {
	t.Helper()
	tl := open(t, d, o)
	t.Cleanup(tl.Close)
	return tl
}

// written waits until an entry is on the disk.
func written(t testing.TB, tl *timeline.Timeline, seq uint64) {
	t.Helper()
	select {
	case err := <-tl.Written(seq):
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatalf("entry %d is not written", seq)
	}
}

func until(t testing.TB, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

// said is a transmission that has ended; spoken, its beginning.
func said(n int) core.Moment {
	return core.Transmission{Number: n, User: 12, Name: "Unit 12", Frequency: north, StartedAt: int64(1000 * n), EndedAt: int64(1000*n + 500)}.Moment()
}

func keyed(n int) core.Moment {
	m := said(n)
	m.Kind, m.EndedAt = core.MomentKeyed, 0
	return m
}

var north, _ = core.ParseFrequency("154.755")
var tac, _ = core.ParseFrequency("460.25")

func seqs(entries []timeline.Entry) (all []uint64) {
	for _, e := range entries {
		all = append(all, e.Seq)
	}
	return all
}

func unavailable(err error) bool {
	var refused *core.Error
	return errors.As(err, &refused) && refused.Kind == core.Unavailable
}

// TestADiskThatHangsAtTheEndIsNotWaitedForForever: whoever probes a hung disk does not come
// back.
func TestADiskThatHangsAtTheEndIsNotWaitedForForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs, probed := make(chan struct{}), make(chan struct{}, 1)
		var mu sync.Mutex
		var said []string
		tl, err := timeline.Open(t.Context(), &disk{err: syscall.EIO}, timeline.Options{
			Probe: func(context.Context, int) error {
				probed <- struct{}{}
				<-hangs
				return syscall.EIO
			},
			Logf: func(format string, args ...any) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, fmt.Sprintf(format, args...))
			}})
		if err != nil {
			t.Fatal(err)
		}
		<-tl.Written(tl.Add(core.Moment{Kind: core.MomentAlert}, core.Moment{Kind: core.MomentAlert}))
		<-probed
		tl.Close()
		mu.Lock()
		defer mu.Unlock()
		if last := said[len(said)-1]; last != "the timeline could not be written at the end, because the disk does not answer: its last 2 entries are lost" {
			t.Errorf("the log has %q", last)
		}
		close(hangs)
	})
}
