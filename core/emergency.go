package core

import (
	"slices"
	"strings"
)

// EmergencyRecord is the record of an emergency, beside the panic that raised it: the
// panic says whether the unit's button is on, the record what has become of the
// emergency until a dispatcher closes it. A user has at most one open record on a
// channel.
type EmergencyRecord struct {
	Number    int       `json:"number"`
	User      UserID    `json:"user"`
	Name      string    `json:"name"` // of the user when it was raised, and its unit
	Unit      string    `json:"unit,omitempty"`
	Frequency Frequency `json:"frequency"`
	RaisedAt  int64     `json:"raisedAt"`        // the last time, ms since the epoch, like every moment below; 0: not yet
	AckAt     int64     `json:"ackAt,omitempty"` // when a dispatcher stopped the alarm
	AckBy     string    `json:"ackBy,omitempty"` // the dispatcher's name then
	AckID     UserID    `json:"ackId,omitempty"` // 0: it is no user of the radio
	EndedAt   int64     `json:"endedAt,omitempty"`
	EndedBy   string    `json:"endedBy,omitempty"` // what turned the panic off: EndedByUnit and so on
	Gone      bool      `json:"gone,omitempty"`    // the panic is over and the user has left; somebody else may have the id
	ClosedAt  int64     `json:"closedAt,omitempty"`
	ClosedBy  string    `json:"closedBy,omitempty"`
	ClosedID  UserID    `json:"closedId,omitempty"`
	Reason    string    `json:"reason,omitempty"` // one of CloseReasons or "acknowledged"
	Note      string    `json:"note,omitempty"`
}

// What turned a panic off, other than acknowledging or closing it.
const (
	EndedByUnit       = "unit"       // the unit's own button
	EndedByTimeout    = "timeout"    // panicTimeout
	EndedByScript     = "script"     // a script, an integration or another configuration
	EndedByDisconnect = "disconnect" // the player left the game
)

// CloseReasons are the reasons for which a dispatcher closes an emergency.
var CloseReasons = []string{"resolved", "accidental", "test", "other"}

// reasonAcknowledged is the reason of a record that an acknowledgement closes: that of
// an emergency that had ended, and AcknowledgePanic.
const reasonAcknowledged = "acknowledged"

// defaultEmergencies is how many records may be open. Nobody can tend to more.
const defaultEmergencies = 200

type (
	// AcknowledgeEmergency stops an emergency's alarm at every console. The panic stays
	// on; if it has ended already, the record is closed. Doing it again changes nothing.
	AcknowledgeEmergency struct{ ID string }
	// CloseEmergency ends an emergency: it turns its panic off and closes the record.
	// Reason is one of CloseReasons.
	CloseEmergency struct{ ID, Reason, Note string }
)

// ID is the record's public name, "e-1".
func (r EmergencyRecord) ID() string { return "e-" + itoa(r.Number) }

func (c AcknowledgeEmergency) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	i, err := s.emergency(c.ID)
	if err != nil {
		return err
	}
	switch r := &s.d.Emergencies[i]; {
	case r.AckAt > 0:
		s.showEmergency(s.by.User, *r)
	case r.EndedAt > 0:
		s.closeEmergency(i, reasonAcknowledged, "")
	default:
		s.acknowledge(r)
		s.tellEmergency(*r, "acknowledged")
	}
	return nil
}

func (c CloseEmergency) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	i, err := s.emergency(c.ID)
	if err != nil {
		return err
	}
	if !slices.Contains(CloseReasons, c.Reason) {
		return invalid("reason", "reason must be one of "+strings.Join(CloseReasons, ", "))
	}
	if strings.TrimSpace(c.Note) == "" {
		c.Note = ""
	} else if c.Note, err = Prose("note", c.Note, s.cfg.Limits.MessageRunes); err != nil {
		return err
	}
	r := s.d.Emergencies[i]
	if n, on := s.panicAt(r.Frequency, r.User); on && r.EndedAt == 0 {
		s.dropPanic(n, reasonAcknowledged)
	}
	s.closeEmergency(i, c.Reason, c.Note)
	return nil
}

