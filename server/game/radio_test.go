package game

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
	"squelch/server/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a wait that would otherwise last forever; nothing is measured with it.
const patience = 2 * time.Minute

func mhz(text string) core.Frequency {
	f, err := core.ParseFrequency(text)
	if err != nil {
		panic(err)
	}
	return f
}

var north, tac, fire, group = mhz("154.755"), mhz("460.25"), mhz("33.4"), mhz("856")

const secretNac = "desk-1"

func config() core.Config {
	c := core.DefaultConfig()
	c.DispatchNac = secretNac
	c.Zones = []core.Zone{
		{Name: "Police", Channels: []core.Channel{
			{Name: "North", Type: core.Conventional, Frequency: north},
			{Name: "Tac", Type: core.Conventional, Frequency: tac, AllowedNacs: []string{"police", secretNac}}}},
		{Name: "Fire", NacIDs: []string{"fire"}, Channels: []core.Channel{{Name: "Fire", Type: core.Conventional, Frequency: fire}}},
		{Name: "East", Channels: []core.Channel{{Name: "East", Type: core.Trunked, Frequency: group, Low: mhz("857"), High: mhz("857.1")}}},
	}
	c.Alerts = []core.Alert{{Name: "SIGNAL 100", Persistence: core.Yes}, {Name: "SIGNAL 3", Persistence: core.Yes}}
	c.Tones = []core.Tone{{Name: "BEEP", File: "beep.wav"}}
	c.Codeplugs = []core.Codeplug{{ID: "cadet", UnitID: "C-1", Zones: []int{1}}, {ID: "patrol", Features: core.Features{Scan: true, Panic: true}, Emergency: core.Emergency{RevertFrequency: tac}}}
	c.JobCodeplugs = []core.JobCodeplug{{Job: "cadet", Codeplug: "cadet"}, {Job: "police", Codeplug: "patrol"}}
	return c
}

// station is a radio with a mirror.
type station struct {
	*Mirror
	t      testing.TB
	engine *engine.Engine

	mu      sync.Mutex
	records []core.Record
}

func (s *station) keep(_ context.Context, _ *core.Data, log []core.Record, _ []core.Moment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, log...)
	return nil
}

func onAir(t testing.TB, change ...func(*MirrorOptions)) *station {
	t.Helper()
	state, err := core.New(config())
	if err != nil {
		t.Fatal(err)
	}
	s := &station{t: t}
	o := MirrorOptions{Engine: func() *engine.Engine { return s.engine }, Callbacks: func() []string { return []string{"getUserNacId"} }}
	for _, f := range change {
		f(&o)
	}
	s.Mirror = NewMirror(o)
	s.engine = engine.Start(state, engine.NewAlone(time.Now, s.keep), engine.Options{Followers: []engine.Follower{s.Follower()}, Logf: t.Logf})
	t.Cleanup(s.engine.Close)
	t.Cleanup(func() {
		s.Mirror.mu.Lock()
		defer s.Mirror.mu.Unlock()
		if s.idle != nil {
			s.idle.Stop()
		}
	})
	return s
}

// do has commands applied; a refusal fails the test.
func (s *station) do(by core.Actor, cmds ...core.Command) {
	s.t.Helper()
	for _, cmd := range cmds {
		if _, err := s.engine.Do(s.t.Context(), by, cmd); err != nil {
			s.t.Fatalf("%T%+v: %v", cmd, cmd, err)
		}
	}
}

var (
	game   = core.Actor{Surface: core.ByREST, Name: "game server"}
	script = core.Actor{Surface: core.ByLua, Name: "script"}
)

func unit(id core.UserID) core.Actor { return core.Actor{User: id, Surface: core.BySocket} }

// joins announces a player, connects it and puts it on a channel.
func (s *station) joins(id core.UserID, f core.Frequency) {
	s.t.Helper()
	s.do(game, core.Register{User: id, Facts: core.Facts{Name: "Unit " + id.String(), Nac: "police"}})
	s.do(unit(id), core.Connect{Want: id, Owner: "player"}, core.JoinAsSpeaker{User: id, Frequency: f})
}

