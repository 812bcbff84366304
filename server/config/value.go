package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
)

// Bounds of what a file may hold. Tables may be cyclic or be used in many
// places, so both the depth and the number of values read are counted.
const (
	maxValueDepth = 24      // tables inside each other
	maxValues     = 100_000 // values read from one file; 1000 channels are about 15 000
	maxText       = 4096    // bytes of one text
	maxKept       = 4 << 20 // bytes of alerts and unknown keys kept as JSON
	maxWarnings   = 100     // warnings of one file
)

// reader turns the values that a file has made into Go, and collects mistakes and
// warnings.
type reader struct {
	file   string
	lines  *lines
	read   int
	kept   int // bytes of JSON made so far
	errs   []*Error
	unsaid int  // mistakes beyond maxMistakes
	stop   bool // the file holds too much: nothing more is read
	warn   []string
	said   map[string]bool
	extra  []Extra
	notes  []Line
	noted  map[Line]bool
	index  map[string][]string // lower-case path of a list → the path in the file of each accepted entry
}

// fail reports a mistake, one for each value.
func (r *reader) fail(path, format string, args ...any) {
	if !r.told(path) {
		r.add(&Error{File: r.file, Line: r.lines.of(path), Key: path, Msg: fmt.Sprintf(format, args...)})
	}
}

// end reports that the file holds too much; an empty value ends every walk.
func (r *reader) end(path, format string, args ...any) {
	if !r.stop {
		r.stop = true
		r.add(&Error{File: r.file, Line: r.lines.of(path), Key: path, Msg: fmt.Sprintf(format, args...)})
	}
}

// warnOnce warns of each kind of thing once, about a value that is taken all the same.
func (r *reader) warnOnce(kind, path, format string, args ...any) {
	r.warnAs(Taken, kind, path, format, args...)
}

// warnAs is warnOnce about a value of which something else becomes.
func (r *reader) warnAs(verdict Verdict, kind, path, format string, args ...any) {
	r.note(verdict, path, format, args...)
	if !r.news(kind) {
		return
	}
	r.said[kind] = true
	r.warn = append(r.warn, (&Error{File: r.file, Line: r.lines.of(path), Key: path, Msg: fmt.Sprintf(format, args...)}).Error())
}

// news says whether a kind of warning has not been reported yet.
func (r *reader) news(kind string) bool { return !r.said[kind] && len(r.warn) < maxWarnings }

// value is something in the file, with its path.
type value struct {
	r     *reader
	path  string
	v     lua.LValue
	depth int
}

func (v value) none() bool { return v.v == nil || v.v == lua.LNil }

// kind names what v is, for errors.
func (v value) kind() string {
	switch x := v.v.(type) {
	case lua.LString:
		s := string(x)
		if len(s) > 40 {
			s = strings.ToValidUTF8(s[:40], "") + "…"
		}
		return strconv.Quote(s)
	case lua.LNumber, lua.LBool:
		return x.String()
	case nil:
		return "nil"
	}
	return "a " + v.v.Type().String()
}

func (v value) wrong(want string) { v.r.fail(v.path, "must be %s, not %s", want, v.kind()) }

func (v value) child(path string, x lua.LValue) value {
	v.r.read++
	if v.r.read > maxValues {
		v.r.end(v.path, "the configuration holds more than %d values", maxValues)
	}
	if v.depth >= maxValueDepth {
		v.r.end(v.path, "tables are nested more than %d levels deep", maxValueDepth)
	}
	if v.r.stop {
		x = lua.LNil
	}
	return value{v.r, path, x, v.depth + 1}
}

// get returns a field of a table; an empty value if v is nil or not a table.
func (v value) get(name string) value {
	t, ok := v.v.(*lua.LTable)
	if !ok {
		return value{v.r, field(v.path, name), lua.LNil, v.depth + 1}
	}
	return v.child(field(v.path, name), t.RawGetString(name))
}

// table says whether v is a table; anything but a table or nil is reported as a
// mistake.
func (v value) table() bool {
	if v.none() {
		return false
	}
	if _, ok := v.v.(*lua.LTable); !ok {
		v.wrong("a table")
		return false
	}
	return true
}

// entry is one key of a table.
type entry struct {
	name  string // of a text key
	n     int    // of a number key
	value value
}

