package voice

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/sfu"
)

// TestAFloodIsDropped: a node that sends what it likes fills no memory here and delays nobody
// for long: what waits is bounded and counted.
func TestAFloodIsDropped(t *testing.T) {
	nodes := start(t, 2)
	a, b := nodes[0], nodes[1]
	a.user(-1, patrol)
	e := b.user(-2, patrol)
	settled(t, nodes...)
	a.do(core.KeyUp{User: -1, Frequency: patrol})
	settled(t, nodes...)
	var held sync.WaitGroup
	held.Add(1)
	var once sync.Once
	e.at = func(*sfu.Message) { once.Do(held.Wait) } // this node's listener stands still
	subject := a.voice.subject(patrol)
	talk := a.talk(-1, patrol)
	frame := appendFrame(nil, 77, &sfu.Crossing{Talker: -1, Talk: talk, Text: words(0, 1)[0], Comes: true, Turn: true})
	const messages = 20_000
	for n := range messages {
		m := frame
		switch n % 4 {
		case 1:
			m = []byte("no frame")
		case 2:
			m = make([]byte, 60_000)
		}
		if err := a.mesh.Voice.Publish(subject, m); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.mesh.Voice.Flush(); err != nil {
		t.Fatal(err)
	}
	until(t, "what is too much is dropped", func() bool {
		b.voice.mu.Lock()
		sub := b.voice.on[patrol]
		b.voice.mu.Unlock()
		waiting, bytes, err := sub.Pending()
		if err != nil || waiting > pendingFrames || bytes > pendingBytes+60_100 {
			t.Fatalf("%d messages, %d bytes wait (%v)", waiting, bytes, err)
		}
		return b.voice.Stats().Slow > messages/2
	})
	held.Done()
	until(t, "nothing waits", func() bool {
		st := b.voice.Stats()
		return st.Received+st.Slow == messages
	})
	st := b.voice.Stats()
	if st.Far.Taken+st.Far.Flooded+st.Malformed != st.Received || st.Malformed == 0 {
		t.Errorf("%+v", st)
	}
	before := len(e.heard())
	until(t, "the talker is heard again", func() bool {
		a.say(-1, patrol, words(1, 2)...)
		time.Sleep(20 * time.Millisecond)
		return len(e.heard()) > before
	})
}

// talk is core.Row.Talk of a talk.
func (n *node) talk(user core.UserID, keyed core.Frequency) (talk int) {
	n.t.Helper()
	if err := n.engine.View(n.t.Context(), func(v core.View) {
		if row, ok := v.Routes().Row(user, keyed); ok {
			talk = row.Talk
		}
	}); err != nil {
		n.t.Fatal(err)
	}
	return talk
}

// TestAConnectionThatStandsStillBlocksNobody: what the connection does not take is dropped and
// counted; the goroutine that forwards goes on.
func TestAConnectionThatStandsStillBlocksNobody(t *testing.T) {
	v := &Voice{queue: make(chan *message, queueFrames)}
	v.memo.New = func() any { return new(message) }
	c := sfu.Crossing{Talker: -1, Keyed: patrol, Talk: 1, Payload: make([]byte, 100), Comes: true, Turn: true}
	for range 3 * queueFrames {
		v.Away(c)
	}
	if n := v.queueFull.Load(); n != 2*queueFrames || len(v.queue) != queueFrames {
		t.Errorf("%d were dropped, %d wait", n, len(v.queue))
	}
	for len(v.queue) > 0 {
		v.waiting.Add(-int64(len((<-v.queue).bytes)))
	}
	if n := v.waiting.Load(); n != 0 {
		t.Errorf("%d bytes are counted in an empty queue", n)
	}
	c.Payload = make([]byte, 60_000)
	for range queueFrames {
		v.Away(c)
	}
	if v.waiting.Load() > queueBytes || len(v.queue) > queueBytes/60_000 {
		t.Errorf("%d bytes of %d frames wait", v.waiting.Load(), len(v.queue))
	}
	c.Payload = make([]byte, maxFrame)
	if v.Away(c); v.tooLong.Load() != 1 {
		t.Error("a frame that is too long waits")
	}
}

// TestALongTalk is a talk over two nodes with everything that goes on beside it: users come and
// go, channels are patched and unpatched, others key. No frame is lost or comes twice.
func TestALongTalk(t *testing.T) {
	nodes := start(t, 3)
	a, b, c := nodes[0], nodes[1], nodes[2]
	a.user(-1, patrol)
	ears := []*ear{b.user(-2, patrol), c.user(-3, patrol), a.user(-4, patrol)}
	settled(t, nodes...)
	a.do(core.KeyUp{User: -1, Frequency: patrol})
	settled(t, nodes...)
	var stop atomic.Bool
	var done sync.WaitGroup
	for i, n := range nodes {
		done.Go(func() {
			id := core.UserID(-50 - i)
			for k := 0; !stop.Load(); k++ {
				e := &ear{}
				n.sfu.Attach(id, e)
				_ = n.try(core.Connect{Want: id, Owner: id.String()})
				_ = n.try(core.JoinAsSpeaker{User: id, Frequency: many + core.Frequency(k%100)*12_500})
				_ = n.try(core.StartScan{User: id, Frequency: fire})
				_ = n.try(core.CreatePatch{Frequencies: []core.Frequency{tac, many + core.Frequency(i)*12_500}})
				_ = n.try(core.KeyUp{User: id})
				n.sfu.Publish(&sfu.Frame{Talker: id, Text: "b25l"})
				_ = n.try(core.KeyDown{User: id})
				_ = n.try(core.RemovePatch{ID: core.PatchID(k + 1)})
				_ = n.try(core.Unlink{User: id, Clean: true})
				n.sfu.Detach(id, e)
			}
		})
	}
	say := words(0, 200)
	for _, x := range say {
		a.say(-1, patrol, x)
		time.Sleep(10 * time.Millisecond)
	}
	stop.Store(true)
	done.Wait()
	for _, e := range ears {
		until(t, "all is heard", func() bool { return len(e.heard()) >= len(say) })
		if got := e.texts(); len(got) != len(say) {
			t.Errorf("%d frames were heard", len(got))
		} else {
			for i := range say {
				if got[i] != say[i] {
					t.Fatalf("frame %d is %q", i, got[i])
				}
			}
		}
	}
	settled(t, nodes...)
}
