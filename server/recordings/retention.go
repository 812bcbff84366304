package recordings

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"squelch/core"
)

// Watch removes what is too old or too much, until quit is closed.
func (s *Shelf) Watch(quit <-chan struct{}) {
	look, flush, note := time.NewTicker(lookEvery), time.NewTicker(flushEvery), time.NewTicker(noteEvery)
	defer look.Stop()
	defer flush.Stop()
	defer note.Stop()
	said := ""
	for {
		err := errors.Join(s.retain(), s.compactIfWorn())
		if errors.Is(err, ErrClosed) {
			return
		}
		if err != nil && err.Error() != said {
			s.o.Logf("recordings: old ones cannot be removed, or the index not be shortened; it is tried again: %v", err)
		}
		said = ""
		if err != nil {
			said = err.Error()
		}
		for wait := true; wait; {
			select {
			case <-quit:
				return
			case <-look.C:
				wait = false
			case <-s.full:
				wait = false
			case <-note.C:
				s.noteTime()
			case <-flush.C:
				s.flush()
			}
		}
	}
}

// hurry makes Watch look soon.
func (s *Shelf) hurry() {
	select {
	case s.full <- struct{}{}:
	default:
	}
}

func (s *Shelf) flush() {
	s.disk.Lock()
	defer s.disk.Unlock()
	if !s.closed && s.index.dirty {
		_ = s.note(indexing, s.index.flush())
	}
}

// noteTime keeps the time for the next start.
func (s *Shelf) noteTime() {
	s.disk.Lock()
	defer s.disk.Unlock()
	if !s.closed {
		_ = s.note(indexing, s.index.write(appendLine(nil, plainLine{Op: opTime, Time: s.clock.now()}), false))
	}
}

// dated is from when the age of a recording counts that starts then; 0: from its start.
// Only one that starts in the future is dated, because the clock was wrong.
func (s *Shelf) dated(start int64) int64 {
	if now := s.clock.now(); start > now+jump.Milliseconds() {
		return now
	}
	return 0
}

// born is from when its age counts, ms since the epoch.
func (r *record) born() int64 {
	if r.dated != 0 {
		return r.dated
	}
	return max(r.start, r.end)
}

// retain removes what is too old or too much, the oldest first. Of what is too much for the
// quota or in number it removes a little more, so that not each burst of a full shelf has
// all of it looked through.
func (s *Shelf) retain() error {
	s.finishDoomed()
	now := s.clock.now()
	s.mu.RLock()
	list, channel, bytes := slices.Clone(s.list), maps.Clone(s.channel), s.bytes
	s.mu.RUnlock()
	limits := map[core.Frequency]Limits{}
	limitsOf := func(f core.Frequency) Limits {
		l, ok := limits[f]
		if !ok && s.o.Limits != nil {
			l = s.o.Limits(f)
			limits[f] = l
		}
		return l
	}
	count, most, quota := len(list), s.most, s.o.Quota
	if count > most {
		most -= most / spare
	}
	if bytes > quota {
		quota -= quota / spare
	}
	var old []*record
	for _, r := range list {
		l := limitsOf(r.frequency)
		switch {
		case l.Age > 0 && r.born()+l.Age.Milliseconds() <= now:
		case l.Bytes > 0 && channel[r.frequency] > l.Bytes:
		case quota > 0 && bytes > quota:
		case count > most:
		default:
			continue
		}
		old = append(old, r)
		channel[r.frequency] -= r.size()
		bytes -= r.size()
		count--
	}
	_, _, err := s.remove(context.Background(), old)
	return s.note(removing, err)
}
