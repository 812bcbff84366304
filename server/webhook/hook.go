package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// hook is one webhook. A goroutine sends what is on the timeline, in order, another one
// what is not.
type hook struct {
	config.Webhook
	desk   *Desk
	post   *poster
	render render
	again  chan struct{} // the receiver may be back: try now
	aside  chan Event    // not on the timeline
	manual sync.Mutex    // held while an administrator's attempt is on its way

	mu       sync.Mutex
	place    place
	stored   *place // what the store has, or is being given; nil: nothing
	letters  []wire.DeadLetter
	bytes    int                // of letters
	changed  map[string]bool    // ids of letters that the store does not have as they are
	urgent   map[string]*urgent // by id
	current  string             // id of what is being sent in order
	stopped  bool               // 410
	failures int                // in a row
	sent     int
	lastOK   int64
	lastErr  int64
	err      string
	retry    int64
}

// place is how far a webhook has come.
type place struct {
	Seq     uint64 `json:"seq"`               // of the last entry that is dealt with
	Failing int64  `json:"failing,omitempty"` // since when the receiver has taken nothing, ms since the epoch; 0: it takes what it is sent
	Dropped int    `json:"dropped,omitempty"` // dead letters that made room
}

// placeRecord is a place as it is stored.
type placeRecord struct {
	Version int `json:"v"` // 1
	place
}

func newHook(d *Desk, h config.Webhook, make render) *hook {
	return &hook{Webhook: h, desk: d, post: newPoster(h, d.o), render: make, again: newSignal(), aside: newAside(),
		changed: map[string]bool{}, urgent: map[string]*urgent{}}
}

func newSignal() chan struct{} { return make(chan struct{}, 1) }
func newAside() chan Event     { return make(chan Event, maxAside) }

// restore takes up where the last run ended. A new webhook begins now, not with what the
// timeline still has.
func (h *hook) restore(raw []byte, letters map[string][]byte) error {
	last := h.desk.o.Timeline.Last()
	if raw == nil {
		h.place.Seq = last
	} else {
		var r placeRecord
		if err := json.Unmarshal(raw, &r); err != nil || r.Version != 1 {
			return fmt.Errorf("the place of webhook %s is not understood (version %d): a newer program has stored it", h.Name, r.Version)
		}
		was := r.place
		h.place, h.stored = r.place, &was
		if h.place.Seq > last {
			h.desk.o.Logf("webhook %s: the timeline has lost entries up to %d; it goes on from %d", h.Name, h.place.Seq, last)
			h.place.Seq = last
		}
	}
	return h.restoreLetters(letters)
}

// wants says whether a webhook is sent an event; channels are its filter.
func (h *hook) wants(ev Event, channels map[string]bool) bool {
	return slices.Contains(h.Events, ev.Kind) && concerns(ev.Entry, channels)
}

// filter is the channels that a webhook is told of, as they are spelled; nil: all. Those
// of its zones may be edited while the radio is on the air.
func (h *hook) filter(c *core.Config) map[string]bool {
	if len(h.Zones)+len(h.Channels) == 0 {
		return nil
	}
	out := map[string]bool{}
	for _, f := range h.Channels {
		out[f.String()] = true
	}
	if c == nil {
		return out
	}
	for _, z := range c.Zones {
		if !slices.Contains(h.Zones, z.Name) {
			continue
		}
		for _, ch := range z.Channels {
			out[ch.Frequency.String()] = true
		}
	}
	return out
}

