package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Translate turns those Lua 5.4 and game server spellings that have one safe meaning
// into Lua 5.1, and keeps every line in its place: += and the like, a // b and the bit
// operators, `hash`, a?.b, local a, b in t, { .a, .b }, !=, /* */, <const>, \x41, \z
// and \u{…}. What has no safe translation is an error that says what to write instead.
func Translate(src, file string) (string, error) { return translate(src, file, false) }

func translate(src, file string, strict bool) (string, error) {
	if len(src) > MaxSource {
		return "", &Error{file, 0, fmt.Sprintf("the file is larger than %d bytes", MaxSource)}
	}
	src = lineEnds.Replace(strings.TrimPrefix(src, "\ufeff"))
	if strings.HasPrefix(src, "#!") {
		src = "--" + src[2:]
	}
	all, err := scan(src, file)
	if err != nil {
		return "", err
	}
	t := &translator{src: src, file: file, strict: strict}
	for _, tok := range all {
		if tok.kind == comment {
			t.blank(tok)
			continue
		}
		t.toks = append(t.toks, tok)
	}
	if err := t.brackets(); err != nil {
		return "", err
	}
	if err := t.distinct(); err != nil {
		return "", err
	}
	for i := range t.toks {
		err := t.one(i)
		if t.walked >= maxWalk { // what one found is not the end of anything
			return "", t.fail(i, "expressions or functions are nested too deeply, or too long, around %s", t.spell(i))
		}
		if err != nil {
			return "", err
		}
	}
	return t.apply(), nil
}

// lineEnds makes all line ends \n, as Lua does even inside strings.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

type translator struct {
	src, file string
	strict    bool    // a script: it must also be right in the game
	toks      []token // without comments
	walked    int     // tokens passed while looking for the ends of expressions
	edits     []edit
}

// edit replaces src[from:to]. Of several texts that are inserted at one place, those
// that end something come first, and then those that reach further.
type edit struct {
	from, to int
	with     string
	ends     bool
	reach    int // where what begins here ends; where what ends here begins
}

func (t *translator) spell(i int) string {
	if i < 0 || i >= len(t.toks) {
		return ""
	}
	return t.src[t.toks[i].from:t.toks[i].to]
}

func (t *translator) fail(i int, format string, args ...any) error {
	return &Error{t.file, t.toks[i].line, fmt.Sprintf(format, args...)}
}

func (t *translator) replace(i int, with string) {
	t.edits = append(t.edits, edit{from: t.toks[i].from, to: t.toks[i].to, with: with})
}

// around inserts texts before the token at from and after the one at to-1.
func (t *translator) around(from, to int, before, after string) {
	start, end := t.toks[from].from, t.toks[to-1].to
	t.edits = append(t.edits, edit{start, start, before, false, end}, edit{end, end, after, true, start})
}

// after does the same for the value of the statement whose operator is at i: it is
// around all operators inside the value.
func (t *translator) after(i, to int, before, after string) {
	start, end := t.toks[i+1].from, t.toks[to-1].to
	t.edits = append(t.edits, edit{start, start, before, false, len(t.src)}, edit{end, end, after, true, t.toks[i].from})
}

// blank removes a C comment; Lua's own comments stay.
func (t *translator) blank(c token) {
	if s := t.src[c.from:c.to]; strings.HasPrefix(s, "/*") {
		t.edits = append(t.edits, edit{from: c.from, to: c.to, with: " " + strings.Repeat("\n", strings.Count(s, "\n"))})
	}
}

// instead says what to write for operators that Lua 5.1 does not have.
var instead = map[string]string{
	"?":  "write (condition and a or b)",
	"&&": "write and",
	"||": "write or",
	"!":  "write not",
	"=>": "write function(a) return … end",
}

// called are the functions that do what Lua 5.1 has no operator for.
var called = map[string]string{"//": callIDiv, "&": callAnd, "|": callOr, "~": callXor, "<<": callLeft, ">>": callRight}

var compounds = map[string]bool{"+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "^=": true, "..=": true,
	"//=": true, "&=": true, "|=": true, "<<=": true, ">>=": true}

