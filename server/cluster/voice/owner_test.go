package voice

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/check"
	"squelch/server/cluster/trial"
	"squelch/server/engine"
	"squelch/server/internal/loopback"
	"squelch/sfu"
)

// replica is a radio on a node of a real cluster, with its media plane.
type replica struct {
	t     *testing.T
	node  *trial.Node
	radio *trial.Radio
	sfu   *sfu.SFU
	voice *Voice

	mu  sync.Mutex
	log []check.Applied
}

// note keeps what this replica applies, for the judge.
func (r *replica) note(s *engine.Step) {
	a := check.Applied{Epoch: s.Epoch, Seq: s.Seq, Start: s.Snapshot}
	if s.Snapshot == nil {
		order := s.Order
		a.Order = &order
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, a)
}

func (r *replica) order(c core.Command) (core.Output, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return r.radio.Do(ctx, core.Actor{Surface: core.ByLua}, c)
}

func (r *replica) do(commands ...core.Command) {
	r.t.Helper()
	for _, c := range commands {
		if _, err := r.order(c); err != nil {
			r.t.Fatalf("%s: %T%+v: %v", r.node.Name(), c, c, err)
		}
	}
}

// replicas puts a radio on three nodes.
func replicas(t *testing.T) (all []*replica) {
	ports, err := loopback.Ports(3)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := trial.Three(context.Background(), ports, []string{t.TempDir(), t.TempDir(), t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for _, n := range nodes {
		r := &replica{t: t, node: n, sfu: sfu.New(sfu.Options{})}
		all = append(all, r)
		r.voice, err = Open(Options{Conn: n.Mesh.Voice, Radio: "county", Node: n.Name(), Media: r.sfu, Logf: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			var err error
			if r.radio, err = n.Radio(context.Background(), trial.RadioOptions{Name: "county", Start: wire.Start{Config: trial.Config(10)}, Step: func(s *engine.Step) {
				r.note(s)
				if s.Output.Routes != nil || s.Snapshot != nil {
					r.sfu.SetRoutes(s.View.Routes())
				}
				if moves(s) {
					r.voice.Attached()
				}
			}}); err != nil {
				t.Error(err)
				return
			}
			r.voice.begin(r.radio.Engine)
		})
	}
	wait.Wait()
	t.Cleanup(func() {
		for _, r := range all {
			r.voice.Close()
			if r.radio != nil {
				r.radio.Close()
			}
			r.node.Close()
			r.sfu.Close()
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// TestATalkGoesOnWhileTheOwnerDies: the node that decides dies in the midst of a talk between the
// two others. No frame of it is lost, and those who key afterwards are heard across nodes.
func TestATalkGoesOnWhileTheOwnerDies(t *testing.T) {
	all := replicas(t)
	owner := slices.IndexFunc(all, func(r *replica) bool { return r.radio.Owns() })
	if owner < 0 {
		t.Fatal("nobody owns the radio")
	}
	dead, a, b := all[owner], all[(owner+1)%3], all[(owner+2)%3]
	patrol := trial.Frequency(3)
	ears := map[*replica]*ear{}
	for i, r := range []*replica{a, b, dead} {
		id := core.UserID(-1 - i)
		ears[r] = &ear{user: id}
		r.sfu.Attach(id, ears[r])
		r.do(core.Connect{Want: id, Owner: fmt.Sprint(id)}, core.JoinAsSpeaker{User: id, Frequency: patrol})
	}
	for _, r := range all {
		until(t, r.node.Name()+" receives the channel", func() bool { return r.voice.Stats().Channels == 1 })
	}
	until(t, "the listeners hear the talker", func() bool {
		a.do(core.KeyUp{User: -1})
		a.sfu.Publish(&sfu.Frame{Talker: -1, Text: "b25l"})
		time.Sleep(20 * time.Millisecond)
		return len(ears[b].heard()) > 0 && len(ears[dead].heard()) > 0
	})
	ears[b].mu.Lock()
	ears[b].all = nil
	var last time.Time
	var longest time.Duration
	ears[b].at = func(*sfu.Message) {
		now := time.Now()
		if !last.IsZero() {
			longest = max(longest, now.Sub(last))
		}
		last = now
	}
	ears[b].mu.Unlock()
	say := words(0, 150)
	for i, x := range say {
		if i == 30 {
			go dead.node.Mesh.Close()
		}
		a.sfu.Publish(&sfu.Frame{Talker: -1, Text: x})
		time.Sleep(20 * time.Millisecond)
	}
	until(t, "all is heard", func() bool { return len(ears[b].heard()) >= len(say) })
	if got := ears[b].texts(); !slices.Equal(got, say) {
		t.Errorf("%d frames of %d were heard", len(got), len(say))
	}
	ears[b].mu.Lock()
	t.Log("the longest gap was", longest)
	ears[b].at = nil
	ears[b].mu.Unlock()

	until(t, "another owns the radio", func() bool { return a.radio.Owns() || b.radio.Owns() })
	a.do(core.KeyDown{User: -1})
	b.do(core.KeyUp{User: -2})
	until(t, "those who key afterwards are heard", func() bool {
		b.sfu.Publish(&sfu.Frame{Talker: -2, Text: "dHdv"})
		time.Sleep(20 * time.Millisecond)
		return slices.Contains(ears[a].texts(), "dHdv")
	})
}
