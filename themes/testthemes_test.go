package themes

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const pngHead = "\x89PNG\r\n\x1a\n"

// good is the files of a theme with everything.
func good(slug string) map[string]string {
	return map[string]string{
		"theme.json": fmt.Sprintf(`{"name": "Night %s", "slug": %q, "version": "1.0", "author": "Ana",
			"description": "Dark.", "css": "style.css", "js": "theme.js"}`, slug, slug),
		"style.css":     "a { background: url(img/bg.png) }\n",
		"theme.js":      "theme.setVar('--x', '1')\n",
		"theme.test.js": "test('x', () => {})\n",
		"img/bg.png":    pngHead + "pixels",
		"preview.png":   pngHead + "preview",
		"LICENSE":       "MIT\n",
	}
}

// plainTheme has no script.
func plainTheme(slug string) map[string]string {
	files := good(slug)
	delete(files, "theme.js")
	delete(files, "theme.test.js")
	files["theme.json"] = strings.Replace(files["theme.json"], `, "js": "theme.js"`, "", 1)
	return files
}

// with is files and changes of it; "" takes a file away.
func with(files map[string]string, changes ...string) map[string]string {
	files = maps.Clone(files)
	for i := 0; i < len(changes); i += 2 {
		if files[changes[i]] = changes[i+1]; changes[i+1] == "" {
			delete(files, changes[i])
		}
	}
	return files
}

// entry is a file of a zip, which may be hostile.
type entry struct {
	name, data string
	edit       func(h *zip.FileHeader)
}

func entriesOf(files map[string]string) []entry {
	var all []entry
	for _, name := range sortedNames(files) {
		all = append(all, entry{name: name, data: files[name]})
	}
	return all
}

func zipOf(files map[string]string) []byte { return zipEntries(entriesOf(files)...) }

