package sandbox

import (
	"strings"
	"testing"

	"squelch/themes"
)

// TestBuiltInThemes: each passes its own test, and goes through the standard scenario
// without an error and without leaving anything behind.
func TestBuiltInThemes(t *testing.T) {
	all, err := themes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 4 {
		t.Fatalf("there are %d", len(all))
	}
	for _, p := range all {
		t.Run(p.Manifest.Slug, func(t *testing.T) {
			if len(p.Test) == 0 {
				t.Fatal("it has no test of its own")
			}
			for _, test := range []string{string(p.Test), ""} {
				q := *p
				q.Test = []byte(test)
				if r := run(t, &q, ample); r.Verdict != OK {
					t.Errorf("%s: %s\n%s", r.Verdict, r.Why, strings.Join(lines(t, r), "\n"))
				}
			}
		})
	}
}
