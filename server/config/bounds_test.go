package config

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// bombs are functions that want more than a callback may have, and what is reported
// of each.
var bombs = []struct{ name, body, said string }{
	{"tail calls", "local function f() return f() end return f()", "stack overflow"},
	{"mutual tail calls", "local g local function f() return g() end g = function() return f() end return f()", "stack overflow"},
	{"calls", "local function f() return 1 + f() end return f()", "stack overflow"},
	{"an endless loop", "while true do end", "takes longer than 100 ms"},
	{"a loop that catches its end", "while true do pcall(function() while true do end end) end", "takes longer than 100 ms"},
	{"a loop that handles its end", "while true do xpcall(function() while true do end end, function() while true do end end) end", "takes longer than 100 ms"},
	{"a table", "local t = {} while true do t[#t + 1] = { {}, {}, {}, {} } end", "needs more than 32 MB of memory"},
	{"a table out of sight", "local t = {} pcall(function() while true do t[#t + 1] = { {}, {}, {}, {} } end end) return true", "needs more than 32 MB of memory"},
	{"long texts", "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1e6) .. i end", "needs more than 32 MB of memory"},
	{"one long text", "return ('x'):rep(1e9)", "a string of more than 1048576 bytes is not allowed here"},
	{"doubling", "local s = 'x' while true do s = s .. s end", "a string of more than 1048576 bytes is not allowed here"},
	{"joining", "local t, s = {}, ('x'):rep(1e5) for i = 1, 1000 do t[i] = s end return table.concat(t)", "a string of more than 1048576 bytes is not allowed here"},
	{"coroutines that grow", "local t = {} while true do local c = coroutine.wrap(function() for i = 1, 100 do t[#t + 1] = { i } end end) c() end", "makes more than 200 coroutines"},
	{"a coroutine without end", "coroutine.wrap(function() while true do end end)()", "takes longer than 100 ms"},
	{"coroutines inside each other", "local function f() return coroutine.wrap(f)() end return f()", "makes more than 200 coroutines"},
	{"tail calls in a coroutine", "local function f() return f() end return coroutine.wrap(f)()", "stack overflow"},
	{"a global that is kept", "kept = kept or {} while true do kept[#kept + 1] = ('x'):rep(1e5) .. #kept end", "needs more than 32 MB of memory"},
}

// TestACallbackThatWantsTooMuchHarmsNothingElse: the answer is its failure value, it
// is logged once, and the next call works.
func TestACallbackThatWantsTooMuchHarmsNothingElse(t *testing.T) {
	for _, bomb := range bombs {
		t.Run(bomb.name, func(t *testing.T) {
			c := mustText(t, `
				local busy = false
				Config.radioAccessCheck = function(id)
					if id ~= 66 then return true end
					`+bomb.body+`
				end
				Config.getPlayerName = function(id)
					if busy then return "left in the middle" end
					busy = true
					if id == 66 then (function() `+bomb.body+` end)() end
					busy = false
					return "Unit " .. id
				end`).Callbacks
			calm(c)
			c.heap = 32 << 20
			if strings.Contains(bomb.said, "longer") {
				c.limit = callLimit
			}
			var j journal
			c.Logf(j.logf)
			for range 3 {
				same(t, "access", c.RadioAccess(t.Context(), 66), false)
			}
			c.limit = time.Minute
			same(t, "the next call", c.RadioAccess(t.Context(), 5), true)
			same(t, "the next name", c.PlayerName(t.Context(), 5), "Unit 5")
			lines := j.all()
			if len(lines) != 1 || !strings.Contains(lines[0], bomb.said) {
				t.Errorf("logged %q, want one line with %q", lines, bomb.said)
			}
		})
	}
}

// TestWhatCallbacksKeepIsBounded: each call stays below its own bound.
func TestWhatCallbacksKeepIsBounded(t *testing.T) {
	c := mustText(t, `
		local kept = {}
		Config.getPlayerName = function(id)
			kept[#kept + 1] = ("x"):rep(1e6) .. id
			return #kept
		end`).Callbacks
	calm(c)
	c.heap = 32 << 20
	var j journal
	c.Logf(j.logf)
	most, fresh := 0, 0
	for id := range 300 { // 300 MB, kept for ever
		var n int
		if _, err := fmt.Sscan(c.PlayerName(t.Context(), id+1), &n); err != nil {
			t.Fatalf("call %d: %v", id, err)
		}
		if n == 1 {
			fresh++
		}
		most = max(most, n)
		if id%16 == 0 {
			runtime.GC() // otherwise the process collects when it likes, which may take long
		}
	}
	if fresh < 3 || most > 150 {
		t.Errorf("started anew %d times, kept up to %d MB", fresh-1, most)
	}
	list(t, "once", j.all(), "config.lua: Config.getPlayerName: the callbacks keep more than 32 MB: they are restarted and lose their state (reported once)")
}
