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
		at := e.value.path
		if _, ok := e.value.v.(*lua.LFunction); ok {
			v.r.note(Ignored, at, "nothing here calls this function")
			continue
		}
		if e.name == "" {
			v.r.warnAs(Ignored, shape(at), at, "has no name and is ignored")
			continue
		}
		if !v.r.stop && len(v.r.extra) < maxExtras {
			v.r.extra = append(v.r.extra, Extra{at, e.value.json()})
		}
		if !v.r.news(shape(at)) && len(v.r.notes) >= maxNotes {
			continue
		}
		place := ""
		if v.path == "" {
			place = elsewhere[e.name]
		}
		near := nearest.Name(e.name, names)
		switch {
		case place != "":
			v.r.warnAs(Ignored, shape(at), at, "has no effect here: %s", place)
		case near != "":
			v.r.warnAs(Ignored, shape(at), at, "is unknown; did you mean %s?", near)
		default:
			v.r.warnAs(Ignored, shape(at), at, "is unknown and has no effect")
		}
	}
}

// maxExtras: unknown keys kept of one file.
const maxExtras = 1000
