package rest_test

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/rest"
	"squelch/server/timeline"
)

// asked is a timeline that remembers what it was asked.
type asked struct{ q timeline.Query }

func (a *asked) Page(_ context.Context, q timeline.Query) (wire.TimelinePage, error) {
	a.q = q
	return wire.TimelinePage{Entries: []wire.TimelineEntry{}, Next: new(uint64(7)), From: q.From}, nil
}

// TestWhatIsAskedOfTheTimeline: every parameter arrives; without any, nothing is asked for.
func TestWhatIsAskedOfTheTimeline(t *testing.T) {
	s, a := onAir(t), &asked{}
	s.use(t, func(o *rest.Options) { o.Timeline = a })
	ana := s.logIn("ANA")
	for query, want := range map[string]timeline.Query{
		"": {},
		"?before=12&limit=500&from=1000&to=2000&kind=alert,panic&frequency=154.7550&unit=2-adam&text=shots%20fired": {Before: 12, Limit: 500, From: 1000, To: 2000,
			Kinds: []string{"alert", "panic"}, Frequency: frequency("154.755"), Unit: "2-adam", Text: "shots fired"},
		"?kind=" + core.MomentKinds[0] + "&from=0": {Kinds: core.MomentKinds[:1]},
	} {
		if got := s.send("GET", "/api/timeline"+query, ana, nil); got.status != 200 || got.json(t)["next"] != 7.0 || !reflect.DeepEqual(a.q, want) {
			t.Errorf("%s: %d %s asks for %+v, want %+v", query, got.status, got.body, a.q, want)
		}
	}
}

// TestAKeyWithoutRecordingsHearsNothing: it gets neither recordings nor transcripts, and
// cannot find out what was said by searching for it.
func TestAKeyWithoutRecordingsHearsNothing(t *testing.T) {
	s, a := onAir(t), &asked{}
	s.use(t, func(o *rest.Options) { o.Timeline = a })
	reader, _ := s.apiKey("cad", wire.ScopeRead)
	listener, _ := s.apiKey("archive", wire.ScopeRead, wire.ScopeRecordings)
	for hidden, who := range map[bool]credentials{true: reader, false: listener} {
		if got := s.send("GET", "/api/timeline?text=shots", who, nil); got.status != 200 || a.q.NoVoice != hidden {
			t.Errorf("without voice %t, want %t: %d %s", a.q.NoVoice, hidden, got.status, got.body)
		}
	}
	if s.send("GET", "/api/timeline", s.logIn("ANA"), nil); a.q.NoVoice {
		t.Error("a dispatcher gets no voice")
	}
}

// busy is a timeline that takes as long as the test wants.
type busy struct {
	working, most atomic.Int32
	done          chan struct{}
}

func (b *busy) Page(ctx context.Context, _ timeline.Query) (wire.TimelinePage, error) {
	for n := b.working.Add(1); ; {
		if m := b.most.Load(); n <= m || b.most.CompareAndSwap(m, n) {
			break
		}
	}
	defer b.working.Add(-1)
	select {
	case <-b.done:
	case <-ctx.Done():
	}
	return wire.TimelinePage{Entries: []wire.TimelineEntry{}}, ctx.Err()
}

// TestOnlySoManyLookAtTheTimelineAtOnce: the others are told when to come again, and none
// waits for ever.
func TestOnlySoManyLookAtTheTimelineAtOnce(t *testing.T) {
	const calls, places = 60, 4
	s, b := onAir(t), &busy{done: make(chan struct{})}
	s.use(t, func(o *rest.Options) { o.Timeline = b })
	who := s.logIn("ANA")
	var served, refused atomic.Int32
	var callers sync.WaitGroup
	for range calls {
		callers.Go(func() {
			switch got := s.send("GET", "/api/timeline?text=nosuchword", who, nil); {
			case got.status == 200:
				served.Add(1)
			case got.status == 429 && got.header.Get("Retry-After") != "" && contains(got.text(t), "Others look through the timeline"):
				refused.Add(1)
			default:
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	for range 2000 {
		if refused.Load() == calls-places {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n, m := refused.Load(), b.most.Load(); n != calls-places || m != places {
		t.Errorf("%d are refused while %d look", n, m)
	}
	close(b.done)
	callers.Wait()
	if n := served.Load(); n != places {
		t.Errorf("%d are served", n)
	}
	if got := s.send("GET", "/api/timeline", who, nil); got.status != 200 {
		t.Errorf("afterwards: %d %s", got.status, got.body)
	}
}
