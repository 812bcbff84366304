package core

import (
	"slices"
	"strconv"
)

// Transmission is an entry of the log of what was said: one talk, from key-up to its
// end, however many channels heard it.
type Transmission struct {
	Number    int       `json:"number"`
	User      UserID    `json:"user"`
	Name      string    `json:"name"` // of the user then, and its unit
	Unit      string    `json:"unit,omitempty"`
	Frequency Frequency `json:"frequency"`         // what was keyed
	Control   Frequency `json:"control,omitempty"` // base of its talkgroup, if that is a working frequency
	Patch     int       `json:"patch,omitempty"`   // the patch that the channel was in then; 0: none
	Digital   bool      `json:"digital,omitempty"` // the channel's codec is that of digital radios
	StartedAt int64     `json:"startedAt"`         // ms since the epoch
	EndedAt   int64     `json:"endedAt,omitempty"` // 0: it is on the air
}

// ID is the entry's public name, "tx-7-1700000000000". It has the time in it, because a
// service whose data folder is gone begins a new log.
func (t Transmission) ID() string {
	return "tx-" + itoa(t.Number) + "-" + strconv.FormatInt(t.StartedAt, 10)
}

// ShownTransmissions is how many entries are shown, as many as themes may read. Up to
// twice as many are kept, so that the oldest are dropped once in so many key-ups, and
// those that are on the air beside them.
const ShownTransmissions = 50

// logTalk enters a talk that begins; it gives the entry's number.
func (s *step) logTalk(t *Talk) int {
	if all := s.d.Transmissions; len(all) >= 2*ShownTransmissions+len(s.talks) {
		n, old := 0, len(all)-ShownTransmissions
		for i, e := range all {
			if i >= old || e.EndedAt == 0 {
				all[n] = e
				n++
			}
		}
		clear(all[n:])
		s.d.Transmissions = all[:n]
	}
	s.d.LastTransmission++
	e := Transmission{Number: s.d.LastTransmission, User: t.User, Frequency: t.Frequency, Digital: s.digital(t.Frequency), StartedAt: t.Since, Patch: s.x.at(t.Frequency).patch}
	if u := s.user(t.User); u != nil {
		e.Name, e.Unit = s.name(u), s.unit(u)
	}
	if g := s.group(t.Frequency); g != nil {
		e.Control = g.Control
	}
	s.d.Transmissions = append(s.d.Transmissions, e)
	s.out.Transmissions = append(s.out.Transmissions, e)
	return e.Number
}

// logTalkEnd enters the end of a talk. The numbers of the log have gaps: an entry that is
// on the air outlasts later ones.
func (s *step) logTalkEnd(t *Talk) {
	all := s.d.Transmissions
	for i := len(all) - 1; i >= 0 && all[i].Number >= t.Entry; i-- {
		if e := &all[i]; e.Number == t.Entry && e.EndedAt == 0 {
			e.EndedAt = s.now
			s.out.Transmissions = append(s.out.Transmissions, *e)
		}
	}
}

// lastTransmissions are the newest entries, the newest first.
func (s *State) lastTransmissions() []Transmission {
	all := list(s.d.Transmissions[max(0, len(s.d.Transmissions)-ShownTransmissions):])
	slices.Reverse(all)
	return all
}

// Transmissions are the last transmissions, the newest first, those on the air among
// them.
func (v View) Transmissions() []Transmission { return v.s.lastTransmissions() }
