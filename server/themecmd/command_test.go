package themecmd

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"squelch/themes"
	"squelch/themes/sandbox"
)

func TestMain(m *testing.M) { os.Exit(inFolder(m)) }

// inFolder builds the theme's process without the race detector, whose memory is no
// theme's.
func inFolder(m *testing.M) int {
	folder, err := os.MkdirTemp("", "themecmd")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	process = func() ([]string, error) {
		program := filepath.Join(folder, "process.exe")
		if _, err := os.Stat(program); err != nil {
			if out, err := exec.Command("go", "build", "-o", program, "squelch/themes/sandbox/process").CombinedOutput(); err != nil {
				panic(string(out))
			}
		}
		wasm, err := filepath.Abs("../../wasm/core.wasm")
		return []string{program, wasm}, err
	}
	return m.Run()
}

// run runs the command with an input; "": none.
func run(t *testing.T, input string, args ...string) (out, errs string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := &cobra.Command{Use: "squelch", SilenceUsage: true, SilenceErrors: true}
	cmd.AddCommand(Command())
	cmd.SetArgs(append([]string{"theme"}, args...))
	cmd.SetIn(strings.NewReader(input))
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

// must runs the command without input, which has to succeed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, err := run(t, "", args...)
	if err != nil {
		t.Fatalf("theme %s: %v\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return out
}

// fails runs the command without input, which has to fail and say this.
func fails(t *testing.T, says string, args ...string) {
	t.Helper()
	out, _, err := run(t, "", args...)
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("theme %s: %v, want …%s…\n%s", strings.Join(args, " "), err, says, out)
	}
}

// write makes a theme's folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	plainManifest  = `{"name":"Night","slug":"night","version":"1.0","author":"Ada","description":"Dark.","css":"style.css"}`
	scriptManifest = `{"name":"Night","slug":"night","version":"1.0","author":"Ada","description":"Dark.","css":"style.css","js":"theme.js"}`
)

func scripted(t *testing.T, script string) string {
	return write(t, map[string]string{"theme.json": scriptManifest, "style.css": "", "theme.js": script})
}

// TestNewThemesWork: what "new" writes can be checked, tested, packed and installed.
func TestNewThemesWork(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		name, slug string
		flags      []string
	}{{"Blue hour", "blue-hour", nil}, {"Émile’s “Radio” <1>", "mile-s-radio-1", []string{"--js"}}} {
		made := strings.TrimSpace(must(t, append([]string{"new", c.name, folder}, c.flags...)...))
		p, err := themes.ReadFolder(made)
		if err != nil || p.Manifest.Name != c.name || p.Manifest.Slug != c.slug || len(p.Removed) > 0 || (p.Script != nil) != (len(c.flags) > 0) {
			t.Fatalf("%s: %v, %+v, removed %v", made, err, p.Manifest, p.Removed)
		}
		out := must(t, "check", made)
		if strings.Contains(out, "hint") || strings.Contains(out, "removed") {
			t.Errorf("%s:\n%s", c.name, out)
		}
		var r sandbox.Report
		if err := json.Unmarshal([]byte(must(t, "test", made, "--json")), &r); err != nil || r.Verdict != sandbox.OK || len(r.Tests) != 2*len(c.flags) {
			t.Errorf("%s: %v, %+v", c.name, err, r)
		}
		fails(t, "is there already", "new", c.name, folder)
	}
	fails(t, "needs a letter or a digit", "new", "…", folder)
	if _, _, err := run(t, "", "new", strings.Repeat("x", 200), folder); err == nil {
		t.Error("a name of 200 letters was taken")
	}
	if left, _ := os.ReadDir(folder); len(left) != 2 {
		t.Errorf("something is left behind: %v", left)
	}
}

