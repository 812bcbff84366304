package sandbox

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
		switch t.spell(k - 1) {
		case ".":
			k--
		case "?.", ":":
			return 0, false
		default:
			return k, true
		}
	}
	return 0, false
}

var keyword = map[string]bool{"and": true, "break": true, "do": true, "else": true, "elseif": true, "end": true, "for": true,
	"goto": true, "if": true, "in": true, "local": true, "not": true, "or": true, "repeat": true, "return": true, "then": true,
	"until": true, "while": true, "function": true, "nil": true, "true": true, "false": true}

// precedence of the binary operators (Lua 5.4 Reference Manual, section 3.4.8).
var precedence = map[string]int{"or": 1, "and": 2, "<": 3, ">": 3, "<=": 3, ">=": 3, "~=": 3, "!=": 3, "==": 3, "|": 4, "~": 5, "&": 6,
	"<<": 7, ">>": 7, "..": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "^": powers}

// powers is the precedence of ^, which binds more tightly than the unary operators.
const powers = 12

// expression returns the index after the expression that starts at token i.
func (t *translator) expression(i int) int { return t.right(i, 0) }

// right returns the index after the operand that starts at token i and belongs to a
// binary operator of this precedence: up to the next operator that binds no more
// tightly.
func (t *translator) right(i, than int) int {
	for {
		next := t.power(i)
		if next == i {
			return i
		}
		i = next
		if p := precedence[t.spell(i)]; p <= than && !(p == than && t.spell(i) == "..") {
			return i
		}
		i++
	}
}

// power returns the index after an operand with its unary operators and powers.
func (t *translator) power(i int) int {
	for t.walked < maxWalk {
		t.walked++
		for s := t.spell(i); (s == "-" || s == "#" || s == "not" || s == "~") && t.walked < maxWalk; s = t.spell(i) {
			t.walked++
			i++
		}
		next := t.operand(i)
		if next == i || t.spell(next) != "^" {
			return next
		}
		i = next + 1
	}
	return i
}

// left returns the index at which the operand in front of the binary operator at i
// begins: back to an operator that binds less tightly.
func (t *translator) left(i, than int) int {
	start := i
	for {
		k, ok := t.prefix(start)
		if !ok {
			return i
		}
		for k > 0 && t.walked < maxWalk && (t.spell(k-1) == "not" || t.spell(k-1) == "#" || (t.spell(k-1) == "-" || t.spell(k-1) == "~") && !t.ends(k-2)) {
			t.walked++
			k--
		}
		start = k
		if k == 0 || precedence[t.spell(k-1)] < than || !t.ends(k-2) {
			return start
		}
		start = k - 1
	}
}

// ends says whether the token at i ends a value, so that an operator after it is
// binary.
func (t *translator) ends(i int) bool {
	if i < 0 {
		return false
	}
	s, k := t.spell(i), t.toks[i].kind
	switch k {
	case number, text, hash:
		return true
	case word:
		return !keyword[s] || s == "nil" || s == "true" || s == "false" || s == "end"
	}
	return s == ")" || s == "]" || s == "}" || s == "..."
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
	for t.walked < maxWalk { // suffixes
		t.walked++
		switch s := t.spell(i); {
		case s == "." || s == ":" || s == "?.":
			i += 2
		case s == "?" && t.spell(i+1) == "[":
			i++
		case s == "[" || s == "(" || s == "{":
			i = t.closing(i, s)
		case i < len(t.toks) && t.toks[i].kind == text:
			i++
		default:
			return min(i, len(t.toks))
		}
	}
	return min(i, len(t.toks))
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

// prefix goes back from token i over the value in front of it: a literal, or names,
// fields, calls and brackets.
func (t *translator) prefix(i int) (start int, ok bool) {
	for k := i - 1; k >= 0 && t.walked < maxWalk; k-- {
		t.walked++
		before := t.spell(k - 1)
		switch s := t.spell(k); {
		case s == ")" || s == "]" || s == "}":
			if k = t.opening(k); k < 0 {
				return 0, false
			}
			switch {
			case s == "]" && t.spell(k-1) == "?":
				k--
			case t.called(k - 1): // arguments, or the key of a field
			case s == "]":
				return 0, false
			default:
				return k, true
			}
		case t.toks[k].kind == text && t.called(k-1): // a call with one text
		case t.toks[k].kind == word && !keyword[s] && (before == "." || before == ":" || before == "?."):
			k--
		case t.toks[k].kind == word && keyword[s] && s != "nil" && s != "true" && s != "false", t.toks[k].kind == operator && s != "...":
			return 0, false
		default:
			return k, true
		}
	}
	return 0, false
}

// called says whether what follows the token at i may be its arguments or a key.
func (t *translator) called(i int) bool {
	for ; i >= 0 && t.walked < maxWalk; i-- {
		t.walked++
		switch s := t.spell(i); {
		case s == ")" || s == "]":
			return true
		case t.toks[i].kind == word:
			return !keyword[s]
		case t.toks[i].kind != text && s != "}":
			return false
		}
	}
	return false
}

// opening returns the bracket that the one at k closes; -1: there is none.
func (t *translator) opening(k int) int {
	depth := 0
	for ; k >= 0 && t.walked < maxWalk; k-- {
		t.walked++
		switch t.spell(k) {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			depth--
		}
		if depth == 0 {
			return k
		}
	}
	return -1
}
