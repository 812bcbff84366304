package themes

import (
	"fmt"

	"squelch/server/nearest"
)

// near is the end of a message that names the one of names that was probably meant, or
// "" if none is like it.
func near(name string, names []string) string {
	if best := nearest.Name(name, names); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
