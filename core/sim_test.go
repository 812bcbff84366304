package core

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"
	"time"
)

// clash is two talks that are on at the same time on one floor.
type clash struct{ first, second talkID }

type talkID struct {
	user  UserID
	at    Frequency
	since int64
}

// sim is a radio whose invariants are checked after every step.
type sim struct {
	s     *State
	now   time.Time
	steps int
	seen  map[string]int
	pairs map[clash]bool // those that are allowed to finish
	game  *mirror
}

func newSim() *sim {
	s, err := New(simConfig(0))
	if err != nil {
		panic(err)
	}
	return &sim{s: s, now: time.UnixMilli(1_700_000_000_000), seen: map[string]int{}, pairs: map[clash]bool{}}
}

// step gives one command to the radio. The error says what was wrong with the
// result; a refusal is none.
func (m *sim) step(by Actor, cmd Command) (Output, error) {
	if quiet := m.s.Tick(m.now); len(quiet.Events) > 0 || quiet.Routes != nil {
		if err := m.after(quiet); err != nil {
			return quiet, fmt.Errorf("tick: %w", err)
		}
	}
	m.steps++
	var before Data
	thorough := m.steps%16 == 0 // copies cost more than all other checks
	if thorough {
		before = m.s.Snapshot()
	}
	block := m.s.cfg.Bonking.BlockTransmission
	out, refused := m.s.Step(m.now, by, cmd)
	m.count(out, cmd, refused)
	if refused != nil {
		if _, ok := refused.(*Error); !ok {
			return out, fmt.Errorf("%T: refusal %v is no *Error", cmd, refused)
		}
		if len(out.Events) > 0 || out.Routes != nil || out.Save || (thorough && !reflect.DeepEqual(before, m.s.Snapshot())) {
			return out, fmt.Errorf("%T changed something although it was refused: %v", cmd, refused)
		}
		return out, nil
	}
	if thorough && !out.Save && !reflect.DeepEqual(before.Durable(), m.s.Snapshot().Durable()) {
		return out, fmt.Errorf("%T changed what is durable without Save", cmd)
	}
	switch cmd.(type) {
	case CreatePatch, ReplaceConfig:
		block = false // may join live talks
	}
	m.mark(!block || !m.s.cfg.Bonking.BlockTransmission)
	if err := m.after(out); err != nil {
		return out, fmt.Errorf("%T%+v: %w", cmd, cmd, err)
	}
	return out, nil
}

func (m *sim) after(out Output) error {
	if out.Routes != nil && out.Routes != m.s.routes {
		return fmt.Errorf("routes handed out are not those in force")
	}
	if !out.Wake().IsZero() && out.Wake().Before(m.now) {
		return fmt.Errorf("wake %v is in the past of %v", out.Wake(), m.now)
	}
	if want := m.wake(); !want.Equal(out.Wake()) {
		return fmt.Errorf("wake is at %v, not %v", out.Wake(), want)
	}
	if err := m.checkGame(out); err != nil {
		return err
	}
	return m.check()
}

func (m *sim) count(out Output, cmd Command, refused error) {
	if refused == nil {
		m.seen[typeName(cmd)]++
	} else {
		m.seen["refused "+typeName(cmd)]++
	}
	for _, e := range out.Events {
		key := typeName(e.Fact)
		switch f := e.Fact.(type) {
		case FloorReleased:
			key += " " + f.Reason
		case PanicCleared:
			key += " " + f.Reason
		case EmergencyChanged:
			key += " " + f.Change
		case UserMoved:
			if f.Auto {
				key += " auto"
			}
		case FloorTaken:
			if f.Override {
				key += " override"
			}
		}
		m.seen[key]++
	}
}

func typeName(v any) string {
	if v == nil {
		return ""
	}
	return reflect.TypeOf(v).String()
}

// mark remembers which talks may be on at the same time.
func (m *sim) mark(free bool) {
	now := map[clash]bool{}
	for _, p := range m.clashes() {
		if free || m.pairs[p] {
			now[p] = true
		}
	}
	m.pairs = now
}

// clashes is every pair of talks of different users that talk over each other
// without override.
func (m *sim) clashes() []clash {
	var all []clash
	id := func(t *held) talkID { return talkID{t.User, t.Frequency, t.Since} }
	ts := m.s.talks
	for i := range ts {
		for j := range i {
			if ts[i].User != ts[j].User && !ts[i].Override && !ts[j].Override && m.contend(ts[i].Frequency, ts[j].Frequency) {
				all = append(all, clash{id(ts[j]), id(ts[i])})
			}
		}
	}
	return all
}

