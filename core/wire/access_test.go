package wire_test

import (
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

// TestAnotherJobShowsOtherChannels: a player whose NAC id changes while it is connected
// is sent its configuration anew; somebody whose name changes is not.
func TestAnotherJobShowsOtherChannels(t *testing.T) {
	s := newRadio(t)
	// told are the channels that 7 is sent, with whether it may transmit there.
	told := func(by core.Actor, c core.Command) (configs int, channels map[string]bool) {
		t.Helper()
		out, err := s.Step(start, by, c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		channels = map[string]bool{}
		for _, e := range out.Events {
			for _, m := range wire.Encode(e, s.View()) {
				u, ok := m.Payload.(wire.ConfigUpdate)
				if !ok {
					continue
				}
				if !m.To.Includes(7) || m.To.Includes(8) {
					t.Errorf("the configuration of 7 goes to %s", m.To)
				}
				configs++
				for _, z := range u.Zones {
					for _, ch := range z.Channels {
						channels[ch.Name] = ch.CanTransmit
					}
				}
			}
		}
		return configs, channels
	}
	nobody := core.Facts{Name: "Ana", Nac: "none"}
	told(game, core.Register{User: 7, Facts: nobody})
	told(game, core.Register{User: 8, Facts: core.Facts{Name: "Ben", Nac: "100"}})
	if n, channels := told(player(7), core.Connect{Want: 7, Owner: "p7"}); n != 1 || channels["Main"] {
		t.Fatalf("%d configurations, with %v", n, channels)
	}
	if n, channels := told(game, core.Register{User: 7, Facts: core.Facts{Name: "Ana", Nac: "100"}}); n != 1 || !channels["Main"] {
		t.Errorf("with a job: %d configurations, with %v", n, channels)
	}
	if n, _ := told(game, core.Register{User: 7, Facts: core.Facts{Name: "Ana Ruiz", Nac: "100"}}); n != 0 {
		t.Errorf("with another name: %d configurations", n)
	}
	if n, channels := told(game, core.Refresh{User: 7, Refused: true}); n != 1 || channels["Main"] {
		t.Errorf("without a radio: %d configurations, with %v", n, channels)
	}
}