// one translates the token at i.
func (t *translator) one(i int) error {
	s := t.spell(i)
	switch t.toks[i].kind {
	case text:
		return t.escapes(i)
	case word:
		if strings.HasPrefix(s, reserved) {
			return t.fail(i, "names that begin with %s are reserved", reserved)
		}
		if s == "in" {
			return t.unpacking(i)
		}
	case hash:
		t.replace(i, "("+strconv.Itoa(int(Joaat(s[1:len(s)-1])))+")")
	case operator:
		switch {
		case s == "!=" && t.strict:
			return t.fail(i, "!= is not Lua: write ~=")
		case s == "!=":
			t.replace(i, "~=")
		case s == "?." || s == "?" && t.spell(i+1) == "[":
			return t.safely(i)
		case s == "." && t.member(i):
			t.replace(i, "")
			t.around(i+1, i+2, "", " = true")
		case s == "<" && t.attribute(i):
			if t.spell(i+1) == "close" {
				return t.fail(i, "<close> is not Lua 5.1: leave it out")
			}
			for k := i; k < i+3; k++ {
				t.replace(k, "")
			}
		case compounds[s]:
			return t.compound(i)
		case called[s] != "":
			return t.operation(i)
		case instead[s] != "":
			return t.fail(i, "%s is not Lua 5.1: %s", s, instead[s])
		}
	}
	return nil
}

// attribute: "<const>" after "local name".
func (t *translator) attribute(i int) bool {
	a := t.spell(i + 1)
	return (a == "const" || a == "close") && t.spell(i+2) == ">" && i > 0 && t.toks[i-1].kind == word
}

// compound turns "a.b += rhs" into "a.b = a.b + (rhs)".
func (t *translator) compound(i int) error {
	op := t.spell(i)
	start, ok := t.target(i)
	if !ok {
		return t.fail(i, "%s needs a plain name or field on its left: write a = a %s b", op, op[:len(op)-1])
	}
	end := t.expression(i + 1)
	if end <= i+1 {
		return t.fail(i, "%s has no value on its right", op)
	}
	left := t.src[t.toks[start].from:t.toks[i-1].to]
	if strings.Contains(left, "\n") || strings.Contains(left, "`") {
		return t.fail(i, "%s is not Lua 5.1: write a = a %s b", op, op[:len(op)-1])
	}
	if name := called[op[:len(op)-1]]; name != "" {
		t.replace(i, "= "+name+"("+left+",")
		t.after(i, end, "", ")")
		return nil
	}
	t.replace(i, "= "+left+" "+op[:len(op)-1])
	t.after(i, end, "(", ")")
	return nil
}

// operation turns "a // b" into a call, and the bit operators too.
func (t *translator) operation(i int) error {
	op := t.spell(i)
	if op == "~" && !t.ends(i-1) {
		end := t.power(i + 1)
		if end == i+1 {
			return t.fail(i, "~ needs a value, as in ~a")
		}
		t.replace(i, "")
		t.around(i+1, end, callNot+"(", ")")
		return nil
	}
	start, end := t.left(i, precedence[op]), t.right(i+1, precedence[op])
	if start == i || end == i+1 {
		hint := ""
		if op == "//" {
			hint = " " + dashes
		}
		return t.fail(i, "%s needs a value on each side, as in a %s b%s", op, op, hint)
	}
	t.replace(i, ",")
	t.around(start, end, called[op]+"(", ")")
	return nil
}

// safely turns "a?.b" into a call with a and "b", and "a?[k]" into one with a and k.
func (t *translator) safely(i int) error {
	start, ok := t.prefix(i)
	if !ok || i+1 >= len(t.toks) || t.toks[i+1].kind != word && t.spell(i+1) != "[" {
		return t.fail(i, "%s needs a value on its left and a field on its right, as in a?.b", t.spell(i))
	}
	if t.spell(i) == "?." {
		t.replace(i, ", '")
		t.around(start, i+2, callNav+"(", "')")
		return nil
	}
	close := t.closing(i+1, "[") - 1
	if t.spell(close) != "]" {
		return t.fail(i, "?[ has no end ]")
	}
	t.replace(i, ",")
	t.replace(i+1, "")
	t.replace(close, "")
	t.around(start, close+1, callNav+"(", ")")
	return nil
}

