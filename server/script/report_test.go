package script

import "testing"

// A script whose errors all differ fills neither the log nor the memory.
func TestErrorsThatAllDifferAreNotRemembered(t *testing.T) {
	logged := 0
	u := newUnit(&Host{o: Options{Logf: func(string, ...any) { logged++ }}}, &Resource{Name: "a"})
	for n := range 100 * maxReports {
		u.report("player %d is not there", n)
	}
	if len(u.said) != maxReports || logged != maxReports {
		t.Errorf("%d errors are remembered, %d were logged", len(u.said), logged)
	}
}
