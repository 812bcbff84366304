package game

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"squelch/core"
	"squelch/core/wire"
)

// model is the radio as the game server may see it. What it hands out is never written
// again; a change puts something else in its place.
type model struct {
	raw     *core.Config // what config was made of
	config  wire.GameConfig
	classes []wire.GameClass
	class   map[*core.Verdict]int // index in classes
	same    map[string]int        // the same by what a class says
	users   map[core.UserID]*wire.GameUser
	alerts  map[core.Frequency]core.Alert
	patches []wire.Patch
}

// describe makes the configuration that the game server is told.
type describe func(c *core.Config) (wire.GameConfig, error)

func newModel(w *whole, describe describe) (*model, error) {
	m := &model{class: map[*core.Verdict]int{}, same: map[string]int{}, users: map[core.UserID]*wire.GameUser{}, alerts: map[core.Frequency]core.Alert{}}
	var err error
	if m.config, err = describe(w.config); err != nil {
		return nil, fmt.Errorf("the configuration cannot be told to the game server: %w", err)
	}
	m.raw = w.config
	for _, u := range w.users {
		g := wire.GameUserOf(u.GameUser, m.classOf(u.verdict))
		m.users[u.ID] = &g
	}
	for _, a := range w.alerts {
		m.alerts[a.Frequency] = a.Alert
	}
	m.patches = patchesOf(w.patches)
	return m, nil
}

func patchesOf(all []core.Patch) []wire.Patch {
	out := make([]wire.Patch, len(all))
	for i, p := range all {
		out[i] = wire.PatchOf(p)
	}
	return out
}

// classOf is the class of a verdict; a new one is added.
func (m *model) classOf(d *core.Verdict) int {
	if n, known := m.class[d]; known {
		return n
	}
	text := fmt.Sprint(d.Connect, d.Scan, d.Zones)
	n, known := m.same[text]
	if !known {
		n = len(m.classes)
		m.classes = append(m.classes[:n:n], wire.GameClassOf(d))
		m.same[text] = n
	}
	if len(m.class) >= maxVerdicts {
		clear(m.class) // what they say is in same
	}
	m.class[d] = n
	return n
}

// state is everything, users by id. It shares what is never written again.
func (m *model) state() *wire.GameState {
	s := &wire.GameState{Config: m.config, Classes: m.classes, Users: make([]wire.GameUser, 0, len(m.users)), Alerts: map[string]wire.Alert{}, Patches: m.patches}
	for _, id := range slices.Sorted(maps.Keys(m.users)) {
		s.Users = append(s.Users, *m.users[id])
	}
	for f, a := range m.alerts {
		s.Alerts[f.String()] = wire.Alert{Alert: a}
	}
	if s.Classes == nil {
		s.Classes = []wire.GameClass{}
	}
	return s
}

// take puts a step in and returns what it changes.
func (m *model) take(d step) (changes []wire.GameChange) {
	add := func(c wire.GameChange) { changes = append(changes, c) }
	for _, u := range d.users {
		m.takeUser(u, add)
	}
	for _, id := range d.gone {
		m.lose(id, add)
	}
	for _, t := range d.talkers {
		if old := m.users[t.id]; old != nil {
			now := *old
			now.Talking = wire.Spell(t.on)
			m.put(old, &now, add)
		}
	}
	for _, a := range d.alerts {
		m.takeAlert(a, add)
	}
	if d.patched {
		m.takePatches(patchesOf(d.patches), add)
	}
	return changes
}

// replace puts another configuration's radio in and returns what differs.
func (m *model) replace(next *model) (changes []wire.GameChange) {
	add := func(c wire.GameChange) { changes = append(changes, c) }
	if next.raw != m.raw {
		add(wire.ChangedConfig{Config: next.config})
	}
	if !reflect.DeepEqual(next.classes, m.classes) {
		add(wire.ChangedClasses{Classes: next.classes})
	}
	for _, id := range slices.Sorted(maps.Keys(m.users)) {
		if next.users[id] == nil {
			add(wire.ChangedGone{ServerID: id})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(next.users)) {
		m.put(m.users[id], next.users[id], add)
	}
	for _, f := range slices.Sorted(maps.Keys(m.alerts)) {
		if _, on := next.alerts[f]; !on {
			add(wire.ChangedAlert{Frequency: f.String()})
		}
	}
	for _, f := range slices.Sorted(maps.Keys(next.alerts)) {
		m.takeAlert(core.ActiveAlert{Frequency: f, Alert: next.alerts[f]}, add)
	}
	m.takePatches(next.patches, add)
	*m = *next
	return changes
}

func (m *model) takeUser(u user, add func(wire.GameChange)) {
	before := len(m.classes)
	now := wire.GameUserOf(u.GameUser, m.classOf(u.verdict))
	if len(m.classes) > before {
		add(wire.ChangedClasses{Classes: m.classes})
	}
	m.put(m.users[u.ID], &now, add)
}

// put takes a user as it is now; old is nil if it is new. If only its talking differs,
// the change says no more than that.
func (m *model) put(old, now *wire.GameUser, add func(wire.GameChange)) {
	m.users[now.ServerID] = now
	if old == nil {
		add(wire.ChangedUser{GameUser: *now})
		return
	}
	silent := *old
	silent.Talking = now.Talking
	if !reflect.DeepEqual(&silent, now) {
		add(wire.ChangedUser{GameUser: *now})
		return
	}
	for _, f := range old.Talking {
		if !slices.Contains(now.Talking, f) {
			add(wire.ChangedTalking{ServerID: now.ServerID, Frequency: f})
		}
	}
	for _, f := range now.Talking {
		if !slices.Contains(old.Talking, f) {
			add(wire.ChangedTalking{ServerID: now.ServerID, Frequency: f, State: true})
		}
	}
}

func (m *model) lose(id core.UserID, add func(wire.GameChange)) {
	if m.users[id] != nil {
		delete(m.users, id)
		add(wire.ChangedGone{ServerID: id})
	}
}

func (m *model) takeAlert(a core.ActiveAlert, add func(wire.GameChange)) {
	old, on := m.alerts[a.Frequency]
	switch {
	case a.Alert.Name == "" && on:
		delete(m.alerts, a.Frequency)
		add(wire.ChangedAlert{Frequency: a.Frequency.String()})
	case a.Alert.Name != "" && (!on || old != a.Alert):
		m.alerts[a.Frequency] = a.Alert
		add(wire.ChangedAlert{Frequency: a.Frequency.String(), Alert: &wire.Alert{Alert: a.Alert}})
	}
}

func (m *model) takePatches(now []wire.Patch, add func(wire.GameChange)) {
	if !reflect.DeepEqual(m.patches, now) {
		m.patches = now
		add(wire.ChangedPatches{Patches: now})
	}
}
