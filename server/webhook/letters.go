package webhook

import (
	"encoding/json"
	"fmt"
	"slices"

	"squelch/core/wire"
)

// letterRecord is a dead letter as it is stored.
type letterRecord struct {
	Version int `json:"v"` // 1
	wire.DeadLetter
}

func letterKey(hook, id string) string { return hook + "/" + id }

// size is what a letter counts for.
func size(l wire.DeadLetter) int { return len(l.Body) + len(l.Error) + len(l.ID) }

// restoreLetters reads the letters of this webhook.
func (h *hook) restoreLetters(all map[string][]byte) error {
	for key, raw := range all {
		var r letterRecord
		err := json.Unmarshal(raw, &r)
		if key != letterKey(h.Name, r.ID) && err == nil {
			continue
		}
		if err != nil || r.Version != 1 {
			return fmt.Errorf("the dead letter %s of webhooks is not understood (version %d): a newer program has stored it", key, r.Version)
		}
		h.letters = append(h.letters, r.DeadLetter)
		h.bytes += size(r.DeadLetter)
	}
	slices.SortFunc(h.letters, func(a, b wire.DeadLetter) int { return int(a.Died - b.Died) })
	return nil
}

// bury keeps an event that was not taken. The oldest make room. A transcript is kept
// without its text, which must not outlive the recording.
func (h *hook) bury(ev Event, body []byte, tries int, why string) {
	if ev.Kind == kindTranscript {
		ev.Entry.Transcript = ""
		body, _ = h.body(ev, h.desk.o.Config())
	}
	now := h.desk.o.Now().UnixMilli()
	l := wire.DeadLetter{Hook: h.Name, ID: ev.ID, Event: ev.Kind, At: max(ev.Entry.At, ev.Entry.EndedAt), Died: now, Attempts: tries, Error: why, Body: string(body)}
	h.mu.Lock()
	h.remove(l.ID)
	h.letters = append(h.letters, l)
	h.bytes += size(l)
	h.changed[l.ID] = true
	for len(h.letters) > maxLetters || h.bytes > maxLetterBytes && len(h.letters) > 1 {
		h.remove(h.letters[0].ID)
		h.place.Dropped++
	}
	h.lastErr, h.err = now, why
	h.mu.Unlock()
	h.desk.o.Logf("webhook %s: %s (%s) is a dead letter: %s", h.Name, ev.ID, ev.Kind, why)
	h.desk.nudge()
}

// remove takes a letter out; h.mu is held.
func (h *hook) remove(id string) bool {
	i := h.index(id)
	if i < 0 {
		return false
	}
	h.bytes -= size(h.letters[i])
	h.letters = slices.Delete(h.letters, i, i+1)
	h.changed[id] = true
	return true
}

func (h *hook) index(id string) int {
	return slices.IndexFunc(h.letters, func(l wire.DeadLetter) bool { return l.ID == id })
}
