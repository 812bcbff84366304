package themes

import "maps"

// Preview shows a theme as it is at the moment, in place of the one with its slug, a
// built-in one too. Nothing is written: it is for its author, whose own script needs no
// approval. A radio has no use for it.
func (l *Library) Preview(p *Package) error {
	p, err := checked(p)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.builtin = maps.Clone(l.builtin)
	l.builtin[p.Manifest.Slug] = house{p, installedOf(p, true)}
	l.version++
	return nil
}
