package sandbox

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/themes"
)

// process is the command line of the theme's process.
var process []string

// cache is of the compiled core, for all tests.
var cache string

func TestMain(m *testing.M) { os.Exit(inFolder(m)) }

func inFolder(m *testing.M) int {
	folder, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "process.exe")
	if out, err := exec.Command("go", "build", "-o", program, "./process").CombinedOutput(); err != nil {
		panic(string(out))
	}
	wasm, err := filepath.Abs("../../wasm/core.wasm")
	if err != nil {
		panic(err)
	}
	process, cache = []string{program, wasm}, filepath.Join(folder, "cache")
	return m.Run()
}

// theme is a theme with this script and test.
func theme(t *testing.T, script, test string) *themes.Package {
	t.Helper()
	dir := t.TempDir()
	manifest := map[string]string{"name": "Test", "slug": "test", "version": "1", "author": "Nobody", "description": "", "css": "style.css"}
	files := map[string]string{"style.css": ""}
	if script != "" {
		manifest["js"], files["theme.js"] = "theme.js", script
	}
	if test != "" {
		files["theme.test.js"] = test
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	files["theme.json"] = string(text)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := themes.ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a theme. A run that should end by itself has a limit that no machine reaches.
func run(t *testing.T, p *themes.Package, limit time.Duration) *Report {
	t.Helper()
	r, err := Run(t.Context(), p, Options{Process: process, Time: limit, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines is a transcript to read: kind, text, result and place.
func lines(t *testing.T, r *Report) []string {
	t.Helper()
	entries, err := r.Entries()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, strings.TrimSpace(e.String()))
	}
	return all
}

func has(t *testing.T, r *Report, want ...string) {
	t.Helper()
	all := lines(t, r)
	for _, w := range want {
		if !slices.ContainsFunc(all, func(l string) bool { return strings.Contains(l, w) }) {
			t.Errorf("the transcript has no %q:\n%s", w, strings.Join(all, "\n"))
		}
	}
}

const ample = time.Minute

const lively = `
const box = theme.getContainer();
box.innerHTML = '<h1></h1><button class="talk">Talk</button>';
theme.hideDefaultUI();
theme.setVar("--sq-rx", "#145c8e");
dispatch.on("dispatch:connection", ({ health }) => health === "connected" ? theme.removeClass("faded") : theme.addClass("faded"));
dispatch.on("dispatch:zones", ({ zones }) => {
  const talkers = zones.flatMap((z) => z.channels).flatMap((c) => c.users).filter((u) => u.transmitting);
  box.querySelector("h1").textContent = talkers.map((u) => u.name).join(", ");
});
box.querySelector(".talk").addEventListener("pointerdown", () => dispatch.startPTT());
box.querySelector(".talk").addEventListener("pointerup", () => dispatch.stopPTT());
const timer = setInterval(() => {}, 500);
onUnmount(() => clearInterval(timer));
`

// TestStandardScenario: what a theme does is noted, the same each time.
func TestStandardScenario(t *testing.T) {
	p := theme(t, lively, "")
	r := run(t, p, ample)
	if r.Verdict != OK {
		t.Fatalf("%s: %s\n%s", r.Verdict, r.Why, strings.Join(lines(t, r), "\n"))
	}
	has(t, r, "variable  --sq-rx: #145c8e", "ui        default UI hidden", "container 2 elements: 1-ADAM-12Talk", "class     faded added", "class     faded removed", "radio     the theme ends")
	if slices.ContainsFunc(lines(t, r), func(l string) bool { return strings.Contains(l, "left ") }) {
		t.Errorf("something is left:\n%s", strings.Join(lines(t, r), "\n"))
	}
	again := run(t, p, ample)
	if !slices.EqualFunc(r.Transcript, again.Transcript, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Error("the second transcript differs")
	}
	t.Logf("%d ms, %d MB, %d entries", r.Took, r.Memory>>20, len(r.Transcript))
}

// TestWithoutScript: a style sheet alone does nothing that can fail.
func TestWithoutScript(t *testing.T) {
	if r := run(t, theme(t, "", ""), ample); r.Verdict != OK {
		t.Errorf("%s: %s", r.Verdict, r.Why)
	}
}

// TestBuiltInThemes: those that come with the program do what their tests say.
func TestBuiltInThemes(t *testing.T) {
	all, err := themes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Run(p.Manifest.Slug, func(t *testing.T) {
			if r := run(t, p, ample); r.Verdict != OK {
				t.Errorf("%s: %s\n%s", r.Verdict, r.Why, strings.Join(lines(t, r), "\n"))
			}
		})
	}
}
