package themes

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const offer = `{"slug":"night","name":"Night","author":"Ana","description":"Dark.","version":"1.0","hasJs":true,
	"zip":"night-1.0.zip","sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","bytes":1234,"picture":"night.png"}`

func mustURL(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}

func TestParseMarket(t *testing.T) {
	index := func(offers ...string) string { return `{"squelch":1,"themes":[` + strings.Join(offers, ",") + `]}` }
	m, err := ParseMarket([]byte(index(offer, strings.Replace(offer, `"night"`, `"day","later":true`, 1))))
	if err != nil || len(m.Themes) != 2 || m.Find("night").Zip != "night-1.0.zip" || m.Find("day") == nil || m.Find("x") != nil {
		t.Fatalf("%+v, %v", m, err)
	}
	edit := func(from, to string) string { return index(strings.Replace(offer, from, to, 1)) }
	for text, says := range map[string]string{
		``:                        "is not valid",
		`{"squelch":1`:            "is not valid",
		`{"squelch":2}`:           "has squelch: 2",
		`{"themes":[]}`:           "has squelch: 0",
		index() + "x":             "something after its end",
		index("1"):                "mistake in themes[0]",
		index("null"):             "mistake in themes[0]",
		index(offer, offer):       `slug "night" is there twice`,
		edit(`"night"`, `"../x"`): `slug is "../x"`,
		edit(`"Night"`, `""`):     "name must not be empty",
		edit(`"Night"`, `"`+strings.Repeat("x", 61)+`"`):    "longer than 60",
		edit(`"Ana"`, `"a\u0000b"`):                         "author",
		edit(`night-1.0.zip`, `https://evil.example/x.zip`): `such as night-1.0.zip`,
		edit(`night-1.0.zip`, `../x.zip`):                   "beside the index",
		edit(`night-1.0.zip`, `a/x.zip`):                    "beside the index",
		edit(`night-1.0.zip`, `//x.zip`):                    "beside the index",
		edit(`night-1.0.zip`, `x.exe`):                      "beside the index",
		edit(`night.png`, `//evil.example/x.png`):           "picture is",
		edit(`night.png`, `x.svg`):                          "picture is",
		edit(`night.png`, `data:image/png,x`):               "picture is",
		edit(`"0123456789abcdef`, `"0123456789ABCDEF`):      "sha256 is",
		edit(`:1234`, `:0`):                                 "bytes is 0",
		edit(`:1234`, `:99999999`):                          "bytes is 99999999",
		index(slices.Repeat([]string{"1"}, MaxOffers+1)...): "the limit is 1000",
		strings.Repeat(" ", MaxMarket+1):                    "which is the limit",
	} {
		if m, err := ParseMarket([]byte(text)); err == nil || m != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.100q: the error is %v; it must say %q", text, err, says)
		}
	}
}

func TestWriteMarket(t *testing.T) {
	night, plain := read(t, good("night")), read(t, with(plainTheme("a"), "preview.png", ""))
	// The names of these two zips would be the same.
	version := func(slug, v string) *Package {
		return read(t, with(plainTheme(slug), "theme.json", strings.Replace(plainTheme(slug)["theme.json"], `"1.0"`, `"`+v+`"`, 1)))
	}
	all := []*Package{night, plain, version("b", "1 b"), version("b-1", "b")}
	dir, again := filepath.Join(t.TempDir(), "market"), t.TempDir()
	m, err := WriteMarket(dir, all)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	if _, err := WriteMarket(again, all); err != nil {
		t.Fatal(err)
	}
	data := indexOf(t, dir)
	if !bytes.Equal(data, indexOf(t, again)) && !strings.Contains(string(data), "b-1-") {
		t.Error("the same themes give another marketplace")
	}
	parsed, err := ParseMarket(data)
	if err != nil || len(parsed.Themes) != 4 || !slices.Equal(parsed.Themes, m.Themes) {
		t.Fatalf("%+v, %v", parsed, err)
	}
	for _, o := range parsed.Themes {
		zip, err := os.ReadFile(filepath.Join(dir, o.Zip))
		if err != nil {
			t.Fatal(err)
		}
		p, err := o.Read(zip)
		if err != nil || p.Manifest.Slug != o.Slug || p.Manifest.Name != o.Name || o.HasJS != (p.Script != nil) {
			t.Errorf("%s: %+v, %v", o.Slug, p, err)
		}
		if picture := p.Files[p.Picture]; picture != nil {
			if got, err := os.ReadFile(filepath.Join(dir, o.Picture)); err != nil || !bytes.Equal(got, picture) {
				t.Errorf("%s: the picture is %q, %v", o.Slug, got, err)
			}
		} else if o.Picture != "" {
			t.Errorf("%s has the picture %q", o.Slug, o.Picture)
		}
		if _, err := o.Read(append(zip, 0)); err == nil || !strings.Contains(err.Error(), "is not the file that the marketplace's index promises") {
			t.Errorf("%s: other bytes were read: %v", o.Slug, err)
		}
		o.Version = "9"
		if _, err := o.Read(zip); err == nil || !strings.Contains(err.Error(), "promises") {
			t.Errorf("%s: another version was read: %v", o.Slug, err)
		}
	}
	o := parsed.Find("night")
	o.HasJS = false
	if _, err := o.Read(night.Pack()); err == nil || !strings.Contains(err.Error(), "script: true") {
		t.Errorf("a script that the index does not promise: %v", err)
	}
	if _, err := WriteMarket(again, []*Package{night, night}); err == nil || !strings.Contains(err.Error(), `slug "night"`) {
		t.Errorf("the same slug twice: %v", err)
	}
	if got := tree(t, dir); len(got) != 8 {
		t.Errorf("in the folder are %q", got)
	}
}