// entries returns those of a table: whole numbers in order, then names in order, so
// that every load of a file gives the same result. Other keys are left out.
func (v value) entries() []entry {
	t, ok := v.v.(*lua.LTable)
	if !ok {
		return nil
	}
	var out []entry
	t.ForEach(func(k, x lua.LValue) {
		if v.r.stop || x == lua.LNil {
			return
		}
		switch k := k.(type) {
		case lua.LNumber:
			if n := int(k); lua.LNumber(n) == k {
				out = append(out, entry{n: n, value: v.child(index(v.path, n), x)})
			}
		case lua.LString:
			out = append(out, entry{name: string(k), value: v.child(field(v.path, string(k)), x)})
		}
	})
	slices.SortFunc(out, func(a, b entry) int {
		if a.name == "" && b.name == "" {
			return a.n - b.n
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

// list returns the entries of an array. Holes are closed; index remembers where each
// entry was.
func (v value) list() []value {
	if !v.table() {
		return nil
	}
	var out []value
	var from []string
	for _, e := range v.entries() {
		if e.name != "" || e.n < 1 {
			v.r.warnAs(Ignored, shape(e.value.path), e.value.path, "is ignored: a list has numbered entries only")
			continue
		}
		if e.n != len(out)+1 {
			v.r.warnAs(Changed, v.path+" hole", v.path, "entry %d is missing: the ones after it move up", len(out)+1)
		}
		out = append(out, e.value)
		from = append(from, e.value.path)
	}
	v.r.index[strings.ToLower(v.path)] = from
	return out
}

func (v value) text(fallback string) string {
	switch x := v.v.(type) {
	case lua.LString:
		if len(x) > maxText {
			v.r.fail(v.path, "is longer than %d bytes", maxText)
			return fallback
		}
		return strings.ToValidUTF8(string(x), "\ufffd")
	case lua.LNumber:
		return numberText(float64(x))
	}
	if !v.none() {
		v.wrong("text")
	}
	return fallback
}

// numberText spells 141 and 141.0 as "141".
func numberText(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', 14, 64)
}

// texts returns a list of texts; a single text counts as a list of one. NAC ids are
// written as numbers or text.
func (v value) texts() []string {
	switch v.v.(type) {
	case lua.LString, lua.LNumber:
		return []string{v.text("")}
	}
	var out []string
	for _, e := range v.list() {
		if s := e.text(""); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (v value) flag(fallback bool) bool {
	if b, ok := v.v.(lua.LBool); ok {
		return bool(b)
	}
	if !v.none() {
		v.wrong("true or false")
	}
	return fallback
}

// number accepts a number or a text that is one.
func (v value) number(fallback float64) float64 {
	switch x := v.v.(type) {
	case lua.LNumber:
		if f := float64(x); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	case lua.LString:
		if f, err := strconv.ParseFloat(strings.TrimSpace(string(x)), 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			v.r.note(Changed, v.path, "is text: it is read as the number %s", numberText(f))
			return f
		}
	}
	if !v.none() {
		v.wrong("a number")
	}
	return fallback
}

// whole is a whole number from least to most.
func (v value) whole(fallback, least, most int64) int64 {
	if v.none() {
		return fallback
	}
	f := v.number(float64(fallback))
	if !v.r.told(v.path) && (f != math.Trunc(f) || f < float64(least) || f > float64(most)) {
		v.wrong(fmt.Sprintf("a whole number from %d to %d", least, most))
		return fallback
	}
	return int64(f)
}

// frequency reads a number or a plain decimal; shown is the operator's own
// spelling when it was text.
func (v value) frequency() (f core.Frequency, shown string) {
	var err error
	switch x := v.v.(type) {
	case lua.LNumber:
		f, err = core.FrequencyOf(float64(x))
	case lua.LString:
		shown = strings.TrimSpace(string(x))
		f, err = core.ParseFrequency(shown)
	default:
		if v.none() {
			v.r.fail(v.path, "is missing")
		} else {
			v.wrong("a frequency")
		}
		return 0, ""
	}
	if err != nil {
		v.r.fail(v.path, "%s is not a frequency: expected a decimal such as 154.755, above 0 and below 1000000", v.kind())
		return 0, ""
	}
	return f, shown
}

// shape is a path without its indices, so that all channels share one warning.
func shape(path string) string {
	var b strings.Builder
	skip := false
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '[':
			skip = true
			b.WriteString("[]")
		case ']':
			skip = false
		default:
			if !skip {
				b.WriteByte(path[i])
			}
		}
	}
	return strings.ReplaceAll(b.String(), ".Channels[", ".channels[") // one list in two spellings
}
