package sfu

import (
	"sync"
	"testing"
	"time"

	"squelch/core"
)

// The channels of the test radio.
const (
	patrol   core.Frequency = 155_010_000
	fire     core.Frequency = 155_020_000
	tac      core.Frequency = 155_030_000
	digital1 core.Frequency = 460_250_000
)

// radio is the real core driving an SFU, as the engine does.
type radio struct {
	t     testing.TB
	mu    sync.Mutex
	state *core.State
	now   time.Time
	sfu   *SFU
	nodes []*SFU // those of the other nodes
}

func onAir(t testing.TB, o Options) *radio {
	t.Helper()
	cfg := core.DefaultConfig()
	cfg.Zones = []core.Zone{{Name: "City", Channels: []core.Channel{
		{Name: "Patrol", Type: core.Conventional, Frequency: patrol},
		{Name: "Fire", Type: core.Conventional, Frequency: fire},
		{Name: "Tac", Type: core.Conventional, Frequency: tac},
		{Name: "Digital", Type: core.Digital, Frequency: digital1},
	}}}
	state, err := core.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &radio{t: t, state: state, now: time.UnixMilli(1_000_000)}
	if o.Heard == nil {
		o.Heard = func(talker core.UserID, keyed core.Frequency) { r.try(core.Heard{User: talker, Frequency: keyed}) }
	}
	r.sfu = New(o)
	t.Cleanup(r.sfu.Close)
	return r
}

func (r *radio) try(c core.Command) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(time.Millisecond)
	out, err := r.state.Step(r.now, core.Actor{Surface: core.BySystem}, c)
	if out.Routes != nil {
		r.sfu.SetRoutes(out.Routes)
		for _, s := range r.nodes {
			s.SetRoutes(out.Routes)
		}
	}
	return err
}

func (r *radio) do(commands ...core.Command) {
	r.t.Helper()
	for _, c := range commands {
		if err := r.try(c); err != nil {
			r.t.Fatalf("%T%+v: %v", c, c, err)
		}
	}
}

// tune brings a dispatcher onto the radio, tuned to a channel.
func (r *radio) tune(user core.UserID, f core.Frequency) {
	r.t.Helper()
	r.do(core.Connect{Want: user, Owner: user.String()}, core.JoinAsSpeaker{User: user, Frequency: f})
}

func (r *radio) key(user core.UserID, f core.Frequency) {
	r.t.Helper()
	r.do(core.KeyUp{User: user, Frequency: f})
}

func (r *radio) release(user core.UserID) { r.t.Helper(); r.do(core.KeyDown{User: user}) }

// ear is a legacy listener that records what it hears.
type ear struct {
	mu    sync.Mutex
	heard []heardFrame
}

type heardFrame struct {
	from      core.UserID
	on        core.Frequency
	reason    core.Reason
	patch     int
	text      string
	encodedAt *int // the run's prepared message
}

func (e *ear) Send(m *Message) {
	if m.Prepared == nil {
		m.Prepared = new(int)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, heardFrame{m.Talker, m.Leg.Frequency, m.Leg.Reason, m.Leg.Patch, m.Base64(), m.Prepared.(*int)})
}

func (e *ear) all() []heardFrame {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]heardFrame(nil), e.heard...)
}

func (e *ear) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.heard)
}

// listen attaches an ear for a user.
func (r *radio) listen(user core.UserID) *ear {
	e := &ear{}
	r.sfu.Attach(user, e)
	return e
}

// say publishes one legacy frame.
func (r *radio) say(user core.UserID, keyed core.Frequency, text string) {
	r.sfu.Publish(&Frame{Talker: user, Keyed: keyed, Text: text})
}
