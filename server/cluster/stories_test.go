package cluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
	"squelch/server/cluster/check"
	"squelch/server/cluster/trial"
	"squelch/server/engine"
)

// TestStoriesOnThreeNodes tells every story of the core on a radio that three nodes share.
// Each user of a story is on another node, and time is the story's. All replicas must make
// of it what the core alone does: the same refusals, the same events, the same state.
func TestStoriesOnThreeNodes(t *testing.T) {
	nodes := threeNodes(t, 30) // no node is to be taken for dead on a busy machine
	files, err := filepath.Glob("../../core/testdata/*.txt")
	if err != nil || len(files) < 40 {
		t.Fatalf("found %d stories (%v)", len(files), err)
	}
	var orders, events, ends atomic.Int64
	t.Run("", func(t *testing.T) {
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".txt")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := &shared{t: t, name: name, nodes: nodes}
				defer s.end()
				told, err := scenario.ReplayWatched(string(text), scenario.Watcher{Begin: s.begin, Step: s.step, Block: s.block})
				if err != nil || strings.TrimSpace(told) != strings.TrimSpace(string(text)) {
					t.Errorf("the core alone tells it differently (%v)", err)
				}
				orders.Add(int64(s.orders))
				events.Add(int64(s.events))
				ends.Add(int64(s.blocks))
			})
		}
	})
	t.Logf("%d orders, %d events, and %d times the same state", orders.Load(), events.Load(), ends.Load())
	if orders.Load() < 1000 || events.Load() < 1000 || ends.Load() < 100 {
		t.Error("that is less than the stories have")
	}
}

// shared is a story on three nodes, beside the core alone.
type shared struct {
	t                      *testing.T
	name                   string
	nodes                  []*trial.Node
	begun, turn            int
	orders, events, blocks int

	whole  wire.Start // with which the radio starts
	alone  *core.State
	radios []*trial.Radio
	from   int64        // when the radio began
	now    atomic.Int64 // of the story, ms since the epoch
	told   []core.Event // by the core alone, since the last block

	mu   sync.Mutex
	seen [][]core.Event // by each replica, since the last block
	at   []int64        // what time it is there

	applied [][]check.Applied // by each replica
}

func (s *shared) begin(c core.Config, d core.Data) {
	s.compare("at the end of the radio")
	s.end()
	s.begun++
	s.radios, s.whole = nil, wire.Start{Config: c, Data: d}
	if d.Now == 0 { // another story
		s.now.Store(1_700_000_000_000)
	}
}

// start starts the radio, when the story says what time it is.
func (s *shared) start() {
	if s.radios != nil {
		return
	}
	var err error
	if s.alone, err = core.Restore(s.whole.Config, s.whole.Data); err != nil {
		s.t.Fatal(err)
	}
	s.from = s.now.Load()
	s.alone.Tick(time.UnixMilli(s.from)) // as the first owner begins
	s.applied = make([][]check.Applied, len(s.nodes))
	s.seen, s.at, s.radios = make([][]core.Event, len(s.nodes)), make([]int64, len(s.nodes)), make([]*trial.Radio, len(s.nodes))
	name := fmt.Sprint(s.name, "-", s.begun)
	var wait sync.WaitGroup
	for i, n := range s.nodes {
		wait.Go(func() {
			r, err := n.Radio(s.t.Context(), trial.RadioOptions{Name: name, Start: s.whole,
				Wall: func() time.Time { return time.UnixMilli(s.now.Load()) },
				Step: func(step *engine.Step) { s.watch(i, step) }})
			if err != nil {
				s.t.Error(err)
				return
			}
			s.radios[i] = r
		})
	}
	wait.Wait()
	if s.t.Failed() {
		s.t.FailNow()
	}
	s.mu.Lock()
	clear(s.seen) // two of them have a snapshot for the first order
	s.mu.Unlock()
	s.told = nil
}

// watch runs on the engines' goroutines.
func (s *shared) watch(i int, step *engine.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[i] = append(s.seen[i], step.Output.Events...)
	s.at[i] = step.View.Snapshot().Now
	a := check.Applied{Epoch: step.Epoch, Seq: step.Seq, Start: step.Snapshot}
	if step.Snapshot == nil {
		order := step.Order
		a.Order = &order
	}
	s.applied[i] = append(s.applied[i], a)
}

// step does what the story does.
func (s *shared) step(now time.Time, by core.Actor, c core.Command) {
	s.now.Store(now.UnixMilli())
	s.start()
	if c == nil {
		s.told = append(s.told, s.alone.Tick(now).Events...)
		for i, r := range s.radios {
			r.Source.LeasesChanged() // it looks at what is due
			until(s.t, "time passes on all nodes", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.at[i] >= now.UnixMilli()
			})
		}
		return
	}
	s.orders++
	out, want := s.alone.Step(now, by, c)
	s.told = append(s.told, out.Events...)
	s.turn++
	at := s.turn % len(s.nodes)
	if by.User != 0 {
		at = (int(by.User)%len(s.nodes) + len(s.nodes)) % len(s.nodes)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	_, err := s.radios[at].Do(ctx, by, c)
	if fmt.Sprint(err) != fmt.Sprint(want) {
		s.t.Fatalf("%T of %d at node %d: %v, alone: %v", c, by.User, at, err, want)
	}
}

// block compares all replicas with the core alone.
func (s *shared) block(alone *core.State) {
	s.start()
	data := alone.View().Snapshot()
	data.Now = max(data.Now, s.from) // the first tick of an owner
	want, err := wire.Hash(data)
	if err != nil {
		s.t.Fatal(err)
	}
	config, err := wire.HashConfig(*alone.View().Config())
	if err != nil {
		s.t.Fatal(err)
	}
	want = fmt.Sprintf("%.32s%.32s", want, config)
	for i, r := range s.radios {
		var got string
		until(s.t, fmt.Sprintf("node %d is as the core alone", i), func() bool {
			if _, got, err = r.Hash(s.t.Context()); err != nil {
				s.t.Fatal(err)
			}
			return got == want
		})
	}
	s.blocks++
	s.compare("at the end of a block")
}

// compare compares the events since the last time.
func (s *shared) compare(when string) {
	if s.radios == nil {
		return
	}
	for i := range s.seen {
		until(s.t, "all events are there", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.seen[i]) >= len(s.told)
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.seen {
		if len(s.seen[i]) != len(s.told) {
			s.t.Fatalf("%s: node %d has %d events, the core alone %d", when, i, len(s.seen[i]), len(s.told))
		}
		for n, e := range s.told {
			if !reflect.DeepEqual(s.seen[i][n], e) {
				s.t.Fatalf("%s: node %d says\n%s\nthe core alone\n%s", when, i, scenario.Narrate(s.seen[i][n]), scenario.Narrate(e))
			}
		}
		s.seen[i] = nil
	}
	s.events += len(s.told)
	s.told = nil
}

// end closes the replicas, and judges what they have applied.
func (s *shared) end() {
	for _, r := range s.radios {
		if r != nil {
			r.Close()
		}
	}
	logs := map[string][]check.Applied{}
	for i, log := range s.applied {
		logs[fmt.Sprint("n", i)] = log
	}
	s.applied = nil
	if _, err := check.Orders(s.whole, logs); err != nil {
		s.t.Error(err)
	}
}
