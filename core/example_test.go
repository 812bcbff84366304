package core_test

import (
	"fmt"
	"time"

	"squelch/core"
)

// A unit and a console share a channel; the unit talks.
func ExampleState_Step() {
	cfg := core.DefaultConfig()
	cfg.Zones = []core.Zone{{Name: "Police", Channels: []core.Channel{
		{Name: "North", Type: core.Conventional, Frequency: 154_755_000},
	}}}
	radio, err := core.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.UnixMilli(0)
	do := func(by core.UserID, cmd core.Command) {
		out, err := radio.Step(now, core.Actor{User: by, Surface: core.BySocket}, cmd)
		if out.Routes != nil { // 1. the media plane first
			for _, row := range out.Routes.All() {
				for _, leg := range row.Legs {
					fmt.Printf("route: %d hears %d as %s on %s\n", leg.Listener, row.Talker, leg.Reason, leg.Frequency)
				}
			}
		}
		for _, e := range out.Events { // 2. then everybody who is to be told
			switch f := e.Fact.(type) {
			case core.FloorTaken:
				fmt.Printf("tell %s: %d talks on %s\n", e.To, f.User, f.Frequency)
			case core.FloorDenied:
				fmt.Printf("tell %s: busy, %d talks\n", e.To, f.Holder)
			}
		}
		if err != nil { // the reply
			fmt.Println("refused:", err)
		}
	}
	north := core.Frequency(154_755_000)
	do(12, core.Connect{Want: 12})
	do(12, core.JoinAsSpeaker{User: 12, Frequency: north})
	do(-1, core.Connect{Want: -1})
	do(-1, core.JoinAsSpeaker{User: -1, Frequency: north})
	do(12, core.KeyUp{User: 12})
	do(-1, core.KeyUp{User: -1})
	do(12, core.JoinAsSpeaker{User: 12, Frequency: 1})
	// Output:
	// route: -1 hears 12 as speaker on 154.755
	// tell dispatch 12: 12 talks on 154.755
	// tell -1: busy, 12 talks
	// refused: Channel not found
}