// ask asks for changes; the mirror goes on afterwards.
func (s *station) ask(q Question) reply {
	s.t.Helper()
	leave, err := s.Enter()
	if err != nil {
		s.t.Fatal(err)
	}
	defer leave()
	text, err := s.Ask(s.t.Context(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return read(s.t, text)
}

// settled waits until the mirror has taken everything that has happened.
func (s *station) settled() uint64 {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	at, err := s.Position(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return at
}

// reply is what the game server reads.
type reply struct {
	Epoch   string
	Next    uint64
	Reset   bool
	Changes []map[string]any
	State   *picture
}

// after is the question that follows an answer.
func (a reply) after(wait time.Duration) Question {
	return Question{Since: a.Next, Given: true, Epoch: a.Epoch, Wait: wait}
}

func read(t testing.TB, text []byte) (a reply) {
	t.Helper()
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

// picture is the radio as a game server keeps it.
type picture struct {
	Config  any
	Classes []any
	Users   []map[string]any
	Alerts  map[string]any
	Patches []any
	users   map[int]map[string]any
}

// take brings the picture up to an answer.
func (p *picture) take(t testing.TB, a reply) {
	t.Helper()
	if a.Reset {
		*p = *a.State
		p.users = map[int]map[string]any{}
		for _, u := range p.Users {
			p.users[int(u["serverId"].(float64))] = u
		}
		p.Users = nil
		return
	}
	last := 0.0
	for _, c := range a.Changes {
		if seq := c["seq"].(float64); seq <= last || uint64(seq) > a.Next {
			t.Fatalf("change %v comes after %v, of an answer up to %d", c, last, a.Next)
		} else {
			last = seq
		}
		p.apply(t, c)
	}
}

func (p *picture) apply(t testing.TB, c map[string]any) {
	t.Helper()
	id, _ := c["serverId"].(float64)
	user := p.users[int(id)]
	switch c["type"] {
	case "user":
		u := maps.Clone(c)
		delete(u, "seq")
		delete(u, "type")
		p.users[int(id)] = u
	case "gone":
		delete(p.users, int(id))
	case "talking":
		talking := slices.DeleteFunc(slices.Clone(user["talking"].([]any)), func(f any) bool { return f == c["frequency"] })
		if c["state"].(bool) {
			talking = append(talking, c["frequency"])
			slices.SortFunc(talking, func(a, b any) int {
				x, _ := strconv.ParseFloat(a.(string), 64)
				y, _ := strconv.ParseFloat(b.(string), 64)
				return int(x*1e6 - y*1e6)
			})
		}
		user["talking"] = talking
	case "alert":
		delete(p.Alerts, c["frequency"].(string))
		if c["alert"] != nil {
			p.Alerts[c["frequency"].(string)] = c["alert"]
		}
	case "patches":
		p.Patches = c["patches"].([]any)
	case "classes":
		p.Classes = c["classes"].([]any)
	case "config":
		p.Config = c["config"]
	default:
		t.Fatalf("unknown change %v", c)
	}
}

// may puts in the place of a user's class what the class says: two mirrors number their
// classes differently.
func (p *picture) may(t testing.TB) *picture {
	t.Helper()
	q := *p
	q.users = map[int]map[string]any{}
	for id, u := range p.users {
		u = maps.Clone(u)
		u["class"] = p.Classes[int(u["class"].(float64))]
		q.users[id] = u
	}
	q.Classes = nil
	return &q
}

// same compares the picture with what a mirror that has just begun would tell.
func (s *station) same(t testing.TB, p *picture) {
	t.Helper()
	fresh := NewMirror(s.o)
	text, err := fresh.Ask(t.Context(), Question{})
	if err != nil {
		t.Fatal(err)
	}
	var want picture
	want.take(t, read(t, text))
	if got, want := p.may(t), want.may(t); !reflect.DeepEqual(got, want) {
		for id, u := range want.users {
			if !reflect.DeepEqual(got.users[id], u) {
				t.Errorf("user %d is kept as\n%v\nand is\n%v", id, got.users[id], u)
			}
		}
		got.users, want.users = nil, nil
		t.Fatalf("kept:\n%+v\nas it is:\n%+v", got, want)
	}
}
