package sandbox

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/pm"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run executes a script and gives its first result as text.
func run(t *testing.T, src string, limit time.Duration) (string, error) {
	t.Helper()
	c, err := Compile(src, "f")
	if err != nil {
		return "", err
	}
	L := New(nil)
	defer L.Close()
	out, err := Run(context.Background(), L, c, limit)
	if err != nil || len(out) == 0 {
		return "", err
	}
	return out[0].String(), nil
}

// The hint about // is for those who write it as a comment, not for every address.
func TestOnlySlashesOutsideOfTextsAreTakenForAComment(t *testing.T) {
	const hint = "(a comment starts with --, not with //)"
	for src, want := range map[string]bool{"x = 1\n// one of them": true, "x = 1 y = = 2 -- https://a": false, `x = "https://a" y = = 2`: false} {
		if _, err := Compile(src, "f"); err == nil || strings.Contains(err.Error(), hint) != want {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestScriptsRun(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"return 1 .. 2 .. 'x'", "12x"},
		{"local function two() return 'a', 'b' end return 'x' .. two()", "xa"},
		{"local function two() return 'a', 'b' end return two() .. 'x' .. (two())", "axa"},
		{"local function f(...) return 'x' .. ... end return f('a', 'b')", "xa"},
		{"local t = setmetatable({}, { __concat = function(a, b) return 'joined' end }) return t .. 'x' .. 'y'", "joined"},
		{"local t = setmetatable({}, { __concat = function(a, b) return type(a) .. type(b) end }) return 'a' .. 'b' .. t .. 'c' .. 'd'", "abtablestring"},
		{"local s = '' for i = 1, 200 do s = s .. i end return #s", "492"},
		{"return " + strings.Repeat("'a' .. ", 999) + "'b' == ('a'):rep(999) .. 'b'", "true"},
		{"return table.concat({ 1, 'a', 2.5 }, ', ', 2)", "a, 2.5"},
		{"return table.concat({}, ',')", ""},
		{"return ('ab'):rep(3, '-')", "ab-ab-ab"},
		{"return string.format('%5.1f|%-4d|%s|%q|%x|%c|%%|%03d', 1.25, 7, true, 'q', 255, 65, 5)", `  1.2|7   |true|"q"|ff|A|%|005`},
		{"return tostring(bit.band(6, 3)) .. bit.bor(4, 1) .. bit.bxor(7, 2) .. bit.lshift(1, 4) .. bit.rshift(16, 2) .. bit.bnot(0)", "255164-1"},
		{"local v = vector3(1, 2, 3) return v.x + v.y + v.z", "6"},
		{"return GetConvar('a', 'b') .. GetConvarInt('a', 5) .. GetResourceState('x') .. GetCurrentResourceName()", "b5missingradio"},
		{"return tostring(exports['a']:b(1).c.d(2) ~= nil)", "true"},
		{"exports('name', function() end) exports.x.y = 1 CreateThread(function() error('never') end) return 'ok'", "ok"},
		{"Citizen.CreateThread(function() error('never') end) Citizen.Wait(0) return 'ok'", "ok"},
		{"return GetHashKey('Adder') == `adder`", "true"},
		{"local c = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) c() return c()", "2"},
		{"local ok, e = pcall(error, 'x', 0) return e", "x"},
		{"return select('#', table.unpack({ 1, 2, 3 }))", "3"},
		{"for _, n in ipairs({ 'load', 'loadstring', 'loadfile', 'dofile', 'require', 'io', 'os', 'debug', 'module', 'setfenv', 'getfenv', 'package' }) do if _G[n] ~= nil then return n end end return 'none'", "none"},
		{"return tostring(string.dump)", "nil"},
	} {
		got, err := run(t, c.src, 10*time.Second)
		if err != nil || got != c.want {
			t.Errorf("%s\ngives %q, %v, want %q", c.src, got, err, c.want)
		}
	}
}

// Every bomb ends with an error, not with the memory or the patience of the
// machine.
func TestBombs(t *testing.T) {
	const tooLong = "a string of more than 1048576 bytes is not allowed here"
	for _, c := range []struct{ name, src, want string }{
		{"repetition", "return ('x'):rep(1e9)", tooLong},
		{"repetition beyond numbers", "return ('x'):rep(1e300)", ""},
		{"repetition with separator", "return ('x'):rep(1e6, ('y'):rep(1e6))", tooLong},
		{"doubling", "local s = 'x' while true do s = s .. s end", tooLong},
		{"doubling out of sight", "local s = 'x' while true do s = 'a' .. s .. (s .. s) end", tooLong},
		{"doubling by metamethod", "local s = setmetatable({}, { __concat = function(a, b) return ('x'):rep(2^20) end }) return s .. 1 .. s .. 'x'", tooLong},
		{"joining", "local t = {} local s = ('x'):rep(1e6) for i = 1, 1000 do t[i] = s end return table.concat(t)", tooLong},
		{"wide formats", "return string.format('%1000000000d', 1)", "invalid format"},
		{"long formats", "local s = ('x'):rep(1e6) return string.format('%s%s', s, s)", tooLong},
		{"replacing", "local s = ('x'):rep(1e5) return s:gsub('x', s)", tooLong},
		{"replacing by template", "local s = ('x'):rep(1e4) return s:gsub('.*', ('%0'):rep(1000))", tooLong},
		{"a slow pattern", "return (('a'):rep(5000)):find(('.-'):rep(9) .. 'b')", "pattern takes too long"},
		{"a slow replacement", "return (('a'):rep(3000)):gsub('.-.-.-b', '')", "pattern takes too long"},
		{"a deep pattern", "return (('a'):rep(5000)):match(('a?'):rep(5000))", "pattern too complex"},
		{"endless captures", "return ('a'):match(('()'):rep(100))", "too many captures"},
		{"a far index", "local t = {} for i = 1, 1000 do t[67108000 - i] = i end return 'fine'", ""},
		{"a far insertion", "local t = {} table.insert(t, 60000000, 1) return 'fine'", ""},
		{"recursion", "local function f() return 1 + f() end f()", "stack overflow"},
		{"recursion through a pattern", "local function f() return (('a'):gsub('a', f)) end f()", "stack overflow"},
		{"unpacking", "return unpack({}, 1, 1e8)", "registry overflow"},
		{"many coroutines", "local t = {} while true do t[#t + 1] = coroutine.create(print) end", "more than 200 coroutines"},
		{"deep coroutines", "local function f() coroutine.wrap(f)() end f()", "more than 200 coroutines"},
		{"a loop inside a coroutine", "coroutine.wrap(function() while true do end end)()", "runs too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(t, c.src, 400*time.Millisecond)
			if c.want == "" {
				return // it may work or fail, but it ends
			}
			if err == nil {
				t.Fatal("the bomb went through")
			}
			if !strings.Contains(err.Error(), c.want) && !Heavy(err) && !strings.Contains(err.Error(), "runs too long") {
				t.Errorf("error is %v, want %s", err, c.want)
			}
		})
	}
}

