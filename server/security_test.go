package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPromisesAreTested holds every promise of SECURITY.md against the tests that it
// names.
func TestSecurityPromisesAreTested(t *testing.T) {
	promises := rowsOf(t, "SECURITY.md", "Promise", 2)
	for _, row := range promises {
		namesItsTests(t, row[0], row[1])
	}
	if len(promises) < 30 {
		t.Errorf("only %d promises were found", len(promises))
	}
}

// TestCommentsNameHeadingsOfTheRationale: a heading that is quoted is there.
func TestCommentsNameHeadingsOfTheRationale(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "RATIONALE.md"))
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if heading, is := strings.CutPrefix(strings.TrimSpace(line), "## "); is {
			headings[heading] = true
		}
	}
	wrapped := regexp.MustCompile(`\s+(//\s+)?`)
	cited := regexp.MustCompile(`RATIONALE, "([A-Z][^"]*)"`)
	found := 0
	for _, folder := range []string{"core", "server", "sfu", "wasm"} {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range cited.FindAllStringSubmatch(wrapped.ReplaceAllString(string(source), " "), -1) {
				found++
				if !headings[m[1]] {
					t.Errorf("%s names %q, which is no heading of RATIONALE.md", path, m[1])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 3 {
		t.Errorf("only %d references were found", found)
	}
}
