package game

import (
	"squelch/core"
	"squelch/server/engine"
)

// step is what the mirror needs of one step of the radio. It is made on the engine's
// goroutine; nothing in it changes any more.
type step struct {
	number  uint64 // counts the steps that the mirror was given
	anew    bool   // the radio was replaced by another
	whole   *whole // everything, because another configuration is in force; else what follows
	users   []user // as they are now
	gone    []core.UserID
	talkers []talker
	alerts  []core.ActiveAlert // without Name: none is on
	patches []core.Patch
	patched bool // patches is set
}

type user struct {
	core.GameUser
	verdict *core.Verdict
}

type talker struct {
	id core.UserID
	on []core.Frequency
}

// whole is the whole radio.
type whole struct {
	config  *core.Config
	users   []user
	alerts  []core.ActiveAlert
	patches []core.Patch
}

// reader reads the radio on the engine's goroutine.
type reader struct {
	config *core.Config             // of the verdicts
	seen   map[string]*core.Verdict // see core.View.Verdict
}

func (r *reader) user(v core.View, id core.UserID) (user, bool) {
	if r.config != v.Config() || len(r.seen) > maxVerdicts {
		r.config, r.seen = v.Config(), map[string]*core.Verdict{}
	}
	u, there := v.GameUser(id)
	if !there {
		return user{}, false
	}
	return user{u, v.Verdict(id, r.seen)}, true
}

func (r *reader) whole(v core.View) *whole {
	w := &whole{config: v.Config(), alerts: v.Alerts(), patches: v.Patches()}
	ids := v.UserIDs()
	w.users = make([]user, 0, len(ids))
	for _, id := range ids {
		u, _ := r.user(v, id)
		w.users = append(w.users, u)
	}
	return w
}

// read takes what a step of the radio may have changed; some is false if that is
// nothing.
func (r *reader) read(s *engine.Step) (d step, some bool) {
	if s.Snapshot != nil {
		return step{anew: true}, true
	}
	for _, e := range s.Output.Events {
		c := core.ConcernOf(e.Fact)
		if c.All {
			return step{whole: r.whole(s.View)}, true
		}
		if c.User != 0 && !d.knows(c.User) {
			if u, there := r.user(s.View, c.User); there {
				d.users = append(d.users, u)
			} else {
				d.gone = append(d.gone, c.User)
			}
		}
		if c.Talker != 0 && !d.hears(c.Talker) {
			d.talkers = append(d.talkers, talker{c.Talker, s.View.TalksOn(c.Talker)})
		}
		if c.Alert != 0 {
			a, _ := s.View.Alert(c.Alert)
			d.alerts = append(d.alerts, core.ActiveAlert{Frequency: c.Alert, Alert: a})
		}
		if c.Patches && !d.patched {
			d.patches, d.patched = s.View.Patches(), true
		}
	}
	return d, len(d.users)+len(d.gone)+len(d.talkers)+len(d.alerts) > 0 || d.patched
}

// knows and hears say whether a user was read already. A step concerns few users.
func (d *step) knows(id core.UserID) bool {
	for i := range d.users {
		if d.users[i].ID == id {
			return true
		}
	}
	for _, gone := range d.gone {
		if gone == id {
			return true
		}
	}
	return false
}

func (d *step) hears(id core.UserID) bool {
	for i := range d.talkers {
		if d.talkers[i].id == id {
			return true
		}
	}
	return false
}
