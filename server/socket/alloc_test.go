//go:build !race

package socket

import (
	"fmt"
	"testing"

	"squelch/core"
	"squelch/sfu"
)

// One more listener must not cost the relay an allocation. (The race detector
// allocates on its own, so this runs without it.)
func TestVoiceAllocatesNothingPerListener(t *testing.T) {
	frequency := must(core.ParseFrequency("154.755"))
	cost := map[int]float64{}
	for _, listeners := range []int{1, 16} {
		t.Run(fmt.Sprint(listeners), func(t *testing.T) {
			s := newStation(t, 100)
			talker := s.desk(-1).tuned()
			for i := range listeners {
				r := s.desk(-2 - i).tuned()
				go func() { // without allocating, because those of the whole process are counted
					heard := make([]byte, 4096)
					for {
						if _, err := r.conn.NetConn().Read(heard); err != nil {
							return
						}
					}
				}()
			}
			if got := talker.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
				t.Fatal(got)
			}
			f := &sfu.Frame{}
			cost[listeners] = testing.AllocsPerRun(300, func() {
				f.Reset()
				f.Talker, f.Keyed, f.Text = -1, frequency, "b25lIGZyYW1l"
				s.Media.Publish(f)
			})
			heard := uint64(0)
			for _, c := range s.Media.Stats().Channels {
				heard += c.Packets
			}
			if heard < 300 {
				t.Errorf("%d frames went out", heard)
			}
		})
	}
	if cost[16] != cost[1] || cost[1] == 0 {
		t.Errorf("one listener: %v allocations, 16: %v", cost[1], cost[16])
	}
}