// contend says whether talks on two channels would be on one floor.
func (m *sim) contend(a, b Frequency) bool {
	if a == b {
		return true
	}
	for _, p := range m.s.d.Patches {
		if slices.Contains(p.Frequencies, a) && slices.Contains(p.Frequencies, b) {
			return true
		}
	}
	ga, gb := m.s.group(a), m.s.group(b)
	return (ga != nil && ga.Control == b) || (gb != nil && gb.Control == a)
}

// TestSimulation throws valid and invalid commands at the radio, lets time pass,
// breaks links and changes the configuration. The invariants hold after each step.
func TestSimulation(t *testing.T) {
	t.Parallel()
	const seeds, each = 4, 40_000
	sims := make([]*sim, seeds)
	t.Run("seeds", func(t *testing.T) {
		for seed := range seeds {
			t.Run(itoa(seed), func(t *testing.T) {
				t.Parallel()
				sims[seed] = simulate(t, int64(seed), each)
			})
		}
	})
	seen := map[string]int{}
	for _, m := range sims {
		for k, n := range m.seen {
			seen[k] += n
		}
	}
	enough(t, seen)
}

func simulate(t *testing.T, seed int64, steps int) *sim {
	m := newSim()
	r := rand.New(rand.NewSource(seed))
	d := thrower{r}
	var wake time.Time
	for n := range steps {
		switch r.Intn(12) {
		case 0, 1:
			m.now = m.now.Add(time.Duration(r.Intn(900)) * time.Millisecond)
		case 2:
			if d.one(8) {
				m.now = m.now.Add(time.Duration(r.Intn(90)) * time.Second)
			}
		case 3:
			if wake.After(m.now) {
				m.now = wake
				out := m.s.Tick(m.now)
				m.count(out, nil, nil)
				m.seen["wake"]++
				if !out.Wake().IsZero() && !out.Wake().After(wake) {
					t.Fatalf("seed %d step %d: Tick at Wake made no progress", seed, n)
				}
				if err := m.after(out); err != nil {
					t.Fatalf("seed %d step %d: wake: %v", seed, n, err)
				}
			}
		}
		by, cmd := d.throw()
		if d.one(300) {
			cmd = d.back(m.s.users.all)
		}
		if open := m.s.d.Emergencies; len(open) > 0 && d.one(100) {
			cmd = d.tend(open[d.Intn(len(open))].Number)
		}
		if cmd == nil {
			continue
		}
		out, err := m.step(by, cmd)
		if err != nil {
			t.Fatalf("seed %d step %d: %v", seed, n, err)
		}
		wake = out.Wake()
	}
	return m
}

// enough fails if something did not happen often enough for the simulation to test
// it.
func enough(t *testing.T, seen map[string]int) {
	for _, c := range everyCommand {
		name := fmt.Sprintf("%T", c)
		if seen[name] < 20 || seen["refused "+name] < 5 {
			t.Errorf("%s was accepted %d and refused %d times", name, seen[name], seen["refused "+name])
		}
	}
	for what, least := range map[string]int{
		"core.FloorTaken": 3000, "core.FloorTaken override": 200, "core.FloorDenied": 200, "core.PatchCreated": 50, "core.PatchShown": 20, "core.AlertShown": 50, "core.PanicShown": 50, "core.PatchRemoved": 30,
		"core.FloorReleased timeout": 50, "core.FloorReleased lease": 50, "core.FloorReleased lost": 30, "core.FloorReleased patch": 20,
		"core.FloorReleased closed": 5, "core.FloorReleased moved": 50, "core.FloorReleased power": 30, "core.FloorReleased none": 50,
		"core.UserMoved": 500, "core.UserMoved auto": 20, "core.PanicRaised": 200, "core.PanicCleared timeout": 50, "core.PanicCleared acknowledged": 20,
		"core.EmergencyChanged shown": 50, "core.EmergencyChanged raised": 200, "core.EmergencyChanged acknowledged": 20, "core.EmergencyChanged ended": 50, "core.EmergencyChanged closed": 50,
		"core.AlertActivated": 100, "core.SelfChanged": 1000, "core.UserConnected": 1000, "core.UserLeft": 500, "core.ChannelDeleted": 500, "core.ConfigChanged": 50, "core.UnitsLocated": 500, "core.FloorReleased hotmic": 20, "hot microphone": 500, "weak leg": 2000, "weak unit": 5000, "map": 10_000, "wake": 500,
	} {
		if seen[what] < least {
			t.Errorf("%s happened %d times, want at least %d", what, seen[what], least)
		}
	}
}

