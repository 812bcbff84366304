package sfu

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"squelch/core"
	"squelch/sfu/client"
)

func TestACrowdHearsEveryPacketOnceAndLeavesNothingBehind(t *testing.T) {
	inCity(t, func(t *testing.T, c *city, r *radio) {
		a, _ := c.dispatcher(r, -1, patrol)
		for id := range core.UserID(crowd) {
			r.tune(-1000-id, patrol)
		}
		round := 0
		wave := func() {
			round++
			var there []*console
			for id := range core.UserID(crowd) {
				there = append(there, r.connect(-1000-id, client.Options{Net: c.attach(fmt.Sprintf("10.0.%d.%d", 10+2*round+int(id/200), 1+id%200))}))
			}
			synctest.Wait()
			const frames = 50
			r.key(-1, patrol)
			a.say(t, 1, 0, frames)
			r.release(-1)
			for i, l := range there {
				got := l.all()
				if len(got) != frames {
					t.Fatalf("listener %d heard %d of %d", i, len(got), frames)
				}
				for n, p := range got {
					if _, m := spoken(p.Payload); m != n || p.Sequence != got[0].Sequence+uint16(n) {
						t.Fatalf("listener %d heard frame %d as the %dth", i, m, n)
					}
				}
			}
			for _, l := range there {
				l.Close()
			}
			time.Sleep(time.Minute)
			for id := range core.UserID(crowd) {
				r.sfu.ClosePeer(-1000 - id)
			}
			synctest.Wait()
		}
		rest := func() (goroutines int, heap uint64) {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return runtime.NumGoroutine(), m.HeapAlloc
		}
		wave() // pools fill
		g0, h0 := rest()
		wave()
		g1, h1 := rest()
		if g1 > g0 {
			t.Errorf("%d goroutines before a crowd of %d, %d after", g0, crowd, g1)
		}
		if perPeer := (int64(h1) - int64(h0)) / crowd; perPeer > 8<<10 {
			t.Errorf("every peer of the crowd left %d bytes behind", perPeer)
		}
		if st := r.sfu.Stats(); len(st.Peers) != 1 {
			t.Errorf("%d peers are left, want the talker", len(st.Peers))
		}
	})
}
