package webhook

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"squelch/core"
	"squelch/core/wire"
)

// List is how the webhooks are doing, with the newest dead letters of one, or of all.
func (d *Desk) List(name string) (wire.WebhookList, error) {
	out := wire.WebhookList{Webhooks: []wire.WebhookState{}, Dead: []wire.DeadLetter{}}
	if name != "" {
		if _, err := d.find(name); err != nil {
			return out, err
		}
	}
	last := d.o.Timeline.Last()
	for _, h := range d.hooks {
		h.mu.Lock()
		out.Webhooks = append(out.Webhooks, h.state(last))
		if name == "" || h.Name == name {
			out.Dead = append(out.Dead, h.letters...)
		}
		h.mu.Unlock()
	}
	slices.SortStableFunc(out.Dead, func(a, b wire.DeadLetter) int { return int(b.Died - a.Died) })
	out.Dead = out.Dead[:min(len(out.Dead), wire.MaxDeadLetters)]
	return out, nil
}

// state is how a webhook is doing; h.mu is held.
func (h *hook) state(last uint64) wire.WebhookState {
	s := wire.WebhookState{Name: h.Name, URL: h.Host(), Events: h.Events, Template: filepath.Base(h.Template), State: "well",
		Cursor: h.place.Seq, Behind: last - min(last, h.place.Seq), Sent: h.sent, LastOK: h.lastOK, LastError: h.lastErr, Error: h.err,
		Failures: h.failures, Retry: h.retry, Dead: len(h.letters), Dropped: h.place.Dropped}
	switch {
	case h.stopped:
		s.State = "stopped"
	case h.failures > 0:
		s.State = "failing"
	}
	return s
}

// Resend sends a dead letter once more, and removes it if it is taken.
func (d *Desk) Resend(ctx context.Context, name, id string) (wire.WebhookSent, error) {
	if err := d.elsewhere(); err != nil {
		return wire.WebhookSent{}, err
	}
	h, err := d.find(name)
	if err != nil {
		return wire.WebhookSent{}, err
	}
	h.mu.Lock()
	i := h.index(id)
	var l wire.DeadLetter
	if i >= 0 {
		l = h.letters[i]
	}
	h.mu.Unlock()
	if i < 0 {
		return wire.WebhookSent{}, errNoLetter(name, id)
	}
	sent, err := h.once(ctx, l.ID, l.Event, []byte(l.Body))
	if err != nil || !sent.OK {
		return sent, err
	}
	h.mu.Lock()
	h.sent++
	h.remove(id)
	h.mu.Unlock()
	d.nudge()
	return sent, nil
}

func errNoLetter(hook, id string) error {
	return &core.Error{Kind: core.NotFound, Field: "id", Message: fmt.Sprintf("The webhook %q has no dead letter %q", hook, id)}
}

// Discard removes a dead letter, or all of a webhook, and returns how many.
func (d *Desk) Discard(_ context.Context, name, id string) (int, error) {
	if err := d.elsewhere(); err != nil {
		return 0, err
	}
	h, err := d.find(name)
	if err != nil {
		return 0, err
	}
	h.mu.Lock()
	n := 0
	if id == "" {
		for n = 0; len(h.letters) > 0; n++ {
			h.remove(h.letters[len(h.letters)-1].ID)
		}
	} else if h.remove(id) {
		n = 1
	}
	h.mu.Unlock()
	if n == 0 && id != "" {
		return 0, errNoLetter(name, id)
	}
	d.nudge()
	return n, nil
}

// Test sends an event of the kind test.
func (d *Desk) Test(ctx context.Context, name string) (wire.WebhookSent, error) {
	if err := d.elsewhere(); err != nil {
		return wire.WebhookSent{}, err
	}
	h, err := d.find(name)
	if err != nil {
		return wire.WebhookSent{}, err
	}
	now := d.o.Now().UnixMilli()
	ev := Event{ID: fmt.Sprintf("%s-%d-%08x", kindTest, now, rand.Uint32()), Kind: kindTest,
		Entry: wire.TimelineEntry{Kind: kindTest, At: now, Detail: "A test from the administration"}}
	body, err := h.body(ev, d.o.Config())
	if err != nil {
		return wire.WebhookSent{Success: true, Error: err.Error()}, nil
	}
	return h.once(ctx, ev.ID, ev.Kind, body)
}

// once makes one attempt for an administrator. One that is taken shows that the receiver
// is back.
func (h *hook) once(ctx context.Context, id, kind string, body []byte) (wire.WebhookSent, error) {
	if !h.manual.TryLock() {
		return wire.WebhookSent{}, &core.Error{Kind: core.Conflict, Field: "hook", Message: "An attempt is already on its way to this webhook"}
	}
	defer h.manual.Unlock()
	a := h.post.post(ctx, id, kind, body)
	ok := a.verdict == taken
	if ok {
		h.mu.Lock()
		h.lastOK = h.desk.o.Now().UnixMilli()
		h.mu.Unlock()
		select {
		case h.again <- struct{}{}:
		default:
		}
	}
	return wire.WebhookSent{Success: true, OK: ok, Status: a.status, Error: a.err, Ms: a.took.Milliseconds()}, nil
}
