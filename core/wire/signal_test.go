package wire_test

import (
	"encoding/json"
	"slices"
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

// TestWeakSignalsAreToldToWhoHearsThem: talkingState carries the signal to those who
// hear the talk weakly, in one message for each strength, and everybody is told once.
func TestWeakSignalsAreToldToWhoHearsThem(t *testing.T) {
	cfg := countyConfig()
	cfg.Zones[0].Channels[0].AllowedNacs = nil
	cfg.Signal = &core.Signal{Sites: []core.Site{{Range: 1000}}, Noise: 40, Dropouts: 30}
	s, err := core.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	do := func(by core.Actor, c core.Command) core.Output {
		t.Helper()
		out, err := s.Step(start, by, c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return out
	}
	main := mhz("154.755")
	for id, y := range map[core.UserID]float64{-2: 0, -1: 0, 6: 0, 7: 0, 8: 600, 9: 601, 10: 900} {
		do(core.Actor{}, core.Connect{Want: id})
		do(core.Actor{}, core.JoinAsSpeaker{User: id, Frequency: main})
		if id.Player() {
			do(game, core.SetPositions{Positions: []core.PlayerPosition{{User: id, At: core.Position{Y: y}}}})
		}
	}
	do(core.Actor{}, core.Connect{Want: 11})
	do(core.Actor{}, core.StartScan{User: 11, Frequency: main})
	do(game, core.SetPositions{Positions: []core.PlayerPosition{{User: 11, At: core.Position{Y: 600}}}})
	states := func(talker core.UserID) []string {
		t.Helper()
		var got []string
		seen := map[core.UserID]int{}
		for _, e := range do(player(talker), core.KeyUp{User: talker}).Events {
			if _, ok := e.Fact.(core.FloorTaken); !ok {
				continue
			}
			for _, m := range wire.Encode(e, s.View()) {
				b, err := json.Marshal(m.Payload)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m.To.String()+" "+string(b))
				for _, id := range []core.UserID{-2, -1, 6, 7, 8, 9, 10, 11} {
					if m.To.Includes(id) {
						seen[id]++
					}
				}
			}
		}
		for _, id := range []core.UserID{-2, -1, 6, 7, 8, 9, 10, 11} {
			if seen[id] != 1 {
				t.Errorf("%d is told %d times that %d talks", id, seen[id], talker)
			}
		}
		do(player(talker), core.KeyDown{User: talker})
		return got
	}
	if got, want := states(6), []string{
		`dispatch 6 7 {"serverId":6,"frequency":"154.755","state":true}`,
		`8 9 11 {"serverId":6,"frequency":"154.755","state":true,"signal":60}`,
		`10 {"serverId":6,"frequency":"154.755","state":true,"signal":20}`,
	}; !slices.Equal(got, want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
	// The talker is weak: even the consoles hear that.
	if got, want := states(10), []string{
		`10 {"serverId":10,"frequency":"154.755","state":true}`,
		`-2 -1 6 7 8 9 11 {"serverId":10,"frequency":"154.755","state":true,"signal":20}`,
	}; !slices.Equal(got, want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
	if e := wire.ConfigOf(s.View(), wire.ThemeList{}).Signal; e == nil || *e != (wire.SignalEffect{Noise: 40, Dropouts: 30}) {
		t.Errorf("clients are told the levels %+v", e)
	}
	if e := wire.PlayerConfigOf(s.View(), 7).Signal; e == nil || e.Noise != 40 {
		t.Errorf("players are told the levels %+v", e)
	}
}
