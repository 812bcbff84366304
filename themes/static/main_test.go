package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core/wire"
)

func TestWrite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "themes")
	if err := os.MkdirAll(filepath.Join(out, "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := write(out); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "old")); err == nil {
		t.Error("what was there before is still there")
	}
	data, err := os.ReadFile(filepath.Join(out, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list wire.ThemeList
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Themes) == 0 {
		t.Fatal("the list is empty")
	}
	for _, theme := range list.Themes {
		at := filepath.Join(out, theme.Slug, theme.Build)
		if _, err := os.Stat(filepath.Join(at, theme.CSS)); err != nil {
			t.Error(err)
		}
		run, err := os.ReadFile(filepath.Join(at, "_run.js"))
		if theme.HasJS && (err != nil || !strings.HasPrefix(string(run), "squelchTheme(")) {
			t.Errorf("%s: _run.js begins with %.20q, %v", theme.Slug, run, err)
		}
		for _, name := range []string{"theme.json", "theme.js", "theme.test.js"} {
			if _, err := os.Stat(filepath.Join(at, name)); err == nil {
				t.Errorf("%s: %s is written; the service does not serve it", theme.Slug, name)
			}
		}
	}
}
