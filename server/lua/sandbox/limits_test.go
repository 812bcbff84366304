package sandbox

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// TestTailCallsCostAsCallsDo: a chain of tail calls ends where a chain of calls
// does. gopher-lua counts tail calls without bound and writes a line for each
// into the trace of an error.
func TestTailCallsCostAsCallsDo(t *testing.T) {
	for name, src := range map[string]string{
		"itself":              "local function f() return f() end f()",
		"each other":          "local g local function f() return g() end g = function() return f() end f()",
		"a method":            "local o = {} function o:m() return self:m() end o:m()",
		"with arguments":      "local function f(...) return f(1, ...) end f()",
		"a metamethod":        "local t = setmetatable({}, {}) getmetatable(t).__call = function(self) return self() end t()",
		"through pcall":       "local function f() return pcall(f) end f() return (function() local function g() return g() end return g() end)()",
		"inside a coroutine":  "local function f() return f() end coroutine.wrap(f)()",
		"caught and repeated": "local function f() return f() end for i = 1, 100 do pcall(f) end f()",
	} {
		t.Run(name, func(t *testing.T) {
			before := allocated()
			_, err := run(t, src, 3*time.Second)
			if err == nil || !strings.Contains(err.Error(), "overflow") {
				t.Errorf("error is %v, want an overflow", err)
			}
			if grown := allocated() - before; grown > heapGrowth {
				t.Errorf("%d MB were allocated", grown>>20)
			}
		})
	}
}

func TestAnOverflowSaysWhere(t *testing.T) {
	const want = "f:3: calls go more than 200 deep (stack overflow)"
	for _, src := range []string{
		"local x\nlocal function f()\nreturn f()\nend\nf()",
		"local x\nlocal function f()\nreturn 1 + f()\nend\nf()",
	} {
		if _, err := run(t, src, 3*time.Second); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestATailCallStillGivesAllItsResults(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"local function three() return 1, 2, 3 end local function f() return three() end return select('#', f())", "3"},
		{"local function none() end local function f() return none() end return select('#', f())", "0"},
		{"local function f(...) return select(2, ...) end return f('a', 'b')", "b"},
		{"return tostring((select(2, pcall(function() return unpack({ 1, 2 }) end))))", "1"},
		{"local c = coroutine.wrap(function() return coroutine.yield('out') end) c() return c('back')", "back"},
		{"local function down(n) if n == 0 then return 'there' end return down(n - 1) end return down(150)", "there"},
	} {
		got, err := run(t, c.src, 10*time.Second)
		if err != nil || got != c.want {
			t.Errorf("%s\ngives %q, %v, want %q", c.src, got, err, c.want)
		}
	}
}

// TestACallIsBoundAsALoadIs: memory ends a call before its time does.
func TestACallIsBoundAsALoadIs(t *testing.T) {
	c, err := Compile("return function() local t = {} while true do t[#t + 1] = { {}, {}, {}, {} } end end", "f")
	if err != nil {
		t.Fatal(err)
	}
	L := New(nil)
	defer L.Close()
	out, err := Run(t.Context(), L, c, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Call(t.Context(), L, "f", Bounds{Time: time.Hour, Heap: 32 << 20}, out[0].(*lua.LFunction), 1)
	if err == nil || err.Error() != "f:1: needs more than 32 MB of memory" {
		t.Error(err)
	}
	if !Heavy(err) {
		t.Error("the error does not say that memory was the reason")
	}
}

// TestACoroutineOutlivesTheCallThatMadeIt: a later call may go on with it, and is
// bounded by its own time.
func TestACoroutineOutlivesTheCallThatMadeIt(t *testing.T) {
	for _, kind := range []string{
		"coroutine.wrap(count)",
		"(function() local c = coroutine.create(count) return function() return select(2, assert(coroutine.resume(c))) end end)()",
	} {
		c, err := Compile("local function count() for i = 1, 2 do coroutine.yield(i) end while true do end end next_one = "+kind, "f")
		if err != nil {
			t.Fatal(err)
		}
		L := New(nil)
		defer L.Close()
		if _, err := Run(t.Context(), L, c, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		fn := L.GetGlobal("next_one").(*lua.LFunction)
		for want := 1; want <= 2; want++ {
			ctx, cancel := context.WithCancel(t.Context())
			out, err := Call(ctx, L, "f", Bounds{Time: time.Minute}, fn, 1)
			cancel()
			if err != nil || len(out) != 1 || out[0] != lua.LNumber(want) {
				t.Fatalf("%s: call %d gives %v, %v", kind, want, out, err)
			}
		}
		if _, err := Call(t.Context(), L, "f", Bounds{Time: 50 * time.Millisecond}, fn, 1); err == nil || !strings.Contains(err.Error(), "runs too long") {
			t.Errorf("%s: an endless coroutine: %v", kind, err)
		}
	}
}
