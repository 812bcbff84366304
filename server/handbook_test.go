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
	rows := rowsOf(t, "handbook/troubleshooting.md", "Symptom", 4)
	for _, row := range rows {
		namesItsTests(t, row[0], row[3])
	}
	if len(rows) < 20 {
		t.Errorf("the table has %d rows", len(rows))
	}
}

// TestEveryDifferenceOfWindowsIsHandledSomewhere: the handling names files that are there, and
// the test is there too.
func TestEveryDifferenceOfWindowsIsHandledSomewhere(t *testing.T) {
	rows := rowsOf(t, "handbook/windows.md", "Operation", 4)
	for _, row := range rows {
		namesItsTests(t, row[0], row[3])
		for _, word := range quoted.FindAllStringSubmatch(row[2], -1) {
			if isFile.MatchString(word[1]) && strings.Contains(word[1], ".go") {
				if _, err := os.Stat(filepath.Join("..", word[1])); err != nil {
					t.Errorf("%s: %v", row[0], err)
				}
			}
		}
	}
	if len(rows) < 15 {
		t.Errorf("the table has %d rows", len(rows))
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
