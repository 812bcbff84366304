package main

import (
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
