package recordings

import (
	"slices"
	"strconv"
	"strings"

	"squelch/core"
)

// Query says which recordings are meant: those that meet everything that is set.
type Query struct {
	From, To    int64            // ms since the epoch: what is heard at or after From and before To; 0: open
	Frequencies []core.Frequency // any of them, or the base of its talkgroup
	Unit        string           // part of the unit id or name, or the server id
	Text        string           // words; each is in the name, unit, transcript, channel's name or frequency

	// These mean one unit: all of the value, but upper or lower case.
	Name, UnitID string
	User         core.UserID

	Before string // ID: only older ones, for the next page
	Limit  int    // of a page; 0: DefaultLimit
}

// matcher is a query made ready.
type matcher struct {
	Query
	unit, name, unitID string
	words              []string
	label              func(core.Frequency) string
	labels             map[core.Frequency]string
}

func (s *Shelf) matcher(q Query) *matcher {
	return &matcher{Query: q, unit: strings.ToLower(strings.TrimSpace(q.Unit)), name: strings.ToLower(q.Name),
		unitID: strings.ToLower(q.UnitID), words: strings.Fields(strings.ToLower(q.Text)),
		label: s.o.Label, labels: map[core.Frequency]string{}}
}

func (m *matcher) matches(r *record) bool {
	switch {
	case m.To != 0 && r.start >= m.To, m.From != 0 && max(r.end, r.start+1) <= m.From:
		return false
	case len(m.Frequencies) > 0 && !slices.Contains(m.Frequencies, r.frequency) &&
		(r.control == 0 || !slices.Contains(m.Frequencies, r.control)):
		return false
	case m.User != 0 && core.UserID(r.user) != m.User:
		return false
	case m.name != "" && r.name.Value().folded != m.name, m.unitID != "" && r.unit.Value().folded != m.unitID:
		return false
	case m.unit != "" && !strings.Contains(r.name.Value().folded, m.unit) && !strings.Contains(r.unit.Value().folded, m.unit) &&
		strconv.Itoa(int(r.user)) != m.unit:
		return false
	}
	if len(m.words) == 0 {
		return true
	}
	text := strings.ToLower(r.text)
	label := m.labelOf(r.frequency)
	for _, w := range m.words {
		if !strings.Contains(r.name.Value().folded, w) && !strings.Contains(r.unit.Value().folded, w) &&
			!strings.Contains(text, w) && !strings.Contains(label, w) {
			return false
		}
	}
	return true
}

// labelOf is a channel's name and frequency.
func (m *matcher) labelOf(f core.Frequency) string {
	label, ok := m.labels[f]
	if !ok {
		label = f.String()
		if m.label != nil {
			label += " " + strings.ToLower(m.label(f))
		}
		m.labels[f] = label
	}
	return label
}

// List returns a page of recordings, the newest first; next is Query.Before of the next
// page, "" after the last one. Pages neither repeat nor skip a recording, whatever comes
// and goes meanwhile. An unknown Before is no recording's ID, and gives nothing.
func (s *Shelf) List(q Query) (page []Entry, next string) {
	limit := min(q.Limit, MaxLimit)
	if limit <= 0 {
		limit = DefaultLimit
	}
	s.scan(q, func(r *record) bool {
		if len(page) == limit {
			next = page[limit-1].ID
			return false
		}
		page = append(page, r.entry())
		return true
	})
	return page, next
}

// Match returns the IDs of all recordings that are meant, whatever Limit says, the newest
// first.
func (s *Shelf) Match(q Query) (ids []string) {
	s.scan(q, func(r *record) bool {
		ids = append(ids, r.key().id())
		return true
	})
	return ids
}

// scan calls do for what is meant, the newest first, until it returns false. It keeps
// nobody waiting: it looks at a part at a time.
func (s *Shelf) scan(q Query, do func(*record) bool) {
	m := s.matcher(q)
	before := key{start: lastStart + 1}
	if q.Before != "" {
		k, ok := parseID(q.Before)
		if !ok {
			return
		}
		before = k
	}
	if q.To != 0 {
		if k := (key{start: q.To}); k.compare(before) < 0 {
			before = k
		}
	}
	var part []*record
	for {
		s.mu.RLock()
		end, _ := s.find(before)
		part = append(part[:0], s.list[max(0, end-pageOfWork):end]...)
		longest := s.longest
		s.mu.RUnlock()
		if len(part) == 0 {
			return
		}
		for _, r := range slices.Backward(part) {
			if q.From != 0 && r.start+max(longest, 1) <= q.From {
				return
			}
			if m.matches(r) && !do(r) {
				return
			}
		}
		before = part[0].key()
	}
}
