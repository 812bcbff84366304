package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
)

var north = core.Frequency(154_755_000)

func order(at int64, user core.UserID, c core.Command) *wire.Order {
	return &wire.Order{At: at, By: core.Actor{User: user, Surface: core.BySocket}, Command: c}
}

// said is a log in which two take turns on a channel.
func said() []Applied {
	var all []Applied
	for i, o := range []*wire.Order{
		order(1000, 7, core.Connect{Want: 7}), order(1001, 7, core.JoinAsSpeaker{User: 7, Frequency: north}),
		order(1002, 8, core.Connect{Want: 8}), order(1003, 8, core.JoinAsSpeaker{User: 8, Frequency: north}),
		order(1010, 7, core.KeyUp{User: 7}), order(1011, 8, core.KeyUp{User: 8}), order(1012, 7, core.KeyDown{User: 7}), order(1013, 8, core.KeyUp{User: 8}),
	} {
		all = append(all, Applied{Epoch: 1, Seq: uint64(i + 1), Order: o})
	}
	return all
}

func standard() wire.Start { return wire.Start{Config: scenario.Standard()} }

// TestGoodOrders are found right, and grants are in them.
func TestGoodOrders(t *testing.T) {
	r, err := Orders(standard(), map[string][]Applied{"a": said(), "b": said()[:5]})
	if err != nil || r.Orders != 8 || r.Grants < 2 || r.Epochs != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

// TestForgedOrders are found.
func TestForgedOrders(t *testing.T) {
	for name, forge := range map[string]func(all []Applied) []Applied{
		"two nodes have decided": func(all []Applied) []Applied { all[4].Order = order(1010, 8, core.KeyUp{User: 8}); return all },
		"earlier than the one":   func(all []Applied) []Applied { all[4].Order.At = 900; return all[4:] },
		"after order":            func(all []Applied) []Applied { return append(all[:3], all[4:]...) },
		"after epoch":            func(all []Applied) []Applied { all[2].Epoch = 9; return all },
	} {
		t.Run(name, func(t *testing.T) {
			good := said()
			forged := forge(said())
			if name == "earlier than the one" {
				forged = append(said()[:4], forged...)
				good = nil
			}
			if _, err := Orders(standard(), map[string][]Applied{"a": good, "b": forged}); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestTwoHolders: a radio that gives a held floor to another one is found.
func TestTwoHolders(t *testing.T) {
	f := NewFloors(true)
	grant := func(u core.UserID, override bool) error {
		return f.Step(1, core.KeyUp{User: u}, []core.Event{{Fact: core.FloorTaken{User: u, Frequency: north, Keyed: north, Override: override}}})
	}
	if err := grant(7, false); err != nil {
		t.Fatal(err)
	}
	if err := grant(8, true); err != nil {
		t.Error("an override:", err)
	}
	if grant(9, false) == nil {
		t.Error("a third one holds the floor")
	}
	f = NewFloors(true)
	f.Replace(5, []core.Talk{{User: 7, Frequency: north, Heard: []core.Frequency{north}}})
	if grant(8, false) == nil {
		t.Error("the holder that a snapshot brought is forgotten")
	}
}

// TestFrames: one before a talk, and one after it, is of somebody without a floor.
func TestFrames(t *testing.T) {
	f := NewFloors(true)
	taken := []core.Event{{Fact: core.FloorTaken{User: 7, Frequency: north, Keyed: north}}}
	if err := f.Step(1000, core.KeyUp{User: 7}, taken); err != nil {
		t.Fatal(err)
	}
	if err := f.Step(2000, core.KeyDown{User: 7}, []core.Event{{Fact: core.FloorReleased{User: 7, Frequency: north, Keyed: north, Reason: "released"}}}); err != nil {
		t.Fatal(err)
	}
	for at, right := range map[int64]bool{900: false, 990: true, 1500: true, 2010: true, 2100: false} {
		if err := f.Frame(at, 7, north, 20); (err == nil) != right {
			t.Errorf("at %d: %v", at, err)
		}
	}
	if f.Frame(1500, 8, north, 20) == nil || f.Frame(1500, 7, north+5000, 20) == nil {
		t.Error("a frame of somebody else, or on another channel")
	}
}

// TestStories: what the core does in its stories is right.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("../../../core/testdata/*.txt")
	if err != nil || len(files) < 40 {
		t.Fatalf("found %d stories (%v)", len(files), err)
	}
	grants := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var log []Applied
		judge := func() {
			r, err := Orders(standard(), map[string][]Applied{"core": log})
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
			grants += r.Grants
			log = nil
		}
		_, err = scenario.ReplayWatched(string(text), scenario.Watcher{
			Begin: func(c core.Config, d core.Data) {
				judge()
				log = append(log, Applied{Epoch: 1, Start: &wire.Start{Config: c, Data: d}})
			},
			Step: func(now time.Time, by core.Actor, c core.Command) {
				log = append(log, Applied{Epoch: 1, Seq: log[len(log)-1].Seq + 1, Order: &wire.Order{At: now.UnixMilli(), By: by, Command: c}})
			}})
		if err != nil {
			t.Fatal(err)
		}
		judge()
	}
	if grants < 100 {
		t.Errorf("only %d grants were judged", grants)
	}
}