// unpacking turns "local a, b in t" into "local a, b = fields(t, 'a', 'b')". The "in"
// of a loop stays.
func (t *translator) unpacking(i int) error {
	first := i - 1
	for first > 1 && t.spell(first-1) == "," && t.toks[first-2].kind == word {
		first -= 2
	}
	if first < 0 || t.toks[first].kind != word || keyword[t.spell(first)] || t.spell(first-1) == "for" {
		return nil
	}
	end := t.expression(i + 1)
	if end <= i+1 {
		return t.fail(i, "in needs a table on its right, as in local a, b in t")
	}
	var names strings.Builder
	for k := first; k < i; k += 2 {
		names.WriteString(", '" + t.spell(k) + "'")
	}
	t.replace(i, "= "+callFields+"(")
	t.after(i, end, "", names.String()+")")
	return nil
}

// member: ".name" as an element of a table, which means name = true.
func (t *translator) member(i int) bool {
	before, after := t.spell(i-1), t.spell(i+2)
	return (before == "{" || before == "," || before == ";") && i+1 < len(t.toks) && t.toks[i+1].kind == word &&
		(after == "," || after == ";" || after == "}")
}

// brackets bounds the nesting before anything recursive reads the file.
func (t *translator) brackets() error {
	depth := 0
	for i := range t.toks {
		switch t.spell(i) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth > maxBrackets {
			return t.fail(i, "brackets are nested more than %d deep", maxBrackets)
		}
	}
	return nil
}

// distinct bounds the names and values: gopher-lua's compiler compares each with all
// that the function has already, and each goto with all labels.
func (t *translator) distinct() error {
	seen := map[string]bool{}
	for i := range t.toks {
		if t.toks[i].kind == operator {
			continue
		}
		if seen[t.spell(i)] = true; len(seen) > maxDistinct {
			return t.fail(i, "the file has more than %d different names and values", maxDistinct)
		}
	}
	return nil
}

// escapes rewrites \xHH, \z and \u{…} of a quoted string.
func (t *translator) escapes(i int) error {
	s := t.spell(i)
	if s[0] == '[' || !strings.Contains(s, "\\") {
		return nil
	}
	var b strings.Builder
	lines := 0
	for k := 0; k < len(s); k++ {
		if s[k] != '\\' || k+1 >= len(s) {
			b.WriteByte(s[k])
			continue
		}
		k++
		switch s[k] {
		case 'x':
			v, err := strconv.ParseUint(s[min(k+1, len(s)):min(k+3, len(s))], 16, 8)
			if err != nil || k+3 > len(s) {
				return t.fail(i, `\x needs two hexadecimal digits`)
			}
			fmt.Fprintf(&b, `\%03d`, v)
			k += 2
		case 'u':
			close := strings.IndexByte(s[k:], '}')
			if close < 3 || s[k+1] != '{' {
				return t.fail(i, `\u needs {hexadecimal digits}`)
			}
			v, err := strconv.ParseUint(s[k+2:k+close], 16, 32)
			if err != nil || v > utf8.MaxRune {
				return t.fail(i, `\u{%s} is not a character`, clip(s[k+2:k+close]))
			}
			for _, c := range []byte(string(rune(v))) {
				fmt.Fprintf(&b, `\%03d`, c)
			}
			k += close
		case 'z':
			for k+1 < len(s) && strings.IndexByte(" \t\r\n\f\v", s[k+1]) >= 0 {
				k++
				if s[k] == '\n' {
					lines++
				}
			}
		default:
			b.WriteByte('\\')
			b.WriteByte(s[k])
		}
	}
	if out := b.String() + strings.Repeat("\n", lines); out != s {
		t.replace(i, out)
	}
	return nil
}

// apply makes all edits, in order of place; an insertion comes after an edit that
// ends at the same place.
func (t *translator) apply() string {
	slices.SortStableFunc(t.edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		if a.to != b.to {
			return a.to - b.to
		}
		if a.ends != b.ends {
			if a.ends {
				return -1
			}
			return 1
		}
		return b.reach - a.reach
	})
	var b strings.Builder
	at := 0
	for _, e := range t.edits {
		b.WriteString(t.src[at:max(at, e.from)])
		b.WriteString(e.with)
		at = max(at, e.to)
	}
	b.WriteString(t.src[at:])
	return b.String()
}

// Joaat is the game's hash of a lower-cased name (Jenkins one-at-a-time), as
// the signed number that scripts see.
func Joaat(s string) int32 {
	var h uint32
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h += uint32(c)
		h += h << 10
		h ^= h >> 6
	}
	h += h << 3
	h ^= h >> 11
	h += h << 15
	return int32(h)
}