func TestMemoryEndsARunBeforeItsTime(t *testing.T) {
	c, err := Compile("local t = {} while true do t[#t + 1] = { {}, {}, {}, {} } end", "f")
	if err != nil {
		t.Fatal(err)
	}
	L := New(nil)
	defer L.Close()
	_, err = runWithin(t.Context(), L, c, Bounds{Time: time.Hour, Heap: 32 << 20})
	if err == nil || !strings.Contains(err.Error(), "needs more than 32 MB of memory") {
		t.Error(err)
	}
}

func TestDeepSourcesAreRefused(t *testing.T) {
	for name, src := range map[string]string{
		"nots":      "return " + strings.Repeat("not ", 10_000) + "1",
		"sums":      "return 1" + strings.Repeat("+1", 10_000),
		"fields":    "return a" + strings.Repeat(".b", 10_000),
		"calls":     "return a" + strings.Repeat("()", 10_000),
		"blocks":    strings.Repeat("do ", 10_000) + strings.Repeat("end ", 10_000),
		"functions": strings.Repeat("return function() ", 5_000) + strings.Repeat("end ", 5_000),
		"elseifs":   "if a then " + strings.Repeat("elseif a then ", 5_000) + "end",
	} {
		_, err := Compile(src, "f")
		if err == nil || !strings.Contains(err.Error(), "nested more than 1000 deep") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestASourceThatIsSlowToTranslateIsRefused(t *testing.T) {
	for name, src := range map[string]string{
		"functions": strings.Repeat("x += function() ", 30_000),
		"signs":     "a = " + strings.Repeat("~", 1_000_000) + "1",
		"powers":    "a = " + strings.Repeat("~2^", 300_000) + "1",
		"calls":     "a = b" + strings.Repeat(`""`, 400_000) + "//1",
		"lengths":   "a = " + strings.Repeat("#", 900_000) + "a" + strings.Repeat("//b", 2_500),
	} {
		_, err := Translate(src, "f")
		if err == nil || !strings.HasPrefix(err.Error(), "f:1: expressions or functions are nested too deeply, or too long, around ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The compiler compares each name and value with all that it has seen.
func TestASourceThatIsSlowToCompileIsRefused(t *testing.T) {
	for name, form := range map[string]string{"values": "a(%d) ", "names": "a%d() ", "labels": "goto a%d ::a%[1]d:: "} {
		var src strings.Builder
		for n := 100_000; src.Len() < 1_000_000; n++ {
			fmt.Fprintf(&src, form, n)
		}
		_, err := Compile(src.String(), "f")
		if err == nil || err.Error() != "f:1: the file has more than 20000 different names and values" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAStateGoesOnAfterAnError(t *testing.T) {
	c, err := Compile("n = (n or 0) + 1 if n % 2 == 1 then error('odd') end return n", "f")
	if err != nil {
		t.Fatal(err)
	}
	L := New(nil)
	defer L.Close()
	failed, worked := 0, 0
	for range 100 {
		if _, err := Run(t.Context(), L, c, 10*time.Second); err != nil {
			failed++
		} else {
			worked++
		}
	}
	if failed != 50 || worked != 50 || L.GetTop() != 0 {
		t.Errorf("%d failed, %d worked, %d values left", failed, worked, L.GetTop())
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"return ('key = value'):match('^(%w+)%s*=%s*(%w+)$')", "key"},
		{"return (('a,b,,c'):gsub(',', ';'))", "a;b;;c"},
		{"return (('abc'):gsub('', '-'))", "-a-b-c-"},
		{"return (('abc'):gsub('%w', '%0%0', 2))", "aabbc"},
		{"return (('hello world'):gsub('o', { o = '0' }))", "hell0 w0rld"},
		{"return (('abc'):gsub('b', function() return nil end))", "abc"},
		{"return (('x y'):gsub('(%w) (%w)', '%2 %1'))", "y x"},
		{"return (('aXb'):gsub('%u', '%%'))", "a%b"},
		{"return ('f(a(b)c)d'):match('%b()')", "(a(b)c)"},
		{"return ('THE (quick) fox'):find('%((%a+)%)')", "5"},
		{"return ('abcabc'):match('(abc)%1')", "abc"},
		{"return ('hello'):match('()ll()')", "3"},
		{"return ('THE fox'):gsub('%f[%a]%a+', 'w')", "w w"},
		{"return ('[x]'):match('[]]')", "]"},
		{"return ('a-b'):match('[a%-]+')", "a-"},
		{"return ('a.b'):find('.', 1, true)", "2"},
		{"return ('abc'):find('b', -2)", "2"},
		{"return tostring(('abc'):find('b', 10))", "nil"},
		{"return ('abc'):find('')", "1"},
		{"local n = 0 for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do n = n + v end return n", "3"},
		{"local n = 0 for w in ('one two'):gmatch('%a*') do n = n + 1 end return n", "2"},
		{"return (('  trim  '):gsub('^%s+', ''))", "trim  "},
		{"return ('2024-01-05'):match('(%d+)-(%d+)-(%d+)$')", "2024"},
		{"return ('<<a>>'):match('<(.-)>')", "<a"},
	} {
		got, err := run(t, c.src, 10*time.Second)
		if err != nil || got != c.want {
			t.Errorf("%s\ngives %q, %v, want %q", c.src, got, err, c.want)
		}
	}
	for _, p := range []string{"(", ")", "%", "[a", "[", "(()", "%b", "%bx", "%f", "%1", "(%1)"} {
		if _, err := run(t, "return ('aaa'):match('"+p+"')", 10*time.Second); err == nil {
			t.Errorf("%s is a pattern", p)
		}
	}
}

// FuzzMatch: on short subjects our matcher finds what the library's does.
func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{{"abc 12", "%a+ (%d)"}, {"aXb", "[^%u]-X"}, {"((a))", "%b()"}, {"aa", "(a)%1"}, {"x", "^x?$"}, {"", ".*"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, s, p string) {
		if len(s) > 12 || len(p) > 8 || strings.ContainsAny(p, "%[") {
			s, p = s[:min(len(s), 12)], strings.NewReplacer("%", "a", "[", "b").Replace(p[:min(len(p), 8)])
		}
		L := New(nil)
		defer L.Close()
		from, to, bad := -1, -1, false
		func() {
			defer func() { bad = recover() != nil }()
			with(L, s, p, func(m *matcher) { from, to = m.next(0) })
		}()
		theirs, err := pm.Find(p, []byte(s), 0, 1)
		if bad || err != nil || strings.Contains(p, ")") || strings.Contains(p, "-") || strings.Contains(p, "$") {
			return // captures and errors differ in detail; here it is enough not to break
		}
		if len(theirs) == 0 != (from < 0) || from >= 0 && (theirs[0].Capture(0) != from || theirs[0].Capture(1) != to) {
			t.Fatalf("%q in %q: %d-%d, the library %v", p, s, from, to, theirs)
		}
	})
}

// FuzzCompile: any text compiles or fails with an *Error, and what compiles
// runs into its end or its limit.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{"return 1", "x = 'a' .. 1 .. {}", "for i = 1, 1e9 do x = (x or '') .. i end", "goto a ::a::", "local a <const> = `b` a += 1",
		"return ('a'):rep(1e9)", "coroutine.wrap(function() coroutine.yield() end)()", "string.format('%d', {})"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		_, err := run(t, src, 100*time.Millisecond)
		if err != nil {
			if e, ok := err.(*Error); !ok || e.File != "f" || e.Msg == "" {
				t.Fatalf("error is %#v", err)
			}
		}
	})
}

func TestPrintGoesWhereItIsTold(t *testing.T) {
	var lines []string
	L := New(func(s string) { lines = append(lines, s) })
	defer L.Close()
	c, err := Compile("print('a', 1, nil, {} ~= nil)", "f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), L, c, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || lines[0] != "a\t1\tnil\ttrue" {
		t.Errorf("printed %q", lines)
	}
}

func TestVoidIsNoAnswer(t *testing.T) {
	if Void(lua.LTrue) || Void(lua.LNil) {
		t.Error("a plain value is void")
	}
	c, err := Compile("return exports.x:y()", "f")
	if err != nil {
		t.Fatal(err)
	}
	L := New(nil)
	defer L.Close()
	out, err := Run(t.Context(), L, c, 10*time.Second)
	if err != nil || len(out) != 1 || !Void(out[0]) {
		t.Errorf("%v, %v", out, err)
	}
}
