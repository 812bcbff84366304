package core

import (
	"fmt"
	"reflect"
)

// mirror is what a follower knows of the radio that reads only what ConcernOf names.
type mirror struct {
	cfg      *Config
	users    map[UserID]GameUser
	verdicts map[UserID]*Verdict
	alerts   map[Frequency]Alert
	patches  []Patch
	seen     map[string]*Verdict
}

func newMirror(v View) *mirror {
	m := &mirror{cfg: v.Config(), users: map[UserID]GameUser{}, verdicts: map[UserID]*Verdict{}, alerts: map[Frequency]Alert{}, patches: v.Patches(),
		seen: map[string]*Verdict{}}
	for _, id := range v.UserIDs() {
		m.look(v, id)
	}
	for _, a := range v.Alerts() {
		m.alerts[a.Frequency] = a.Alert
	}
	return m
}

func (m *mirror) look(v View, id UserID) {
	delete(m.users, id)
	delete(m.verdicts, id)
	if u, there := v.GameUser(id); there {
		m.users[id], m.verdicts[id] = u, v.Verdict(id, m.seen)
	}
}

// follow reads what the events concern.
func (m *mirror) follow(v View, events []Event) {
	for _, e := range events {
		c := ConcernOf(e.Fact)
		if c.All {
			*m = *newMirror(v)
			return
		}
		if c.User != 0 {
			m.look(v, c.User)
		}
		if u, there := m.users[c.Talker]; there {
			u.Talking = v.TalksOn(c.Talker)
			m.users[c.Talker] = u
		}
		if c.Alert != 0 {
			delete(m.alerts, c.Alert)
			if a, on := v.Alert(c.Alert); on {
				m.alerts[c.Alert] = a
			}
		}
		if c.Patches {
			m.patches = v.Patches()
		}
	}
}

// checkGame: whatever has changed in the game server's view of the radio, an event says
// so. Comparing all of it costs more than all other checks.
func (m *sim) checkGame(out Output) error {
	v := m.s.View()
	if m.game == nil {
		m.game = newMirror(v)
	}
	m.game.follow(v, out.Events)
	if m.steps%16 != 0 {
		return nil
	}
	fresh := newMirror(v)
	for id, u := range fresh.users {
		if got := m.game.users[id]; !reflect.DeepEqual(got, u) {
			return fmt.Errorf("the game server knows user %d as\n%+v\nand it is\n%+v", id, got, u)
		}
		if got := m.game.verdicts[id]; !reflect.DeepEqual(got, fresh.verdicts[id]) {
			return fmt.Errorf("the game server knows of user %d that it may %+v, and it may %+v", id, got, fresh.verdicts[id])
		}
		for _, ch := range m.s.channels {
			d := fresh.verdicts[id]
			if contains(d.Connect, ch.at) != m.s.mayConnect(m.s.user(id), &ch) || contains(d.Scan, ch.at) != v.MayScan(id, ch.at) {
				return fmt.Errorf("the verdict of user %d about %s is wrong: %+v", id, ch.at, d)
			}
		}
		if err := m.checkExplained(v, id); err != nil {
			return err
		}
	}
	if len(m.game.users) != len(fresh.users) || !reflect.DeepEqual(m.game.alerts, fresh.alerts) || !reflect.DeepEqual(m.game.patches, fresh.patches) {
		return fmt.Errorf("the game server knows users %d, alerts %v, patches %v; there are %d, %v, %v",
			len(m.game.users), m.game.alerts, m.game.patches, len(fresh.users), fresh.alerts, fresh.patches)
	}
	return nil
}

// checkExplained: an explanation names a rule that allows if, and only if, the radio does.
// An allow of the access rules may be outweighed by a deny.
func (m *sim) checkExplained(v View, id UserID) error {
	if len(m.s.channels) == 0 {
		return nil
	}
	ch := &m.s.channels[m.steps/16%len(m.s.channels)]
	u := m.s.user(id)
	for action, want := range map[Action]bool{ActConnect: m.s.mayConnect(u, ch) || u.Placed && (u.Current == ch.at || u.Control == ch.at), ActScan: m.s.mayScan(u, ch),
		ActGPS: id.Dispatcher() || !u.Facts.Refused && m.s.locates(u, m.s.nac(u), ch), ActDispatch: m.s.dispatchRight(u)} {
		e, err := v.Explain(id, ch.at, action)
		if err != nil {
			return err
		}
		any, others := false, false
		for _, r := range e.Rules {
			any = any || r.Says == RuleAllows
			others = others || r.Says == RuleAllows && r.Name != "ace"
		}
		if e.Allowed != want || want && !any || !want && others || !want && len(e.Change) == 0 && e.Nac != "" {
			return fmt.Errorf("%s of user %d on %s is %v, and is explained with %+v", action, id, ch.at, want, e)
		}
	}
	return nil
}
