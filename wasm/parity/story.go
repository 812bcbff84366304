package parity

import (
	"time"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
)

// Story is a scenario file as calls. states are the hashes of the story's own radio,
// one for each block of the file. In the run, the call "hash" at the end of each block
// must answer the same.
func Story(name, file string) (run Run, transcript string, states []string, err error) {
	run.Name = name
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	transcript, broken := scenario.ReplayWatched(file, scenario.Watcher{
		Begin: func(c core.Config, d core.Data) { keep(run.New(wire.Start{Config: c, Data: d})) },
		Step: func(now time.Time, by core.Actor, cmd core.Command) {
			keep(run.Order(wire.Order{At: now.UnixMilli(), By: by, Command: cmd}))
		},
		Block: func(s *core.State) {
			h, e := wire.Hash(s.Snapshot())
			keep(e)
			states = append(states, h)
			run.Calls = append(run.Calls, Call{Function: "hash", block: true})
		},
	})
	keep(broken)
	return run, transcript, states, err
}
