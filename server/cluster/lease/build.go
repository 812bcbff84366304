package lease

import (
	"cmp"
	"strconv"
	"strings"
)

// newer compares two builds: 1 if the first is the newer one, -1 if it is the older one, and
// 0 if they are alike or if nobody can say, as of builds from a checkout. What an older build
// stores lacks what it does not know, so that radios go to newer ones.
func newer(a, b string) int {
	x, known := numbers(a)
	y, both := numbers(b)
	if !known || !both {
		return 0
	}
	for i := range x {
		if c := cmp.Compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return 0
}

// numbers are those of a version such as 1.12.3; what follows a "-" or "+" does not count.
func numbers(build string) (all [3]int, is bool) {
	build, _, _ = strings.Cut(strings.TrimPrefix(build, "v"), "+")
	build, _, _ = strings.Cut(build, "-")
	parts := strings.Split(build, ".")
	if len(parts) != len(all) {
		return all, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return all, false
		}
		all[i] = n
	}
	return all, true
}
