package sfu

import (
	"slices"

	"squelch/core"
	"squelch/sfu/line"
)

// Sink takes voice for one listener. Send must not block. Goroutines of several
// talkers may call it at once; calls for one talker come in order. The Message and its
// Frame are valid only during the call; their strings may be kept.
type Sink interface{ Send(*Message) }

// Message is one frame for all listeners of a run: with the same reason, frequency,
// patch and encoding.
type Message struct {
	*Frame
	// Leg is the first leg of the run. Its Reason, Frequency and Patch are those of
	// all legs; its Listener is not.
	Leg core.Leg
	// Prepared is for the sinks: the first legacy sink of the run keeps its
	// encoded message here and the others send the same bytes.
	Prepared any

	repeats redundancy // of the frame, for slots whose line loses packets
	batch   line.Batch // of the fan-out; nil: no peer has been sent anything with this Message
}

// Attach adds a sink for a user. A user who only talks needs one too: voice of a user
// who is not attached is dropped. While the user has a connected peer, voice goes
// there and not to the attached sinks.
func (s *SFU) Attach(user core.UserID, sink Sink) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed {
		return
	}
	s.change(user, func(u *listener) { u.sinks = append(slices.Clip(u.sinks), sink) })
}

// Detach removes a sink. The user's statistics end when it has neither a sink nor a
// peer.
func (s *SFU) Detach(user core.UserID, sink Sink) {
	s.control.Lock()
	defer s.control.Unlock()
	s.change(user, func(u *listener) {
		u.sinks = slices.DeleteFunc(slices.Clone(u.sinks), func(x Sink) bool { return x == sink })
	})
}

// AcceptIMBE says whether the user's attached sinks take IMBE frames (the
// client has sent imbe or asked for it with setVoiceEncoding). Peers never do.
func (s *SFU) AcceptIMBE(user core.UserID, yes bool) {
	s.control.Lock()
	defer s.control.Unlock()
	if u := (*s.users.Load())[user]; u != nil && u.imbe != yes {
		s.change(user, func(u *listener) { u.imbe = yes })
	}
}

// SetRoutes installs the table that the core has published. A Publish that begins
// after it has returned uses this table; only a frame whose delivery had begun before
// may still be delivered by the old one. Voice that came before its floor is on its way
// when it returns.
func (s *SFU) SetRoutes(t *core.RouteTable) {
	for _, u := range s.ending(t) {
		u.ending()
	}
	for _, u := range s.install(t) {
		u.granted()
	}
	s.farBegun(t.All())
}

// ending lists the uplinks of talkers whose bursts a table ends.
func (s *SFU) ending(t *core.RouteTable) (over []*uplink) {
	s.control.Lock()
	defer s.control.Unlock()
	users := *s.users.Load()
	for talker, talk := range s.plan.Load().talks {
		u := users[talker]
		if u == nil || u.peer == nil || u.peer.up == nil {
			continue
		}
		goesOn := func(r row) bool { _, ok := t.Row(talker, r.keyed); return ok }
		if !slices.ContainsFunc(talk.rows, goesOn) {
			over = append(over, u.peer.up)
		}
	}
	return over
}

// install swaps the table in and lists the uplinks of talkers whose bursts begin.
func (s *SFU) install(t *core.RouteTable) (begun []*uplink) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed {
		return nil
	}
	s.routes = t
	old := s.plan.Load()
	s.replan()
	users := *s.users.Load()
	for _, r := range t.All() {
		if u := users[r.Talker]; u != nil && u.peer != nil && u.peer.up != nil && r.Keyed != 0 && old.burstOn(r.Talker, r.Keyed) == nil {
			begun = append(begun, u.peer.up)
		}
	}
	return begun
}

// change puts an edited copy of a user into a new table of users. The caller
// holds the control lock.
func (s *SFU) change(user core.UserID, edit func(*listener)) {
	old := *s.users.Load()
	users := make(map[core.UserID]*listener, len(old)+1)
	for id, u := range old {
		users[id] = u
	}
	u := &listener{}
	if was := old[user]; was != nil {
		*u = *was
	} else {
		u.talker = &talker{}
	}
	edit(u)
	if len(u.sinks) == 0 && u.peer == nil {
		delete(users, user)
	} else {
		users[user] = u
	}
	s.retire(old[user], users[user])
	s.users.Store(&users)
	s.replan()
	if s.cascade != nil && (old[user] == nil) != (users[user] == nil) {
		s.cascade.Attached()
	}
}
