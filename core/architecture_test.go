package core_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// screen is how many rows "Where things live" may have.
const screen = 40

// table gives the cells of the table under a heading of ARCHITECTURE, row by row.
func table(t *testing.T, heading string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	var rows [][]string
	for line := range strings.Lines(section) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "|") {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) < 3 {
		t.Fatalf("ARCHITECTURE has no table %q", heading)
	}
	return rows[2:] // without the header row and the line below it
}

var inQuotes = regexp.MustCompile("`([^`]+)`")

// quoted are the words in backquotes.
func quoted(cell string) (words []string) {
	for _, m := range inQuotes.FindAllStringSubmatch(cell, -1) {
		words = append(words, m[1])
	}
	return words
}

// TestWhereThingsLive: every place that the table names exists. A word in backquotes
// is a path from the root, or from the place before it in its cell, or a name that a
// package declares, written with the package: wire.Routes.
func TestWhereThingsLive(t *testing.T) {
	rows := table(t, "Where things live")
	if len(rows) > screen {
		t.Errorf("%d rows are more than a screen", len(rows))
	}
	dirs := map[string]string{}
	for _, p := range packages(t) {
		dir := strings.TrimPrefix(p.ImportPath, "squelch/")
		dirs[filepath.Base(dir)] = dir
	}
	for _, row := range rows {
		base := ""
		for _, word := range quoted(row[len(row)-1]) {
			switch {
			case exists(word):
				base = word
			case base != "" && (exists(base+"/"+word) || exists(filepath.Dir(base)+"/"+word)):
			case !declared(dirs, word):
				t.Errorf("%q: %s is not there", row[0], word)
			default:
				base = word
			}
		}
		if base == "" {
			t.Errorf("%q has no place", row[0])
		}
	}
}

func exists(place string) bool {
	found, err := filepath.Glob(filepath.Join("..", place))
	return err == nil && len(found) > 0
}

// declared says whether word, package.Name or package.Type.Name, is declared in its
// package.
func declared(dirs map[string]string, word string) bool {
	names := strings.Split(word, ".")
	dir := dirs[names[0]]
	if dir == "" || len(names) < 2 {
		return false
	}
	name := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const |\t)` + regexp.QuoteMeta(names[len(names)-1]) + `\b`)
	files, _ := filepath.Glob(filepath.Join("..", dir, "*.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && name.Match(text)
	})
}
