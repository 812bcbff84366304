package config

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/nearest"
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
		if near := nearest.Name(e.name, names); near != "" {
			v.r.warnOnce(shape(e.value.path), e.value.path, "is unknown; did you mean %s?", near)
		} else {
			v.r.warnOnce(shape(e.value.path), e.value.path, "is unknown and has no effect")
		}
	}
}

// maxExtras: unknown keys kept of one file.
const maxExtras = 1000
