package wire_test

import (
	"encoding/json"
	"errors"
	"testing"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
)

func TestTheOperatorsSpellingOfAFrequencyIsKeptForDisplay(t *testing.T) {
	for _, c := range []struct{ frequency, display, canonical, shown string }{
		{`"460.250"`, `"460.250"`, "460.25", "460.250"},
		{`460.25`, `"460.250"`, "460.25", "460.250"},
		{`"460.25"`, `"460.25"`, "460.25", ""},
		{`"460.4"`, `"460.250"`, "460.4", ""}, // left over from before the edit
		{`"460.4"`, `"my channel"`, "460.4", ""},
	} {
		var in wire.AdminEdit
		body := `{"config":{"zones":[{"name":"A","channels":[{"name":"B","type":"digital","frequency":` + c.frequency + `,"display":` + c.display + `}]}]}}`
		if err := wire.DecodeEdit([]byte(body), &in); err != nil {
			t.Fatal(err)
		}
		ch := in.Config.Zones[0].Zone().Channels[0]
		if ch.Frequency.String() != c.canonical || ch.Shown != c.shown {
			t.Errorf("%s, %s: %s shown as %q", c.frequency, c.display, ch.Frequency, ch.Shown)
		}
	}
}

func FuzzDecodeEdit(f *testing.F) {
	standard := scenario.Standard()
	whole, err := json.Marshal(wire.AdminEdit{Revision: "1-a", Config: wire.AdminPartsOf(&standard)})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(whole), `{}`, `null`, `[]`, `{"config":null}`, `{"config":{"zones":[{"channels":[{"frequency":"1e5"}]}]}}`,
		`{"config":{"volumes":{"voice":1e99}}}`, `{"config":{"alerts":[{"tones":[]}]}}`, `{"config":{"codeplugs":[{"features":null}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var in wire.AdminEdit
		if err := wire.DecodeEdit(body, &in); err != nil {
			var refusal *core.Error
			if !errors.As(err, &refusal) || refusal.Kind != core.Invalid || refusal.Message == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		for _, z := range in.Config.Zones {
			z.Zone()
		}
		for _, c := range in.Config.Codeplugs {
			c.Codeplug()
		}
		if _, err := json.Marshal(in); err != nil {
			t.Fatal(err)
		}
	})
}
