package webhook

import (
	"context"
	"encoding/json"
	"time"
)

// nudge asks the saving goroutine to store what has changed.
func (d *Desk) nudge() {
	select {
	case d.stale <- struct{}{}:
	default:
	}
}

// save stores places and letters, a few times a minute or so; nobody waits for it. While
// the disk is broken both stay in memory, and the timeline has what the places miss.
func (d *Desk) save(ctx context.Context) {
	defer close(d.saver)
	wait := func(t time.Duration) {
		select {
		case <-time.After(t):
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		select {
		case <-d.stale:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		if d.store() {
			wait(saveEvery)
		} else {
			d.nudge()
			wait(saveAgain)
		}
	}
	d.work.Wait() // nothing changes any more
	d.store()
}

// store writes what has changed: letters first, so that no place is behind a letter that
// is not there. It is false if it has to be tried again.
func (d *Desk) store() bool {
	if d.o.Storage() != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	durable := d.o.Timeline.Durable()
	places := map[string][]byte{}
	behind := false
	var undo []func()
	fail := func(err error) bool {
		for _, f := range undo {
			f()
		}
		if !d.sick {
			d.o.Logf("webhooks: their places could not be stored: %v; until they are, a restart sends some events again, with the same ids", err)
		}
		d.sick = true
		return false
	}
	for _, h := range d.hooks {
		h.mu.Lock()
		now := h.place
		behind = behind || now.Seq > durable
		if now.Seq = min(now.Seq, durable); h.stored == nil || now != *h.stored {
			raw, err := json.Marshal(placeRecord{1, now})
			if err != nil {
				h.mu.Unlock()
				return fail(err)
			}
			was := h.stored
			h.stored, places[h.Name] = &now, raw
			undo = append(undo, func() {
				h.mu.Lock()
				h.stored = was
				h.mu.Unlock()
			})
		}
		changed := h.changed
		h.changed = map[string]bool{}
		put, remove, err := h.letterChanges(changed)
		h.mu.Unlock()
		undo = append(undo, func() {
			h.mu.Lock()
			for id := range changed {
				h.changed[id] = true
			}
			h.mu.Unlock()
		})
		if err == nil {
			err = d.change(ctx, put, remove)
		}
		if err != nil {
			return fail(err)
		}
	}
	if len(places) > 0 {
		if err := d.o.Places.Change(ctx, places, nil); err != nil {
			return fail(err)
		}
	}
	d.sick = false
	if behind { // the timeline's own write is on its way
		d.nudge()
	}
	return true
}

// letterChanges is what of the letters is to be stored and removed; h.mu is held.
func (h *hook) letterChanges(changed map[string]bool) (put map[string][]byte, remove []string, err error) {
	put = map[string][]byte{}
	for id := range changed {
		i := h.index(id)
		if i < 0 {
			remove = append(remove, letterKey(h.Name, id))
			continue
		}
		raw, err := json.Marshal(letterRecord{1, h.letters[i]})
		if err != nil {
			return nil, nil, err
		}
		put[letterKey(h.Name, id)] = raw
	}
	return put, remove, nil
}

// change stores letters in parts that the store takes.
func (d *Desk) change(ctx context.Context, put map[string][]byte, remove []string) error {
	part, bytes := map[string][]byte{}, 0
	for key, raw := range put {
		if bytes += len(raw); bytes > letterPart && len(part) > 0 {
			if err := d.o.Letters.Change(ctx, part, nil); err != nil {
				return err
			}
			part, bytes = map[string][]byte{}, len(raw)
		}
		part[key] = raw
	}
	if len(part)+len(remove) == 0 {
		return nil
	}
	return d.o.Letters.Change(ctx, part, remove)
}
