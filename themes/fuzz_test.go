package themes

import (
	"encoding/json"
	"testing"
)

// FuzzReadZip: what is read is within the limits, and a zip of it gives the same again.
func FuzzReadZip(f *testing.F) {
	for _, c := range hostileZips() {
		f.Add(c.zip)
	}
	f.Add(zipOf(goodFiles()))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadZip(data)
		if err != nil {
			return
		}
		size := 0
		for name, data := range p.Files {
			if err := checkName(name); err != nil {
				t.Fatal(err)
			}
			size += len(data)
		}
		if size > MaxBytes || len(p.Files) > MaxEntries {
			t.Fatalf("%d bytes in %d files", size, len(p.Files))
		}
		again, err := ReadZip(p.Pack())
		if err != nil || again.Build() != p.Build() {
			t.Fatalf("packed and read again: %v", err)
		}
		if _, err := checked(p); err != nil {
			t.Fatalf("it cannot be installed: %v", err)
		}
	})
}

// FuzzParseMarket: what is accepted is within the limits, and stays the same when it is
// written and read again.
func FuzzParseMarket(f *testing.F) {
	for _, seed := range []string{`{"squelch":1,"themes":[]}`, `{"squelch":1,"themes":[` + offer + `]}`, `{"squelch":2}`, `[]`, `{"squelch":1,"themes":[null]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMarket(data)
		if err != nil {
			return
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > MaxMarket {
			return
		}
		again, err := ParseMarket(text)
		if err != nil || len(again.Themes) != len(m.Themes) {
			t.Fatalf("%s is not accepted again: %v", text, err)
		}
		for i := range m.Themes {
			if again.Themes[i] != m.Themes[i] {
				t.Fatalf("%+v became %+v", m.Themes[i], again.Themes[i])
			}
		}
	})
}
