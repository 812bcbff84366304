package game

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

// TestChangesMakeTheState: whatever happens, who applies the changes knows what a new
// snapshot says.
func TestChangesMakeTheState(t *testing.T) {
	s := onAir(t)
	var kept picture
	last := s.ask(Question{})
	kept.take(t, last)
	r := rand.New(rand.NewSource(7))
	resets, changes, kinds := 0, 0, map[string]bool{}
	for n := range 1500 {
		by, cmd := throw(r)
		_, err := s.engine.Do(t.Context(), by, cmd)
		var refused *core.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if r.Intn(9) > 0 && n < 1499 {
			continue
		}
		s.settled()
		last = s.ask(last.after(0))
		if last.Reset {
			resets++
		}
		for _, c := range last.Changes {
			kinds[c["type"].(string)] = true
			changes++
		}
		kept.take(t, last)
		s.same(t, &kept)
	}
	if resets > 0 || changes < 300 || len(kinds) != len(wire.ChangeTypes) {
		t.Fatalf("%d resets, %d changes of the kinds %v", resets, changes, kinds)
	}
}

// throw makes one of many commands.
func throw(r *rand.Rand) (core.Actor, core.Command) {
	id := []core.UserID{1, 2, 3, 12, -1, -2}[r.Intn(6)]
	at := []core.Frequency{north, north, tac, fire, group}[r.Intn(5)]
	nac := []string{"", "police", "fire", "cadet", secretNac}[r.Intn(5)]
	on := r.Intn(2) == 0
	choice := core.Choice(r.Intn(3))
	switch r.Intn(22) {
	case 0, 1:
		return unit(id), core.Connect{Want: id, Owner: id.String(), Facts: core.Facts{Name: "User " + id.String(), Nac: nac}}
	case 2, 3:
		return unit(id), core.JoinAsSpeaker{User: id, Frequency: at}
	case 4:
		return unit(id), core.StartScan{User: id, Frequency: at}
	case 5:
		return unit(id), core.StopScan{User: id, Frequency: at}
	case 6, 7, 8:
		return unit(id), core.KeyUp{User: id, Frequency: at, Override: on}
	case 9:
		return unit(id), core.KeyDown{User: id}
	case 10:
		return unit(id), core.Unlink{User: id, Clean: on}
	case 11, 12:
		return game, core.Register{User: id, Facts: core.Facts{Name: "Player " + nac, Nac: nac, Unit: "U-" + id.String(),
			Given: core.Grants{Connect: core.Grant{Listed: on, Frequencies: []core.Frequency{fire}}}, Game: core.Answers{Access: choice}}}
	case 13:
		return game, core.Drop{User: id}
	case 14:
		return script, core.MoveUser{User: id, Frequency: at}
	case 15:
		return script, core.SetPanic{User: id, Frequency: at, Enabled: on}
	case 16:
		return script, core.SetAlert{Frequency: at, Enabled: choice, Alert: core.AlertRef{Index: 1 + r.Intn(2), Given: true}}
	case 17:
		if on {
			return script, core.RemovePatch{ID: "p-1"}
		}
		return script, core.CreatePatch{Frequencies: []core.Frequency{north, tac}}
	case 18:
		return script, core.SetNac{User: id, Nac: nac}
	case 19:
		return script, core.SetCallsign{User: id, Callsign: nac}
	case 20:
		level := float64(r.Intn(100))
		return unit(id), core.SetRadio{User: id, Battery: &level, Power: &on}
	}
	c := config()
	if on {
		c.Zones[0].Channels = c.Zones[0].Channels[:1]
		c.ServerName = nac
	}
	return core.Actor{Surface: core.ByAdmin}, core.ReplaceConfig{Config: c}
}

