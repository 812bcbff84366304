package sandbox

import "strings"

// maxCaptures of one pattern (Lua 5.1's LUA_MAXCAPTURES).
const maxCaptures = 32

const (
	openCapture     = -1
	positionCapture = -2
)

// matcher matches one Lua pattern (reference manual 5.1, section 5.4.1, and %f).
// Unlike the library's own it stops when told to.
type matcher struct {
	src, pat string
	caps     []capture
	depth    int
	steps    int
	last     int         // where the previous match ended: a match that ends there too does not count; -1: there was none
	stop     func() bool // asked every 1024 steps
}

type capture struct{ at, size int }

// patternError is the value of panics inside the matcher.
type patternError string

func (m *matcher) step() {
	m.steps++
	if m.steps > maxMatchSteps || m.steps&1023 == 0 && m.stop != nil && m.stop() {
		panic(patternError("pattern takes too long"))
	}
}

// at matches the pattern at s and returns the end of the match; -1: no match.
// Captures are in m.caps.
func (m *matcher) at(s int) int {
	m.caps, m.depth = m.caps[:0], 0
	return m.do(s, 0)
}

func (m *matcher) do(s, p int) int {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth > maxMatchDepth {
		panic(patternError("pattern too complex"))
	}
	for {
		m.step()
		if p == len(m.pat) {
			return s
		}
		switch c := m.pat[p]; {
		case c == '(':
			if strings.HasPrefix(m.pat[p+1:], ")") {
				return m.open(s, p+2, positionCapture)
			}
			return m.open(s, p+1, openCapture)
		case c == ')':
			return m.close(s, p+1)
		case c == '$' && p+1 == len(m.pat):
			if s == len(m.src) {
				return s
			}
			return -1
		case c == '%' && p+1 < len(m.pat) && (m.pat[p+1] == 'b' || m.pat[p+1] == 'f' || digit(m.pat[p+1])):
			if s, p = m.special(s, p); s < 0 {
				return -1
			}
			continue
		}
		end := m.itemEnd(p)
		here := s < len(m.src) && m.single(m.src[s], p, end)
		var repeat byte
		if end < len(m.pat) {
			repeat = m.pat[end]
		}
		switch repeat {
		case '?':
			if here {
				if r := m.do(s+1, end+1); r >= 0 {
					return r
				}
			}
			p = end + 1
		case '*', '+':
			return m.most(s, p, end, repeat)
		case '-':
			return m.least(s, p, end)
		default:
			if !here {
				return -1
			}
			s, p = s+1, end
		}
	}
}

func (m *matcher) most(s, p, end int, repeat byte) int {
	n := 0
	for s+n < len(m.src) && m.single(m.src[s+n], p, end) {
		m.step()
		n++
	}
	least := 0
	if repeat == '+' {
		least = 1
	}
	for ; n >= least; n-- {
		if r := m.do(s+n, end+1); r >= 0 {
			return r
		}
	}
	return -1
}

func (m *matcher) least(s, p, end int) int {
	for {
		if r := m.do(s, end+1); r >= 0 {
			return r
		}
		if s >= len(m.src) || !m.single(m.src[s], p, end) {
			return -1
		}
		s++
	}
}

func (m *matcher) open(s, p, size int) int {
	if len(m.caps) >= maxCaptures {
		panic(patternError("too many captures"))
	}
	m.caps = append(m.caps, capture{s, size})
	n := len(m.caps)
	r := m.do(s, p)
	if r < 0 {
		m.caps = m.caps[:n-1]
	}
	return r
}

func (m *matcher) close(s, p int) int {
	i := len(m.caps) - 1
	for i >= 0 && m.caps[i].size != openCapture {
		i--
	}
	if i < 0 {
		panic(patternError("invalid pattern capture"))
	}
	m.caps[i].size = s - m.caps[i].at
	r := m.do(s, p)
	if r < 0 {
		m.caps[i].size = openCapture
	}
	return r
}

// special handles %b, %f and %1 to %9: the new places, s < 0 for no match.
func (m *matcher) special(s, p int) (int, int) {
	switch c := m.pat[p+1]; c {
	case 'b':
		if p+3 >= len(m.pat) {
			panic(patternError("missing arguments to '%b'"))
		}
		return m.balanced(s, m.pat[p+2], m.pat[p+3]), p + 4
	case 'f':
		if p+2 >= len(m.pat) || m.pat[p+2] != '[' {
			panic(patternError("missing '[' after '%f'"))
		}
		end := m.itemEnd(p + 2)
		var before, after byte
		if s > 0 {
			before = m.src[s-1]
		}
		if s < len(m.src) {
			after = m.src[s]
		}
		if m.single(before, p+2, end) || !m.single(after, p+2, end) {
			return -1, 0
		}
		return s, end
	default:
		i := int(c - '1')
		if i < 0 || i >= len(m.caps) || m.caps[i].size == openCapture {
			panic(patternError("invalid capture index"))
		}
		again := m.src[m.caps[i].at : m.caps[i].at+max(m.caps[i].size, 0)]
		m.steps += len(again) / 16
		if !strings.HasPrefix(m.src[s:], again) {
			return -1, 0
		}
		return s + len(again), p + 2
	}
}

func (m *matcher) balanced(s int, open, close byte) int {
	if s >= len(m.src) || m.src[s] != open {
		return -1
	}
	for depth, i := 1, s+1; i < len(m.src); i++ {
		m.step()
		switch m.src[i] {
		case close:
			if depth--; depth == 0 {
				return i + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

// itemEnd is the index after the single character class at p.
func (m *matcher) itemEnd(p int) int {
	c := m.pat[p]
	p++
	if c == '%' {
		if p >= len(m.pat) {
			panic(patternError("malformed pattern (ends with '%')"))
		}
		return p + 1
	}
	if c != '[' {
		return p
	}
	if p < len(m.pat) && m.pat[p] == '^' {
		p++
	}
	for first := true; ; first = false {
		if p >= len(m.pat) {
			panic(patternError("malformed pattern (missing ']')"))
		}
		if m.pat[p] == ']' && !first {
			return p + 1
		}
		if m.pat[p] == '%' {
			p++
		}
		p++
	}
}

func (m *matcher) single(c byte, p, end int) bool {
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.inSet(c, p+1, end-1)
	}
	return m.pat[p] == c
}

func (m *matcher) inSet(c byte, p, end int) bool {
	yes := true
	if m.pat[p] == '^' {
		yes = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case m.pat[p] == '%' && p+1 < end:
			p++
			if inClass(c, m.pat[p]) {
				return yes
			}
		case p+2 < end && m.pat[p+1] == '-':
			if m.pat[p] <= c && c <= m.pat[p+2] {
				return yes
			}
			p += 2
		case m.pat[p] == c:
			return yes
		}
	}
	return !yes
}

// inClass: %a and the like, ASCII as in the C locale.
func inClass(c, class byte) bool {
	low, up := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
	var is bool
	switch class | 0x20 {
	case 'a':
		is = low || up
	case 'c':
		is = c < 32 || c == 127
	case 'd':
		is = digit(c)
	case 'l':
		is = low
	case 'p':
		is = 32 < c && c < 127 && !low && !up && !digit(c)
	case 's':
		is = c == ' ' || 9 <= c && c <= 13
	case 'u':
		is = up
	case 'w':
		is = low || up || digit(c)
	case 'x':
		is = digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		is = c == 0
	default:
		return class == c
	}
	if !letter(class) || class == '_' {
		return class == c
	}
	return is == (class >= 'a')
}
