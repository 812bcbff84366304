package timeline

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"squelch/core"
	"squelch/core/wire"
)

// Query asks for entries. What is left out is not asked for.
type Query struct {
	Before   uint64 // only entries with lower numbers: TimelinePage.Next
	Limit    int    // of the page; 0: wire.DefaultTimelinePage
	From, To int64  // ms since the epoch: nothing that ended before, or began after
	Kinds    []string
	// Frequency is a channel: what was said or done on it, on a working frequency of it, or
	// on a channel that was patched to it then.
	Frequency core.Frequency
	// Among is several channels, each as Frequency: what was on any of them.
	Among []core.Frequency
	// Unit is a server id, or a part of a unit id or name, in any case; of whom it is about
	// or who did it.
	Unit string
	// Text is words that all occur in an entry, in any case.
	Text string
	// NoVoice leaves recordings and transcripts out, also of what Text is looked for in.
	NoVoice bool
}

// Page looks backwards for entries. It looks at no more than scanMost of them, so a page
// may be empty although there are more: its Next says where to go on.
func (t *Timeline) Page(ctx context.Context, q Query) (wire.TimelinePage, error) {
	page := wire.TimelinePage{Entries: []wire.TimelineEntry{}, From: q.From}
	limit := min(q.Limit, wire.MaxTimelinePage)
	if limit <= 0 {
		limit = wire.DefaultTimelinePage
	}
	before := q.Before
	if before == 0 {
		var err error
		if before, err = t.start(ctx, q.To); err != nil {
			return page, err
		}
	}
	s := newSearch(q, t.o.Recording)
	for seen, old := 0, 0; ; {
		part, err := t.back(ctx, before, chunk)
		if err != nil || len(part) == 0 {
			return page, err
		}
		for _, e := range part {
			before = e.Seq
			if seen++; e.When() < q.From {
				if old++; old == backwards {
					return page, nil
				}
				continue
			}
			old = 0
			if found, ok := s.match(e); ok {
				page.Entries = append(page.Entries, found)
			}
			if len(page.Entries) == limit || seen == scanMost {
				page.Next, page.From = &before, max(q.From, e.When())
				return page, nil
			}
		}
	}
}

// back gives up to limit entries with numbers below before, the newest first.
func (t *Timeline) back(ctx context.Context, before uint64, limit int) ([]Entry, error) {
	t.mu.Lock()
	before = min(before, t.last+1)
	if n := len(t.tail); n > 0 && before > t.tail[0].Seq {
		to := n - int(t.last+1-before)
		part := slices.Clone(t.tail[max(0, to-limit):to])
		t.mu.Unlock()
		slices.Reverse(part)
		return part, nil
	}
	t.mu.Unlock()
	first, _ := t.log.Bounds()
	if before <= first {
		return nil, nil
	}
	from := max(first, before-min(before, uint64(limit)))
	part, err := t.fetch(ctx, from, int(before-from))
	if err != nil {
		return nil, err
	}
	part = slices.DeleteFunc(part, func(e Entry) bool { return e.Seq >= before }) // older ones were removed meanwhile
	slices.Reverse(part)
	return part, nil
}

// start finds, by halving, below which number to look for what began up to a time; 0: no
// such time.
func (t *Timeline) start(ctx context.Context, to int64) (uint64, error) {
	high := t.end()
	if to == 0 {
		return high, nil
	}
	low, _ := t.log.Bounds()
	for low < high {
		middle := low + (high-low)/2
		part, err := t.back(ctx, middle+1, 1)
		if err != nil {
			return 0, err
		}
		if len(part) > 0 && part[0].When() > to+straggling.Milliseconds() {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high, nil
}

// search is a Query made ready.
type search struct {
	q         Query
	unit      string // in lower case
	id        core.UserID
	words     []string
	recording func(id string) (*wire.RecordingInfo, string)
}

func newSearch(q Query, recording func(id string) (*wire.RecordingInfo, string)) *search {
	s := &search{q: q, unit: strings.ToLower(strings.TrimSpace(q.Unit)), words: strings.Fields(strings.ToLower(q.Text)), recording: recording}
	if n, err := strconv.Atoi(s.unit); err == nil {
		s.id = core.UserID(n)
	}
	return s
}

// match makes the entry of a page, if it is asked for.
func (s *search) match(e Entry) (found wire.TimelineEntry, ok bool) {
	m := &e.Moment
	switch q := &s.q; {
	case m.Kind == core.MomentKeyed:
		return found, false
	case len(q.Kinds) > 0 && !slices.Contains(q.Kinds, m.Kind):
		return found, false
	case q.To > 0 && m.At > q.To:
		return found, false
	case q.Frequency != 0 && !isOn(m, q.Frequency), len(q.Among) > 0 && !slices.ContainsFunc(q.Among, func(f core.Frequency) bool { return isOn(m, f) }):
		return found, false
	case s.unit != "" && !s.concerns(m):
		return found, false
	}
	var sound *wire.RecordingInfo
	var transcript string
	if m.Kind == core.MomentTransmission && !s.q.NoVoice {
		sound, transcript = s.recording(m.ID())
	}
	if len(s.words) > 0 {
		said := strings.ToLower(strings.Join([]string{m.Kind, m.Name, m.Unit, m.Frequency.String(), m.ByName, m.Detail, m.Reason, m.Emergency, transcript}, "\n"))
		for _, w := range s.words {
			if !strings.Contains(said, w) {
				return found, false
			}
		}
	}
	found = wire.TimelineEntryOf(e.Seq, e.Moment, e.Cut)
	if m.Kind == core.MomentTransmission {
		found.Frequencies = nil // of the patch, for the search
	}
	found.Recording, found.Transcript = sound, transcript
	if e.Cut {
		s.lengthen(&found)
	}
	return found, true
}

// lengthen gives a transmission that was cut off its end, if a recording knows of more than
// the start did that entered it: the shelf could not be used then.
func (s *search) lengthen(e *wire.TimelineEntry) {
	if sound, _ := s.recording(e.ID); sound != nil && sound.DurationMs > e.DurationMs {
		e.DurationMs, e.EndedAt = sound.DurationMs, e.At+sound.DurationMs
	}
}

// isOn says whether a moment was on a channel, see Query.Frequency.
func isOn(m *core.Moment, f core.Frequency) bool {
	return m.Frequency == f || m.Control == f || slices.Contains(m.Frequencies, f)
}

// concerns says whether a moment is about the unit, or its doing.
func (s *search) concerns(m *core.Moment) bool {
	if s.id != 0 && (m.User == s.id || m.By == s.id) {
		return true
	}
	for _, text := range []string{m.Unit, m.Name, m.ByName} {
		if strings.Contains(strings.ToLower(text), s.unit) {
			return true
		}
	}
	return false
}
