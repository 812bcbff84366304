package webhook_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/webhook"
)

// TestACrashSendsAgainWithTheSameID: what was sent after the place was last stored comes
// again after a crash, with the same id; what the crash took from the timeline does not
// hide what gets its number later.
func TestACrashSendsAgainWithTheSameID(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("1"))
	r.next()
	w.until("sent", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Cursor == 1 })
	w.close() // place 1 is stored
	w.line.durable = 2
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("2"), alert("lost"))
	before := []string{r.next().id, r.next().id}
	w.until("sent", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Cursor == 3 })
	w.close()
	var place struct{ Seq uint64 }
	if err := json.Unmarshal(w.places.values["cad"], &place); err != nil || place.Seq != 2 {
		t.Fatalf("place %s, %v: it is beyond what is on the disk", w.places.values["cad"], err)
	}
	// The crash: entry 3 is gone; as if the place had not been stored since 1.
	w.places.values["cad"] = []byte(`{"v":1,"seq":1}`)
	w.line.mu.Lock()
	w.line.entries, w.line.durable = w.line.entries[:2], ^uint64(0)
	w.line.mu.Unlock()
	w.begin(hookTo("cad", r.http.URL))
	if id := r.next().id; id != before[0] {
		t.Errorf("%s, want %s again", id, before[0])
	}
	w.line.add(wire.TimelineEntry{Kind: core.MomentAlert, ID: "alert-new", Detail: "new"})
	if c := r.next(); c.payload(t).Detail != "new" || c.id == before[1] {
		t.Errorf("%s: %s", c.id, c.body)
	}
}

// TestABrokenDiskStopsNothing: events are sent, their places are stored when it is back.
func TestABrokenDiskStopsNothing(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("1"))
	r.next()
	w.places.breaks(true)
	w.letters.breaks(true)
	r.does(status(http.StatusBadRequest))
	w.line.add(alert("2"))
	r.next()
	r.does(nil)
	w.line.add(alert("3"), wire.TimelineEntry{Kind: core.MomentHealth, Detail: "storage", Reason: "the disk is full"})
	for range 2 {
		r.next()
	}
	w.until("sent", func(s wire.WebhookState, _ []wire.DeadLetter) bool {
		return s.Behind == 0 && s.Sent == 3 && s.Dead == 1
	})
	w.places.breaks(false)
	w.letters.breaks(false)
	w.close()
	if !strings.Contains(string(w.places.values["cad"]), `"seq":4`) || len(w.letters.values) != 1 {
		t.Errorf("stored: %s, %v", w.places.values["cad"], w.letters.values)
	}
}

// TestPlacesAreWrittenRarely: a busy receiver costs a write in a while, and one that wants
// little costs less.
func TestPlacesAreWrittenRarely(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	rare := hookTo("rare", r.http.URL)
	rare.Events = []string{"panic"}
	w.begin(hookTo("cad", r.http.URL), rare)
	for range 1000 {
		w.line.add(alert("x"))
	}
	for range 1000 {
		r.next()
	}
	w.places.mu.Lock()
	writes := w.places.writes
	w.places.mu.Unlock()
	if writes > 40 { // one a second, on a machine that is very slow
		t.Errorf("%d writes for 1000 events", writes)
	}
}

// TestTenThousandEventsWaitOnTheTimeline: a receiver that is dead costs no memory, however
// much waits for it.
func TestTenThousandEventsWaitOnTheTimeline(t *testing.T) {
	w := newWorld(t)
	block := make(chan time.Time)
	w.options.After = func(time.Duration) <-chan time.Time { return block }
	w.begin(hookTo("cad", "https://127.0.0.1:1/"))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	w.line.add(alert("x"))
	w.until("failing", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Failures == 1 })
	entries := make([]wire.TimelineEntry, 10_000)
	for i := range entries {
		entries[i] = alert(fmt.Sprintf("%0100d", i))
	}
	w.line.add(entries...)
	before := heap()
	for range 10 {
		block <- time.Time{}
	}
	w.until("failing on", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Failures == 11 && s.Behind == 10_001 })
	if grown := int64(heap()) - int64(before); grown > 1<<20 {
		t.Errorf("%d bytes more", grown)
	}
	w.line.mu.Lock()
	defer w.line.mu.Unlock()
	if w.line.largest > 64 {
		t.Errorf("%d entries were read at once", w.line.largest)
	}
}

// TestWhatANewerProgramStored is not guessed at.
func TestWhatANewerProgramStored(t *testing.T) {
	for _, c := range []struct{ place, letter string }{{`{"v":2}`, ""}, {`x`, ""}, {"", `{"v":2,"id":"a"}`}} {
		w := newWorld(t)
		w.options.Hooks = []config.Webhook{hookTo("cad", "https://cad.example.org/")}
		if c.place != "" {
			w.places.values["cad"] = []byte(c.place)
		}
		if c.letter != "" {
			w.letters.values["cad/a"] = []byte(c.letter)
		}
		if _, err := webhook.New(w.options); err == nil || !strings.Contains(err.Error(), "a newer program has stored it") {
			t.Errorf("%v: %v", c, err)
		}
	}
}
