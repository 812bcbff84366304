package sandbox

import (
	"strings"
	"testing"

	"squelch/themes"
)

// TestBuiltInThemesInTheStandardScenario: beside their own tests, which say what they are
// for, each goes through everything that can happen, without an error and without leaving
// anything behind.
func TestBuiltInThemesInTheStandardScenario(t *testing.T) {
	all, err := themes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 4 {
		t.Fatalf("there are %d", len(all))
	}
	for _, p := range all {
		t.Run(p.Manifest.Slug, func(t *testing.T) {
			q := *p
			q.Test = nil
			if r := run(t, &q, ample); r.Verdict != OK {
				t.Errorf("%s: %s\n%s", r.Verdict, r.Why, strings.Join(lines(t, r), "\n"))
			}
		})
	}
}
