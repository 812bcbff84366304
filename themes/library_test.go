package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func clock() time.Time { return time.Date(2031, 5, 6, 7, 8, 9, 10, time.UTC) }

func open(t *testing.T, dir string) *Library {
	t.Helper()
	l, err := Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func install(t *testing.T, l *Library, files map[string]string) Installed {
	t.Helper()
	p := read(t, files)
	i, err := l.Install(p, p.ScriptSHA256(), "a test")
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// own is the slugs of the themes that are not built in.
func own(l *Library) []string {
	all := []string{}
	for _, i := range l.List() {
		if !i.BuiltIn {
			all = append(all, i.Slug)
		}
	}
	return all
}

// tree is the names of everything in a folder, but for the lock.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	all := []string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, name); err == nil && rel != "." && rel != lockFile {
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "themes")
	l := open(t, dir)
	if len(own(l)) > 0 || l.Trouble() != nil {
		t.Fatalf("a new library has %v, %v", own(l), l.Trouble())
	}
	before := l.Version()
	i := install(t, l, good("night"))
	p := read(t, good("night"))
	want := Installed{Slug: "night", Name: "Night night", Version: "1.0", Author: "Ana", Description: "Dark.", HasJS: true, Build: p.Build(),
		CSS: "style.css", Picture: "preview.png", ScriptSHA256: p.ScriptSHA256(), InstalledAt: clock().Truncate(time.Second), From: "a test"}
	if i != want || *l.Find("night") != want {
		t.Errorf("installed %+v, found %+v", i, l.Find("night"))
	}
	if l.Version() == before {
		t.Error("the version has not moved")
	}
	home := "night-" + p.Build()
	files := []string{"index.json", home, home + "/LICENSE", home + "/img", home + "/img/bg.png", home + "/preview.png", home + "/style.css", home + "/theme.js", home + "/theme.json"}
	if got := tree(t, dir); !slices.Equal(got, files) {
		t.Errorf("on the disk are %q", got)
	}

	// An update takes its place; what it replaces goes.
	update := with(good("night"), "style.css", "b{}")
	i = install(t, l, update)
	if got := tree(t, dir); slices.Contains(got, home) || !slices.Contains(got, "night-"+i.Build) || len(got) != len(files) {
		t.Errorf("after an update on the disk are %q", got)
	}
	if again := open(t, dir); *again.Find("night") != i {
		t.Errorf("after a restart it is %+v", again.Find("night"))
	}

	// The same again changes only when and from where.
	same, err := l.Install(read(t, update), i.ScriptSHA256, "elsewhere")
	if err != nil || same.Build != i.Build || l.Find("night").From != "elsewhere" || l.Find("night").Broken != "" {
		t.Errorf("the same again: %+v, %v", same, err)
	}

	if err := l.Remove("nigth"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `did you mean "night"?`) {
		t.Errorf("removing an unknown theme: %v", err)
	}
	if err := l.Remove("night"); err != nil || len(own(l)) > 0 {
		t.Errorf("removed: %v, left %v", err, own(l))
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"index.json"}) {
		t.Errorf("after the removal on the disk are %q", got)
	}
}

