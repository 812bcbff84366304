package core_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"squelch/core/scenario"
)

// TestScenarios runs every story in testdata and compares the transcript. -rewrite
// replaces the transcripts by what happens now: compare them with the rules before
// you commit.
func TestScenarios(t *testing.T) {
	told := 0
	for _, file := range stories(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			story, err := scenario.New("")
			if err != nil {
				t.Fatal(err)
			}
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				var text string
				if story, text, err = story.Run(d.Cmd, d.Input); err != nil {
					t.Fatalf("%s: %v", d.Pos, err)
				}
				if strings.Contains(text, "NOT UNDERSTOOD") || strings.Contains(text, "FAILED") {
					t.Fatalf("%s: %s", d.Pos, text)
				}
				told++
				return text
			})
		})
	}
	if told < 40 {
		t.Fatalf("only %d stories were told", told)
	}
}

// TestReplay: scenario.Replay, with which other builds of the core are compared,
// makes the same files as datadriven.
func TestReplay(t *testing.T) {
	for _, file := range stories(t) {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := scenario.Replay(string(want))
		if err != nil || strings.TrimRight(got, "\n") != strings.TrimRight(string(want), "\n") {
			t.Errorf("%s: replayed differently (%v):\n%s", file, err, got)
		}
	}
}

func stories(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d stories (%v)", len(files), err)
	}
	return files
}

var (
	ruleLine = regexp.MustCompile(`(?m)^\| ([A-Z0-9]+-[0-9]+) \|`)
	citation = regexp.MustCompile(`(?m)^# Rules: (.*)$`)
)

// TestEveryRuleHasAStory compares the list of rules with what the stories cite.
func TestEveryRuleHasAStory(t *testing.T) {
	list, err := os.ReadFile("testdata/RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	cited := map[string]int{}
	for _, m := range ruleLine.FindAllStringSubmatch(string(list), -1) {
		if _, twice := cited[m[1]]; twice {
			t.Errorf("rule %s is listed twice", m[1])
		}
		cited[m[1]] = 0
	}
	if len(cited) < 90 {
		t.Fatalf("only %d rules are listed", len(cited))
	}
	for _, file := range stories(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cites := citation.FindAllStringSubmatch(string(text), -1)
		if len(cites) == 0 {
			t.Errorf("%s cites no rule", file)
		}
		for _, c := range cites {
			for _, id := range strings.Split(c[1], ",") {
				id = strings.TrimSpace(id)
				if _, known := cited[id]; !known {
					t.Errorf("%s cites %s, which is no rule", file, id)
				}
				cited[id]++
			}
		}
	}
	for id, n := range cited {
		if n == 0 {
			t.Errorf("no story tells rule %s", id)
		}
	}
}
