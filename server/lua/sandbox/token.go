package sandbox

import (
	"strings"
)

type kind uint8

const (
	word kind = iota + 1
	number
	text     // any string literal
	hash     // `name`
	comment  // any comment, /* */ included
	operator // everything else
)

// token is a piece of source; src[from:to] is its spelling.
type token struct {
	kind     kind
	from, to int
	line     int
}

// operators of more than one character, longest first. Those that Lua 5.1 does not
// have are included so that the translator sees them whole.
var operators = []string{"...", "..=", "<<=", ">>=", "//=", "..", "==", "~=", "!=", "<=", ">=", "::", "+=", "-=", "*=", "/=", "%=", "^=",
	"&=", "|=", "?.", "//", "<<", ">>", "&&", "||", "=>"}

// scan splits Lua source into tokens. Strings and comments that do not end are
// errors, because everything after them would be guesswork.
func scan(src, file string) ([]token, error) {
	var out []token
	line := 1
	for i := 0; i < len(src); {
		c := src[i]
		t := token{from: i, line: line}
		switch {
		case c == '\n':
			line++
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			i++
			continue
		case letter(c):
			t.kind = word
			for i < len(src) && (letter(src[i]) || digit(src[i])) {
				i++
			}
		case digit(c) || c == '.' && i+1 < len(src) && digit(src[i+1]):
			t.kind = number
			i = numberEnd(src, i)
		default:
			k, end, msg := scanMark(src, i)
			if msg != "" {
				return nil, &Error{file, line, msg}
			}
			t.kind, i = k, end
		}
		t.to = i
		line += strings.Count(src[t.from:t.to], "\n")
		out = append(out, t)
	}
	return out, nil
}

// scanMark reads a token that starts with punctuation.
func scanMark(src string, i int) (k kind, end int, msg string) {
	rest := src[i:]
	switch {
	case strings.HasPrefix(rest, "/*"):
		n := strings.Index(rest[2:], "*/")
		if n < 0 {
			return 0, 0, "the comment /* has no end */"
		}
		return comment, i + n + 4, ""
	case strings.HasPrefix(rest, "--"):
		if n, ok := longBracket(rest[2:]); n > 0 {
			if !ok {
				return 0, 0, "the comment --[[ has no end ]]"
			}
			return comment, i + 2 + n, ""
		}
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return comment, i + n, ""
		}
		return comment, len(src), ""
	case rest[0] == '[':
		if n, ok := longBracket(rest); n > 0 {
			if !ok {
				return 0, 0, "the string [[ has no end ]]"
			}
			return text, i + n, ""
		}
	case rest[0] == '"' || rest[0] == '\'':
		n := quotedEnd(rest)
		if n == 0 {
			return 0, 0, "the string " + clip(firstLine(rest)) + " has no end"
		}
		return text, i + n, ""
	case rest[0] == '`':
		n := strings.IndexAny(rest[1:], "`\n")
		if n < 0 || rest[n+1] == '\n' {
			return 0, 0, "the hash " + clip(firstLine(rest)) + " has no end"
		}
		return hash, i + n + 2, ""
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return operator, i + len(op), ""
		}
	}
	return operator, i + 1, ""
}

// longBracket measures [[…]] or [=[…]=]; 0 if s does not start with one.
func longBracket(s string) (n int, closed bool) {
	if s == "" || s[0] != '[' {
		return 0, false
	}
	level := 1
	for level < len(s) && s[level] == '=' {
		level++
	}
	if level >= len(s) || s[level] != '[' {
		return 0, false
	}
	end := "]" + strings.Repeat("=", level-1) + "]"
	at := strings.Index(s[level+1:], end)
	if at < 0 {
		return len(s), false
	}
	return level + 1 + at + len(end), true
}

// quotedEnd is the length of the quoted string at the start of s, or 0.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case s[0]:
			return i + 1
		case '\n':
			return 0
		case '\\':
			if i+1 < len(s) && s[i+1] == 'z' { // \z skips white space, including line ends
				i++
				for i+1 < len(s) && strings.IndexByte(" \t\r\n\f\v", s[i+1]) >= 0 {
					i++
				}
				continue
			}
			if strings.HasPrefix(s[i+1:], "\r\n") {
				i++
			}
			i++
		}
	}
	return 0
}

func numberEnd(s string, i int) int {
	hex := strings.HasPrefix(s[i:], "0x") || strings.HasPrefix(s[i:], "0X")
	for start := i; i < len(s); i++ {
		c := s[i]
		sign := (c == '+' || c == '-') && i > start && !hex && (s[i-1] == 'e' || s[i-1] == 'E')
		if c == '.' && i+1 < len(s) && s[i+1] == '.' {
			break // 1..2 is a concatenation
		}
		if !letter(c) && !digit(c) && c != '.' && !sign {
			break
		}
	}
	return i
}

func letter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimRight(s, "\r")
}

// clip shortens a quotation in an error.
func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return strings.ToValidUTF8(s, "")
}
