package themes

import (
	"fmt"
	"strings"
	"testing"
)

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
