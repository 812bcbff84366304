package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPromisesAreTested holds every promise of SECURITY.md against the
// tests that it names: a file of the repository, and after it texts that are in
// that file, which for Go tests are the names of functions.
func TestSecurityPromisesAreTested(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	promises := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 4 || strings.TrimSpace(cells[1]) == "Promise" || strings.HasPrefix(cells[1], "---") {
			continue
		}
		promises++
		file, content := "", ""
		for _, word := range quoted.FindAllStringSubmatch(cells[2], -1) {
			if strings.Contains(word[1], "/") {
				file = word[1]
				b, err := os.ReadFile(filepath.Join("..", file))
				if err != nil {
					t.Error(err)
				}
				content = string(b)
				continue
			}
			name := word[1]
			if strings.HasSuffix(file, "_test.go") {
				name = "func " + name + "("
			}
			if !strings.Contains(content, name) {
				t.Errorf("%q is promised by %q, which is not in %q", cells[1], name, file)
			}
		}
		if file == "" {
			t.Errorf("nothing backs the promise %q", cells[1])
		}
	}
	if promises < 30 {
		t.Errorf("only %d promises were found", promises)
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
	quoted := regexp.MustCompile(`RATIONALE, "([A-Z][^"]*)"`)
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
			for _, m := range quoted.FindAllStringSubmatch(wrapped.ReplaceAllString(string(source), " "), -1) {
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
