package sandbox

import (
	"strings"
	"testing"
)

// calls are the functions for which the tests write capitals.
var calls = strings.NewReplacer("NAV(", callNav+"(", "FIELDS(", callFields+"(", "IDIV(", callIDiv+"(", "AND(", callAnd+"(", "XOR(", callXor+"(",
	"OR(", callOr+"(", "NOT(", callNot+"(", "LEFT(", callLeft+"(", "RIGHT(", callRight+"(")

func TestTheGamesLuaBecomesLua51(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"a += 1", "a = a + (1)"},
		{"a -= b - c d = 1", "a = a - (b - c) d = 1"},
		{"a.b[c[1]].d *= f(x, {y}) + 2\nreturn", "a.b[c[1]].d = a.b[c[1]].d * (f(x, {y}) + 2)\nreturn"},
		{"s ..= 'x' .. 'y' if z then end", "s = s .. ('x' .. 'y') if z then end"},
		{"n += function() if a then return 1 elseif b then return 2 end end f()", "n = n + (function() if a then return 1 elseif b then return 2 end end) f()"},
		{"n -= -#t.list x = nil", "n = n - (-#t.list) x = nil"},
		{"n += obj:method 'text' { 1 } .field\nlocal y", "n = n + (obj:method 'text' { 1 } .field)\nlocal y"},
		{"n %= not true and 1 or 2 -- tail", "n = n % (not true and 1 or 2) -- tail"},
		{"if a != b then", "if a ~= b then"},
		{"x = `ADDER`", "x = (-1216765807)"},
		{"/* one\ntwo */ x = 1", " \n x = 1"},
		{"local a <const>, b <const> = 1, 2", "local a , b  = 1, 2"},
		{`"\x41\u{2713}\\x41\z` + "  \n  B\"", `"\065\226\156\147\\x41B"` + "\n"},
		{"x = '/* += `no` != */' --[[ += \n /* ]] y = [==[ != ]] ]==]", "x = '/* += `no` != */' --[[ += \n /* ]] y = [==[ != ]] ]==]"},
		{"x = a?.b", "x = NAV(a, 'b')"},
		{"x = a.b(c)[d]?.e?.f:g()", "x = NAV(NAV(a.b(c)[d], 'e'), 'f'):g()"},
		{"x = f'y'?.z ..(a)?[1]", "x = NAV(f'y', 'z') ..NAV((a),1)"},
		{"a?.b()\nc?.d 'e'", "NAV(a, 'b')()\nNAV(c, 'd') 'e'"},
		{"n += a?.b or c?[1] d = 1", "n = n + (NAV(a, 'b') or NAV(c,1)) d = 1"},
		{"if not p?.job then", "if not NAV(p, 'job') then"},
		{"local a, b in t.u x = 1", "local a, b = FIELDS( t.u, 'a', 'b') x = 1"},
		{"local name in source?.player\nreturn", "local name = FIELDS( NAV(source, 'player'), 'name')\nreturn"},
		{"x, y in f(1)", "x, y = FIELDS( f(1), 'x', 'y')"},
		{"for k, v in pairs(t) do for x in y do end end", "for k, v in pairs(t) do for x in y do end end"},
		{"s = { .police, .fire; a = .5, .ems }", "s = { police = true, fire = true; a = .5, ems = true }"},
		{"n += a?.b", "n = n + (NAV(a, 'b'))"},
		{"n //= a?.b", "n = IDIV(n, NAV(a, 'b'))"},
		{"x = a // b", "x = IDIV(a , b)"},
		{"x = 1 + a.b // 2 // c * 3", "x = 1 + IDIV(IDIV(a.b , 2) , c) * 3"},
		{"x = a & b | c", "x = OR(AND(a , b) , c)"},
		{"x = a | b & c", "x = OR(a , AND(b , c))"},
		{"if flags & 1 << n ~= 0 then", "if AND(flags , LEFT(1 , n)) ~= 0 then"},
		{"x = -a^2 // #t ~ ~y", "x = XOR(IDIV(-a^2 , #t) , NOT(y))"},
		{"x, y = f() >> 8 y = 1", "x, y = RIGHT(f() , 8) y = 1"},
		{"a.b //= 2 c |= 1", "a.b = IDIV(a.b, 2) c = OR(c, 1)"},
		{"a\r\nb\rc", "a\nb\nc"},
		{"#!/usr/bin/lua\nx = 1..2", "--/usr/bin/lua\nx = 1..2"},
		{"goto done ::done::", "goto done ::done::"},
		{"x = 0xFF + 1e-5 + .5", "x = 0xFF + 1e-5 + .5"},
	} {
		got, err := Translate(c.from, "f")
		if want := calls.Replace(c.to); err != nil || got != want {
			t.Errorf("%s\nbecame %q, %v\nwant   %q", c.from, got, err, want)
		}
	}
}

