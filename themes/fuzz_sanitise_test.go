package themes

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzSanitise: nothing external survives, and a second pass changes nothing.
func FuzzSanitise(f *testing.F) {
	sheets, err := filepath.Glob("testdata/hostile/*.css")
	if err != nil || len(sheets) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range sheets {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		for line := range bytes.SplitSeq(data, []byte("\n\n")) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, sheet []byte) {
		clean, _ := sanitiseFile("style.css", sheet, assets, new(maxGuesses))
		if found := reachesOut(string(clean)); found != "" {
			t.Fatalf("%q became %q, which reaches out: %s", sheet, clean, found)
		}
		again, removed := sanitiseFile("style.css", clean, assets, new(maxGuesses))
		if !bytes.Equal(again, clean) || len(removed) > 0 {
			t.Fatalf("%q became %q, and that became %q: %+v", sheet, clean, again, removed)
		}
	})
}
