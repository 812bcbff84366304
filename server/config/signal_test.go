package config

import (
	"slices"
	"testing"

	"squelch/core"
)

const channelOnly = `Config.zones = { { name = "A", channels = { { name = "one", frequency = 155.1 } } } }
`

func TestSignal(t *testing.T) {
	read := func(source string) *Loaded {
		t.Helper()
		return load(t, folder(t, channelOnly+source, ""))
	}
	for _, source := range []string{"", "Config.signal = nil", "Config.signal = false"} {
		if l := read(source); l.Core.Signal != nil {
			t.Errorf("%q gives %+v", source, l.Core.Signal)
		}
	}
	s := read(`Config.signal = { range = 2500, noise = 10, sites = { { x = 450, y = 5566, z = 796.5, range = 6000 }, { x = -75, y = -818 }, vector3(1, 2, 3) } }`).Core.Signal
	same(t, "range", s.Range, 2500)
	same(t, "noise", s.Noise, 10)
	same(t, "dropouts", s.Dropouts, 50)
	if want := []core.Site{{At: core.Position{X: 450, Y: 5566, Z: 796.5}, Range: 6000}, {At: core.Position{X: -75, Y: -818}}, {At: core.Position{X: 1, Y: 2, Z: 3}}}; !slices.Equal(s.Sites, want) {
		t.Errorf("sites %v", s.Sites)
	}
	path := folder(t, channelOnly+"Config.signal = { nois = 3 }", "")
	list(t, "warnings", load(t, path).Warnings, path+":2: signal.nois: is unknown; did you mean noise?",
		path+":2: signal: has no effect: neither it nor a site has a range, and no channel has a coverage")
}

func TestMistakesInASignal(t *testing.T) {
	_, err := Load(folder(t, channelOnly+`Config.signal = { range = -1, noise = 101, dropouts = "x", sites = {
  { x = 1 }, 7, { x = 0, y = 0, range = 1e9 } } }
`, ""))
	_, got := mistakes(t, err)
	list(t, "mistakes", got,
		`2: signal.noise: must be a whole number from 0 to 100, not 101`,
		`2: signal.dropouts: must be a number, not "x"`,
		`2: signal.range: must be 0 to 100000 m`,
		`3: signal.sites[1].y: is missing: a site needs x and y`,
		`3: signal.sites[2]: must be a table, not 7`,
		`3: signal.sites[3].range: must be 0 to 100000 m`)
}
