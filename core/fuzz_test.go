package core

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzParseFrequency: what parses has one canonical spelling, which parses to the
// same frequency, as text and as a number.
func FuzzParseFrequency(f *testing.F) {
	for _, s := range []string{"460.25", "460.250", "460", "0460.25", "154.7675", "0", "-1", "1e3", "", ".", "1.", ".5", "999999.999999", "1000000",
		"154.76749999999998", " 1", "0x10", "1_0", "154,755", "NaN", "0.0000001", "0.000001", "000000000000154.755"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseFrequency(text)
		if err != nil {
			if !errors.Is(err, error(errChannelNotFound)) {
				t.Fatalf("%q: refused with %v", text, err)
			}
			return
		}
		canonical := v.String()
		again, err := ParseFrequency(canonical)
		if err != nil || again != v || len(canonical) > len(strings.TrimLeft(text, "0"))+1 {
			t.Fatalf("%q is %d, spelt %q, which is %d %v", text, v, canonical, again, err)
		}
		number, _ := strconv.ParseFloat(text, 64)
		if n, err := FrequencyOf(number); err != nil || n != v {
			t.Fatalf("%q is %d as text and %d as a number (%v)", text, v, n, err)
		}
		b, _ := v.MarshalText()
		var back Frequency
		if err := back.UnmarshalText(b); err != nil || back != v {
			t.Fatalf("%q does not come back from %q", text, b)
		}
	})
}

// FuzzFrequencyOf: any number is either a frequency within range or refused, and
// noise beyond the sixth decimal does not make another channel of it.
func FuzzFrequencyOf(f *testing.F) {
	for _, v := range []float64{154.76749999999998, 460.25, 0, -1, math.Inf(1), math.NaN(), 1e300, 5e-324, 999999.9999999} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		a, err := FrequencyOf(v)
		if err != nil {
			return
		}
		if a <= 0 || a >= maxFrequency || math.Abs(a.Float()-v) > 1e-6 {
			t.Fatalf("%v became %d", v, a)
		}
		if b, err := FrequencyOf(a.Float() + 2e-7); err != nil || b != a {
			t.Fatalf("noise made %v another channel: %d %d", v, a, b)
		}
	})
}

// FuzzACL: evaluation ends, whatever inherits from whom; a deny of the object asked
// for always wins; what is below an allowed object is not left unanswered.
func FuzzACL(f *testing.F) {
	f.Add("add a radio 1\nadd b radio.scan 0\ninherit a b", "a", "radio.scan.460.25")
	f.Add("inherit a a\ninherit a b\ninherit b a\nadd b x 1", "A", "X.y")
	f.Fuzz(func(t *testing.T, script, who, object string) {
		var l ACL
		for _, line := range strings.Split(script, "\n") {
			switch w := strings.Fields(line); {
			case len(w) == 4 && w[0] == "add":
				l.Entries = append(l.Entries, ACE{w[1], w[2], w[3] == "1"})
			case len(w) == 3 && w[0] == "inherit":
				l.Inherit = append(l.Inherit, Inheritance{w[1], w[2]})
			}
		}
		l = l.lower()
		before := l.Ask(who, object)
		if before == Allowed && l.Ask(who, object+".more") == Silent {
			t.Fatalf("%q is allowed and what is below it is not", object)
		}
		l.Entries = append(l.Entries, ACE{"builtin.everyone", strings.ToLower(object), false})
		if l.Ask(who, object) != Denied {
			t.Fatalf("a deny of %q did not win over %v", object, before)
		}
	})
}

// tape is dice that show given bytes; when the bytes run out, every die shows 0.
type tape struct{ bytes []byte }

func (r *tape) Intn(n int) int {
	if len(r.bytes) == 0 {
		return 0
	}
	b := int(r.bytes[0])
	r.bytes = r.bytes[1:]
	return b % n
}

// FuzzCommands: no sequence of commands breaks an invariant of the simulation.
func FuzzCommands(f *testing.F) {
	f.Add([]byte("dispatch, unit twelve, how do you read"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 200, 100, 50, 25, 12, 6, 3, 1, 255, 254, 253})
	f.Fuzz(func(t *testing.T, story []byte) {
		m, r := newSim(), &tape{story[:min(len(story), 4096)]}
		for len(r.bytes) > 0 {
			m.now = m.now.Add(time.Duration(r.Intn(30)*r.Intn(30)) * 10 * time.Millisecond)
			by, cmd := thrower{r}.throw()
			if cmd == nil {
				continue
			}
			if _, err := m.step(by, cmd); err != nil {
				t.Fatal(err)
			}
		}
	})
}
