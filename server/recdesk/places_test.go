package recdesk_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/server/recdesk"
	"squelch/server/recordings"
)

// busy is a shelf that takes as long as the test wants.
type busy struct {
	*recordings.Shelf
	working, most atomic.Int32
	done          chan struct{}
}

func (b *busy) work() {
	for n := b.working.Add(1); ; {
		if m := b.most.Load(); n <= m || b.most.CompareAndSwap(m, n) {
			break
		}
	}
	<-b.done
	b.working.Add(-1)
}

func (b *busy) List(q recordings.Query) ([]recordings.Entry, string) {
	b.work()
	return b.Shelf.List(q)
}

func (b *busy) Match(q recordings.Query) []string {
	b.work()
	return b.Shelf.Match(q)
}

func (b *busy) Delete(ctx context.Context, ids ...string) (int, int64, error) {
	b.work()
	return b.Shelf.Delete(ctx, ids...)
}

// TestOnlySoManyLookOrDeleteAtOnce: four look and one deletes; the others are told when to
// come again, none waits for ever, and what is refused is not audited.
func TestOnlySoManyLookOrDeleteAtOnce(t *testing.T) {
	const calls = 100
	for name, c := range map[string]struct {
		places  int32
		text    string
		method  string
		path    string
		body    string
		audited bool
	}{
		"lists":     {4, "Others look through the recordings", "GET", "?text=nosuchword", "", true},
		"previews":  {4, "Others look through the recordings", "POST", "/delete", `{"name":"Nobody","preview":true}`, false},
		"deletions": {1, "Other recordings are being deleted", "POST", "/delete", `{"ids":["tx-99-1772600767000"]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 5})
			b := &busy{Shelf: s.shelf, done: make(chan struct{})}
			s.use(func(o *recdesk.Options) { o.Shelf = b })
			ask := func() answer {
				return s.ask(httptest.NewRequest(c.method, "/api/recordings"+c.path, strings.NewReader(c.body)))
			}
			var served, refused atomic.Int32
			var callers sync.WaitGroup
			for range calls {
				callers.Go(func() {
					switch got := ask(); {
					case got.status == 200:
						served.Add(1)
					case got.status == 429 && got.header.Get("Retry-After") != "" && strings.Contains(string(got.body), c.text):
						refused.Add(1)
					default:
						t.Errorf("%d %s", got.status, got.body)
					}
				})
			}
			for range 2000 {
				if refused.Load() == calls-c.places {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if n, m := refused.Load(), b.most.Load(); n != calls-c.places || m != c.places {
				t.Errorf("%d are refused while %d are at work", n, m)
			}
			close(b.done)
			callers.Wait()
			if n := served.Load(); n != c.places {
				t.Errorf("%d are served", n)
			}
			if n := len(s.actions()); (n > 0) != c.audited || n > int(c.places) {
				t.Errorf("%d are audited", n)
			}
			if got := ask(); got.status != 200 {
				t.Errorf("afterwards: %d %s", got.status, got.body)
			}
		})
	}
}
