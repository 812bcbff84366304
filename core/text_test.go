package core

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
)

// FuzzText: what Line and Prose let through is not too long, has nothing in it that
// breaks or reverses a line, and goes through again unchanged. A refusal names the
// field.
func FuzzText(f *testing.F) {
	for _, s := range []string{"Adam-12", " Ana ", "a\x00b", "\u202eabc\u2069", "a\tb\nc", "\u200d", "\u00a0", "\xff", "\u061c", "\u009b31m", strings.Repeat("ü", 99)} {
		f.Add(s)
	}
	const most = 40
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range []struct {
			tidy func(string) (string, error)
			but  string
		}{
			{func(s string) (string, error) { return Line("label", s, 0, most) }, ""},
			{func(s string) (string, error) { return Prose("label", s, most) }, "\n\t"},
		} {
			got, err := c.tidy(text)
			if err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Kind != Invalid || e.Field != "label" || !strings.HasPrefix(e.Message, "label ") {
					t.Fatalf("%q: refused with %#v", text, err)
				}
				continue
			}
			if strings.ContainsFunc(got, func(r rune) bool { return bidi(r) || (unicode.IsControl(r) && !strings.ContainsRune(c.but, r)) }) || runes(got) > most {
				t.Fatalf("%q became %q", text, got)
			}
			if again, err := c.tidy(got); err != nil || again != got {
				t.Fatalf("%q became %q, and that %q (%v)", text, got, again, err)
			}
		}
	})
}

// FuzzUndirected: a JSON text stays JSON with the same keys, and its values lose
// the bidirectional controls and nothing else.
func FuzzUndirected(f *testing.F) {
	for _, s := range []string{`{"name":"A\u202eB","x":["\u2066",1,{"k\u202e":"\\u202e"}]}`, `"\"\u200f\\"`, "{\"a\" : \"\u202e\"}", `[]`, `"\ud83d\ude00"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := undirected(text)
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil {
			return
		}
		if err := json.Unmarshal([]byte(got), &after); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		want, _ := json.Marshal(plain(before))
		if b, _ := json.Marshal(after); string(b) != string(want) {
			t.Fatalf("%q became %q, want %s", text, got, want)
		}
	})
}

// plain leaves the bidirectional controls out of the values of some JSON.
func plain(v any) any {
	switch v := v.(type) {
	case string:
		return strings.Map(func(r rune) rune {
			if bidi(r) {
				return -1
			}
			return r
		}, v)
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

func TestTheEntryOfAnAlertIsEchoedWithoutTurningALine(t *testing.T) {
	s, err := New(simConfig(0))
	if err != nil {
		t.Fatal(err)
	}
	a := Alert{Name: "BO\u202eLO", DeactivateLabel: "CLEAR\u2066", Raw: `{"name":"BO\u202eLO","deactivateLabel":"CLEAR` + "\u2066" + `","note":"kept","crew":{"size":[1,2]}}`}
	if err := s.checkAlert(&a); err != nil {
		t.Fatal(err)
	}
	if a.Name != "BOLO" || a.DeactivateLabel != "CLEAR" || a.Raw != `{"name":"BOLO","deactivateLabel":"CLEAR","note":"kept","crew":{"size":[1,2]}}` {
		t.Errorf("%+v", a)
	}
}