// TestCheckTellsWhatAPersonMustKnow: what is removed and where, and names that are
// probably misspelt.
func TestCheckTellsWhatAPersonMustKnow(t *testing.T) {
	dir := write(t, map[string]string{
		"theme.json": plainManifest,
		"style.css":  "/* --sq-nothing */\n:root { --sq-bakc: red; }\n[data-part=\"chanels\"] { color: var(--sq-texxt); }\n[data-state=rx] {}\n",
	})
	out := must(t, "check", dir)
	for _, want := range []string{
		"theme     Night 1.0 (night), by Ada", "files     2,",
		"hint      style.css:2  the console has no --sq-bakc; did you mean --sq-back?",
		`hint      style.css:3  the console has no [data-part="chanels"]; did you mean [data-part="channels"]?`,
		"hint      style.css:3  the console has no --sq-texxt; did you mean --sq-text?",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "nothing") || strings.Contains(out, "rx") {
		t.Errorf("comments and known names are no mistakes:\n%s", out)
	}

	bad := write(t, map[string]string{"theme.json": plainManifest, "style.css": "a { color: red }\n  @import \"https://x.example/a.css\";\n"})
	out = must(t, "check", bad)
	if !strings.Contains(out, "removed   1") || !strings.Contains(out, "style.css:2:3") {
		t.Errorf("the import is not told:\n%s", out)
	}

	fails(t, "theme.json", "check", write(t, map[string]string{"style.css": ""}))
	out, _, err := run(t, "", "check", "--json", write(t, map[string]string{"theme.json": "{}", "style.css": ""}))
	var told struct{ Error string }
	if err == nil || json.Unmarshal([]byte(out), &told) != nil || !strings.Contains(told.Error, "slug") {
		t.Errorf("%v\n%s", err, out)
	}
	var review struct {
		Slug         string
		ScriptSHA256 string
		Script       string
		Names        []hint
	}
	if err := json.Unmarshal([]byte(must(t, "check", "--json", scripted(t, "let a = '<b>';"))), &review); err != nil || review.Slug != "night" || len(review.ScriptSHA256) != 64 || review.Script != "let a = '<b>';" || review.Names == nil {
		t.Errorf("%v, %+v", err, review)
	}
	out = must(t, "check", "--source", scripted(t, "first();\n\x1b[2K\rsecond(); // \u202egnp"))
	if !strings.Contains(out, "    1  first();\n    2  \\x1b[2K\\x0dsecond(); // \\u{202e}gnp\n") {
		t.Errorf("the source is not shown as it is:\n%q", out)
	}
}

// TestBuiltInSlugsAreTaken by themes that everybody has.
func TestBuiltInSlugsAreTaken(t *testing.T) {
	all, err := themes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		dir := write(t, map[string]string{"theme.json": strings.Replace(plainManifest, `"night"`, `"`+b.Manifest.Slug+`"`, 1), "style.css": ""})
		fails(t, "built-in", "check", dir)
		fails(t, "built-in", "install", dir, "--data", t.TempDir())
	}
}

