// Package nearest finds what a misspelt name was meant to be.
package nearest

import "strings"

// longest is the length above which names are not compared, in bytes: the work grows with
// the product of both lengths.
const longest = 120

// Name is the one of names that was most likely meant: it differs only in case, or in at
// most a third of its letters. "": none is near.
func Name(name string, names []string) string {
	best, least := "", len(name)/3+1
	name = strings.ToLower(name)
	for _, n := range names {
		low := strings.ToLower(n)
		if max(len(low)-len(name), len(name)-len(low)) >= least {
			continue // as many letters at least are added or left out
		}
		if d := distance(name, low); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is how many letters must be added, left out, changed, or swapped with the
// next one.
func distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return max(len(a), len(b))
	}
	// before, above and row are the last three rows of the matrix of all distances.
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
