package resource

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// cases are the files that tell what the client's exports do.
var cases = []string{"testdata/client/harness.lua", "testdata/client/cases.lua"}

// minChecks is a number that an empty table cannot reach.
const minChecks = 1000

// clientFiles are the files of one run, as paths from this folder.
func clientFiles() []string {
	var out []string
	for _, name := range ClientScripts {
		out = append(out, "radio/"+name)
	}
	return append(out, cases...)
}

// in51 runs the cases in the sandbox of the headless radio, Lua 5.1.
func in51(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	L := sandbox.New(func(line string) { fmt.Fprintln(&out, line) })
	defer L.Close()
	for _, path := range clientFiles() {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		chunk, err := sandbox.Compile(string(source), path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sandbox.Run(t.Context(), L, chunk, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	run := L.GetGlobal("Cases").(*lua.LTable).RawGetString("run").(*lua.LFunction)
	got, err := sandbox.Call(t.Context(), L, "cases.lua", sandbox.Bounds{Time: time.Minute}, run, 2)
	if err != nil {
		t.Fatal(err)
	}
	if checks, failed := int(got[0].(lua.LNumber)), int(got[1].(lua.LNumber)); failed != 0 || checks < minChecks {
		t.Errorf("%d checks, %d failed:\n%s", checks, failed, failures(out.String()))
	}
	return out.String()
}

func failures(out string) string {
	var failed []string
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "FAILED") {
			failed = append(failed, line)
		}
	}
	return strings.Join(failed, "")
}

func TestEveryClientExport(t *testing.T) { in51(t) }

// The game runs Lua 5.4. Every answer is the same there.
func TestLua54AnswersTheSame(t *testing.T) {
	var load strings.Builder
	for _, path := range clientFiles() {
		fmt.Fprintf(&load, "dofile(%q)\n", filepath.ToSlash(path))
	}
	load.WriteString("local _, failed = Cases.run()\nos.exit(failed == 0 and 0 or 1)")
	out, err := exec.Command("lua5.4", "-e", load.String()).CombinedOutput()
	if err != nil {
		t.Fatalf("lua5.4 (Debian's package lua5.4): %v\n%s", err, failures(string(out)))
	}
	here, there := strings.Split(in51(t), "\n"), strings.Split(string(out), "\n")
	for i := range min(len(here), len(there)) {
		if here[i] != there[i] {
			t.Fatalf("line %d:\n5.1: %s\n5.4: %s", i+1, here[i], there[i])
		}
	}
	if len(here) != len(there) {
		t.Errorf("%d lines in Lua 5.1, %d in 5.4", len(here), len(there))
	}
}