// TestAScriptIsInstalledOnlyByWhoHasSeenIt: without, with a wrong and with an old hash,
// on a terminal and elsewhere.
func TestAScriptIsInstalledOnlyByWhoHasSeenIt(t *testing.T) {
	data := t.TempDir()
	one, two := scripted(t, "one();"), scripted(t, "two();")
	hash := func(dir string) string {
		p, err := themes.ReadFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return p.ScriptSHA256()
	}
	there := func(want string) {
		t.Helper()
		l, err := library(data)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if i := l.Find("night"); i != nil {
			got = i.ScriptSHA256
		}
		if got != want {
			t.Fatalf("installed is the script %q, want %q", got, want)
		}
	}

	fails(t, "read it (squelch theme check --source", "install", one, "--data", data)
	fails(t, "is not the SHA-256 of this script", "install", one, "--data", data, "--js-sha256", hash(two))
	fails(t, "is not the SHA-256 of this script", "install", one, "--data", data, "--js-sha256", hash(one)[:8])
	there("")
	if out, _, err := run(t, "", "install", one, "--data", data); err == nil || !strings.Contains(out, "\ntheme.js:\n    1  one();\n") {
		t.Errorf("off a terminal the source is not shown: %v\n%s", err, out)
	}
	hostile := scripted(t, "one();\x1b[2K\u202e")
	if out, _, err := run(t, "", "install", hostile, "--data", data); err == nil || !strings.Contains(out, `    1  one();\x1b[2K\u{202e}`+"\n") {
		t.Errorf("the source is not shown as it is: %v\n%q", err, out)
	}
	if out, errs, err := run(t, "", "install", one, "--json", "--data", data); err == nil || strings.Contains(out+errs, "one();") {
		t.Errorf("with --json the source is shown: %v\n%s%s", err, out, errs)
	}
	there("")
	if out := must(t, "install", one, "--data", data, "--js-sha256", hash(one)); strings.Count(out, "one();") != 1 || strings.Index(out, "one();") > strings.Index(out, "installed night 1.0") {
		t.Errorf("with its hash the source is not shown:\n%s", out)
	}
	there(hash(one))
	fails(t, "is not the SHA-256 of this script", "install", two, "--data", data, "--js-sha256", hash(one)) // old
	there(hash(one))

	defer func(was func(any) bool) { terminal = was }(terminal)
	terminal = func(of any) bool { _, in := of.(io.Reader); return in }
	for _, answer := range []string{"", "\n", "y\n", hash(one)[:8] + "\n", hash(two)[:7] + "\n"} {
		if out, _, err := run(t, answer, "install", two, "--data", data); err == nil || !strings.Contains(out, "two();") {
			t.Errorf("the answer %q: %v\n%s", answer, err, out)
		}
		there(hash(one))
	}
	out, _, err := run(t, strings.ToUpper(hash(two)[:8])+"\n", "install", two, "--data", data)
	if err != nil || !strings.Contains(out, "its script has changed") || strings.Index(out, "two();") > strings.Index(out, "type the first 8") {
		t.Errorf("%v\n%s", err, out)
	}
	there(hash(two))
	// A program has nobody who types.
	if _, _, err := run(t, hash(one)[:8]+"\n", "install", "--json", one, "--data", data); err == nil {
		t.Error("a script was installed with --json and without its hash")
	}
	there(hash(two))
}

// TestListDefaultAndRemove what is installed.
func TestListDefaultAndRemove(t *testing.T) {
	data := t.TempDir()
	dir := write(t, map[string]string{"theme.json": plainManifest, "style.css": ""})
	var installed themes.Installed
	if err := json.Unmarshal([]byte(must(t, "install", "--json", dir, "--data", data)), &installed); err != nil || installed.Slug != "night" || installed.From != dir {
		t.Errorf("%v, %+v", err, installed)
	}
	if out := must(t, "default", "night", "--data", data); out != "the default is night now\n" {
		t.Errorf("it says %q", out)
	}
	if got := must(t, "default", "--data", data); got != "night\n" {
		t.Errorf("the default is %q", got)
	}
	if out := must(t, "list", "--data", data); !strings.Contains(out, "* night") || !strings.Contains(out, "Ada") {
		t.Error(out)
	}
	var all listed
	if err := json.Unmarshal([]byte(must(t, "list", "--json", "--data", data)), &all); err != nil || all.Default != "night" ||
		!slices.ContainsFunc(all.Themes, func(i themes.Installed) bool { return i.Slug == "night" && !i.HasJS }) {
		t.Errorf("%v, %+v", err, all)
	}
	fails(t, `did you mean "night"?`, "default", "nigh", "--data", data)
	fails(t, "either a slug or --none", "default", "night", "--none", "--data", data)
	if out := must(t, "default", "--none", "--data", data); out != "the default is none now\n" {
		t.Errorf("it says %q", out)
	}
	if got := must(t, "default", "--data", data); got != "" {
		t.Errorf("the default is %q", got)
	}
	service, err := library(data)
	if err != nil {
		t.Fatal(err)
	}
	if service.SetFallback("night"); service.Default() != "" {
		t.Errorf("--none goes before the configuration, and the default is %q", service.Default())
	}
	fails(t, `did you mean "night"?`, "remove", "nigh", "--data", data)
	if out := must(t, "remove", "night", "--data", data); out != "removed night\n" {
		t.Errorf("it says %q", out)
	}
	must(t, "install", dir, "--data", data)
	must(t, "default", "night", "--data", data)
	if out := must(t, "remove", "night", "--data", data); !strings.HasPrefix(out, "removed night\nit was the default: the default is none now") {
		t.Errorf("it says %q", out)
	}
	fails(t, "no such theme", "remove", "night", "--data", data)
	missing := filepath.Join(data, "nothing")
	for _, args := range [][]string{{"list"}, {"install", dir}, {"remove", "night"}, {"default", "night"}} {
		fails(t, "name that of the service with --data", append(args, "--data", missing)...)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a data folder was made")
	}
}

