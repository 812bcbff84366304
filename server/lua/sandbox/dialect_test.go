package sandbox

import (
	"strings"
	"testing"
	"time"
)

// TestOperatorsOfTheGame: what translated operators answer is what Lua 5.4 does, or it is
// an error, never something else.
func TestOperatorsOfTheGame(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"return 7 // 2 .. ' ' .. -7 // 2 .. ' ' .. 7.5 // 2", "3 -4 3"},
		{"return 1 | 6 & 3 ~ 1", "3"},
		{"return 1 << 62", "4611686018427387904"},
		{"return 1 << 64 | 1 >> 1 | -1 >> 63", "1"},
		{"return ~0 & 0xFF", "255"},
		{"local t = setmetatable({}, { __idiv = function() return 'd' end, __bnot = function() return 'n' end, __band = function() return 'a' end }) return (t // 1) .. ~t .. (1 & t)", "dna"},
		{"local t return tostring(t?.a) .. tostring(t?['a']) .. tostring(({ a = { b = 5 } }).a?.b)", "nilnil5"},
		{"local a, b in { a = 1, b = 2 } return a + b", "3"},
	} {
		got, err := run(t, c.src, 10*time.Second)
		if err != nil || got != c.want {
			t.Errorf("%s\ngives %q, %v, want %q", c.src, got, err, c.want)
		}
	}
	for src, want := range map[string]string{
		"return 1 // 0": "attempt to perform 'n//0'", "return 1.5 & 1": "no integer representation",
		"return (1 << 53) | 1": "does not fit", "return 'x' // 1": "number expected", "__squelch_nav = 1": "reserved",
	} {
		if _, err := run(t, src, 10*time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}

// TestAYieldWhereItCannotBeIsAnError: it breaks nothing, and the state goes on.
func TestAYieldWhereItCannotBeIsAnError(t *testing.T) {
	for _, src := range []string{
		"coroutine.wrap(function() pcall(coroutine.yield) error('after') end)()",
		"coroutine.wrap(function() table.sort({ 2, 1 }, function() coroutine.yield() end) end)()",
		"coroutine.wrap(function() for _ in coroutine.yield do end end)()",
	} {
		if _, err := run(t, src, 10*time.Second); err == nil || Broken(err) {
			t.Errorf("%s: %v", src, err)
		}
	}
	got, err := run(t, "local f = coroutine.wrap(coroutine.yield) f(1) return f(2)", 10*time.Second)
	if err != nil || got != "2" {
		t.Errorf("a coroutine of Go's function: %s, %v", got, err)
	}
}

func TestErrorsCountLevelsAsLuaDoes(t *testing.T) {
	for src, want := range map[string]string{
		"local function f() error('e', 2) end\nf()":                                        "f:2: e",
		"local function f() error('e') end\nf()":                                           "f:1: e",
		"local function g() error('e', 3) end local function f() g() end\n\nlocal x = f()": "f:3: e",
	} {
		if _, err := run(t, src, time.Second*10); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