// record opens a record for a panic, or raises the open one again: its alarm begins
// anew. ok is false if there are too many.
func (s *step) record(u *User, f Frequency) (r EmergencyRecord, ok bool) {
	fresh := EmergencyRecord{User: u.ID, Name: s.name(u), Unit: s.unit(u), Frequency: f, RaisedAt: s.now}
	i, open := s.emergencyAt(f, u.ID)
	switch {
	case open:
		fresh.Number = s.d.Emergencies[i].Number
		s.d.Emergencies[i] = fresh
	case len(s.d.Emergencies) >= s.maxEmergencies():
		return fresh, false
	default:
		s.d.LastEmergency++
		fresh.Number = s.d.LastEmergency
		s.d.Emergencies = append(s.d.Emergencies, fresh)
	}
	return fresh, true
}

// endEmergency notes in an emergency's record that its panic is over; by is EndedByUnit
// and so on.
func (s *step) endEmergency(p Panic, by string) {
	i, open := s.emergencyAt(p.Frequency, p.User)
	if !open {
		return
	}
	r := &s.d.Emergencies[i]
	r.EndedAt, r.EndedBy, r.Gone = s.now, by, s.user(p.User) == nil
	s.tellEmergency(*r, "ended")
}

// freeRecords notes that a user leaves, so that whoever gets the id next does not raise
// its records again. One whose panic is still on is that user's until it ends.
func (s *step) freeRecords(id UserID) {
	for i := range s.d.Emergencies {
		if r := &s.d.Emergencies[i]; r.User == id && r.EndedAt > 0 && !r.Gone {
			r.Gone, s.out.Save = true, true
		}
	}
}

// acknowledge notes who stopped the alarm.
func (s *step) acknowledge(r *EmergencyRecord) {
	if r.AckAt == 0 {
		r.AckAt, r.AckBy, r.AckID = s.now, s.byWhom(), s.by.User
	}
}

// closeEmergency takes the record off the list. It acknowledges what nobody has.
func (s *step) closeEmergency(i int, reason, note string) {
	r := s.d.Emergencies[i]
	s.acknowledge(&r)
	r.ClosedAt, r.ClosedBy, r.ClosedID, r.Reason, r.Note = s.now, s.byWhom(), s.by.User, reason, note
	s.d.Emergencies = cutOut(s.d.Emergencies, i)
	s.tellEmergency(r, "closed")
}

func (s *step) tellEmergency(r EmergencyRecord, change string) {
	s.out.Save = true
	s.tell(dispatchAnd(), EmergencyChanged{&r, change})
}

// showEmergency shows somebody an emergency as it is.
func (s *step) showEmergency(to UserID, r EmergencyRecord) {
	s.tell(only(to), EmergencyChanged{&r, "shown"})
}

// byWhom is the actor as a record names it: its callsign, else its name, else the way
// in which it reached the radio.
func (s *step) byWhom() string {
	name := ""
	if u := s.user(s.by.User); u != nil {
		name = s.callsignOf(u)
	}
	return firstOf(firstOf(name, s.by.Name), string(s.by.Surface))
}

// emergency finds an open record by its public name.
func (s *State) emergency(id string) (int, error) {
	for i := range s.d.Emergencies {
		if s.d.Emergencies[i].ID() == id {
			return i, nil
		}
	}
	return 0, &Error{NotFound, "id", "Emergency not found"}
}

// emergencyAt finds the open record of a user on a channel, but not that of somebody who
// had the id before.
func (s *State) emergencyAt(f Frequency, id UserID) (int, bool) {
	i := slices.IndexFunc(s.d.Emergencies, func(r EmergencyRecord) bool {
		return r.Frequency == f && r.User == id && !r.Gone
	})
	return i, i >= 0
}

func (s *State) maxEmergencies() int {
	if s.cfg.Limits.Emergencies <= 0 {
		return defaultEmergencies
	}
	return s.cfg.Limits.Emergencies
}

// recordPanics opens records for the panics of a state that was stored before there
// were any.
func (s *State) recordPanics() {
	if s.d.LastEmergency > 0 {
		return
	}
	for _, p := range s.d.Panics[:min(len(s.d.Panics), s.maxEmergencies())] {
		s.d.LastEmergency++
		s.d.Emergencies = append(s.d.Emergencies, EmergencyRecord{Number: s.d.LastEmergency, User: p.User, Frequency: p.Frequency, RaisedAt: p.Since})
	}
}