func TestWhatCannotBeTranslatedSaysWhatToWrite(t *testing.T) {
	for from, want := range map[string]string{
		"// no harbour":                    "f:1: // needs a value on each side, as in a // b (a comment starts with --, not with //)",
		"x = a |":                          "f:1: | needs a value on each side, as in a | b",
		"x = ~":                            "f:1: ~ needs a value, as in ~a",
		"x = ?.y":                          "f:1: ?. needs a value on its left and a field on its right, as in a?.b",
		"x = a?.'b'":                       "f:1: ?. needs a value on its left and a field on its right, as in a?.b",
		"x = a?[b":                         "f:1: ?[ has no end ]",
		"a?.b += 1":                        "f:1: += needs a plain name or field on its left: write a = a + b",
		"local a, b in ":                   "f:1: in needs a table on its right, as in local a, b in t",
		"x = a ? b : c":                    "f:1: ? is not Lua 5.1: write (condition and a or b)",
		"if !a then":                       "f:1: ! is not Lua 5.1: write not",
		"a +=":                             "f:1: += has no value on its right",
		"+= 1":                             "f:1: += needs a plain name or field on its left: write a = a + b",
		"(a).b += 1":                       "f:1: += needs a plain name or field on its left: write a = a + b",
		"a[f()] += 1":                      "f:1: += needs a plain name or field on its left: write a = a + b",
		`x = "\xZZ"`:                       `f:1: \x needs two hexadecimal digits`,
		`x = "\u{}"`:                       `f:1: \u needs {hexadecimal digits}`,
		`x = "\u{999999}"`:                 `f:1: \u{999999} is not a character`,
		"\n--[[ x":                         "f:2: the comment --[[ has no end ]]",
		"[[ x":                             "f:1: the string [[ has no end ]]",
		"`x":                               "f:1: the hash `x has no end",
		strings.Repeat("{", maxBrackets+1): "f:1: brackets are nested more than 200 deep",
		strings.Repeat("\n", MaxSource+1):  "f: the file is larger than 1048576 bytes",
	} {
		if _, err := Translate(from, "f"); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v\nwant %s", from, err, want)
		}
	}
}

// FuzzTranslate: lines stay where they are, so that errors name the right one.
func FuzzTranslate(f *testing.F) {
	for _, s := range []string{"a += 1", "x = `h` != 2 /* \n */", "\"\\z \n \\x41\"", "a.b[1] ..= {\n} c", "local a <const> = 1", "f(function() x += 1 end)", "a[b+=1] += 2", "a?.b?[c] = d?.e", "local a, b in t?.c", "{ .a, .b }", "x = a // b & ~c | d << 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		out, err := Translate(src, "f")
		if err != nil {
			return
		}
		if a, b := strings.Count(lineEnds.Replace(src), "\n"), strings.Count(out, "\n"); a != b {
			t.Fatalf("%d lines became %d: %q to %q", a, b, src, out)
		}
	})
}

// TestTranslatedCodeDoesWhatTheGameDoes runs it.
func TestTranslatedCodeDoesWhatTheGameDoes(t *testing.T) {
	for src, want := range map[string]string{
		`local p return tostring(p?.job?.name)`:                                                        "nil",
		`local p = { job = { name = "police" } } return p?.job?.name`:                                  "police",
		`local p = { list = { 7, 8 } } return tostring(p?.list?[2]) .. tostring(p?.other?[2])`:         "8nil",
		`local t = { x = 1, y = 2, z = 3 } local x, z, w in t return x + z .. tostring(w)`:             "4nil",
		`local x, y = 1, 2 x, y in { x = 5, y = 6 } return x .. y`:                                     "56",
		`local s = { .police, .fire } return tostring(s.police and s.fire and not s.ems)`:              "true",
		`local ok = pcall(function() local p return p?.x() end) return tostring(ok)`:                   "false",
		`local ok = pcall(function() local n = 0 local a, b in n return a end) return tostring(ok)`:    "false",
		`return 7 // 2 .. " " .. -7 // 2 .. " " .. 2^5 // 5 * 2 - 1`:                                   "3 -4 11",
		`return 6 & 3 | 8 ~ 1 << 2 .. ""`:                                                              "14",
		`local f = 0 f |= 4 f <<= 2 f //= 3 return f .. " " .. ~f .. " " .. (f & 1)`:                   "5 -6 1",
		"local o = { f = function() return { v = 2 } end }\nlocal x = o\no?.f()\nreturn x.f().v .. ''": "2",
	} {
		c, err := Compile(src, "f")
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		L := New(nil)
		out, err := Run(t.Context(), L, c, 0)
		if err != nil || len(out) != 1 || out[0].String() != want {
			t.Errorf("%s: %v, %v; want %s", src, out, err, want)
		}
		L.Close()
	}
}
