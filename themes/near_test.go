package themes

import (
	"fmt"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"nigth", "night"}, {"NIGHT", "night"}, {"nght", "night"}, {"nightt", "night"}, {"inght", "night"}, {"ngiht", "night"},
		{"quiet-hours", "quiet-hour"}, {"qeuit-huor", "quiet-hour"}, {"x", ""}, {"", ""}, {"something", ""}, {strings.Repeat("night", 100), ""},
	} {
		if got := Nearest(c.name, []string{"day", "night", "quiet-hour", "nightshift"}); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "bca", 2}, {"ab", "ba", 1},
		{"kitten", "sitting", 3}, {"abcdef", "badcfe", 3}, {"ca", "abc", 3}, {"a", strings.Repeat("a", maxPath+1), maxPath + 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q it is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestAThemeHasOnlySoManySuggestions: hostile stylesheets with mistakes in each, and long
// names that are all alike, keep nobody busy: the theme has one count for all of them.
func TestAThemeHasOnlySoManySuggestions(t *testing.T) {
	files := plainTheme("night")
	for i := range 100 {
		name := fmt.Sprintf("%s%03d.css", strings.Repeat("a", 100), i)
		files[name] = strings.Repeat("a{b:url("+strings.Repeat("a", 97)+"bbb999.css)} @medai{} a{b:rgbb(1)}\n", 5)
	}
	all := 0
	for _, r := range read(t, files).Removed {
		if strings.Contains(r.Why, "did you mean") {
			all++
		}
	}
	if all == 0 || all > maxGuesses {
		t.Errorf("%d suggestions, want 1 to %d", all, maxGuesses)
	}
}