// run sends what is on the timeline, until the service ends or the receiver wants nothing
// any more.
func (h *hook) run(ctx context.Context) {
	h.mu.Lock()
	after := h.place.Seq
	h.mu.Unlock()
	for {
		changed := h.desk.o.Timeline.Changed()
		entries, err := h.desk.o.Timeline.Read(ctx, after, readBatch)
		if err != nil {
			if ctx.Err() == nil {
				h.desk.o.Logf("webhook %s: %v", h.Name, err)
			}
			select {
			case <-time.After(readAgain):
				continue
			case <-ctx.Done():
				return
			}
		}
		if len(entries) == 0 {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		if entries[0].Seq > after+1 {
			h.desk.o.Logf("webhook %s: entries %d to %d of the timeline were removed, because of their age, before they were sent", h.Name, after+1, entries[0].Seq-1)
		}
		if !h.send(ctx, entries) {
			return
		}
		after = entries[len(entries)-1].Seq
	}
}

// send deals with some entries; it is false if the work is over.
func (h *hook) send(ctx context.Context, entries []wire.TimelineEntry) bool {
	var c *core.Config
	var channels map[string]bool
	for _, e := range entries {
		ev, known := eventOf(e)
		if known && slices.Contains(h.Events, ev.Kind) {
			if c == nil {
				c = h.desk.o.Config()
				channels = h.filter(c)
			}
			if h.wants(ev, channels) && !h.hurried(ctx, ev) && !h.deliver(ctx, ev, c) {
				return false
			}
			h.pass(e.Seq, true)
			continue
		}
		h.pass(e.Seq, false)
	}
	return ctx.Err() == nil
}

// pass notes that an entry is dealt with. One that does not concern the webhook is no
// reason to store its place at once.
func (h *hook) pass(seq uint64, ours bool) {
	h.mu.Lock()
	h.place.Seq, h.current = seq, ""
	far := h.stored == nil || seq-h.stored.Seq >= farBehind
	h.mu.Unlock()
	if ours || far {
		h.desk.nudge()
	}
}

// deliver sends an event until it is taken, or is a dead letter. It is false if the work
// is over before that.
func (h *hook) deliver(ctx context.Context, ev Event, c *core.Config) bool {
	body, err := h.body(ev, c)
	if err != nil {
		h.bury(ev, body, 0, err.Error())
		return true
	}
	for tries := 1; ; tries++ {
		if ev.Kind == kindTranscript && !h.desk.o.Kept(ev.Entry.ID) {
			return true
		}
		if h.halted() {
			<-ctx.Done()
			return false
		}
		a := h.post.post(ctx, ev.ID, ev.Kind, body)
		switch {
		case a.verdict == taken:
			h.well(true)
			return a.wait == 0 || h.rest(ctx, a.wait)
		case ctx.Err() != nil:
			return false
		case a.verdict == refused:
			h.well(false)
			h.bury(ev, body, tries, a.err)
			return true
		case a.verdict == gone:
			h.stop(a.err)
			continue
		}
		old, wait := h.failed(ev, a)
		if old {
			h.bury(ev, body, tries, a.err)
		}
		if !h.rest(ctx, wait) {
			return false
		}
		if old {
			return true
		}
	}
}

// body makes what is sent. With an error, it is what can be shown of the event instead.
func (h *hook) body(ev Event, c *core.Config) ([]byte, error) {
	p := payload(ev, h.desk.o.Radio, c)
	body, err := h.render(p)
	if err != nil {
		body, _ = plainJSON(p)
		return body, fmt.Errorf("the template failed: %w", err)
	}
	return body, nil
}

// well notes that the receiver works, and whether it has taken something.
func (h *hook) well(taken bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures, h.retry, h.place.Failing = 0, 0, 0
	if taken {
		h.sent++
		h.lastOK = h.desk.o.Now().UnixMilli()
	}
}

// failed notes an attempt that failed. It says whether the event has been tried for long
// enough, and when to try again.
func (h *hook) failed(ev Event, a answer) (old bool, wait time.Duration) {
	now := h.desk.o.Now()
	h.mu.Lock()
	h.failures++
	if h.place.Failing == 0 {
		h.place.Failing = now.UnixMilli()
	}
	since := max(h.place.Failing, ev.Entry.At, ev.Entry.EndedAt)
	wait = max(pause(h.failures), a.wait)
	h.lastErr, h.err, h.retry = now.UnixMilli(), a.err, now.Add(wait).UnixMilli()
	first := h.failures == 1
	h.mu.Unlock()
	if first {
		h.desk.o.Logf("webhook %s fails: %s; it is tried again, and the administration shows how it does", h.Name, a.err)
	}
	h.desk.nudge()
	return now.UnixMilli()-since >= giveUp.Milliseconds(), wait
}

// stop notes that the receiver wants nothing any more.
func (h *hook) stop(err string) {
	h.mu.Lock()
	h.stopped, h.err, h.lastErr = true, err, h.desk.o.Now().UnixMilli()
	h.mu.Unlock()
	h.desk.o.Logf("webhook %s is stopped until the next start: %s", h.Name, err)
	h.desk.nudge()
}

func (h *hook) halted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped
}

// rest waits, or until somebody thinks that the receiver is back; it is false if the work
// is over.
func (h *hook) rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-h.desk.o.After(d):
	case <-h.again:
	case <-ctx.Done():
		return false
	}
	return true
}
