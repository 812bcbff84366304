//go:build unix && !race

package voice

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"squelch/core"
	"squelch/sfu"
)

// BenchmarkTalkers is voice on three nodes, joined by the real thing on loopback: each talker
// has a channel, a listener beside it and one on each other node, and says 120 bytes every 20 ms
// for each round. It prints how long a frame takes from the media plane of one node to a
// listener's sink on another, and what the process takes for each frame that comes to a node.
//
//	go test ./server/cluster/voice -run XXX -bench Talkers -benchtime 500x
func BenchmarkTalkers(b *testing.B) {
	for _, talkers := range []int{20, 100} {
		b.Run(strconv.Itoa(talkers), func(b *testing.B) { benchTalkers(b, talkers) })
	}
}

func benchTalkers(b *testing.B, talkers int) {
	nodes := start(b, 3)
	var mu sync.Mutex
	var took []time.Duration
	began := time.Now()
	frame := func() []byte {
		p := append(make([]byte, 0, 120), 31<<3)
		p = append(p, fmt.Sprintf("%019d", time.Since(began))...)
		return p[:120]
	}
	at := func(m *sfu.Message) {
		sent, err := strconv.ParseInt(string(m.Bytes()[1:20]), 10, 64)
		if err != nil {
			b.Error(err)
		}
		d := time.Since(began) - time.Duration(sent)
		mu.Lock()
		defer mu.Unlock()
		took = append(took, d)
	}
	channel := func(i int) core.Frequency { return many + core.Frequency(i)*12_500 }
	for i := range talkers {
		for k, n := range nodes {
			e := n.user(core.UserID(-1-3*i-k), channel(i))
			if k != i%3 {
				e.at = at
			}
		}
		home := nodes[i%3]
		home.do(core.KeyUp{User: core.UserID(-1 - 3*i - i%3), Frequency: channel(i)})
	}
	settled(b, nodes...)
	say := func(i int) {
		nodes[i%3].sfu.Publish(&sfu.Frame{Talker: core.UserID(-1 - 3*i - i%3), Keyed: channel(i), Payload: frame()})
	}
	before := cpuTime()
	from := time.Now()
	rounds := 0
	for b.Loop() {
		next := from.Add(time.Duration(rounds) * 20 * time.Millisecond)
		for i := range talkers { // spread over the 20 ms
			if pause := time.Until(next.Add(time.Duration(i) * 20 * time.Millisecond / time.Duration(talkers))); pause > time.Millisecond/4 {
				time.Sleep(pause)
			}
			say(i)
		}
		rounds++
	}
	want := 2 * talkers * rounds
	until(b, "all is heard", func() bool { mu.Lock(); defer mu.Unlock(); return len(took) >= want })
	used := cpuTime() - before
	mu.Lock()
	defer mu.Unlock()
	if len(took) != want {
		b.Errorf("%d frames were heard, not %d", len(took), want)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
	b.ReportMetric(float64(used.Microseconds())/float64(want), "cpu-µs/frame")
	b.ReportMetric(0, "ns/op")
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(syscall.TimevalToNsec(r.Utime) + syscall.TimevalToNsec(r.Stime))
}

// BenchmarkIdleRadio is the memory that a radio without users takes here.
//
//	go test ./server/cluster/voice -run XXX -bench IdleRadio -benchtime 200x
func BenchmarkIdleRadio(b *testing.B) {
	all := meshes(b, 3)
	memory := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	media := sfu.New(sfu.Options{})
	b.Cleanup(media.Close)
	before := memory()
	n := 0
	for b.Loop() {
		n++
		v, err := Open(Options{Conn: all[0].Voice, Radio: strconv.Itoa(n), Node: "n", Media: media})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(v.Close)
	}
	b.ReportMetric(float64(int64(memory()-before))/float64(n)/1024, "KiB/radio")
	b.ReportMetric(0, "ns/op")
}
