package config

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Extra is a key of the file without a meaning here. It is kept, as JSON.
type Extra struct {
	Path string
	JSON string
}

// known reports keys that are not in names, each once. Functions in unknown
// places belong to other programs and are passed over.
func (v value) known(names ...string) {
	for _, e := range v.entries() {
		if e.name != "" && slices.Contains(names, e.name) {
			continue
		}
		if _, ok := e.value.v.(*lua.LFunction); ok {
			continue
		}
		if e.name == "" {
			v.r.warnOnce(shape(e.value.path), e.value.path, "has no name and is ignored")
			continue
		}
		if !v.r.stop && len(v.r.extra) < maxExtras {
			v.r.extra = append(v.r.extra, Extra{e.value.path, e.value.json()})
		}
		if !v.r.news(shape(e.value.path)) {
			continue
		}
		if near := nearest(e.name, names); near != "" {
			v.r.warnOnce(shape(e.value.path), e.value.path, "is unknown; did you mean %s?", near)
		} else {
			v.r.warnOnce(shape(e.value.path), e.value.path, "is unknown and has no effect")
		}
	}
}

// maxExtras: unknown keys kept of one file.
const maxExtras = 1000

// nearest is the known name that differs only in case, or in at most a third of its
// letters.
func nearest(name string, names []string) string {
	best, bestCost := "", len(name)/3+1
	if len(name) > 64 {
		return ""
	}
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
		if cost := distance(strings.ToLower(name), strings.ToLower(n)); cost < bestCost {
			best, bestCost = n, cost
		}
	}
	return best
}

// distance is the number of letters to insert, remove or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
