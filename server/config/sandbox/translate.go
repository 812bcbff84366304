package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Translate turns those Lua 5.4 and game server spellings that have one safe meaning
// into Lua 5.1, and keeps every line in its place: += and the like, !=, `hash`, /*
// */, <const>, \x41, \z and \u{…}. What has no safe translation is an error that says
// what to write instead.
func Translate(src, file string) (string, error) {
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
	t := &translator{src: src, file: file}
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
	for i := range t.toks {
		if err := t.one(i); err != nil {
			return "", err
		}
	}
	return t.apply(), nil
}

// lineEnds makes all line ends \n, as Lua does even inside strings.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

type translator struct {
	src, file string
	toks      []token // without comments
	walked    int     // tokens passed while looking for the ends of expressions
	edits     []edit
}

// edit replaces src[from:to].
type edit struct {
	from, to int
	with     string
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
	t.edits = append(t.edits, edit{t.toks[i].from, t.toks[i].to, with})
}

// blank removes a C comment; Lua's own comments stay.
func (t *translator) blank(c token) {
	if s := t.src[c.from:c.to]; strings.HasPrefix(s, "/*") {
		t.edits = append(t.edits, edit{c.from, c.to, " " + strings.Repeat("\n", strings.Count(s, "\n"))})
	}
}

// instead says what to write for operators that Lua 5.1 does not have.
var instead = map[string]string{
	"//": "write math.floor(a / b) (a comment starts with --)",
	"&":  "write bit.band(a, b)",
	"|":  "write bit.bor(a, b)",
	"<<": "write bit.lshift(a, b)",
	">>": "write bit.rshift(a, b)",
	"~":  "write bit.bxor(a, b), or bit.bnot(a) for one value",
	"?.": "write (a and a.b)",
	"?":  "write (condition and a or b)",
	"&&": "write and",
	"||": "write or",
	"!":  "write not",
	"=>": "write function(a) return … end",
}

// one translates the token at i.
func (t *translator) one(i int) error {
	s := t.spell(i)
	switch t.toks[i].kind {
	case text:
		return t.escapes(i)
	case hash:
		t.replace(i, "("+strconv.Itoa(int(Joaat(s[1:len(s)-1])))+")")
	case operator:
		switch {
		case s == "!=":
			t.replace(i, "~=")
		case s == "<" && t.attribute(i):
			if t.spell(i+1) == "close" {
				return t.fail(i, "<close> is not Lua 5.1: leave it out")
			}
			for k := i; k < i+3; k++ {
				t.replace(k, "")
			}
		case len(s) >= 2 && s[len(s)-1] == '=' && strings.Contains("+= -= *= /= %= ^= ..=", s):
			return t.compound(i)
		case len(s) >= 2 && s[len(s)-1] == '=' && instead[s[:len(s)-1]] != "" && s != "~=":
			return t.fail(i, "%s is not Lua 5.1: %s", s, instead[s[:len(s)-1]])
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
	if t.walked >= maxWalk {
		return t.fail(i, "functions are nested too deeply around %s", op)
	}
	if end <= i+1 {
		return t.fail(i, "%s has no value on its right", op)
	}
	left := t.src[t.toks[start].from:t.toks[i-1].to]
	if strings.Contains(left, "\n") || strings.Contains(left, "`") {
		return t.fail(i, "%s is not Lua 5.1: write a = a %s b", op, op[:len(op)-1])
	}
	t.replace(i, "= "+left+" "+op[:len(op)-1])
	from, to := t.toks[i+1].from, t.toks[end-1].to
	t.edits = append(t.edits, edit{from, from, "("}, edit{to, to, ")"})
	return nil
}

// target goes back from the operator at i over name, name.name, name[key]. A call
// inside would run twice, so it is not a target.
func (t *translator) target(i int) (start int, ok bool) {
	for k := i - 1; k >= 0; k-- {
		if t.spell(k) == "]" {
			depth := 1
			for k--; k >= 0 && depth > 0; k-- {
				switch t.spell(k) {
				case "]":
					depth++
				case "[":
					depth--
				case "(", "{":
					return 0, false
				}
			}
			if depth > 0 || k < 0 {
				return 0, false
			}
			k++ // the loop goes on with what stands before the bracket
			continue
		}
		if t.toks[k].kind != word || keyword[t.spell(k)] {
			return 0, false
		}
		if t.spell(k-1) != "." {
			return k, true
		}
		k--
	}
	return 0, false
}

var keyword = map[string]bool{"and": true, "break": true, "do": true, "else": true, "elseif": true, "end": true, "for": true,
	"goto": true, "if": true, "in": true, "local": true, "not": true, "or": true, "repeat": true, "return": true, "then": true,
	"until": true, "while": true, "function": true, "nil": true, "true": true, "false": true}

// binary operators that continue an expression.
var binary = map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true, "^": true, "..": true, "==": true, "~=": true,
	"!=": true, "<": true, ">": true, "<=": true, ">=": true, "and": true, "or": true}

// expression returns the index after the expression that starts at token i.
func (t *translator) expression(i int) int {
	for {
		for s := t.spell(i); s == "-" || s == "#" || s == "not"; s = t.spell(i) {
			i++
		}
		next := t.operand(i)
		if next == i {
			return i
		}
		i = next
		if !binary[t.spell(i)] {
			return i
		}
		i++
	}
}

func (t *translator) operand(i int) int {
	if i >= len(t.toks) {
		return i
	}
	s, k := t.spell(i), t.toks[i].kind
	switch {
	case s == "function":
		return t.closing(i, "function")
	case s == "nil" || s == "true" || s == "false" || s == "..." || k == number || k == hash || k == text:
		return i + 1
	case s == "{":
		return t.closing(i, "{")
	case s == "(":
		i = t.closing(i, "(")
	case k == word && !keyword[s]:
		i++
	default:
		return i
	}
	for { // suffixes
		switch s := t.spell(i); {
		case s == "." || s == ":":
			i += 2
		case s == "[" || s == "(" || s == "{":
			i = t.closing(i, s)
		case i < len(t.toks) && t.toks[i].kind == text:
			i++
		default:
			return min(i, len(t.toks))
		}
	}
}

// closing returns the index after the bracket or block that opens at i.
func (t *translator) closing(i int, open string) int {
	depth := 0
	for ; i < len(t.toks) && t.walked < maxWalk; i++ {
		t.walked++
		s := t.spell(i)
		if open == "function" {
			switch s {
			case "function", "do", "then", "repeat":
				depth++
			case "elseif": // its own "then" is the same block
				depth--
			case "end", "until":
				depth--
			}
		} else {
			switch s {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
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
		return a.to - b.to
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
