package themes

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// assets are the files of the theme that the hostile stylesheets belong to.
var assets = []string{"style.css", "bg.png", "img/a.png", "fonts/f.woff2", "icons.svg"}

// golden is what becomes of a stylesheet: the report, then what is left.
func golden(clean []byte, removed []Removal) []byte {
	var b bytes.Buffer
	for _, r := range removed {
		fmt.Fprintf(&b, "%d:%d %s\n\t%s\n", r.Line, r.Column, r.What, r.Why)
	}
	b.WriteString("----\n")
	b.Write(clean)
	return b.Bytes()
}

// TestHostile compares what becomes of each hostile stylesheet with its golden file.
func TestHostile(t *testing.T) {
	sheets, err := filepath.Glob("testdata/hostile/*.css")
	if err != nil || len(sheets) == 0 {
		t.Fatal("no hostile stylesheets", err)
	}
	for _, name := range sheets {
		t.Run(filepath.Base(name), func(t *testing.T) {
			sheet, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			clean, removed := sanitiseFile("style.css", sheet, assets, new(maxGuesses))
			if found := reachesOut(string(clean)); found != "" {
				t.Errorf("what is left reaches out: %s", found)
			}
			if again, more := sanitiseFile("style.css", clean, assets, new(maxGuesses)); !bytes.Equal(again, clean) || len(more) > 0 {
				t.Errorf("a second pass changes it: %v\n%s", more, again)
			}
			got := golden(clean, removed)
			file := strings.TrimSuffix(name, ".css") + ".golden"
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestSanitiseKeeps holds sheets of which nothing may be lost.
func TestSanitiseKeeps(t *testing.T) {
	for _, sheet := range []string{
		"",
		"/* MIT, https://example.org */\n:root { --sq-bg: #123; --sq-x: calc(1px + var(--y, 2px)); }\n",
		`a::before { content: "\201C // 12:30"; background: url(bg.png) no-repeat, url("img/a.png?v=2"), url( 'icons.svg#dot' ) }`,
		`@media (400px <= width < 60em) and (prefers-color-scheme: dark) { [data-part="card"]:not(:hover, .a\:b) > b { color: rgb(1 2 3 / 50%) !important } }`,
		`@media(min-width:1px){a{color:red}}`,
		`@layer a, b.c; @layer a { p { x: y; &:hover { top: 0; @media print { left: 0 } } z-index: 1; } }`,
		`@font-face { font-family: F; src: url(fonts/f.woff2) format("woff2"), local("Arial"); unicode-range: U+26, U+0-7F, u+4??; }`,
		`@keyframes k { from { top: 0 } 50.5% { top: 1px } to { top: 2px } }`,
		`@property --x { syntax: "<color>"; inherits: false; initial-value: red }`,
		`@supports (display: grid) and (not selector(a > b)) { a { display: grid } }`,
		`@container card (width > 40em) { a { top: 0 } } @scope (.a) to (.b) { i { top: 0 } } @starting-style { a { opacity: 0 } }`,
		`a { mask: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"); src: url(data:font/woff2;base64,AAAA) }`,
		`a { background: image-set("bg.png" type("image/png") 1x, url(img/a.png) 2x) }`,
		`a { --json: { "a": [1, 2] }; --empty:; top: 0 }`,
		`a { filter: url(#f) drop-shadow(0 0 2px red); content: attr(data-label) / "" }`,
		"a{}\n<!-- x",
	} {
		t.Run(sheet, func(t *testing.T) {
			clean, removed := sanitiseFile("style.css", []byte(sheet), assets, new(maxGuesses))
			if strings.HasPrefix(sheet, "a{}\n<!--") {
				if len(removed) != 2 || string(clean) != "a{}\n " {
					t.Errorf("got %q, %v; the first sheet here that must lose something shows that this test can fail", clean, removed)
				}
				return
			}
			if string(clean) != sheet || len(removed) > 0 {
				t.Errorf("got %q\nremoved %+v", clean, removed)
			}
		})
	}
}

// TestSanitiseNormal: line ends, marks and bytes that are no text.
func TestSanitiseNormal(t *testing.T) {
	for sheet, want := range map[string]string{
		"\ufeffa{top:0}":                         "a{top:0}",
		"a{\r\ntop:0\r}\f":                       "a{\ntop:0\n}\n",
		"a{top:0;left:\x00}":                     "a{top:0;}",
		"a{top:0;left:\xff}":                     "a{top:0;}",
		"a{b:\"\\\r\nhttps://x.example\";top:0}": "a{top:0}",
	} {
		if clean, _ := Sanitise([]byte(sheet), nil); string(clean) != want {
			t.Errorf("%q became %q, not %q", sheet, clean, want)
		}
	}
}

func TestSanitisePlaces(t *testing.T) {
	_, removed := sanitiseFile("css/style.css", []byte("a{top:0}\n  ü{ b: url(../bg.pgn);\n\tc: url(../../elsewhere.svg) }"), assets, new(maxGuesses))
	want := []Removal{
		{"css/style.css", 2, 6, "b: url(../bg.pgn);", `loads ../bg.pgn, which is no file of the theme; did you mean "bg.png"?`},
		{"css/style.css", 3, 2, "c: url(../../elsewhere.svg)", "loads ../../elsewhere.svg, which is no file of the theme"},
	}
	if !slices.Equal(removed, want) {
		t.Errorf("got %+v", removed)
	}
	if clean, removed := sanitiseFile("css/style.css", []byte("a{b:url(../img/a.png)}"), assets, new(maxGuesses)); len(removed) > 0 {
		t.Errorf("lost %v, left %s", removed, clean)
	}
}

func TestSanitiseLimits(t *testing.T) {
	_, removed := Sanitise(bytes.Repeat([]byte("a{b:url(x)}"), maxRemoved+5), nil)
	if n := len(removed); n != maxRemoved+1 || removed[n-1].Why != "and 5 more from here on" {
		t.Errorf("%d removals, the last one %+v", n, removed[n-1])
	}
	if clean, removed := Sanitise(bytes.Repeat([]byte(" "), maxText+1), nil); clean != nil || len(removed) != 1 {
		t.Errorf("a sheet that is too large: %d bytes are left, %v", len(clean), removed)
	}
	deep := strings.Repeat("a{", 40_000)
	if clean, _ := Sanitise([]byte(deep+strings.Repeat("}", 40_000)), nil); strings.Count(string(clean), "{") != maxNesting {
		t.Errorf("%d blocks within each other are left", strings.Count(string(clean), "{"))
	}
	for _, sheet := range []string{deep, strings.Repeat("a{b:(", 20_000), strings.Repeat("@media{", 20_000), strings.Repeat("a:b ", 40_000), "a{b:" + strings.Repeat("qwertz()", 20_000)} {
		if clean, _ := Sanitise([]byte(sheet), nil); len(clean) > 0 {
			t.Errorf("%q… left %q…", sheet[:10], clean[:min(20, len(clean))])
		}
	}
}
