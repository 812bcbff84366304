package rest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"squelch/core/wire"
	"squelch/server/rest"
)

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

func setHeader(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// withTones has built-in tones and an operator's folder, with a secret beside it.
func withTones(t *testing.T) (*station, string) {
	folder := t.TempDir()
	own := filepath.Join(folder, "tones")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "secret.wav"), "master token")
	write(t, filepath.Join(own, "chirp.wav"), "the operator's chirp")
	write(t, filepath.Join(own, "Ä b.mp3"), "umlaut")
	write(t, filepath.Join(own, "config.lua"), "authToken")
	write(t, filepath.Join(own, ".hidden.wav"), "hidden")
	if err := os.Symlink(filepath.Join(folder, "secret.wav"), filepath.Join(own, "link.wav")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(own, "folder.wav"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(own, "folder.wav", "inner.wav"), "in a folder")
	root, err := os.OpenRoot(own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	builtIn := fstest.MapFS{"chirp.wav": {Data: []byte("built in")}, "beep.ogg": {Data: []byte("OggS beep")}}
	return onAir(t, func(o *rest.Options) { o.Tones = append(o.Tones, root.FS(), builtIn) }), own
}

func TestTonesArePublicAndTheOperatorsComeFirst(t *testing.T) {
	s, _ := withTones(t)
	for path, want := range map[string][2]string{
		"/radio/tones/chirp.wav":       {"the operator's chirp", "audio/wav"},
		"/radio/tones/beep.ogg":        {"OggS beep", "audio/ogg"},
		"/radio/tones/%C3%84%20b.mp3":  {"umlaut", "audio/mpeg"},
		"/radio/tones/%63hirp.wav":     {"the operator's chirp", "audio/wav"},
		"/radio/tones/chirp.wav?v=2#x": {"the operator's chirp", "audio/wav"},
	} {
		a := s.send("GET", path, credentials{}, nil)
		if a.status != 200 || string(a.body) != want[0] || a.header.Get("Content-Type") != want[1] {
			t.Errorf("%s: %d %s %q", path, a.status, a.header.Get("Content-Type"), a.body)
		}
		if a.header.Get("ETag") != `"`+sum(want[0])[:32]+`"` || !strings.HasPrefix(a.header.Get("Cache-Control"), "public") || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: header %v", path, a.header)
		}
	}
}

func TestAToneIsFetchedOnceAndInParts(t *testing.T) {
	s, own := withTones(t)
	const path = "/radio/tones/chirp.wav"
	etag := s.send("GET", path, credentials{}, nil).header.Get("ETag")
	if a := s.send("GET", path, credentials{}, nil, setHeader("If-None-Match", etag)); a.status != 304 || len(a.body) != 0 {
		t.Fatalf("known: %d %q", a.status, a.body)
	}
	if a := s.send("GET", path, credentials{}, nil, setHeader("Range", "bytes=4-11")); a.status != 206 || string(a.body) != "operator" {
		t.Fatalf("a part: %d %q", a.status, a.body)
	}
	if a := s.send("HEAD", path, credentials{}, nil); a.status != 200 || a.header.Get("Content-Length") != "20" || len(a.body) != 0 {
		t.Fatalf("HEAD: %d %v", a.status, a.header)
	}
	write(t, filepath.Join(own, "chirp.wav"), "another chirp")
	if a := s.send("GET", path, credentials{}, nil, setHeader("If-None-Match", etag)); a.status != 200 || string(a.body) != "another chirp" {
		t.Fatalf("changed: %d %q", a.status, a.body)
	}
}

