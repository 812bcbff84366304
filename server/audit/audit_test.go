package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tape is a stream in memory.
type tape struct {
	mu      sync.Mutex
	first   uint64 // number of records[0]; 0 means 1
	records [][]byte
	appends int
	block   chan struct{} // if set, an append waits for it
	fail    error         // if set, the next append keeps half and fails
}

func (s *tape) AppendAt(_ context.Context, at uint64, records ...[]byte) error {
	if s.block != nil {
		<-s.block
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.appends++
	if next := s.oldest() + uint64(len(s.records)); at != next {
		return fmt.Errorf("next is %d, not %d", next, at)
	}
	if err := s.fail; err != nil {
		s.fail = nil
		s.records = append(s.records, records[:(len(records)+1)/2]...)
		return err
	}
	s.records = append(s.records, records...)
	return nil
}

func (s *tape) oldest() uint64 { return max(1, s.first) }

func (s *tape) Read(_ context.Context, from uint64, limit int) (uint64, [][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from = max(from, s.oldest())
	start := min(int(from-s.oldest()), len(s.records))
	return from, s.records[start:min(start+limit, len(s.records))], nil
}

func (s *tape) Bounds() (first, last uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.oldest(), s.oldest() + uint64(len(s.records)) - 1
}

func (s *tape) drop(count int) {
	s.first = s.oldest() + uint64(count)
	s.records = s.records[count:]
}

func clock() time.Time { return time.UnixMilli(1_750_000_000_000) }

func alert(n int) Entry {
	return Entry{
		Actor: Actor{ID: -1, Name: "Dispatch <North> & \xff"}, Surface: REST, Action: "alert.trigger",
		Frequency: "154.755", Target: fmt.Sprint(n), Detail: map[string]any{"tone": "ALERT_A", "count": n, "by": nil},
	}
}

func filled(t *testing.T, count int) (*tape, *Log) {
	t.Helper()
	stream := &tape{}
	log := New(stream, clock)
	for n := range count {
		if err := log.Append(t.Context(), alert(n+1)); err != nil {
			t.Fatal(err)
		}
	}
	return stream, log
}

func TestWhatWasDoneCanBeReadBack(t *testing.T) {
	_, log := filled(t, 5)
	entries, err := log.Read(t.Context(), 2, 3)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	e := entries[0]
	if e.Seq != 2 || e.Time != clock().UnixMilli() || e.Actor.ID != -1 || e.Surface != REST ||
		e.Action != "alert.trigger" || e.Frequency != "154.755" || e.Target != "2" || fmt.Sprint(e.Detail["count"]) != "2" {
		t.Errorf("entry 2 = %+v", e)
	}
	entries, err = log.Tail(t.Context(), 2)
	if err != nil || len(entries) != 2 || entries[1].Seq != 5 {
		t.Errorf("tail = %+v, %v", entries, err)
	}
	if entries, err := log.Tail(t.Context(), 99); err != nil || len(entries) != 5 {
		t.Errorf("a tail longer than the log: %d entries, %v", len(entries), err)
	}
	report, err := log.Verify(t.Context())
	if err != nil || report.First != 1 || report.Last != 5 || len(report.Head) != 64 {
		t.Errorf("verify = %+v, %v", report, err)
	}
}

func TestAnEmptyLogIsWhole(t *testing.T) {
	_, log := filled(t, 0)
	if report, err := log.Verify(t.Context()); err != nil || report.Head != "" {
		t.Errorf("%+v, %v", report, err)
	}
	if entries, err := log.Tail(t.Context(), 10); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestTheChainGoesOnAfterARestart(t *testing.T) {
	stream, before := filled(t, 3)
	reportBefore, err := before.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after := New(stream, clock)
	if err := after.Append(t.Context(), alert(4)); err != nil {
		t.Fatal(err)
	}
	report, err := after.Verify(t.Context())
	if err != nil || report.Last != 4 || report.Head == reportBefore.Head {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestTamperingIsFound(t *testing.T) {
	cases := map[string]struct {
		tamper func(s *tape)
		seq    uint64
	}{
		"another name": {func(s *tape) {
			s.records[3] = []byte(strings.Replace(string(s.records[3]), "North", "South", 1))
		}, 4},
		"the newest changed": {func(s *tape) {
			s.records[9] = []byte(strings.Replace(string(s.records[9]), "ALERT_A", "ALERT_B", 1))
		}, 10},
		"one removed":    {func(s *tape) { s.records = append(s.records[:4:4], s.records[5:]...) }, 5},
		"two swapped":    {func(s *tape) { s.records[1], s.records[2] = s.records[2], s.records[1] }, 2},
		"white space":    {func(s *tape) { s.records[0] = append(s.records[0], ' ') }, 1},
		"a second field": {func(s *tape) { s.records[5] = []byte(`{"x":1,` + string(s.records[5][1:])) }, 6},
		"rubbish":        {func(s *tape) { s.records[7] = []byte("10-4") }, 8},
		"a new version":  {func(s *tape) { s.records[7] = []byte(`{"v":2}`) }, 8},
		"rewritten with a fresh hash": {func(s *tape) {
			_, prev, _, _ := decode(s.records[5], 6)
			forged := alert(99)
			forged.Seq, forged.Time = 6, 1
			s.records[5], _, _ = encode(forged, prev)
		}, 7},
		"the first replaced by one with a past": {func(s *tape) {
			forged := alert(1)
			forged.Seq = 1
			s.records[0], _, _ = encode(forged, digest{1})
		}, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			stream, log := filled(t, 10)
			c.tamper(stream)
			_, err := log.Verify(t.Context())
			var broken *BrokenError
			if !errors.As(err, &broken) || broken.Seq != c.seq {
				t.Errorf("verify says %v, want entry %d", err, c.seq)
			}
		})
	}
}

func TestOldEntriesMayGo(t *testing.T) {
	stream, log := filled(t, 10)
	stream.drop(4)
	report, err := log.Verify(t.Context())
	if err != nil || report.First != 5 || report.Last != 10 {
		t.Errorf("%+v, %v", report, err)
	}
	if entries, err := log.Read(t.Context(), 1, 2); err != nil || entries[0].Seq != 5 {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestAFailedWriteDoesNotBreakTheChain(t *testing.T) {
	stream, log := filled(t, 2)
	stream.fail = errors.New("the disk is full")
	if err := log.Append(t.Context(), alert(3)); err == nil {
		t.Fatal("a failed write was acknowledged")
	}
	for n := range 3 {
		if err := log.Append(t.Context(), alert(n+4)); err != nil {
			t.Fatal(err)
		}
	}
	if report, err := log.Verify(t.Context()); err != nil || report.Last != 6 { // the third was kept all the same
		t.Errorf("%+v, %v", report, err)
	}
}

func TestThoseWhoWaitAreWrittenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := &tape{block: make(chan struct{})}
		log := New(stream, clock)
		const callers = 300
		var group sync.WaitGroup
		for n := range callers {
			group.Go(func() {
				if err := log.Append(context.Background(), alert(n)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait() // one is writing, the others wait
		ctx, cancel := context.WithCancel(context.Background())
		gone := make(chan error)
		go func() { gone <- log.Append(ctx, alert(0)) }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the one who left got %v", err)
		}
		close(stream.block)
		group.Wait()
		if _, last := stream.Bounds(); last != callers {
			t.Errorf("%d entries of %d callers", last, callers)
		}
		if stream.appends > 10 {
			t.Errorf("%d writes for %d callers who waited together", stream.appends, callers)
		}
		if _, err := log.Verify(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestTooManyWaitingIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := &tape{block: make(chan struct{})}
		log := New(stream, clock)
		var group sync.WaitGroup
		var mu sync.Mutex
		busy := 0
		for n := range maxWaiting + maxBatch + 10 {
			group.Go(func() {
				if err := log.Append(context.Background(), alert(n)); errors.Is(err, ErrBusy) {
					mu.Lock()
					busy++
					mu.Unlock()
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(stream.block)
		group.Wait()
		if busy < 10 {
			t.Errorf("%d were turned away", busy)
		}
	})
}

func TestBadEntriesAreNamed(t *testing.T) {
	stream, log := filled(t, 0)
	for want, entry := range map[string]Entry{
		"needs an action": {},
		"detail":          {Action: "x", Detail: map[string]any{"f": func() {}}},
		"limit":           {Action: "x", Target: strings.Repeat("x", MaxEntry)},
	} {
		if err := log.Append(t.Context(), entry); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if len(stream.records) != 0 {
		t.Error("a bad entry was written")
	}
}

func FuzzDecode(f *testing.F) {
	entry := alert(1)
	entry.Seq = 1
	good, _, err := encode(entry, digest{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"v":1,"prev":"","hash":"","entry":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		entry, prev, hash, err := decode(data, 1)
		if err == nil && entry.Seq != 1 {
			t.Errorf("entry %+v, %x, %x", entry, prev, hash)
		}
	})
}
