package voice

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/sfu"
	"squelch/sfu/client"
)

// console is a WebRTC client on a node.
type console struct {
	*client.Client
	mu  sync.Mutex
	all []client.Received
}

func (c *console) hear(r client.Received) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, r)
}

func (c *console) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// console attaches a WebRTC client to this node, tuned to a channel.
func (n *node) console(id core.UserID, f core.Frequency) *console {
	n.t.Helper()
	if n.sfu.Address() == "" {
		if err := n.sfu.Listen(sfu.Network{UDP: "127.0.0.1:0"}); err != nil {
			n.t.Fatal(err)
		}
	}
	n.do(core.Connect{Want: id, Owner: id.String()}, core.JoinAsSpeaker{User: id, Frequency: f})
	c := &console{}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	c.Client, err = client.Dial(ctx, client.Options{ID: id, Loopback: true, Heard: c.hear}, func(ctx context.Context, offer string) (string, error) {
		return n.sfu.Answer(ctx, id, offer, sfu.PeerEvents{})
	})
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(c.Close)
	return c
}

// TestWebRTCAcrossNodes: a console on one node talks to a console and a legacy client on two
// others, and a legacy client talks to the consoles. Payloads are those that were sent, and the
// numbers of the packets have no gaps.
func TestWebRTCAcrossNodes(t *testing.T) {
	nodes := start(t, 3)
	a, b, c := nodes[0], nodes[1], nodes[2]
	talker, listener := a.console(-1, patrol), c.console(-3, patrol)
	old := b.user(-2, patrol)
	settled(t, nodes...)
	a.do(core.KeyUp{User: -1, Frequency: patrol})
	settled(t, nodes...)
	const frames = 50
	packet := func(n int) []byte { return append([]byte{31 << 3}, fmt.Sprintf("packet %06d of the talk", n)...) }
	for n := range frames {
		if err := talker.Send(packet(n)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	until(t, "the console hears all", func() bool { return listener.count() == frames })
	until(t, "the legacy client hears all", func() bool { return len(old.heard()) == frames })
	listener.mu.Lock()
	first := listener.all[0]
	for n, r := range listener.all {
		if r.Talker != -1 || string(r.Payload) != string(packet(n)) || r.Sequence != first.Sequence+uint16(n) || r.Timestamp != first.Timestamp+uint32(n)*960 || r.Marker != (n == 0) {
			t.Fatalf("packet %d: %+v", n, r)
		}
	}
	listener.mu.Unlock()
	for n, x := range old.texts() {
		if x != base64.StdEncoding.EncodeToString(packet(n)) {
			t.Fatalf("frame %d is %q", n, x)
		}
	}
	a.do(core.KeyDown{User: -1})
	settled(t, nodes...)
	b.do(core.KeyUp{User: -2, Frequency: patrol})
	settled(t, nodes...)
	b.say(-2, patrol, words(0, frames)...)
	// On a machine that stands still meanwhile, some come too late and are dropped.
	until(t, "the console hears the legacy client", func() bool {
		return listener.count()+int(c.sfu.Stats().Channels[0].Dropped) == 2*frames && listener.count() > frames
	})
	listener.mu.Lock()
	said := words(0, frames)
	for n, r := range listener.all[frames:] {
		i := slices.Index(said, base64.StdEncoding.EncodeToString(r.Payload))
		if r.Talker != -2 || i < 0 {
			t.Fatalf("packet %d: %+v", n, r)
		}
		said = said[i+1:]
	}
	listener.mu.Unlock()
}

// TestADigitalChannelAcrossNodes: a P25 client and a plain one on each node hear the same.
func TestADigitalChannelAcrossNodes(t *testing.T) {
	nodes := start(t, 2)
	a, b := nodes[0], nodes[1]
	a.user(-1, digital1)
	var p25, plain []*ear
	for i, n := range nodes {
		p25 = append(p25, n.user(core.UserID(-10-i), digital1))
		plain = append(plain, n.user(core.UserID(-20-i), digital1))
		n.sfu.AcceptIMBE(core.UserID(-10-i), true)
	}
	settled(t, nodes...)
	a.do(core.KeyUp{User: -1, Frequency: digital1})
	const frames = 25
	silence := base64.StdEncoding.EncodeToString([]byte{31 << 3, 0xff, 0xfe})
	for range frames {
		a.say(-1, digital1, silence)
	}
	for _, all := range [][]*ear{p25, plain} {
		until(t, "both hear all", func() bool { return len(all[0].heard()) == frames && len(all[1].heard()) == frames })
		if !slices.Equal(all[0].heard(), all[1].heard()) {
			t.Error("they do not hear the same")
		}
	}
	if !p25[1].heard()[0].imbe || plain[1].heard()[0].imbe {
		t.Error("the P25 client did not get IMBE, or the plain one did")
	}
	if n := b.sfu.Totals().Encoded; n != frames {
		t.Errorf("%d frames were encoded %d times", frames, n)
	}
}

// TestMembershipDecidesWhatANodeReceives: before anybody keys, and after each change.
func TestMembershipDecidesWhatANodeReceives(t *testing.T) {
	nodes := start(t, 2)
	a, b := nodes[0], nodes[1]
	receives := func(what string, want ...core.Frequency) {
		t.Helper()
		until(t, what, func() bool {
			b.voice.mu.Lock()
			defer b.voice.mu.Unlock()
			if len(b.voice.on) != len(want) {
				return false
			}
			for _, f := range want {
				if b.voice.on[f] == nil {
					return false
				}
			}
			return true
		})
	}
	a.user(-1, fire)
	e := b.user(-2, patrol)
	receives("its channel", patrol)
	b.do(core.StartScan{User: -2, Frequency: tac})
	receives("what it scans", patrol, tac)
	a.do(core.CreatePatch{Frequencies: []core.Frequency{patrol, fire}})
	receives("what is patched to it", patrol, tac, fire)
	a.do(core.RemovePatch{ID: "p-1"})
	b.do(core.StopScan{User: -2, Frequency: tac}, core.Follow{User: -2, Target: -1})
	receives("whom it follows", patrol, fire)
	a.do(core.KeyUp{User: -1, Frequency: digital1})
	receives("where that one keys", patrol, fire, digital1)
	a.do(core.KeyDown{User: -1})
	b.do(core.Unfollow{User: -2, Target: -1}, core.Start3D{User: -2, Frequency: tac})
	receives("what it overhears", patrol, tac)
	b.do(core.Stop3D{User: -2, Frequency: tac})
	receives("only its channel", patrol)
	b.sfu.Detach(-2, e)
	receives("nothing, for nobody is here")
	b.sfu.Attach(-2, e)
	receives("its channel again", patrol)
	b.voice.SetAll(true)
	until(t, "all", func() bool { return b.voice.Stats().Channels == 104 })
	b.voice.SetAll(false)
	receives("its own", patrol)
}

// TestANodeThatRecordsGetsAll: also where only users of another node are, at once; and when it
// dies without a word, after a while no longer.
func TestANodeThatRecordsGetsAll(t *testing.T) {
	nodes := start(t, 2)
	a, b := nodes[0], nodes[1]
	a.user(-1, patrol)
	a.user(-2, patrol)
	settled(t, nodes...)
	a.do(core.KeyUp{User: -1, Frequency: patrol})
	a.say(-1, patrol, words(0, 1)...)
	if st := a.voice.Stats(); st.Sent != 0 {
		t.Errorf("a frame was sent that nobody wants: %+v", st)
	}
	b.voice.SetAll(true)
	settled(t, nodes...)
	a.say(-1, patrol, words(0, 5)...)
	until(t, "it gets them", func() bool { return b.voice.Stats().Far.Taken == 5 })
	// One that starts later asks who records.
	again, err := Open(Options{Conn: a.mesh.Voice, Radio: "county", Node: "late", Media: a.sfu})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	a.voice.o.Media.CarryAll(false)
	until(t, "the late one knows", func() bool { again.mu.Lock(); defer again.mu.Unlock(); return len(again.wanted) == 1 })
	again.Close()

	b.voice.all.Store(false) // it dies
	until(t, "it is forgotten", func() bool { a.voice.mu.Lock(); defer a.voice.mu.Unlock(); return len(a.voice.wanted) == 0 })
}

// TestTwoRadiosOnTheSameNodes: one's voice is not heard on the other, though users and channels
// have the same names.
func TestTwoRadiosOnTheSameNodes(t *testing.T) {
	all := meshes(t, 2)
	one, other := join(t, "county", all), join(t, "County.*", all)
	var ears []*ear
	for _, nodes := range [][]*node{one, other} {
		nodes[0].user(-1, patrol)
		ears = append(ears, nodes[1].user(-2, patrol))
		nodes[0].do(core.KeyUp{User: -1, Frequency: patrol})
		settled(t, nodes...)
	}
	one[0].say(-1, patrol, words(0, 10)...)
	other[0].say(-1, patrol, words(50, 60)...)
	for i, from := range []int{0, 50} {
		until(t, "it hears its own", func() bool { return len(ears[i].heard()) >= 10 })
		if got := ears[i].texts(); !slices.Equal(got, words(from, from+10)) {
			t.Errorf("radio %d heard %q", i, got)
		}
	}
}
