package game

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

// crowd is a radio with players on two channels, and the step of one of them keying up.
func crowd(b *testing.B, players int) (*core.State, *engine.Step) {
	b.Helper()
	s, err := core.New(config())
	if err != nil {
		b.Fatal(err)
	}
	now := time.UnixMilli(1_700_000_000_000)
	do := func(by core.Actor, cmd core.Command) core.Output {
		out, err := s.Step(now, by, cmd)
		if err != nil {
			b.Fatal(err)
		}
		return out
	}
	for id := core.UserID(1); int(id) <= players; id++ {
		do(game, core.Register{User: id, Facts: core.Facts{Name: "Player " + id.String(), Nac: "police",
			Given: core.Grants{Scan: core.Grant{All: true}, Connect: core.Grant{Listed: true, Frequencies: []core.Frequency{fire}}}}})
		do(unit(id), core.Connect{Want: id, Owner: "player"})
		do(unit(id), core.JoinAsSpeaker{User: id, Frequency: []core.Frequency{north, tac}[id%2]})
	}
	out := do(unit(1), core.KeyUp{User: 1})
	return s, &engine.Step{Output: out, View: s.View()}
}

// BenchmarkPrepare is what the mirror takes of the engine's goroutine for a key-up:
// while nobody asks for changes, and while somebody does.
func BenchmarkPrepare(b *testing.B) {
	_, step := crowd(b, 200)
	for name, active := range map[string]bool{"idle": false, "followed": true} {
		b.Run(name, func(b *testing.B) {
			m := NewMirror(MirrorOptions{})
			m.active.Store(active)
			b.ReportAllocs()
			for b.Loop() {
				m.prepare(step)
			}
		})
	}
}

// BenchmarkState is a reset: what it takes of the engine's goroutine, and to encode.
func BenchmarkState(b *testing.B) {
	for _, players := range []int{200, 2048} {
		s, _ := crowd(b, players)
		m := NewMirror(MirrorOptions{})
		b.Run(fmt.Sprintf("read/%d", players), func(b *testing.B) {
			for b.Loop() {
				m.reader.whole(s.View())
			}
		})
		model, err := newModel(m.reader.whole(s.View()), m.describe)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("encode/%d", players), func(b *testing.B) {
			for b.Loop() {
				text, err := json.Marshal(wire.GameChanges{State: model.state()})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(text))/1024, "KiB")
			}
		})
	}
}

// BenchmarkThousandChanges is a second of a busy radio: 200 players key up and down, two
// and a half times each, told in twelve answers.
func BenchmarkThousandChanges(b *testing.B) {
	s, _ := crowd(b, 200)
	m := NewMirror(MirrorOptions{})
	var err error
	if m.model, err = newModel(m.reader.whole(s.View()), m.describe); err != nil {
		b.Fatal(err)
	}
	number := uint64(0)
	bytes := 0
	for b.Loop() {
		bytes = 0
		for part := range 12 {
			since := m.ring.last
			for n := range 83 {
				number++
				on := []core.Frequency{north}
				if (part*83+n)/200%2 == 1 {
					on = nil
				}
				if err := m.deliver(b.Context(), []step{{number: number, talkers: []talker{{core.UserID(1 + (part*83+n)%200), on}}}}); err != nil {
					b.Fatal(err)
				}
			}
			m.mu.Lock()
			text, err := m.news(since)
			if err != nil {
				b.Fatal(err)
			}
			bytes += len(text)
		}
	}
	b.ReportMetric(float64(bytes)/1024, "KiB")
}
