package themes

import (
	"maps"
	"slices"
)

// previewsKept is how many replaced previews are still served: a page that was told of a
// build asks for it until it has loaded.
const previewsKept = 8

// Preview shows a theme as it is at the moment, in place of the one with its slug, a
// built-in one too. Nothing is written: it is for its author, whose own script needs no
// approval. A radio has no use for it.
func (l *Library) Preview(p *Package) error {
	p, err := checked(p)
	if err != nil {
		return err
	}
	now := house{p, installedOf(p, true)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.builtin = maps.Clone(l.builtin)
	l.builtin[p.Manifest.Slug] = now
	same := func(h house) bool {
		return h.installed.Slug == now.installed.Slug && h.installed.Build == now.installed.Build
	}
	l.previews = append(slices.DeleteFunc(slices.Clone(l.previews), same), now)
	if more := len(l.previews) - previewsKept - 1; more > 0 {
		l.previews = l.previews[more:]
	}
	l.version++
	return nil
}