// zipEntries writes exactly what is asked for, also what no good program would.
func zipEntries(entries ...entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := flate.NewWriter(nil, flate.BestCompression)
	for _, e := range entries {
		packed, method := []byte(e.data), zip.Store
		if len(e.data) > 100 {
			var b bytes.Buffer
			f.Reset(&b)
			_, _ = f.Write(packed)
			_ = f.Close()
			packed, method = b.Bytes(), zip.Deflate
		}
		h := &zip.FileHeader{Name: e.name, Method: method, CRC32: crc32.ChecksumIEEE([]byte(e.data)),
			CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(len(e.data))}
		if e.edit != nil {
			e.edit(h)
		}
		raw, err := w.CreateRaw(h)
		if err == nil {
			_, err = raw.Write(packed)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// mode makes an entry say that it is something else than a file.
func mode(m fs.FileMode) func(*zip.FileHeader) {
	return func(h *zip.FileHeader) { h.SetMode(m) }
}

// hostileZip is a zip, and what the error must say of it.
type hostileZip struct {
	name string
	zip  []byte
	says string
}

// hostileZips is every zip that is refused; making them takes a while.
var hostileZips = sync.OnceValue(func() []hostileZip {
	more := func(e ...entry) []byte { return zipEntries(append(entriesOf(plainTheme("night")), e...)...) }
	file := func(name string) []byte { return more(entry{name: name, data: "x"}) }
	var many []entry
	for i := range 10_000 {
		many = append(many, entry{name: fmt.Sprintf("t/%d.txt", i), data: "x"})
	}
	var folders []entry
	for i := range MaxEntries {
		folders = append(folders, entry{name: fmt.Sprintf("d%d/", i)})
	}
	bomb := strings.Repeat("\x00", MaxBytes+1)
	lies := func(h *zip.FileHeader) { h.UncompressedSize64 = 10 }
	ten := strings.Repeat("a", 600_000)
	var slow []entry
	for i := range 9 {
		slow = append(slow, entry{name: fmt.Sprintf("t%d.txt", i), data: ten})
	}
	var hidden []entry
	for i := range 9 {
		hidden = append(hidden, entry{name: fmt.Sprintf(".t%d", i), data: ten})
	}
	good := zipOf(plainTheme("night"))
	inner := zipOf(plainTheme("inner"))
	broken := bytes.Clone(good)
	broken[39] ^= 0x55 // in the packed bytes of the first file
	overlap := bytes.Clone(more(entry{name: "x.txt", data: "x"}))
	// The last entry of the directory points at the first file.
	at := bytes.LastIndex(overlap, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(overlap[at+42:], 0)

	return []hostileZip{
		{"nothing", nil, "is not a zip"},
		{"no zip", []byte("<html>"), "is not a zip"},
		{"half a zip", good[:len(good)/2], "is not a zip"},
		{"a zip that is too large", make([]byte, MaxZip+1), "bytes as a zip, which is the limit"},
		{"an empty zip", zipEntries(), "has no theme.json"},
		{"broken bytes", broken, "cannot be unpacked"},
		{"a bomb", more(entry{name: "bomb.txt", data: bomb}), "bomb.txt: with it the theme has more than 5242880 bytes (5 MB) unpacked, which is the limit"},
		{"a bomb that is passed over", more(entry{name: "__MACOSX/._bomb.txt", data: bomb}), "._bomb.txt: with it the theme has more than"},
		{"a bomb of many that are passed over", more(hidden...), "with it the theme has more than"},
		{"a bomb that says it is small", more(entry{name: "bomb.txt", data: bomb, edit: lies}), "bomb.txt: "},
		{"a bomb of many", more(slow...), "with it the theme has more than"},
		{"entries that overlap", overlap, "x.txt: "},
		{"10,000 entries", more(many...), "has 10005 files and folders; the limit is 200"},
		{"folders and folders", more(folders...), "files and folders; the limit is 200"},
		{"traversal", file("../evil.txt"), `../evil.txt: has ".."`},
		{"traversal within", file("img/../../evil.txt"), `has ".."`},
		{"traversal out of what is passed over", file(".git/../../evil.txt"), `begins with "."`},
		{"traversal into what is passed over", file("../.git/evil.txt"), `has ".."`},
		{"a network path of declarations", file(`\\host\evil.d.ts`), `has a "\"`},
		{"absolute declarations", file("/etc/evil.d.ts"), "is an absolute path"},
		{"a dot", file("./evil.txt"), `./evil.txt: begins with "."`},
		{"an absolute path", file("/etc/evil.txt"), "/etc/evil.txt: is an absolute path"},
		{"a backslash", file(`..\evil.txt`), `..\evil.txt: has a "\"`},
		{"a network path", file(`\\host\evil.txt`), `has a "\"`},
		{"a drive", file("C:/evil.txt"), "C:/evil.txt: names a drive"},
		{"a stream", file("evil.txt:x.txt"), `evil.txt:x.txt: has ':'`},
		{"an empty name", file(""), "a file without a name"},
		{"an empty part", file("a//b.txt"), "has an empty part"},
		{"NUL", file("evil.txt\x00.png"), `evil.txt\x00.png: has '\x00'`},
		{"a line end", file("evil\n.txt"), `has '\n'`},
		{"a reserved file", file("_run.js"), `_run.js: begins with "_"`},
		{"the Finder's name elsewhere", file("__MACOSX.txt"), `begins with "_"`},
		{"a device of Windows", file("img/CON.txt"), `"con" is the name of a device`},
		{"another one", file("lpt1.tar.txt"), `"lpt1" is the name of a device`},
		{"a dot at the end", file("img./x.txt"), "ends in a dot"},
		{"a space", file("my picture.png"), "has ' ' in its name"},
		{"a composed letter", file("\u00e9.txt"), `has '\u00e9'`},
		{"the same letter in two parts", file("e\u0301.txt"), `has '\u0301'`},
		{"a letter that folds to k", file("\u212a.txt"), `has '\u212a'`},
		{"bytes that are no text", file("\xff.txt"), `has '\ufffd'`},
		{"a long name", file(strings.Repeat("a", 200) + ".txt"), "the name has 204 bytes; the limit is 120"},
		{"deep folders", file("a/b/c/d/e/f/g/h/i/j.txt"), "in more than 8 folders"},
		{"capital letters", file("Style.css"), "differs from style.css only in capital"},
		{"capital letters in a folder", file("IMG/x.txt"), "differs from img only in capital"},
		{"twice", file("style.css"), "style.css: is there twice"},
		{"the manifest twice", file("theme.json"), "theme.json: is there twice"},
		{"a file that is a folder", more(entry{name: "style.css/x.txt", data: "x"}), "is a file and a folder at once"},
		{"a folder with bytes", more(entry{name: "x/", edit: func(h *zip.FileHeader) { h.UncompressedSize64 = 4 }}), "x/: is a folder with bytes"},
		{"a link", more(entry{name: "x.txt", data: "/etc/passwd", edit: mode(fs.ModeSymlink | 0o777)}), "x.txt: is a link"},
		{"a link to a folder", more(entry{name: "x/", edit: mode(fs.ModeSymlink | 0o777)}), "x/: says that it is a folder"},
		{"a link as stylesheet", zipEntries(append(entriesOf(with(plainTheme("night"), "style.css", "")), entry{name: "style.css", data: "/etc/passwd", edit: mode(fs.ModeSymlink | 0o777)})...), "style.css: is a link"},
		{"a pipe", more(entry{name: "x.txt", edit: mode(fs.ModeNamedPipe | 0o666)}), "x.txt: is a pipe"},
		{"a device", more(entry{name: "x.txt", edit: mode(fs.ModeDevice | 0o666)}), "x.txt: is a device"},
		{"a folder without a slash", more(entry{name: "x.txt", edit: mode(fs.ModeDir | 0o777)}), "x.txt: says that it is a folder"},
		{"encryption", more(entry{name: "x.txt", data: "x", edit: func(h *zip.FileHeader) { h.Flags |= 1 }}), "x.txt: is encrypted"},
		{"another packing", more(entry{name: "x.txt", data: "x", edit: func(h *zip.FileHeader) { h.Method = 12 }}), "x.txt: is packed by method 12"},
		{"a zip in the zip", more(entry{name: "inner.zip", data: string(inner)}), "inner.zip: is not a type of file"},
		{"a zip that says it is a picture", more(entry{name: "inner.png", data: string(inner)}), "inner.png: is not a PNG picture"},
		{"a page", file("x.html"), "x.html: is not a type of file"},
		{"a program", file("x.wasm"), "x.wasm: is not a type of file"},
		{"a module", file("x.mjs"), "x.mjs: is not a type of file"},
		{"no type", file("Makefile"), "Makefile: is not a type of file"},
		{"capital letters in a type", file("x.JS"), "x.JS: is not a type of file"},
		{"a second script", zipOf(with(goodFiles(), "more.js", "1")), "more.js: is a second script"},
		{"a script that is not named", file("theme.js"), "theme.js: is a script, and theme.json names none"},
		{"a script that is no text", zipOf(with(goodFiles(), "theme.js", "\xff")), "theme.js: is not UTF-8"},
		{"a script with NUL", zipOf(with(goodFiles(), "theme.js", "a\x00b")), "theme.js: is not UTF-8"},
		{"a script that is missing", zipOf(with(goodFiles(), "theme.js", "")), "js names theme.js, which is not there"},
		{"a stylesheet that is missing", zipOf(with(goodFiles(), "style.css", "", "styel.css", "a{}")), `css names style.css, which is not there; did you mean "styel.css"?`},
		{"two folders", zipEntries(entry{name: "a/theme.json", data: "{}"}, entry{name: "b/style.css", data: "x"}), "a/theme.json: must be called theme.json and lie at the top"},
		{"no manifest", zipOf(with(goodFiles(), "theme.json", "")), "has no theme.json"},
		{"an SVG with a script", more(entry{name: "x.svg", data: "<svg><script>1</script></svg>"}), "x.svg: line 1 has <script>"},
		{"a picture that is text", file("x.png"), "x.png: is not a PNG"},
		{"a font that is text", file("x.woff2"), "x.woff2: is not a WOFF2"},
		{"JSON that is none", file("x.json"), "x.json: is not valid JSON"},
	}
})

func goodFiles() map[string]string { return good("night") }

func (h hostileZip) test(t *testing.T) {
	p, err := ReadZip(h.zip)
	if err == nil || p != nil {
		t.Fatalf("it was read: %+v", p)
	}
	if !strings.Contains(err.Error(), h.says) {
		t.Errorf("the error is %q; it must say %q", err, h.says)
	}
}

// folderOf writes files into a new folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, files map[string]string) *Package {
	t.Helper()
	p, err := ReadZip(zipOf(files))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
