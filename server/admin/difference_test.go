package admin

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"squelch/core"
	"squelch/server/audit"
)

// The page is tested with the same cases: both must see the same changes.
func TestChangesAreFoundAsThePageFindsThem(t *testing.T) {
	raw, err := os.ReadFile("testdata/differences.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		About    string
		From, To map[string]any
		Changes  []Difference
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 6 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	sorted := func(all []Difference) string {
		var lines []string
		for _, d := range all {
			b, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(b))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	for _, c := range cases {
		if got, want := sorted(differences(c.From, c.To)), sorted(c.Changes); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.About, got, want)
		}
	}
}

func TestAHugeChangeFitsIntoOneEntry(t *testing.T) {
	var old, fresh core.Config
	for range 500 {
		fresh.Zones = append(fresh.Zones, core.Zone{Name: strings.Repeat("ü", 2000)})
	}
	old.Tones, fresh.Tones = []core.Tone{{Name: "A", File: "a"}}, []core.Tone{{Name: "A", File: strings.Repeat("ü", 2000)}}
	changes, more, err := changed(&old, &fresh)
	if err != nil || len(changes) != maxChanges || more != 401 {
		t.Fatalf("%d changes, %d more, %v", len(changes), more, err)
	}
	b, err := json.Marshal(changes)
	if err != nil || len(b) > audit.MaxEntry/2 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
}
