package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// abuseVariable makes the attacks longer; `just test-long` sets it.
	abuseVariable = "SQUELCH_ABUSE"
	abuseTime     = 6 * time.Second
	// attackers is how many attacks run at once.
	attackers = 6
	// The least that counts as an attack: how often each kind has run and, for an insider,
	// how often it was let in and recovered. A slow machine gets up to ten times the time.
	leastOfEach, leastLet, leastRecovered = 3, 50, 5
	// A key-up by the others must be granted while the attack goes on; whether that was
	// quick is polled ten times, every tenth of a second.
	keyUpWithin = 10 * 100 * time.Millisecond
	// maxResident is the most memory that the service, including the race detector, may
	// have used; an attack that is not bounded exceeds it in seconds.
	maxResident = 900 << 20
	// What may be left when it is over: caches, pools and books of addresses.
	heapLeft, goroutinesLeft = 32 << 20, 40
)

// attack is a way to be a nuisance. It runs again and again until the attack is over;
// its error is what went wrong for the others.
type attack func(e *enemy) error

func TestAStrangerDisturbsNobody(t *testing.T) { abused(t, "127.0.0.2", false, strangerAttacks) }

func TestADispatcherGoneMadDisturbsNobody(t *testing.T) { abused(t, "127.0.0.3", true, insiderAttacks) }

// abused lets an enemy attack the service while others work on it.
func abused(t *testing.T, from string, insider bool, attacks map[string]attack) {
	t.Setenv("SQUELCH_INSPECT", filepath.Join(t.TempDir(), "inspect"))
	s := start(t, "Config.limits = { pingInterval = 20000, pingTimeout = 20000 }") // the defaults, but for a machine that does ten things at once
	office := newOffice(s)
	defer office.close()
	e := newEnemy(s, from, office)
	if insider {
		e.by = s.login("MAD")
	}
	office.round(0) // warm
	before := s.inspect()

	over := make(chan struct{})
	var hands sync.WaitGroup
	counts, names := map[string]*atomic.Int64{}, []string{}
	for name := range attacks {
		counts[name], names = new(atomic.Int64), append(names, name)
	}
	slices.Sort(names)
	for hand := range attackers {
		hands.Go(func() {
			for n := hand * len(names) / attackers; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				name := names[n%len(names)]
				if err := attacks[name](e); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				counts[name].Add(1)
			}
		})
	}
	attacked := func() bool {
		for _, n := range counts {
			if n.Load() < leastOfEach {
				return false
			}
		}
		return !insider || e.let.Load() >= leastLet && e.recovered.Load() >= leastRecovered
	}
	rounds, begun, asked := 0, time.Now(), attackTime(t)
	for time.Since(begun) < asked || rounds < 20 || !attacked() && !t.Failed() && time.Since(begun) < 10*asked {
		rounds++
		office.round(rounds)
	}
	close(over)
	hands.Wait()
	e.leave()
	for _, name := range names {
		t.Logf("%6d times %s", counts[name].Load(), name)
		if counts[name].Load() < leastOfEach {
			t.Errorf("only %d times %s", counts[name].Load(), name)
		}
	}
	t.Logf("let in %d times, recovered %d times", e.let.Load(), e.recovered.Load())
	if insider && (e.let.Load() < leastLet || e.recovered.Load() < leastRecovered) || !insider && e.let.Load() > 0 {
		t.Error("that is not the attack it was meant to be")
	}
	office.round(rounds + 1)
	office.undisturbed(rounds)
	s.bounded(before)
}

func attackTime(t *testing.T) time.Duration {
	text := os.Getenv(abuseVariable)
	if text == "" {
		return abuseTime
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", abuseVariable, err)
	}
	return d
}

// used is what the service uses after a collection.
type used struct{ Heap, Goroutines int }

func (s *service) inspect() (u used) {
	s.t.Helper()
	conn, err := net.Dial("unix", os.Getenv("SQUELCH_INSPECT"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	if err := json.NewDecoder(conn).Decode(&u); err != nil {
		s.t.Fatal(err)
	}
	return u
}

// bounded waits until nothing is left of the attack.
func (s *service) bounded(before used) {
	s.t.Helper()
	var after used
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		after = s.inspect()
		if after.Heap < before.Heap+heapLeft && after.Goroutines < before.Goroutines+goroutinesLeft {
			break
		}
		if time.Now().After(end) {
			s.t.Errorf("before the attack %+v, after it %+v", before, after)
			break
		}
	}
	peak := s.peak()
	s.t.Logf("heap %d KiB before, %d KiB after; %d goroutines before, %d after; at most %d MiB resident",
		before.Heap>>10, after.Heap>>10, before.Goroutines, after.Goroutines, peak>>20)
	if peak > maxResident {
		s.t.Errorf("%d MiB were resident", peak>>20)
	}
}

// peak is the most memory that was resident; 0 if /proc does not say.
func (s *service) peak() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.Atoi(fields[0])
	return kib << 10
}
