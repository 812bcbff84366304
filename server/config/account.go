package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Verdict says what becomes of a line of a configuration that was written for the older
// product.
type Verdict string

// The verdicts.
const (
	Taken   Verdict = "taken"   // it means here what it meant there
	Changed Verdict = "changed" // it is read in another way, or has another place
	Ignored Verdict = "ignored" // it has no effect here
	Wrong   Verdict = "wrong"   // serve does not start with it
	Missing Verdict = "missing" // it is not in the file; Text says what is used instead
)

// Line is what becomes of one key of a configuration, or of one line of permissions.cfg.
// No value of a secret is in it.
type Line struct {
	Line    int     `json:"line,omitempty"` // 0: not known, or not in the file
	Key     string  `json:"key,omitempty"`  // "zones[2].Channels[1]"; "" in permissions.cfg
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
}

// Account is what becomes of each line of a configuration, in the order of the files. It
// comes from the same reading as the configuration itself.
type Account struct {
	Config      []Line
	Permissions []Line
}

// maxNotes: remarks about the keys of one file.
const maxNotes = 1000

// note remembers what becomes of a value, once.
func (r *reader) note(verdict Verdict, path, format string, args ...any) {
	if len(r.notes) >= maxNotes {
		return
	}
	n := Line{r.lines.of(path), path, verdict, fmt.Sprintf(format, args...)}
	if r.noted == nil {
		r.noted = map[Line]bool{}
	}
	if !r.noted[n] {
		r.noted[n] = true
		r.notes = append(r.notes, n)
	}
}

// account goes through a file that has been read. Keys and entries of lists have a line
// each; what is inside of them has one if there is something to say about it.
func (r *reader) account(c lua.LValue, calls []GameCall) []Line {
	for _, call := range calls {
		r.note(Changed, call.Name, "uses %s, which only the game server has: the game resource answers it", call.Uses)
	}
	w := &walk{notes: map[string][]Line{}, wrong: r.errs}
	for _, n := range r.notes {
		w.notes[n.Key] = append(w.notes[n.Key], n)
	}
	own := &reader{file: r.file, lines: r.lines, said: map[string]bool{}, index: map[string][]string{}}
	top := value{r: own, v: c}
	for _, e := range top.entries() {
		w.entry(e, true)
	}
	for _, n := range r.notes {
		if notes := w.notes[n.Key]; notes != nil && !w.below(n.Key) {
			w.out = append(w.out, notes...)
		}
		delete(w.notes, n.Key)
	}
	byLine(w.out)
	for _, m := range missing {
		if top.get(m.key).none() {
			w.out = append(w.out, Line{Key: m.key, Verdict: Missing, Text: m.text})
		}
	}
	return w.out
}

// missing is what a file of the older product need not have, and what happens then.
var missing = []struct{ key, text string }{
	{"authToken", "is generated on the first start (squelch secrets shows it); programs that have the old one need it here or in SQUELCH_AUTH_TOKEN"},
	{"dispatchNacId", "is generated on the first start (squelch secrets shows it), or is SQUELCH_DISPATCH_NAC_ID"},
	{"adminPassword", "is generated on the first start (squelch secrets shows it), or is SQUELCH_ADMIN_PASSWORD"},
	{"zones", "the demo zones are used: write your zones and channels here"},
	{"alerts", "the demo alerts are used"},
	{"webrtc", "voice uses UDP port 7778: open it; publicAddress is the address that clients reach, if it is not one of this machine (--media is the flag)"},
}

type walk struct {
	out   []Line
	notes map[string][]Line
	wrong []*Error
	shut  []string // values of which nothing more is said
}

// entry says what becomes of a key or of an entry of a list, and of what is in it.
func (w *walk) entry(e entry, row bool) {
	v := e.value
	if slices.ContainsFunc(w.wrong, func(x *Error) bool { return strings.EqualFold(x.Key, v.path) }) {
		w.shut = append(w.shut, v.path)
		return // the mistake is told elsewhere
	}
	said := w.notes[v.path]
	delete(w.notes, v.path)
	w.out = append(w.out, said...)
	if slices.ContainsFunc(said, func(n Line) bool { return n.Verdict == Ignored }) {
		w.shut = append(w.shut, v.path)
		return
	}
	if row && len(said) == 0 {
		w.out = append(w.out, Line{v.r.lines.of(v.path), v.path, Taken, v.summary()})
	}
	for _, inner := range v.entries() {
		_, table := inner.value.v.(*lua.LTable)
		if table {
			w.entry(inner, inner.name == "" && inner.value.label() != "")
		}
	}
}

// below says whether a key is in a value of which nothing more is said.
func (w *walk) below(key string) bool {
	return slices.ContainsFunc(w.shut, func(p string) bool { return key != p && inside(key, p) })
}

func byLine(lines []Line) {
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(a.Line, b.Line) })
}

// secretKeys are keys of Config whose values nobody should see.
var secretKeys = []string{"authToken", "dispatchNacId", "adminPassword"}

// summary is a value in a few words.
func (v value) summary() string {
	switch v.v.(type) {
	case *lua.LFunction:
		return "function"
	case *lua.LTable:
		if label := v.label(); label != "" {
			return label
		}
		n := len(v.entries())
		if n == 1 {
			return "1 entry"
		}
		return fmt.Sprintf("%d entries", n)
	}
	if slices.Contains(secretKeys, v.path) {
		return "set"
	}
	return v.kind()
}

// label is what an entry of a list is called; "" if it has no name.
func (v value) label() string {
	for _, key := range []string{"name", "id", "frequency"} {
		switch x := v.get(key); x.v.(type) {
		case lua.LString, lua.LNumber:
			return x.kind()
		}
	}
	return ""
}

// account is what becomes of the lines of a permissions.cfg.
func (p *Permissions) account() []Line {
	var out []Line
	if n := len(p.ACL.Entries) + len(p.ACL.Inherit); n > 0 {
		out = append(out, Line{Verdict: Taken, Text: fmt.Sprintf("%d of its entries are read; what has no effect is listed", n)})
	}
	for i, w := range p.warned {
		if i == maxWarnings {
			break
		}
		out = append(out, Line{Line: w.line, Verdict: Ignored, Text: w.msg})
	}
	return out
}
