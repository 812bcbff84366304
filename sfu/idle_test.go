package sfu

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/sfu/client"
)

// clientsEnv makes a copy of the test program be that many clients, controlEnv such with a
// data channel.
const (
	clientsEnv = "SFU_TEST_CLIENTS"
	controlEnv = "SFU_TEST_CONTROL"
)

// cost is what an idle peer may cost.
type cost struct {
	goroutines float64
	bytes      int64
}

// With a data channel there is an association: pion's has four goroutines, to read, write,
// keep time and accept channels, and its owner one that receives.
var idleCosts, idleControlCosts = map[Engine]cost{OneSocket: {0.1, 48 << 10}, Pion: {13, 190 << 10}},
	map[Engine]cost{OneSocket: {9, 96 << 10}, Pion: {18, 210 << 10}}

// beClients connects clients one after the other, with offers on standard output and
// answers on standard input, one JSON string a line. It keeps them connected until
// standard input ends.
func beClients() int {
	n, _ := strconv.Atoi(os.Getenv(clientsEnv))
	o := client.Options{Loopback: true}
	if os.Getenv(controlEnv) != "" {
		o.Control = func([]byte) {}
	}
	out, in := json.NewEncoder(os.Stdout), json.NewDecoder(bufio.NewReader(os.Stdin))
	var mu sync.Mutex
	var done sync.WaitGroup
	var failed atomic.Bool
	for range n {
		done.Go(func() {
			_, err := client.Dial(context.Background(), o, func(_ context.Context, offer string) (answer string, err error) {
				mu.Lock()
				defer mu.Unlock()
				if err := out.Encode(offer); err != nil {
					return "", err
				}
				err = in.Decode(&answer)
				return answer, err
			})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				failed.Store(true)
			}
		})
	}
	done.Wait()
	if failed.Load() {
		return 1
	}
	if err := out.Encode("connected"); err != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// costs is how many goroutines and bytes this process has.
func costs() (goroutines int, bytes uint64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc + m.StackInuse
}

// clients connects a crowd of another process to users -1, -2, ….
func (r *radio) clients(n int) { r.clientsWith(n, PeerEvents{}) }

func (r *radio) clientsWith(n int, events PeerEvents) {
	t := r.t
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), clientsEnv+"="+strconv.Itoa(n))
	if events.Control != nil {
		cmd.Env = append(cmd.Env, controlEnv+"=yes")
	}
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the clients: %v", err)
		}
	})
	out, in := json.NewEncoder(stdin), json.NewDecoder(stdout)
	for id := range core.UserID(n) {
		var offer string
		if err := in.Decode(&offer); err != nil {
			t.Fatal(err)
		}
		a, err := r.sfu.Answer(t.Context(), -1-id, offer, events)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	var last string
	if err := in.Decode(&last); err != nil || last != "connected" {
		t.Fatalf("%q, %v", last, err)
	}
	wait(func() bool { return r.connected() == n })
}

func TestWhatAnIdlePeerCosts(t *testing.T) { idlePeers(t, PeerEvents{}, idleCosts[carrier]) }

func TestWhatAnIdlePeerWithADataChannelCosts(t *testing.T) {
	receive := func(end *Control) {
		for {
			if _, err := end.Receive(); err != nil {
				return
			}
		}
	}
	idlePeers(t, PeerEvents{Control: receive}, idleControlCosts[carrier])
}