// TestNotReviewed: no script gets in without the hash of exactly its bytes.
func TestNotReviewed(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	p := read(t, good("night"))
	changed := read(t, with(good("night"), "theme.js", "evil()"))
	refused := func(what string, p *Package, approved string) {
		t.Helper()
		before := tree(t, dir)
		_, err := l.Install(p, approved, "a test")
		var not *NotReviewed
		if !errors.As(err, &not) {
			t.Fatalf("%s: %v", what, err)
		}
		if strings.Contains(err.Error(), hexOf(p.Files["theme.js"])) {
			t.Errorf("%s: the error tells the hash", what)
		}
		if got := tree(t, dir); !slices.Equal(got, before) {
			t.Errorf("%s: on the disk are %q", what, got)
		}
	}
	refused("without a hash", p, "")
	refused("with a wrong hash", p, strings.Repeat("0", 64))
	refused("with half a hash", p, p.ScriptSHA256()[:32])
	refused("with the build", p, p.Build())
	refused("with a space", p, p.ScriptSHA256()+" ")
	refused("changed after the review", changed, p.ScriptSHA256())

	install(t, l, good("night"))
	refused("an update with the old hash", changed, p.ScriptSHA256())
	refused("an update without a hash", changed, "")
	if i := l.Find("night"); i.ScriptSHA256 != p.ScriptSHA256() {
		t.Errorf("installed is %+v", i)
	}

	// The package is changed after it was read: what counts is what would be stored.
	sly := read(t, good("night"))
	sly.Files["theme.js"] = []byte("evil()")
	refused("files changed behind the review", sly, sly.ScriptSHA256())
	sly = read(t, good("night"))
	sly.Script = nil
	sly.Files["theme.js"] = []byte("evil()")
	refused("a script behind a theme without one", sly, "")
	sly = read(t, plainTheme("plain"))
	sly.Files["more.js"] = []byte("evil()")
	if _, err := l.Install(sly, "", ""); err == nil || !strings.Contains(err.Error(), "more.js: is a script") {
		t.Errorf("a script that is not named: %v", err)
	}
	sly = read(t, plainTheme("plain"))
	sly.Files["style.css"] = []byte("@import 'x';")
	if _, err := l.Install(sly, "", ""); err == nil || !strings.Contains(err.Error(), "was not removed") {
		t.Errorf("a stylesheet that was not sanitised: %v", err)
	}
	sly = read(t, plainTheme("plain"))
	sly.Files["../evil.txt"] = []byte("x")
	if _, err := l.Install(sly, "", ""); err == nil || !strings.Contains(err.Error(), `has ".."`) {
		t.Errorf("a name that leaves the folder: %v", err)
	}
	sly = read(t, plainTheme("plain"))
	sly.Manifest.Slug = "../../evil"
	if i, err := l.Install(sly, "", ""); err != nil || i.Slug != "plain" {
		t.Errorf("a manifest changed behind the review: %+v, %v", i, err)
	}
	if i, err := l.Install(changed, strings.ToUpper(changed.ScriptSHA256()), ""); err != nil || i.ScriptSHA256 != changed.ScriptSHA256() {
		t.Errorf("the reviewed update, in capitals: %+v, %v", i, err)
	}
}

func TestDefault(t *testing.T) {
	l := open(t, t.TempDir())
	install(t, l, plainTheme("a"))
	install(t, l, plainTheme("b"))
	check := func(what, want string) {
		t.Helper()
		if got := l.Default(); got != want {
			t.Errorf("%s: the default is %q, not %q", what, got, want)
		}
	}
	check("nothing is set", "")
	l.SetFallback("none-such")
	check("the configuration names none that there is", "")
	l.SetFallback("a")
	check("the configuration's", "a")
	if err := l.SetDefault("b"); err != nil {
		t.Fatal(err)
	}
	check("chosen", "b")
	if err := l.SetDefault("c"); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown one: %v", err)
	}
	if err := l.SetDefault(""); err != nil {
		t.Fatal(err)
	}
	check("none chosen", "")
	if err := l.SetDefault("a"); err != nil {
		t.Fatal(err)
	}
	l.SetFallback("b")
	check("the configuration counts again", "b")
	if err := l.SetDefault("a"); err != nil {
		t.Fatal(err)
	}
	if err := l.Remove("a"); err != nil {
		t.Fatal(err)
	}
	check("the chosen one is removed", "b")
}

