package sfu

import (
	"slices"

	"squelch/core"
)

// Sink takes voice for one listener. Send must not block. It is called by many
// talkers' goroutines at once, for one talker always in order. The Message and
// its Frame are valid only during the call; their strings may be kept.
type Sink interface{ Send(*Message) }

// Message is one frame as all listeners of one run of legs hear it: same
// reason, frequency, patch and encoding.
type Message struct {
	*Frame
	// Leg is the first leg of the run: its Reason, Frequency and Patch hold for
	// all; its Listener does not.
	Leg core.Leg
	// Prepared is for the sinks: the first legacy sink of the run keeps its
	// encoded message here and the others send the same bytes.
	Prepared any
}

// Attach adds a sink for a user. A user who only talks attaches one as well:
// voice of a user who is not attached is dropped. While the user has a
// connected peer, voice goes there and not to the attached sinks.
func (s *SFU) Attach(user core.UserID, sink Sink) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed {
		return
	}
	s.change(user, func(u *listener) { u.sinks = append(slices.Clip(u.sinks), sink) })
}

// Detach takes a sink away again. The user's statistics end with its last sink
// and peer.
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

// SetRoutes installs the table that the core has published. Whoever publishes
// after it has returned goes by this table; only a frame whose delivery had
// begun before may still finish by the old one.
func (s *SFU) SetRoutes(t *core.RouteTable) {
	s.control.Lock()
	defer s.control.Unlock()
	if s.closed {
		return
	}
	s.routes = t
	s.replan()
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
		u.voice = newVoice(user)
	}
	edit(u)
	if len(u.sinks) == 0 && u.peer == nil {
		delete(users, user)
	} else {
		users[user] = u
	}
	s.users.Store(&users)
	s.replan()
}
