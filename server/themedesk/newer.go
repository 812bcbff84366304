package themedesk

import (
	"strconv"
	"strings"
)

// newer says whether a version comes after another one: part by part, numbers as
// numbers. What follows a hyphen comes before its version (1.0-beta, 1.0). Authors
// write versions as they like, so what cannot be compared and is not the same is newer.
func newer(a, b string) bool {
	a, aEarly := split(a)
	b, bEarly := split(b)
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if p, q := part(x, i), part(y, i); p != q {
			m, err := strconv.Atoi(p)
			n, other := strconv.Atoi(q)
			if err != nil || other != nil {
				return true
			}
			if m != n {
				return m > n
			}
		}
	}
	switch {
	case aEarly == bEarly:
		return false
	case aEarly == "":
		return true
	case bEarly == "":
		return false
	}
	return aEarly > bEarly
}

// split parts a version from what follows its hyphen.
func split(version string) (string, string) {
	version = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(version), "v"), "V")
	version, _, _ = strings.Cut(version, "+") // Semantic Versioning, section 10
	version, early, _ := strings.Cut(version, "-")
	return version, early
}

func part(parts []string, i int) string {
	if i < len(parts) {
		return parts[i]
	}
	return "0"
}
