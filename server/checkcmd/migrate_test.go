package checkcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"squelch/server/config"
)

var update = flag.Bool("update", false, "write the golden files")

// TestWhatBecomesOfAnOlderConfiguration compares the output with golden files
// (go test ./server/checkcmd -run Older -update writes them).
func TestWhatBecomesOfAnOlderConfiguration(t *testing.T) {
	t.Chdir(filepath.Join("testdata", "migrate"))
	for _, c := range []struct {
		file  string
		wrong bool
	}{{"config.lua", false}, {"inline.lua", false}, {"wrong.lua", true}, {"syntax.lua", true}} {
		for _, asJSON := range []bool{false, true} {
			golden, flags := c.file+".txt", []string{"--migrate", c.file}
			if asJSON {
				golden, flags = c.file+".json", append(flags, "--json")
			}
			out, stderr, err := run(t, "", "", flags...)
			if (err != nil) != c.wrong || stderr != "" {
				t.Errorf("%s: error %v, %s", golden, err, stderr)
			}
			if *update {
				if err := os.WriteFile(golden, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if out != string(want) {
				t.Errorf("%s:\n%s\nwant\n%s", golden, out, want)
			}
		}
	}
}

// TestAMigrationFindsWhatCheckFinds: the same mistakes, with the same lines.
func TestAMigrationFindsWhatCheckFinds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.lua")
	if err := os.WriteFile(file, []byte(faulty), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := run(t, "", "", "--config", file)
	var all *config.Mistakes
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	out, _, err := run(t, "", "", "--migrate", file, "--json")
	var m Migration
	if err == nil || json.Unmarshal([]byte(out), &m) != nil || m.Counts[config.Wrong] != len(all.All) {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, e := range all.All {
		line := config.Line{Line: e.Line, Key: strings.TrimPrefix(e.Key, "Config."), Verdict: config.Wrong, Text: e.Msg}
		if !slices.Contains(m.Lines, line) {
			t.Errorf("%+v is not told in\n%s", line, out)
		}
	}
	keys := map[string]int{}
	for _, l := range m.Lines {
		keys[l.Key]++
	}
	if keys["radioAccessCheck"] != 1 {
		t.Errorf("a wrong key is taken too:\n%s", out)
	}
}

// TestAMigrationWritesNothing: also beside the file.
func TestAMigrationWritesNothing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "config.lua")
	if err := os.WriteFile(file, []byte("Config.voiceVolume = 5"), 0o400); err != nil {
		t.Fatal(err)
	}
	if out, _, err := run(t, "", "", "--migrate", file); err != nil || !strings.Contains(out, "1     taken    voiceVolume") {
		t.Errorf("%v\n%s", err, out)
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Errorf("it has left %v", left)
	}
}

func TestOneFileIsCheckedAtATime(t *testing.T) {
	if _, _, err := run(t, "", "", "--config", "a.lua", "--migrate", "b.lua"); err == nil || !strings.Contains(err.Error(), "[config migrate]") {
		t.Error(err)
	}
	if _, _, err := run(t, "", "", "--migrate", filepath.Join(t.TempDir(), "none.lua")); err == nil {
		t.Error("a file that is not there is taken")
	}
}

// FuzzMigrate: whatever is in a file, its account is printed, every line with a verdict,
// in order, and without control characters.
func FuzzMigrate(f *testing.F) {
	for _, name := range []string{"config.lua", "inline.lua", "wrong.lua", "syntax.lua"} {
		b, err := os.ReadFile(filepath.Join("testdata", "migrate", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	for _, s := range []string{"", "return Config", "Config = nil", "local Config = {} return Config", "Config[1] = { 2 }", "Config['\\27[2J'] = 1",
		"Config.a = Config", "Config.zones = { { Channels = Config } }", "for i = 1, 1500 do Config['k' .. i] = i end"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file := filepath.Join(t.TempDir(), "config.lua")
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		r := examine(t.Context(), file, Terms{})
		if r.loaded != nil {
			defer r.loaded.Callbacks.Close()
		}
		m, last := r.migration(file), 0
		for _, l := range m.Lines {
			if !slices.Contains(verdicts, l.Verdict) || l.Text == "" {
				t.Fatalf("%+v", l)
			}
			if l.Line < last && l.Verdict != config.Missing {
				t.Fatalf("line %d comes after %d", l.Line, last)
			}
			last = max(last, l.Line)
		}
		if (m.Counts[config.Wrong] > 0) != (len(r.errs) > 0) {
			t.Fatalf("%d mistakes, counted %v", len(r.errs), m.Counts)
		}
		var out bytes.Buffer
		if err := m.write(&out); err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(out.Bytes(), func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
			t.Fatalf("a control character at %d of %q", i, out.String())
		}
	})
}

// TestTheHandbooksExampleIsReal: its lines are those of the golden file.
func TestTheHandbooksExampleIsReal(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "handbook", "moving.md"))
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile(filepath.Join("testdata", "migrate", "config.lua.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n```\nLINE")
	block, _, found := strings.Cut("LINE"+rest, "```")
	if lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n"); !found || len(lines) < 5 {
		t.Fatalf("the example has the lines %q", lines)
	} else {
		for _, line := range lines {
			if !strings.Contains(string(golden), line+"\n") {
				t.Errorf("%q is not what check prints", line)
			}
		}
	}
}