func TestNoNameLeadsOutOfTheToneFolder(t *testing.T) {
	s, _ := withTones(t)
	for _, name := range []string{"secret.wav", "../secret.wav", "..%2fsecret.wav", "%2e%2e%2fsecret.wav", "..%5csecret.wav", "%2e%2e/secret.wav",
		"link.wav", "folder.wav", "folder.wav/inner.wav", "folder.wav%2finner.wav", "config.lua", ".hidden.wav", "chirp.wav%00", "chirp.wav/", "%00.wav", "c:chirp.wav", "none.wav", "%zz.wav", "chirp",
		"..", "%2e%2e", ".", "*", "{file}", strings.Repeat("a", 300) + ".wav"} {
		r, err := http.NewRequest("GET", s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Opaque = "/radio/tones/" + name // as written, not cleaned
		got, err := noRedirects.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		// net/http itself answers 400 if it is not a path at all.
		if got.StatusCode != 404 && got.StatusCode != 400 {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
}

func TestTheNewestInstallerIsServed(t *testing.T) {
	desktop := t.TempDir()
	s := onAir(t, func(o *rest.Options) { o.Desktop = desktop })
	const path = "/radio/dispatch/installer"
	write(t, filepath.Join(desktop, "notes.txt"), "no installer")
	s.send("GET", path, credentials{}, nil).refused(t, 404, "no installer")
	old, fresh := filepath.Join(desktop, "Dispatch 1.0.msi"), filepath.Join(desktop, "Dispatch 1.1 setup.exe")
	write(t, old, "old package")
	write(t, fresh, "MZ new one")
	now := time.Now()
	for name, age := range map[string]time.Duration{old: time.Hour, fresh: time.Minute} {
		if err := os.Chtimes(name, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	a := s.send("GET", path, credentials{}, nil)
	if a.status != 200 || string(a.body) != "MZ new one" || a.header.Get("Content-Type") != "application/vnd.microsoft.portable-executable" ||
		a.header.Get("Content-Disposition") != "attachment; filename*=UTF-8''Dispatch%201.1%20setup.exe" {
		t.Fatalf("%d %v %q", a.status, a.header, a.body)
	}
	if b := s.send("GET", path, credentials{}, nil, setHeader("If-None-Match", a.header.Get("ETag"))); b.status != 304 {
		t.Fatalf("known: %d", b.status)
	}
	if b := s.send("GET", path, credentials{}, nil, setHeader("Range", "bytes=3-")); b.status != 206 || string(b.body) != "new one" {
		t.Fatalf("the rest of a broken download: %d %q", b.status, b.body)
	}
	if err := os.Remove(fresh); err != nil {
		t.Fatal(err)
	}
	if b := s.send("GET", path, credentials{}, nil); string(b.body) != "old package" || b.header.Get("Content-Type") != "application/x-msi" || b.header.Get("ETag") == a.header.Get("ETag") {
		t.Fatalf("%d %v %q", b.status, b.header, b.body)
	}
}

func TestTheManifestIsMadeWhole(t *testing.T) {
	desktop := t.TempDir()
	s := onAir(t, func(o *rest.Options) { o.Desktop = desktop })
	const path = "/radio/dispatch/update.json"
	s.send("GET", path, credentials{}, nil).refused(t, 404, "no update manifest")
	write(t, filepath.Join(desktop, "setup.exe"), "MZ")
	write(t, filepath.Join(desktop, "app.AppImage"), "ELF")
	s.send("GET", path, credentials{}, nil).refused(t, 404, "no update manifest")
	write(t, filepath.Join(desktop, "update.json"), "\ufeff"+`{"version":"2.0.1","notes":"New","pub_date":"2026-01-02T03:04:05Z","extra":1,"platforms":{
		"windows-x86_64":{"signature":"w","url":""},
		"linux-x86_64":{"signature":"l","url":"https://files.example.org/app.AppImage"},
		"darwin-aarch64":{"signature":"d","url":"https://files.example.org/app.tar.gz","sha256":"given"}}}`)
	a := s.send("GET", path, credentials{}, nil)
	var m wire.UpdateManifest
	if err := json.Unmarshal(a.body, &m); err != nil || a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	want := wire.UpdateManifest{Version: "2.0.1", Notes: "New", PubDate: "2026-01-02T03:04:05Z", SHA256: sum("MZ"), Platforms: map[string]wire.UpdatePlatform{
		"windows-x86_64": {Signature: "w", URL: s.URL + "/radio/dispatch/installer", SHA256: sum("MZ")},
		"linux-x86_64":   {Signature: "l", URL: "https://files.example.org/app.AppImage", SHA256: sum("ELF")},
		"darwin-aarch64": {Signature: "d", URL: "https://files.example.org/app.tar.gz", SHA256: "given"},
	}}
	got, _ := json.Marshal(m)
	if wanted, _ := json.Marshal(want); string(got) != string(wanted) {
		t.Fatalf("manifest\n%s\nwant\n%s", got, wanted)
	}
	if b := s.send("GET", path, credentials{}, nil, setHeader("If-None-Match", a.header.Get("ETag"))); b.status != 304 || a.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("known: %d %v", b.status, a.header)
	}
	// A new installer under the same name has a new hash.
	write(t, filepath.Join(desktop, "setup.exe"), "MZ two")
	if b := s.send("GET", path, credentials{}, nil, setHeader("If-None-Match", a.header.Get("ETag"))); b.status != 200 || !contains(string(b.body), sum("MZ two")) {
		t.Fatalf("%d %s", b.status, b.body)
	}
	s.use(t, func(o *rest.Options) { o.PublicURL = "https://radio.example.org/" })
	if b := s.send("GET", path, credentials{}, nil); !contains(string(b.body), `"https://radio.example.org/radio/dispatch/installer"`) {
		t.Fatalf("%s", b.body)
	}
}

func TestAManifestThatWouldFailIsNotServed(t *testing.T) {
	desktop := t.TempDir()
	s := onAir(t, func(o *rest.Options) { o.Desktop = desktop })
	broken := []string{"", "[]", "{", `{"version":"1"}`, `{"platforms":{"x":{"signature":"s"}}}`, `{"version":"1","platforms":{"x":{"url":"u"}}}`, `{"version":5,"platforms":{}}`,
		strings.Repeat(" ", 2<<20) + `{"version":"1","platforms":{"x":{"signature":"s"}}}`}
	for _, text := range broken {
		write(t, filepath.Join(desktop, "update.json"), text)
		s.send("GET", "/radio/dispatch/update.json", credentials{}, nil).refused(t, 404, "update manifest")
	}
	if s.log.containing("update.json") != len(broken)-1 { // a file that is too large counts as missing
		t.Fatalf("log %q", s.log.all)
	}
}
