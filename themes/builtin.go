package themes

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

// The themes that every radio has, one folder each.
//
//go:embed all:builtin
var builtinFiles embed.FS

// BuiltIn is the built-in themes, by slug order. They are read as any other theme is.
func BuiltIn() ([]*Package, error) {
	byslug, err := builtIn()
	if err != nil {
		return nil, err
	}
	var all []*Package
	for _, slug := range sortedNames(byslug) {
		all = append(all, byslug[slug])
	}
	return all, nil
}

var builtIn = sync.OnceValues(func() (map[string]*Package, error) { return readBuiltIn(builtinFiles) })

func readBuiltIn(files fs.FS) (map[string]*Package, error) {
	list, err := fs.ReadDir(files, "builtin")
	if err != nil {
		return nil, err
	}
	all := map[string]*Package{}
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		folder, err := fs.Sub(files, "builtin/"+e.Name())
		if err != nil {
			return nil, err
		}
		p, err := readFS(folder)
		if err == nil && p.Manifest.Slug != e.Name() {
			err = fmt.Errorf("slug is %q, and its folder is not", p.Manifest.Slug)
		}
		if err != nil {
			return nil, fmt.Errorf("the built-in theme %s: %w", e.Name(), err)
		}
		all[p.Manifest.Slug] = p
	}
	return all, nil
}

// house is a built-in theme as a library has it: its build is worked out only once.
type house struct {
	*Package
	installed Installed
}

func housed(all map[string]*Package) map[string]house {
	houses := map[string]house{}
	for slug, p := range all {
		houses[slug] = house{p, installedOf(p, true)}
	}
	return houses
}