// TestDiskFails lets each step of a change fail in turn: everything is as it was.
func TestDiskFails(t *testing.T) {
	full := errors.New("no space left on device")
	for _, change := range []struct {
		name string
		do   func(l *Library) error
	}{
		{"install", func(l *Library) error { _, err := l.Install(read(t, plainTheme("new")), "", ""); return err }},
		{"update", func(l *Library) error {
			_, err := l.Install(read(t, with(plainTheme("old"), "style.css", "b{}")), "", "")
			return err
		}},
		{"remove", func(l *Library) error { return l.Remove("old") }},
		{"default", func(l *Library) error { return l.SetDefault("old") }},
	} {
		for n := 0; ; n++ {
			dir := t.TempDir()
			l := open(t, dir)
			was := install(t, l, plainTheme("old"))
			before, index := tree(t, dir), indexOf(t, dir)
			left := n
			fail := func() error {
				if left--; left < 0 {
					return full
				}
				return nil
			}
			l.disk = disk{
				open: os.OpenFile,
				write: func(name string, data []byte) error {
					if err := fail(); err != nil {
						_ = writeFile(name, data[:len(data)/2]) // half of it gets there
						return err
					}
					return writeFile(name, data)
				},
				rename: func(from, to string) error { return errors.Join(fail(), renameIf(left >= 0, from, to)) },
			}
			err := change.do(l)
			if err == nil {
				if n == 0 {
					t.Fatalf("%s does nothing to the disk", change.name)
				}
				break // all steps have failed once
			}
			if !errors.Is(err, full) {
				t.Fatalf("%s, step %d: %v", change.name, n, err)
			}
			if got := tree(t, dir); !slices.Equal(got, before) || !bytes.Equal(indexOf(t, dir), index) {
				t.Errorf("%s, step %d: on the disk are %q, before %q", change.name, n, got, before)
			}
			if got := *l.Find("old"); got != was || len(own(l)) != 1 || l.Default() != "" {
				t.Errorf("%s, step %d: the library has %v", change.name, n, l.List())
			}
			l.disk = realDisk
			if err := change.do(l); err != nil {
				t.Errorf("%s, after step %d had failed: %v", change.name, n, err)
			}
		}
	}
}

func renameIf(do bool, from, to string) error {
	if !do {
		return nil
	}
	return os.Rename(from, to)
}

func indexOf(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	install(t, l, plainTheme("night"))
	before := tree(t, dir)
	junk := []string{stageMark + "1/img", stageMark + "index.json", "gone-0123456789abcdef/img"}
	keep := []string{"gone-0123", "notes"}
	for _, name := range append(junk, keep...) {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir)
	for _, name := range keep {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s was swept away: %v", name, err)
		}
	}
	if got := tree(t, dir); !slices.Equal(got, before) {
		t.Errorf("left are %q", got)
	}
}

// TestTwoProcesses: what one changes the other sees, and none loses what the other does.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	version := b.Version()
	install(t, a, plainTheme("night"))
	if b.Find("night") == nil || b.Version() == version {
		t.Error("the other one does not see it")
	}
	var all sync.WaitGroup
	for i := range 10 {
		for j, l := range []*Library{a, b} {
			all.Go(func() {
				p := read(t, plainTheme(fmt.Sprintf("t%d-%d", j, i)))
				if _, err := l.Install(p, "", ""); err != nil {
					t.Error(err)
				}
				l.List()
			})
		}
	}
	all.Wait()
	if len(own(a)) != 21 || !slices.Equal(own(a), own(b)) {
		t.Errorf("one has %v, the other one %v", own(a), own(b))
	}
	for _, i := range open(t, dir).List() {
		if i.Broken != "" {
			t.Errorf("%s: %s", i.Slug, i.Broken)
		}
	}
}

func TestTampered(t *testing.T) {
	for what, tamper := range map[string]func(home string) error{
		"a changed script": func(home string) error { return os.WriteFile(filepath.Join(home, "theme.js"), []byte("evil()"), 0o600) },
		"a longer picture": func(home string) error {
			return os.WriteFile(filepath.Join(home, "preview.png"), bytes.Repeat([]byte("x"), 1000), 0o600)
		},
		"a missing file":   func(home string) error { return os.Remove(filepath.Join(home, "style.css")) },
		"a missing folder": os.RemoveAll,
		"a link for a file": func(home string) error {
			return errors.Join(os.Remove(filepath.Join(home, "style.css")), os.Symlink("theme.js", filepath.Join(home, "style.css")))
		},
	} {
		dir := t.TempDir()
		l := open(t, dir)
		was := install(t, l, good("night"))
		if err := l.SetDefault("night"); err != nil {
			t.Fatal(err)
		}
		if err := tamper(filepath.Join(dir, "night-"+was.Build)); err != nil {
			t.Fatal(err)
		}
		again := open(t, dir)
		if i := again.Find("night"); i == nil || !strings.Contains(i.Broken, "install the theme again") {
			t.Errorf("%s: %+v", what, i)
		}
		if len(again.Public().Themes) != len(again.List())-1 || again.Default() != "" {
			t.Errorf("%s: it is offered", what)
		}
		if got := get(again, "/themes/night/"+was.Build+"/LICENSE"); got.Code != 404 {
			t.Errorf("%s: it is served", what)
		}
		if i := install(t, again, good("night")); i.Broken != "" || again.Find("night").Broken != "" || len(tree(t, dir)) != 9 {
			t.Errorf("%s: installed again it is %+v; %q", what, again.Find("night"), tree(t, dir))
		}
	}
}

