package themes

import (
	"testing"
	"testing/fstest"
)

// TestBuiltIn demands of the built-in themes what is demanded of all, and that nothing
// has to be removed from them.
func TestBuiltIn(t *testing.T) {
	all, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, r := range p.Removed {
			t.Errorf("%s: %s:%d:%d: %s: it %s", p.Manifest.Slug, r.File, r.Line, r.Column, r.What, r.Why)
		}
	}
}

func TestBuiltInMistakes(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, files := range []fstest.MapFS{
		{"builtin/other/theme.json": file(plainTheme("night")["theme.json"]), "builtin/other/style.css": file("a{}")},
		{"builtin/night/theme.json": file(plainTheme("night")["theme.json"])},
		{},
	} {
		if all, err := readBuiltIn(files); err == nil {
			t.Errorf("%v was read: %v", files, all)
		}
	}
}
