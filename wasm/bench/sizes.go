package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/wasm/host"
	"squelch/wasm/parity"
	"squelch/wasm/sim"
)

// shape is a radio and two commands, of which the second undoes the first. They are
// those of the benchmarks in core (BySize, Move, ConsoleJoins).
type shape struct {
	name            string
	units, consoles int // a console scans all channels
	channels        int // units are spread over them
	talking         int // how many units talk, each on a channel of its own
	by              core.Actor
	there, back     core.Command
}

// pairs is how often both commands of a shape are given. The first tenth warms up and
// is not counted.
const pairs = 400

func channelAt(n int) core.Frequency { return core.Frequency(100_000_000 + n*12_500) }

func shapes() []shape {
	unit, script := core.Actor{User: 1, Surface: core.BySocket}, core.Actor{Surface: core.ByLua}
	var all []shape
	for _, n := range []int{100, 2000, 8000} {
		all = append(all, shape{name: "key-up, release", units: n, channels: n / 10, by: unit, there: core.KeyUp{User: 1}, back: core.KeyDown{User: 1}})
	}
	for _, n := range []int{100, 2000, 8000} {
		all = append(all, shape{name: "move, move back", units: n, channels: n / 10, by: script,
			there: core.MoveUser{User: 1, Frequency: channelAt(1)}, back: core.MoveUser{User: 1, Frequency: channelAt(0)}})
	}
	return append(all,
		shape{name: "the same beside 100 talkers", units: 480, consoles: 20, channels: 160, talking: 100, by: script,
			there: core.MoveUser{User: 480, Frequency: channelAt(0)}, back: core.MoveUser{User: 480, Frequency: channelAt(159)}},
		shape{name: "a console comes, goes", units: 480, consoles: 20, channels: 160, talking: 100,
			there: core.Connect{Want: -400}, back: core.Unlink{User: -400, Clean: true}})
}

// run makes the radio and the calls that are timed.
func (s shape) run() (parity.Run, error) {
	run := parity.Run{Name: s.name}
	cfg := core.DefaultConfig()
	cfg.Limits.Users = s.units + s.consoles + 1
	zone := core.Zone{Name: "All"}
	for i := range s.channels {
		zone.Channels = append(zone.Channels, core.Channel{Name: fmt.Sprint(i), Type: core.Conventional, Frequency: channelAt(i)})
	}
	cfg.Zones = []core.Zone{zone}
	radio, err := core.New(cfg)
	if err != nil {
		return run, err
	}
	const at = 1000 // ms
	do := func(u core.UserID, commands ...core.Command) {
		for _, c := range commands {
			if err == nil {
				_, err = radio.Step(time.UnixMilli(at), core.Actor{User: u, Surface: core.BySocket}, c)
			}
		}
	}
	for i := range s.consoles {
		u := core.UserID(-1 - i)
		do(u, core.Connect{Want: u})
		for c := range s.channels {
			do(u, core.StartScan{User: u, Frequency: channelAt(c)})
		}
	}
	for i := range s.units {
		u := core.UserID(1 + i)
		do(u, core.Connect{Want: u}, core.JoinAsSpeaker{User: u, Frequency: channelAt(i * s.channels / s.units)})
	}
	for i := range s.talking {
		u := core.UserID(1 + i*s.units/s.talking)
		do(u, core.KeyUp{User: u})
	}
	if err != nil {
		return run, err
	}
	if err := run.New(wire.Start{Config: cfg, Data: radio.Snapshot()}); err != nil {
		return run, err
	}
	run.Plain()
	for range pairs {
		for _, c := range []core.Command{s.there, s.back} {
			if err := run.Order(wire.Order{At: at, By: s.by, Command: c}); err != nil {
				return run, err
			}
		}
	}
	return run, nil
}

// measured is what both commands of a shape together cost natively, JSON included.
type measured struct {
	shape
	run    parity.Run
	native float64 // µs
}

func (m measured) print(where string, spent float64) {
	fmt.Printf("%-28s %5d users  native %8.1f µs  %s %8.1f µs  %5.1f times\n", m.name, m.units+m.consoles, m.native, where, spent, spent/m.native)
}

// timeSizes prints what each shape costs natively and under wazero. A figure must not
// grow with the number of users whom the commands do not touch.
func timeSizes(ctx context.Context, path, cache string) ([]measured, error) {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	compiled, err := host.Compile(ctx, wasm, host.Options{Cache: cache})
	if err != nil {
		return nil, err
	}
	defer compiled.Close(ctx)
	fmt.Println()
	var all []measured
	for _, s := range shapes() {
		run, err := s.run()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		var machine sim.Machine
		native, err := perPair(run, func(function string, in []byte) ([]byte, error) {
			if function == "new" {
				return machine.New(in), nil
			}
			return machine.Command(in), nil
		})
		if err != nil {
			return nil, err
		}
		instance, err := compiled.Open(ctx)
		if err != nil {
			return nil, err
		}
		fenced, err := perPair(run, func(function string, in []byte) ([]byte, error) { return instance.Call(ctx, function, in) })
		if err != nil {
			return nil, err
		}
		if err := instance.Close(ctx); err != nil {
			return nil, err
		}
		m := measured{s, run, native}
		m.print("wazero", fenced)
		all = append(all, m)
	}
	return all, nil
}

// perPair makes the calls of a run and says how many µs a pair of commands took: the
// median after the warm-up, which other load on the machine hardly changes. A refused
// command is an error, because then nothing was timed.
func perPair(r parity.Run, call func(function string, in []byte) ([]byte, error)) (float64, error) {
	if _, err := call(r.Calls[0].Function, r.Calls[0].In); err != nil { // new
		return 0, err
	}
	var spent []time.Duration
	for i := 1; i+1 < len(r.Calls); i += 2 {
		begin := time.Now()
		there, err := call(r.Calls[i].Function, r.Calls[i].In)
		if err != nil {
			return 0, err
		}
		back, err := call(r.Calls[i+1].Function, r.Calls[i+1].In)
		if err != nil {
			return 0, err
		}
		spent = append(spent, time.Since(begin))
		for _, out := range [][]byte{there, back} {
			var a sim.Answer
			if err := json.Unmarshal(out, &a); err != nil {
				return 0, err
			}
			if a.Error != nil {
				return 0, fmt.Errorf("%s: %s", r.Name, a.Error.Message)
			}
		}
	}
	spent = spent[len(spent)/10:]
	slices.Sort(spent)
	return float64(spent[len(spent)/2].Nanoseconds()) / 1000, nil
}
