package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted = regexp.MustCompile("`([^`]+)`")
	isFile = regexp.MustCompile(`^\S+/\S+$`)
)

// namesItsTests holds a cell of a table against the tests that it names: a file of the
// repository, and after it texts that are in that file, which for Go tests are the names of
// functions. of is the row, for errors.
func namesItsTests(t *testing.T, of, cell string) {
	t.Helper()
	file, content := "", ""
	for _, word := range quoted.FindAllStringSubmatch(cell, -1) {
		name := word[1]
		if isFile.MatchString(name) {
			b, err := os.ReadFile(filepath.Join("..", name))
			if err != nil {
				t.Error(err)
			}
			file, content = name, string(b)
			continue
		}
		if strings.HasSuffix(file, "_test.go") {
			name = "func " + name + "("
		}
		if !strings.Contains(content, name) {
			t.Errorf("%q names the test %q, which is not in %q", of, name, file)
		}
	}
	if file == "" {
		t.Errorf("%q names no test", of)
	}
}

// rowsOf are the cells of the rows of a document's tables that have as many columns, without
// headings, which begin with heading.
func rowsOf(t *testing.T, document, heading string, columns int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", document))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != columns+2 || strings.TrimSpace(cells[1]) == heading || strings.HasPrefix(cells[1], "---") {
			continue
		}
		rows = append(rows, cells[1:columns+1])
	}
	return rows
}