// TestPackIsTheSameEachTime, and its zips can be installed.
func TestPackIsTheSameEachTime(t *testing.T) {
	one := write(t, map[string]string{"theme.json": plainManifest, "style.css": "a { color: red }"})
	two := write(t, map[string]string{"theme.json": strings.NewReplacer(`"night"`, `"day"`, "Night", "Day").Replace(scriptManifest), "style.css": "", "theme.js": "one();"})
	out, again := t.TempDir(), t.TempDir()
	must(t, "pack", one, two, "--out", out)
	must(t, "pack", two, one, "--out", again)
	files, err := os.ReadDir(out)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", err, files)
	}
	for _, f := range files {
		a, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(again, f.Name()))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", f.Name(), err)
		}
	}
	must(t, "install", filepath.Join(out, "night-1.0.zip"), "--data", t.TempDir())
	fails(t, "--out is missing", "pack", one)
	fails(t, `two themes have the slug "night"`, "pack", one, one, "--out", t.TempDir())
}

// TestTypesAreWritten: the same as in the repository.
func TestTypesAreWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	name := strings.TrimPrefix(strings.TrimSpace(must(t, "types", "--out", folder)), "wrote ")
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../themes/types/squelch-theme.d.ts")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the file of the repository: %v", name, err)
	}
}

// TestTestTellsWhatFails: in words and as JSON, with the place in the theme's own
// numbering.
func TestTestTellsWhatFails(t *testing.T) {
	dir := scripted(t, "theme.addClass('a');\n\nnothing.at.all();\n")
	out, errs, err := run(t, "", "test", dir)
	if err == nil || errs != "" || !strings.Contains(out, "ReferenceError: nothing is not defined (theme.js line 3)") || !strings.Contains(out, "\nfailed (") {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	out, _, err = run(t, "", "test", dir, "--json")
	var r sandbox.Report
	if err == nil || json.Unmarshal([]byte(out), &r) != nil || r.Verdict != sandbox.Failed || r.Why == "" {
		t.Errorf("%v\n%s", err, out)
	}
	fails(t, "--time is 0s", "test", dir, "--time", "0s")
	fails(t, "theme.json", "test", t.TempDir())
}

// TestAPlainZipOfANewThemeIsClean: as people zip a folder, with what their systems add.
func TestAPlainZipOfANewThemeIsClean(t *testing.T) {
	made := strings.TrimSpace(must(t, "new", "Night", t.TempDir(), "--js"))
	zipped := func(under string, extras ...string) string {
		var data bytes.Buffer
		z := zip.NewWriter(&data)
		files, err := os.ReadDir(made)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(made, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if w, err := z.Create(under + f.Name()); err != nil {
				t.Fatal(err)
			} else if _, err = w.Write(text); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range extras {
			if _, err := z.Create(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "night.zip")
		if err := os.WriteFile(name, data.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, name := range []string{zipped(""), zipped("night/"), zipped("night/", "__MACOSX/night/._theme.json", "night/.DS_Store"), zipped("", "desktop.ini")} {
		var review themes.Review
		if err := json.Unmarshal([]byte(must(t, "check", "--json", name)), &review); err != nil || review.Slug != "night" || len(review.Removed) > 0 {
			t.Errorf("%v, %+v", err, review)
		}
		for _, f := range review.Files {
			if !slices.Contains([]string{"style.css", "theme.js", "theme.json"}, f.Name) {
				t.Errorf("it has %s", f.Name)
			}
		}
	}
}
