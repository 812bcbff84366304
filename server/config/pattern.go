package config

import (
	"fmt"
	"regexp"
	"strings"
)

// luaClasses are Lua's character classes as the inside of an RE2 set.
var luaClasses = map[byte]string{'a': `A-Za-z`, 'd': `0-9`, 'l': `a-z`, 'u': `A-Z`, 'w': `A-Za-z0-9`, 'x': `A-Fa-f0-9`,
	's': `\s\v`, 'p': `!-/:-@\[-` + "`" + `{-~`, 'c': `\x00-\x1f\x7f`}

// luaClass tells a Lua pattern from a regular expression: it has % before a letter or
// punctuation, which regular expressions do not need.
var luaClass = regexp.MustCompile(`%[[:alnum:][:punct:]]`)

// callsignPattern turns what an operator wrote into RE2: a regular expression, or a
// Lua pattern such as ^%d%d%d$.
func callsignPattern(s string) (string, error) {
	if luaClass.MatchString(s) {
		re, err := fromLua(s)
		if err != nil {
			return "", err
		}
		s = re
	}
	if _, err := regexp.Compile(s); err != nil {
		return "", fmt.Errorf("%q is not a valid pattern: %w", s, err)
	}
	return s, nil
}

// fromLua translates a Lua pattern (reference manual 5.1, section 5.4.1). Classes,
// sets, captures and * + - ? have an equivalent; %b, %f and %1 do not.
func fromLua(p string) (string, error) {
	var b strings.Builder
	quantifiable := false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '%':
			i++
			if i >= len(p) {
				return "", fmt.Errorf("%q ends with %%", p)
			}
			if p[i] == 'b' || p[i] == 'f' || '0' <= p[i] && p[i] <= '9' {
				return "", fmt.Errorf("%q uses %%%c, which is not supported: write a regular expression", p, p[i])
			}
			b.WriteString(classSet(p[i]))
			quantifiable = true
		case c == '[':
			end, set, err := luaSet(p, i)
			if err != nil {
				return "", err
			}
			b.WriteString(set)
			i, quantifiable = end, true
		case c == '^' && i == 0, c == '$' && i == len(p)-1:
			b.WriteByte(c)
		case c == '(' || c == ')':
			b.WriteByte(c)
			quantifiable = false
		case quantifiable && strings.IndexByte("*+?-", c) >= 0:
			if c == '-' {
				b.WriteString("*?")
			} else {
				b.WriteByte(c)
			}
			quantifiable = false
		case c == '.':
			b.WriteString(`(?s:.)`)
			quantifiable = true
		default:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
			quantifiable = c < 0x80 // the bytes of a longer character are not items of their own
			if c >= 0x80 {
				b.Reset()
				return "", fmt.Errorf("%q: only ASCII is allowed in a Lua pattern: write a regular expression", p)
			}
		}
	}
	return b.String(), nil
}

func classSet(c byte) string {
	if set, ok := luaClasses[c]; ok {
		return "[" + set + "]"
	}
	if set, ok := luaClasses[c|0x20]; ok && 'A' <= c && c <= 'Z' {
		return "[^" + set + "]"
	}
	return regexp.QuoteMeta(string(rune(c)))
}

// luaSet translates the set that starts at i; end is the index of its ].
func luaSet(p string, i int) (end int, set string, err error) {
	var b strings.Builder
	b.WriteByte('[')
	i++
	if i < len(p) && p[i] == '^' {
		b.WriteByte('^')
		i++
	}
	for first := true; i < len(p); first = false {
		switch c := p[i]; {
		case c == ']' && !first:
			b.WriteByte(']')
			return i, b.String(), nil
		case c == '%' && i+1 < len(p):
			i++
			if in, ok := luaClasses[p[i]]; ok {
				b.WriteString(in)
			} else if 'A' <= p[i] && p[i] <= 'Z' {
				return 0, "", fmt.Errorf("%q uses %%%c inside a set, which is not supported: write a regular expression", p, p[i])
			} else {
				b.WriteString(setByte(p[i]))
			}
		case i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']':
			b.WriteString(setByte(c) + "-" + setByte(p[i+2]))
			i += 2
		default:
			b.WriteString(setByte(c))
		}
		i++
	}
	return 0, "", fmt.Errorf("%q has a set without a closing ]", p)
}

func setByte(c byte) string { return fmt.Sprintf(`\x{%02x}`, c) }