func idlePeers(t *testing.T, events PeerEvents, limit cost) {
	const peers = 40
	r := onAir(t, Options{})
	r.listenOn(Network{UDP: "127.0.0.1:0"})
	g0, b0 := costs()
	r.clientsWith(peers, events)
	// The goroutines of the handshakes end a little later.
	wait(func() bool { return float64(runtime.NumGoroutine()-g0) <= peers*limit.goroutines })
	g1, b1 := costs()
	if n := r.connected(); n != peers {
		t.Fatalf("%d of %d are connected", n, peers)
	}
	goroutines, bytes := float64(g1-g0)/peers, int64(b1-b0)/peers
	t.Logf("%s: an idle peer costs %.1f goroutines and %d KiB", carrier, goroutines, bytes>>10)
	if goroutines > limit.goroutines+0.5 { // the program has some of its own
		t.Errorf("an idle peer costs %.1f goroutines, more than %.1f", goroutines, limit.goroutines)
	}
	if !raced && bytes > limit.bytes {
		t.Errorf("an idle peer costs %d bytes, more than %d", bytes, limit.bytes)
	}
}

func BenchmarkFanOut(b *testing.B) {
	const peers = 100
	r := onAir(b, Options{Heard: func(core.UserID, core.Frequency) {}})
	r.listenOn(Network{UDP: "127.0.0.1:0"})
	r.clients(peers)
	for id := range core.UserID(peers) {
		r.tune(-1-id, patrol)
	}
	r.tune(-5000, patrol)
	r.sfu.Attach(-5000, &deafEar{})
	r.key(-5000, patrol)
	f := &Frame{Talker: -5000, Payload: append([]byte{31 << 3}, make([]byte, 79)...), timed: true}
	b.ReportAllocs()
	for b.Loop() {
		f.timestamp += 960
		r.sfu.Publish(f)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/peers, "ns/packet")
}

type deafEar struct{}

func (*deafEar) Send(*Message) {}

// connected counts the peers that are up.
func (r *radio) connected() (n int) {
	for _, p := range r.sfu.Stats().Peers {
		if p.Connected {
			n++
		}
	}
	return n
}

func TestVoiceOverTCPWhereUDPIsBlocked(t *testing.T) {
	r := onAir(t, Options{})
	r.listenOn(Network{UDP: "127.0.0.1:0", TCP: "127.0.0.1:0"})
	r.tune(-1, patrol)
	r.tune(-2, patrol)
	talker := r.console(-1, client.Options{Loopback: true})
	listener := r.console(-2, client.Options{Loopback: true, TCP: true})
	wait(func() bool { return r.connected() == 2 })
	r.key(-1, patrol)
	talker.say(t, 1, 0, 25)
	r.release(-1)
	r.key(-2, patrol)
	listener.say(t, 2, 0, 25)
	arrived := func(c *console, from core.UserID, burst int) bool { return len(c.heardOf(from, burst)) == 25 }
	wait(func() bool { return arrived(listener, -1, 1) && arrived(talker, -2, 2) })
	listener.wantHeard(t, "over TCP", -1, 1, 0, 25)
	talker.wantHeard(t, "from TCP", -2, 2, 0, 25)
}

// wait gives something on a real network time to happen. The checks after it say what
// did not happen.
func wait(done func() bool) {
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

var errNoAnswer = errors.New("no answer wanted")

func TestThePublicAddressIsTheOneThatClientsAreTold(t *testing.T) {
	r := onAir(t, Options{})
	r.listenOn(Network{UDP: "127.0.0.1:0", TCP: "127.0.0.1:0", PublicAddresses: []string{"198.51.100.4"}})
	var sdp string
	_, err := client.Dial(t.Context(), client.Options{Loopback: true}, func(ctx context.Context, offer string) (string, error) {
		var err error
		sdp, err = r.sfu.Answer(ctx, -1, offer, PeerEvents{})
		return "", errors.Join(errNoAnswer, err)
	})
	if !errors.Is(err, errNoAnswer) {
		t.Fatal(err)
	}
	candidates := 0
	for line := range strings.Lines(sdp) {
		if strings.HasPrefix(line, "a=candidate:") {
			candidates++
			if !strings.Contains(line, "198.51.100.4") || strings.Contains(line, "127.0.0.1") {
				t.Errorf("the client is told %s", line)
			}
		}
	}
	if candidates < 2 {
		t.Errorf("%d addresses, want one for UDP and one for TCP", candidates)
	}
}
