package themes

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestPreviewIsServedAsInstalledThemesAre(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("theme.json", `{"name":"Dusk","slug":"dusk","version":"1","author":"Ana","description":"","css":"style.css","js":"theme.js"}`)
	write("style.css", "@import url(https://elsewhere.example/a.css);\n:root { --sq-rx: #123456; }\n")
	write("theme.js", "theme.addClass('dusk');\n")
	p, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open("", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	before, others := l.Version(), len(l.List())
	if err := l.Preview(p); err != nil {
		t.Fatal(err)
	}
	if l.Version() == before || len(l.List()) != others+1 || l.Find("dusk") == nil {
		t.Fatalf("version %d, then %d; themes %d, then %d", before, l.Version(), others, len(l.List()))
	}
	get := func(file string) string {
		w := httptest.NewRecorder()
		l.ServeHTTP(w, httptest.NewRequest("GET", Path+"dusk/"+p.Build()+"/"+file, nil))
		if w.Code != 200 {
			t.Fatalf("%s: %d", file, w.Code)
		}
		return w.Body.String()
	}
	if css := get("style.css"); css != "\n:root { --sq-rx: #123456; }\n" {
		t.Errorf("style.css is served as %q", css)
	}
	if js := get(RunFile); js != string(Run("dusk", p.Build(), p.Script)) {
		t.Errorf("%s is served as %q", RunFile, js)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

func TestPreviewTakesThePlaceOfABuiltInTheme(t *testing.T) {
	l, err := Open("", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	all, err := BuiltIn()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d built-in themes, %v", len(all), err)
	}
	was := all[0]
	changed := *was
	changed.Files = map[string][]byte{}
	for name, data := range was.Files {
		changed.Files[name] = data
	}
	changed.Files[was.Manifest.CSS] = []byte(":root { --sq-rx: #123456; }\n")
	if err := l.Preview(&changed); err != nil {
		t.Fatal(err)
	}
	if got := l.Find(was.Manifest.Slug).Build; got == was.Build() {
		t.Errorf("the library still has build %s", got)
	}
	other, err := Open("", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if got := other.Find(was.Manifest.Slug).Build; got != was.Build() {
		t.Errorf("another library has build %s, want %s: the preview must be of one library alone", got, was.Build())
	}
}

// TestAReplacedPreviewIsServedForAWhile: a page that is still loading has been told of a
// build that its author has replaced in the meantime.
func TestAReplacedPreviewIsServedForAWhile(t *testing.T) {
	l := open(t, t.TempDir())
	var builds []string
	for i := range previewsKept + 3 {
		p := read(t, with(good("dusk"), "style.css", fmt.Sprintf(":root { --sq-rx: #1234%02d; }\n", i)))
		for range 2 { // a folder that is read twice takes one place
			if err := l.Preview(p); err != nil {
				t.Fatal(err)
			}
		}
		builds = append(builds, p.Build())
	}
	for i, build := range builds {
		want := 200
		if i < 2 {
			want = 404
		}
		for _, file := range []string{"style.css", RunFile} {
			if w := get(l, Path+"dusk/"+build+"/"+file); w.Code != want {
				t.Errorf("%s of preview %d of %d: %d, want %d", file, i+1, len(builds), w.Code, want)
			}
		}
	}
	if got := l.Find("dusk").Build; got != builds[len(builds)-1] {
		t.Errorf("the list has build %s, want the last, %s", got, builds[len(builds)-1])
	}
}

// TestPreviewWhileServing: the author's browser asks while the next preview comes.
func TestPreviewWhileServing(t *testing.T) {
	l := open(t, t.TempDir())
	p := read(t, good("dusk"))
	if err := l.Preview(p); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for range 20 {
			if err := l.Preview(p); err != nil {
				t.Error(err)
			}
		}
	})
	for range 4 {
		all.Go(func() {
			for range 100 {
				if w := get(l, Path+"dusk/"+p.Build()+"/style.css"); w.Code != 200 {
					t.Errorf("the stylesheet: %d", w.Code)
				}
				if err := l.Remove("dusk"); !errors.Is(err, ErrBuiltIn) {
					t.Errorf("removed: %v", err)
				}
				if _, err := l.Install(p, p.ScriptSHA256(), "a test"); !errors.Is(err, ErrBuiltIn) {
					t.Errorf("installed: %v", err)
				}
			}
		})
	}
	all.Wait()
}
