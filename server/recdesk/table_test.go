package recdesk

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"squelch/core/wire"
)

// TestNoCellBeginsAFormula, wherever a spreadsheet parts cells; other texts stay as they are.
func TestNoCellBeginsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "shots fired; code 3": "shots fired; code 3", "a=b+c@d-e": "a=b+c@d-e", "2-ADAM-7": "2-ADAM-7", "a;b;c": "a;b;c", "Zoë": "Zoë",
		"=cmd": "'=cmd", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", " =1": "' =1", "＝1": "'＝1",
		"x;=cmd|' /C calc'!A0": "x;'=cmd|' /C calc'!A0", "x;+1;-2;@3": "x;'+1;'-2;'@3", "x; =1": "x;' =1", `x;"=1"`: `x;'"=1"`, "x;\t=1": "x;'\t'=1",
		"x\t=1": "x\t'=1", "x\n=1": "x\n'=1", "x\r\n=1": "x\r'\n'=1", "=a;=b": "'=a;'=b", "\xff;=b": "\uFFFD;'=b",
	} {
		if got := cell(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzTable: no part of a row that a user chose begins a formula, read with commas or, as
// other spreadsheets do, parted at semicolons, tabs and lines without regard for quotes.
func FuzzTable(f *testing.F) {
	f.Add("x;=cmd")
	f.Add("\"=1\"\n;\t@a,=b")
	f.Add("\u00a0-1")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		if err := table(&out, []told{{TimelineEntry: wire.TimelineEntry{At: 1, Name: text, Detail: text, Transcript: text}}}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(out.Bytes())).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%d rows of %q: %v", len(rows), out.String(), err)
		}
		parts := append(rows[1], strings.FieldsFunc(out.String(), func(c rune) bool { return strings.ContainsRune(";\t\r\n", c) })...)
		for _, part := range parts {
			if part = strings.TrimLeft(part, " \"\u00a0"); part != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(part)[0]) {
				t.Fatalf("%q has %q", out.String(), part)
			}
		}
	})
}
