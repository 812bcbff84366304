package voice

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster/check"
	"squelch/server/cluster/trial"
	"squelch/sfu"
)

// said is a frame that somebody has sent.
type said struct {
	by core.UserID
	at int64 // ms since the epoch
	// silent: it was sent after the key-up was refused, or after the key was released.
	silent bool
}

// TestNobodyIsHeardWithoutAFloor: a user of each node wants the same channel, and sends frames
// whether it has the floor or not. The node that decides dies meanwhile. Whatever is heard, at
// any node, was said by somebody who held the floor then.
func TestNobodyIsHeardWithoutAFloor(t *testing.T) {
	all := replicas(t)
	owner := slices.IndexFunc(all, func(r *replica) bool { return r.radio.Owns() })
	patrol := trial.Frequency(3)
	ears := make([]*ear, len(all))
	for i, r := range all {
		u := core.UserID(-1 - i)
		ears[i] = &ear{user: u}
		r.sfu.Attach(u, ears[i])
		r.do(core.Connect{Want: u, Owner: fmt.Sprint(u)}, core.JoinAsSpeaker{User: u, Frequency: patrol})
	}
	for _, r := range all {
		until(t, r.node.Name()+" receives the channel", func() bool { return r.voice.Stats().Channels == 1 })
	}

	var mu sync.Mutex
	sent := map[string]said{}
	granted, refused := map[core.UserID]int{}, 0
	say := func(i int, silent bool) {
		u := core.UserID(-1 - i)
		for range 3 {
			mu.Lock()
			text := fmt.Sprintf("%08d", len(sent)) // as base64 goes, eight characters are six bytes
			sent[text] = said{u, time.Now().UnixMilli(), silent}
			mu.Unlock()
			all[i].sfu.Publish(&sfu.Frame{Talker: u, Text: text})
			time.Sleep(5 * time.Millisecond)
		}
	}
	over := make(chan struct{})
	var talkers sync.WaitGroup
	for i, r := range all {
		talkers.Go(func() {
			u := core.UserID(-1 - i)
			for {
				select {
				case <-over:
					return
				default:
				}
				out, err := r.order(core.KeyUp{User: u})
				has := slices.ContainsFunc(out.Events, func(e core.Event) bool {
					taken, is := e.Fact.(core.FloorTaken)
					return is && taken.User == u
				})
				mu.Lock()
				if has {
					granted[u]++
				} else if err == nil {
					refused++
				}
				mu.Unlock()
				say(i, err == nil && !has) // after an error it is not known
				if _, err := r.order(core.KeyDown{User: u}); err == nil {
					say(i, true)
				}
			}
		})
	}
	each := func(than int) bool { // of those who are left
		mu.Lock()
		defer mu.Unlock()
		for i := range all {
			if i != owner && granted[core.UserID(-1-i)] < than {
				return false
			}
		}
		return refused >= than
	}
	until(t, "each has talked, and was refused", func() bool { return each(10) })
	all[owner].node.Mesh.Close()
	mu.Lock()
	than := max(granted[-1], granted[-2], granted[-3]) + 10
	mu.Unlock()
	until(t, "those who are left go on", func() bool { return each(than) })
	close(over)
	talkers.Wait()

	logs := map[string][]check.Applied{}
	for _, r := range all {
		r.mu.Lock()
		logs[r.node.Name()] = slices.Clone(r.log)
		r.mu.Unlock()
	}
	report, err := check.Orders(wire.Start{Config: trial.Config(10)}, logs)
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for i, e := range ears {
		for _, h := range e.heard() {
			s := sent[h.text]
			switch err := report.Floors[all[i].node.Name()].Frame(s.at, h.from, h.on, 50); {
			case s.by != h.from:
				t.Errorf("%s heard frame %s of %d, which %d has sent", all[i].node.Name(), h.text, h.from, s.by)
			case s.silent:
				t.Errorf("%s heard frame %s of %d, who had no floor", all[i].node.Name(), h.text, h.from)
			case err != nil:
				t.Errorf("%s: %v", all[i].node.Name(), err)
			default:
				judged++
			}
		}
	}
	if judged < 50 {
		t.Errorf("only %d frames were heard", judged)
	}
	t.Logf("%d frames were sent, %d heard, all with a floor; %d key-ups were refused", len(sent), judged, refused)
}
