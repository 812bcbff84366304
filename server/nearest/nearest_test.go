package nearest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"nigth", "night"}, {"NIGHT", "night"}, {"nght", "night"}, {"nightt", "night"}, {"inght", "night"}, {"ngiht", "night"},
		{"quiet-hours", "quiet-hour"}, {"qeuit-huor", "quiet-hour"}, {"x", ""}, {"", ""}, {"something", ""}, {strings.Repeat("night", 100), ""},
	} {
		if got := Name(c.name, []string{"day", "night", "quiet-hour", "nightshift"}); got != c.want {
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
		{"kitten", "sitting", 3}, {"abcdef", "badcfe", 3}, {"ca", "abc", 3}, {"a", strings.Repeat("a", longest+1), longest + 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q it is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