// everyCommand is one command of each type; TestEveryCommandIsSimulated compares it
// with the source.
var everyCommand = []Command{AcknowledgeEmergency{}, AcknowledgePanic{}, AlertUser{}, ArmGroup{}, Broadcast{}, ClearAlert{}, CloseEmergency{}, Connect{}, CreatePatch{}, Drop{}, Follow{},
	Heard{}, Identify{}, JoinAsSpeaker{}, KeyDown{}, KeyUp{}, Kick{}, LeaveChannel{}, LinkSession{}, MoveUser{}, PlayAlert{},
	PlayTone{}, PlayToneTo{}, Recover{}, Refresh{}, Register{}, RemovePatch{}, ReplaceConfig{}, SetAlert{}, SetCallsign{}, SetLoopback{},
	SetNac{}, SetPanic{}, SetPositions{}, SetRadio{}, SetStorage{}, Start3D{}, StartScan{}, Stop3D{}, StopScan{}, TriggerAlert{}, Unfollow{}, Unlink{}}

// told is an event as bytes.
func told(e Event) []byte {
	b, err := json.Marshal(struct {
		Type string
		Event
	}{fmt.Sprintf("%T", e.Fact), e})
	if err != nil {
		panic(err)
	}
	return b
}

func snapshotBytes(s *State) []byte {
	b, err := json.Marshal(s.Snapshot())
	if err != nil {
		panic(err)
	}
	return b
}

// TestSameSeedSameBytes runs the same commands twice, each time beside a twin that
// is restored from a snapshot again and again. All give the same bytes, and none
// ever gives away the login of the dispatch panel.
func TestSameSeedSameBytes(t *testing.T) {
	t.Parallel()
	run := func() []byte {
		m, sum := newSim(), sha256.New()
		r := rand.New(rand.NewSource(99))
		d := thrower{r}
		var twin *State
		for n := range 5000 {
			m.now = m.now.Add(time.Duration(r.Intn(300)) * time.Millisecond)
			if n%60 == 0 {
				var data Data
				if err := json.Unmarshal(snapshotBytes(m.s), &data); err != nil {
					t.Fatal(err)
				}
				var err error
				if twin, err = Restore(*m.s.cfg, data); err != nil {
					t.Fatal(err)
				}
				noSecret(t, m.s)
			}
			by, cmd := d.throw()
			if cmd == nil {
				continue
			}
			out, err := m.s.Step(m.now, by, cmd)
			also, err2 := twin.Step(m.now, by, cmd)
			if fmt.Sprint(err) != fmt.Sprint(err2) || len(out.Events) != len(also.Events) || !out.Wake().Equal(also.Wake()) ||
				out.Save != also.Save || (out.Routes == nil) != (also.Routes == nil) {
				t.Fatalf("step %d: %T: the restored radio behaves differently", n, cmd)
			}
			for i := range out.Events {
				b := told(out.Events[i])
				if !bytes.Equal(b, told(also.Events[i])) {
					t.Fatalf("step %d: %T: the restored radio gives another event", n, cmd)
				}
				if bytes.Contains(b, []byte(secretNac)) {
					t.Fatalf("step %d: %s tells the dispatch login", n, b)
				}
				if rec, ok := Audit(out.Events[i]); ok {
					if b, _ := json.Marshal(rec); bytes.Contains(b, []byte(secretNac)) {
						t.Fatalf("step %d: record %s tells the dispatch login", n, b)
					}
				}
				sum.Write(b)
			}
			if n%12 != 11 { // snapshots cost more than the rest of the test
				continue
			}
			b := snapshotBytes(m.s)
			if !bytes.Equal(b, snapshotBytes(twin)) {
				t.Fatalf("step %d: %T: the restored radio remembers something else:\n%s\n%s", n, cmd, b, snapshotBytes(twin))
			}
			sum.Write(b)
		}
		return sum.Sum(nil)
	}
	if a, b := run(), run(); !bytes.Equal(a, b) {
		t.Fatal("the same seed gave different bytes")
	}
}

// noSecret looks through everything that a View gives for output.
func noSecret(t *testing.T, s *State) {
	v := s.View()
	shown := []any{v.Players()}
	for _, u := range v.Users() {
		grants, _ := v.Grants(u.ID)
		sub, _ := v.Subscriber(u.ID)
		shown = append(shown, u, grants, sub, v.VisibleZones(u.ID))
	}
	for _, c := range v.Channels() {
		shown = append(shown, c)
	}
	for _, x := range shown {
		if b, err := json.Marshal(x); err != nil || bytes.Contains(b, []byte(secretNac)) {
			t.Fatalf("%T tells the dispatch login: %s %v", x, b, err)
		}
	}
}
