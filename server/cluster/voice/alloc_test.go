//go:build !race

package voice

import (
	"testing"

	"squelch/sfu"
)

// The race detector allocates itself, and empties pools, so this test runs only without it.
func TestSendingAllocatesNothing(t *testing.T) {
	v := &Voice{queue: make(chan *message, queueFrames)}
	v.memo.New = func() any { return new(message) }
	for name, c := range map[string]sfu.Crossing{
		"packet": {Talker: -1, Keyed: patrol, Talk: 1, Payload: make([]byte, 100), Comes: true, Turn: true, Timed: true, Counted: true},
		"text":   {Talker: -1, Keyed: patrol, Talk: 1, Text: words(0, 1)[0] + words(0, 1)[0], Comes: true, Turn: true},
	} {
		if n := testing.AllocsPerRun(10_000, func() {
			v.Away(c)
			m := <-v.queue
			v.waiting.Add(-int64(len(m.bytes)))
			v.put(m)
		}); n > 0.01 { // the pool is emptied now and then
			t.Errorf("%v allocations per %s", n, name)
		}
	}
}

// BenchmarkAway is what a frame that crosses costs the goroutine that forwards it.
func BenchmarkAway(b *testing.B) {
	for name, c := range map[string]sfu.Crossing{
		"packet": {Talker: -1, Keyed: patrol, Talk: 1, Payload: make([]byte, 120), Comes: true, Turn: true, Timed: true, Counted: true},
		"text":   {Talker: -1, Keyed: patrol, Talk: 1, Text: text160, Comes: true, Turn: true},
	} {
		b.Run(name, func(b *testing.B) {
			v := &Voice{queue: make(chan *message, 1)}
			v.memo.New = func() any { return new(message) }
			b.ReportAllocs()
			for b.Loop() {
				v.Away(c)
				m := <-v.queue
				v.waiting.Add(-int64(len(m.bytes)))
				v.put(m)
			}
		})
	}
}

// text160 is 120 bytes as a legacy client writes them.
const text160 = "+AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ubw=="