func TestCorruptIndex(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	install(t, l, good("night"))
	sound := string(indexOf(t, dir))
	edit := func(from, to string) string {
		if !strings.Contains(sound, from) {
			t.Fatalf("the index has no %s: %s", from, sound)
		}
		return strings.Replace(sound, from, to, 1)
	}
	sum := read(t, good("night")).ScriptSHA256()
	for name, text := range map[string]string{
		"empty":              "",
		"half":               sound[:len(sound)/2],
		"a list":             "[]",
		"something after":    sound + "x",
		"a later format":     edit(`"format": 1`, `"format": 2`),
		"an unknown field":   edit(`"format"`, `"fromat"`),
		"a theme twice":      edit(`"themes": [`, `"themes": [null,`),
		"a wrong slug":       edit(`"slug": "night"`, `"slug": "../night"`),
		"another build":      edit(`"build": "`, `"build": "00`),
		"another script":     edit(`"sha256": "`+sum, `"sha256": "`+strings.Repeat("0", 64)),
		"approved by hand":   edit(`"scriptSha256": "`+sum, `"scriptSha256": "`+strings.Repeat("0", 64)),
		"a script in hiding": edit(`"hasJs": true`, `"hasJs": false`),
		"a file outside":     edit(`"name": "LICENSE"`, `"name": "../../LICENSE"`),
		"another stylesheet": edit(`"css": "style.css"`, `"css": "theme.js"`),
		"another picture":    edit(`"picture": "preview.png"`, `"picture": "x.png"`),
		"built in":           edit(`"builtIn": false`, `"builtIn": true`),
		"too large":          strings.Repeat(" ", maxIndex+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, indexFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, l := range []*Library{l, open(t, dir)} {
			if err := l.Trouble(); err == nil || !strings.Contains(err.Error(), indexFile) {
				t.Errorf("%s: the trouble is %v", name, err)
			}
			if len(own(l)) > 0 || len(l.List()) != len(l.builtin) {
				t.Errorf("%s: the themes are %v", name, l.List())
			}
			if _, err := l.Install(read(t, plainTheme("new")), "", ""); err == nil || err.Error() != l.Trouble().Error() {
				t.Errorf("%s: a theme was installed over it: %v", name, err)
			}
		}
		if string(indexOf(t, dir)) != text || len(tree(t, dir)) != 9 {
			t.Errorf("%s: it was written over, or files were swept: %q", name, tree(t, dir))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, indexFile), []byte(sound), 0o600); err != nil {
		t.Fatal(err)
	}
	if l.Trouble() != nil || len(own(l)) != 1 {
		t.Errorf("mended, and still %v, %v", l.Trouble(), own(l))
	}
}

func TestBuiltInStays(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	l.builtin = housed(map[string]*Package{"house": read(t, good("house"))})
	p := read(t, plainTheme("house"))
	if _, err := l.Install(p, "", ""); !errors.Is(err, ErrBuiltIn) {
		t.Errorf("replaced: %v", err)
	}
	if err := l.Remove("house"); !errors.Is(err, ErrBuiltIn) {
		t.Errorf("removed: %v", err)
	}
	install(t, l, plainTheme("a"))
	if all := l.List(); len(all) != 2 || !all[0].BuiltIn || all[0].Slug != "house" || all[1].BuiltIn {
		t.Errorf("the list is %+v", all)
	}
	// A theme of the same slug was installed before it became a built-in one.
	other := open(t, dir)
	install(t, other, plainTheme("house"))
	if i := l.Find("house"); i == nil || !i.BuiltIn {
		t.Errorf("found %+v", i)
	}
	if err := l.SetDefault("house"); err != nil || l.Default() != "house" {
		t.Errorf("as default: %v", err)
	}
}

func TestLibraryLimits(t *testing.T) {
	l := open(t, t.TempDir())
	none := open(t, "")
	if _, err := none.Install(read(t, plainTheme("a")), "", ""); !errors.Is(err, ErrNoFolder) || len(own(none)) > 0 {
		t.Errorf("without a folder: %v", err)
	}
	l.disk.write = func(name string, data []byte) error { return os.WriteFile(name, data, 0o600) } // without waiting for the disk
	for i := range MaxInstalled {
		install(t, l, plainTheme(fmt.Sprint("t", i)))
	}
	if _, err := l.Install(read(t, plainTheme("more")), "", ""); !errors.Is(err, ErrTooMany) {
		t.Errorf("one too many: %v", err)
	}
	install(t, l, with(plainTheme("t5"), "style.css", "b{}"))
}

func TestReview(t *testing.T) {
	p := read(t, with(good("night"), "style.css", "a{}\n@import 'x';", "theme.js", "a()\nlocation.href = 'x'; eval(y)\n"))
	r := p.Review(nil)
	if r.Script != string(p.Script) || r.ScriptSHA256 != hexOf([]byte(r.Script)) || !r.HasJS || r.Replaces != nil || r.Build != p.Build() || r.Slug != "night" {
		t.Errorf("the review is %+v", r)
	}
	if len(r.Removed) != 1 || r.Removed[0].File != "style.css" || r.Removed[0].Line != 2 {
		t.Errorf("removed are %+v", r.Removed)
	}
	if len(r.Hints) != 2 || r.Hints[0].Line != 2 || r.Hints[1].Line != 2 || !strings.HasPrefix(r.Hints[1].What, "location.href") {
		t.Errorf("the hints are %+v", r.Hints)
	}
	size := 0
	for _, f := range r.Files {
		size += f.Bytes
	}
	if len(r.Files) != 6 || r.Bytes != size || size == 0 {
		t.Errorf("%d bytes in %+v", r.Bytes, r.Files)
	}
	if want := []string{warnActs, warnReads, warnLeaves, warnHides}; !slices.Equal(r.Warnings, want) {
		t.Errorf("the warnings are %q", r.Warnings)
	}
	plain := read(t, plainTheme("night")).Review(nil)
	if text, _ := json.Marshal(plain); plain.HasJS || plain.ScriptSHA256 != "" || !slices.Equal(plain.Warnings, []string{warnHides}) || strings.Contains(string(text), "null") {
		t.Errorf("without a script: %s", text)
	}
	i := installedOf(p, false)
	if r := p.Review(&i); !r.Replaces.Same || r.Replaces.ScriptChanged {
		t.Errorf("the same again: %+v", r.Replaces)
	}
	other := read(t, good("night")).Review(&i)
	if other.Replaces.Same || !other.Replaces.ScriptChanged || !slices.Contains(other.Warnings, warnChanged) {
		t.Errorf("another script: %+v", other)
	}
	i.HasJS, i.ScriptSHA256 = false, ""
	if r := p.Review(&i); !r.Replaces.ScriptChanged || !slices.Contains(r.Warnings, warnNew) {
		t.Errorf("a script for the first time: %+v", r)
	}
	for script, hidden := range map[string]bool{"a\r\nb\tc é": false, "\ufeffa": false, "a\ufeff": true, "\ufeff\ufeffa": true, "// x\revil()": true, "// x\u2028evil()": true, "a\u202eb": true, "a\u200bb": true, "var \u3164 = 1": true} {
		p := read(t, with(good("night"), "theme.js", script))
		if got := slices.Contains(p.Review(nil).Warnings, warnInvisible); got != hidden {
			t.Errorf("%q: invisible characters: %t", script, got)
		}
	}
	long := read(t, with(good("night"), "theme.js", strings.Repeat("eval(x) ", 1000)+strings.Repeat("\neval(x)", 1000)))
	if r := long.Review(nil); !slices.Contains(r.Warnings, warnLong) || len(r.Hints) != maxHints+1 {
		t.Errorf("a long script: %d hints, %q", len(r.Hints), r.Warnings)
	}
}
