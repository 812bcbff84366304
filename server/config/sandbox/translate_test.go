package sandbox

import (
	"strings"
	"testing"
)

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
		{"a\r\nb\rc", "a\nb\nc"},
		{"#!/usr/bin/lua\nx = 1..2", "--/usr/bin/lua\nx = 1..2"},
		{"goto done ::done::", "goto done ::done::"},
		{"x = 0xFF + 1e-5 + .5", "x = 0xFF + 1e-5 + .5"},
	} {
		got, err := Translate(c.from, "f")
		if err != nil || got != c.to {
			t.Errorf("%s\nbecame %q, %v\nwant   %q", c.from, got, err, c.to)
		}
	}
}

func TestWhatCannotBeTranslatedSaysWhatToWrite(t *testing.T) {
	for from, want := range map[string]string{
		"a //= 2":                          "f:1: //= is not Lua 5.1: write math.floor(a / b) (a comment starts with --)",
		"\na |= 2":                         "f:2: |= is not Lua 5.1: write bit.bor(a, b)",
		"x = ~y":                           "f:1: ~ is not Lua 5.1: write bit.bxor(a, b), or bit.bnot(a) for one value",
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
	for _, s := range []string{"a += 1", "x = `h` != 2 /* \n */", "\"\\z \n \\x41\"", "a.b[1] ..= {\n} c", "local a <const> = 1", "f(function() x += 1 end)", "a[b+=1] += 2"} {
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
