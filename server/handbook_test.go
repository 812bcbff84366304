package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryTroubleWasProvoked holds the rows of the handbook's table against the tests that
// they name.
func TestEveryTroubleWasProvoked(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "handbook", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	quoted, rows := regexp.MustCompile("`([^`]+)`"), 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || strings.TrimSpace(cells[1]) == "Symptom" || strings.HasPrefix(cells[1], "---") {
			continue
		}
		rows++
		file, content := "", ""
		for _, word := range quoted.FindAllStringSubmatch(cells[4], -1) {
			if regexp.MustCompile(`^\S+/\S+$`).MatchString(word[1]) {
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
				t.Errorf("%q is provoked by %q, which is not in %q", cells[1], name, file)
			}
		}
		if file == "" {
			t.Errorf("nothing has provoked %q", cells[1])
		}
	}
	if rows < 20 {
		t.Errorf("the table has %d rows", rows)
	}
}

// TestTheHandbooksLinksLeadSomewhere: every page and file that is linked is there.
func TestTheHandbooksLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "handbook", "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatal(err, pages)
	}
	pages = append(pages, filepath.Join("..", "README.md"))
	links := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(link[1], "://") || strings.HasPrefix(link[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(page), link[1])
			}
		}
	}
}