func TestTheGameServerSeesWhatOthersMayNot(t *testing.T) {
	s := onAir(t)
	s.do(game, core.Register{User: 12, Facts: core.Facts{Name: "Ana", Nac: secretNac}})
	a := s.ask(Question{})
	u := a.State.Users[0]
	if u["nacId"] != secretNac || u["access"] != true || u["connected"] != false || u["class"] != 0.0 {
		t.Errorf("%v", u)
	}
	text, _ := json.Marshal(a.State.Config)
	for _, want := range []string{`"allowedNacs":["police","desk-1"]`, `"callbacks":["getUserNacId"]`, `"resourceName":"radio"`, `"hash":"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

func TestOnlyTheLastOfTheSameIsTold(t *testing.T) {
	s := onAir(t)
	s.joins(12, north)
	s.joins(13, tac)
	first := s.ask(Question{})
	for range 20 {
		s.do(unit(12), core.KeyUp{User: 12}, core.KeyDown{User: 12})
		s.do(script, core.SetCallsign{User: 13, Callsign: "A"}, core.SetCallsign{User: 13, Callsign: "B"})
	}
	s.do(unit(12), core.KeyUp{User: 12})
	if at := s.settled(); at != first.Next+81 {
		t.Errorf("81 changes lead from %d to %d", first.Next, at)
	}
	a := s.ask(first.after(0))
	if len(a.Changes) != 2 || a.Changes[0]["callsign"] != "B" || a.Changes[1]["type"] != "talking" || a.Changes[1]["state"] != true {
		t.Errorf("%v", a.Changes)
	}
	if a.Next != first.Next+81 || a.Changes[1]["seq"] != float64(a.Next) {
		t.Errorf("next is %d, the last change %v", a.Next, a.Changes[1])
	}
}

func TestWhoFallsOutOfTheRingStartsAnew(t *testing.T) {
	s := onAir(t)
	s.joins(12, north)
	first := s.ask(Question{})
	for range ringSize / 2 {
		s.do(unit(12), core.KeyUp{User: 12}, core.KeyDown{User: 12})
	}
	s.settled()
	if a := s.ask(first.after(0)); a.Reset || len(a.Changes) != 1 { // the oldest one is still there
		t.Fatalf("%+v", a)
	}
	s.do(unit(12), core.KeyUp{User: 12})
	s.settled()
	a := s.ask(first.after(0))
	if !a.Reset || a.Epoch != first.Epoch || a.Next != first.Next+ringSize+1 {
		t.Fatalf("%+v", a)
	}
	if talking := a.State.Users[0]["talking"].([]any); len(talking) != 1 {
		t.Errorf("%v", a.State.Users[0])
	}
}

func TestAPositionThatMeansNothingIsAReset(t *testing.T) {
	s := onAir(t)
	first := s.ask(Question{})
	for name, q := range map[string]Question{
		"none":            {},
		"another epoch":   {Since: first.Next, Given: true, Epoch: "before"},
		"no epoch":        {Since: first.Next, Given: true},
		"the future":      {Since: first.Next + 1, Given: true, Epoch: first.Epoch},
		"the far future":  {Since: 1<<64 - 1, Given: true, Epoch: first.Epoch},
		"before the ring": {Since: first.Next - 1, Given: true, Epoch: first.Epoch},
	} {
		q.Wait = patience // a reset waits for nothing
		if a := s.ask(q); !a.Reset || a.Next != first.Next || a.Epoch != first.Epoch {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := s.ask(first.after(0)); a.Reset || a.Changes == nil {
		t.Errorf("the position that was told: %+v", a)
	}
	again := onAir(t) // another process
	if a := again.ask(first.after(0)); !a.Reset || a.Epoch == first.Epoch {
		t.Errorf("after a restart: %+v", a)
	}
}

func TestAMissedStepBeginsAnotherEpoch(t *testing.T) {
	s := onAir(t)
	first := s.ask(Question{})
	s.lost(t.Context(), 3)
	s.joins(12, north)
	a := s.ask(first.after(patience))
	if !a.Reset || a.Epoch == first.Epoch || len(a.State.Users) != 1 {
		t.Fatalf("%+v", a)
	}
	s.do(unit(12), core.KeyUp{User: 12})
	s.settled()
	if b := s.ask(a.after(0)); b.Reset || len(b.Changes) != 1 {
		t.Errorf("it does not go on: %+v", b)
	}
}

// orders is the source of a clustered radio.
type orders chan engine.Ordered

func (o orders) Propose(context.Context, uint64, core.Actor, core.Command) error { return nil }
func (o orders) Orders() <-chan engine.Ordered                                   { return o }
func (o orders) Wake(time.Time)                                                  {}
func (o orders) Close()                                                          {}
func (o orders) Durable(context.Context, uint64, uint64, *core.Data, []core.Record, []core.Moment) error {
	return nil
}

func TestARadioThatIsReplacedBeginsAnotherEpoch(t *testing.T) {
	s := &station{t: t}
	s.Mirror = NewMirror(MirrorOptions{Engine: func() *engine.Engine { return s.engine }})
	state, err := core.New(config())
	if err != nil {
		t.Fatal(err)
	}
	source := make(orders)
	s.engine = engine.Start(state, source, engine.Options{Followers: []engine.Follower{s.Follower()}, Logf: t.Logf})
	defer s.engine.Close()
	first := s.ask(Question{})
	other, err := core.New(config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Step(time.UnixMilli(1), game, core.Register{User: 12, Facts: core.Facts{Name: "Ana"}}); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan reply)
	go func() { waiting <- s.ask(first.after(patience)) }()
	source <- engine.Ordered{Epoch: 1, Seq: 9, Snapshot: &wire.Start{Config: config(), Data: other.Snapshot()}}
	if a := <-waiting; !a.Reset || a.Epoch == first.Epoch || len(a.State.Users) != 1 {
		t.Fatalf("%+v", a)
	}
	s.idle.Stop()
}

func TestACallWaitsForAChange(t *testing.T) {
	s := onAir(t)
	s.joins(12, north)
	first := s.ask(Question{})
	if a := s.ask(first.after(20 * time.Millisecond)); a.Reset || len(a.Changes) != 0 || a.Next != first.Next {
		t.Fatalf("nothing has happened: %+v", a)
	}
	waiting := make(chan reply)
	go func() { waiting <- s.ask(first.after(patience)) }()
	s.do(unit(12), core.KeyUp{User: 12})
	if a := <-waiting; len(a.Changes) != 1 || a.Changes[0]["type"] != "talking" {
		t.Fatalf("%+v", a)
	}
	s.do(game, core.SetPositions{Positions: []core.PlayerPosition{{User: 12, At: core.Position{X: 1}}}}) // no change of the mirror
	s.do(unit(12), core.KeyDown{User: 12})
	s.settled()
	if a := s.ask(first.after(patience)); len(a.Changes) != 1 || a.Changes[0]["state"] != false {
		t.Fatalf("%+v", a)
	}
}

// A change waits for those that come shortly after it, counted from its own moment.
func TestChangesAreGathered(t *testing.T) {
	clock := struct {
		sync.Mutex
		now time.Time
	}{now: time.Unix(1_700_000_000, 0)}
	s := onAir(t, func(o *MirrorOptions) {
		o.Now = func() time.Time {
			clock.Lock()
			defer clock.Unlock()
			return clock.now
		}
	})
	s.joins(12, north)
	s.joins(13, tac)
	first := s.ask(Question{})
	q := first.after(patience)
	q.Gather = 50 * time.Millisecond
	waiting := make(chan reply)
	s.do(unit(12), core.KeyUp{User: 12})
	s.settled()
	go func() { waiting <- s.ask(q) }()
	s.do(unit(13), core.KeyUp{User: 13})
	s.settled()
	clock.Lock()
	clock.now = clock.now.Add(q.Gather) // the mirror's clock stands until now
	clock.Unlock()
	if a := <-waiting; len(a.Changes) != 2 {
		t.Fatalf("%+v", a)
	}
	// A change that has waited long enough already is told at once.
	if a := s.ask(q); len(a.Changes) != 2 {
		t.Fatalf("%+v", a)
	}
}

func TestPlacesOfCallsAreGivenBack(t *testing.T) {
	s := onAir(t)
	var leaves []func()
	for range maxPollers {
		leave, err := s.Enter()
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	if _, err := s.Enter(); !errors.Is(err, ErrBusy) {
		t.Fatalf("one too many: %v", err)
	}
	leaves[0]()
	leave, err := s.Enter()
	if err != nil {
		t.Fatal(err)
	}
	for _, leave := range append(leaves[1:], leave) {
		leave()
	}
}

func TestACallerWhoGoesAwayIsNotKept(t *testing.T) {
	s := onAir(t)
	first := s.ask(Question{})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error)
	go func() {
		_, err := s.Ask(ctx, first.after(patience))
		over <- err
	}()
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.HangUp()
	if a := s.ask(first.after(patience)); a.Reset || len(a.Changes) != 0 {
		t.Fatalf("when the service ends: %+v", a)
	}
}

// While nobody asks, the engine's goroutine does nothing for the mirror.
func TestAMirrorThatNobodyLooksAtRests(t *testing.T) {
	s := onAir(t, func(o *MirrorOptions) { o.Idle = time.Millisecond })
	step := &engine.Step{Output: core.Output{Events: []core.Event{{Fact: core.PlayerInfoChanged{User: 12}}}}}
	if n := testing.AllocsPerRun(100, func() { s.prepare(step) }); n > 0 {
		t.Errorf("%v allocations for a step that nobody asks for", n)
	}
	first := s.ask(Question{})
	for end := time.Now().Add(patience); s.active.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the mirror goes on for ever")
		}
	}
	s.joins(12, north)
	a := s.ask(first.after(0))
	if !a.Reset || a.Epoch != first.Epoch || a.Next <= first.Next || len(a.State.Users) != 1 {
		t.Fatalf("%+v", a)
	}
}

// More changes than the whole state are not worth sending.
func TestTheStateIsSentWhereItIsLess(t *testing.T) {
	s := onAir(t)
	first := s.ask(Question{})
	name := strings.Repeat("x", 120)
	for id := core.UserID(1); id <= 60; id++ {
		s.do(game, core.Register{User: id, Facts: core.Facts{Name: name}})
	}
	s.settled()
	if a := s.ask(first.after(0)); !a.Reset || len(a.State.Users) != 60 {
		t.Fatalf("reset %v with %d changes, after a state without users", a.Reset, len(a.Changes))
	}
	next := s.ask(Question{})
	for id := core.UserID(1); id <= 20; id++ {
		s.do(script, core.SetCallsign{User: id, Callsign: fmt.Sprint("U-", id)})
	}
	s.settled()
	if a := s.ask(next.after(0)); a.Reset || len(a.Changes) != 20 {
		t.Fatalf("reset %v with %d changes", a.Reset, len(a.Changes))
	}
}

// Many others change the radio and ask while one follows.
func TestManyAtOnce(t *testing.T) {
	s := onAir(t)
	for id := core.UserID(1); id <= 20; id++ {
		s.joins(id, north)
	}
	var work sync.WaitGroup
	stop := make(chan struct{})
	for g := range 3 {
		work.Go(func() {
			r := rand.New(rand.NewSource(int64(g)))
			for range 400 {
				by, cmd := throw(r)
				_, _ = s.engine.Do(t.Context(), by, cmd)
				if r.Intn(20) == 0 {
					_, _ = s.Position(t.Context())
				}
			}
		})
	}
	work.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				s.ask(Question{})
			}
		}
	})
	var kept picture
	last := s.ask(Question{})
	kept.take(t, last)
	for range 200 {
		last = s.ask(last.after(time.Millisecond))
		kept.take(t, last)
	}
	close(stop)
	work.Wait()
	s.settled()
	kept.take(t, s.ask(last.after(0)))
	s.same(t, &kept)
}

// TestVerdictsOfAModelAreBounded: with a NAC id for each player, a long shift brings ever
// new verdicts, of which many say the same.
func TestVerdictsOfAModelAreBounded(t *testing.T) {
	m := &model{class: map[*core.Verdict]int{}, same: map[string]int{}}
	for n := range 3 * maxVerdicts {
		if class := m.classOf(&core.Verdict{Zones: []int{1 + n%2}}); class != n%2 {
			t.Fatalf("verdict %d is of class %d", n, class)
		}
	}
	if len(m.class) > maxVerdicts {
		t.Errorf("%d verdicts are kept", len(m.class))
	}
	if len(m.classes) != 2 {
		t.Errorf("%d classes", len(m.classes))
	}
}
