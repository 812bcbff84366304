package cfx

import (
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
	"go.uber.org/goleak"

	"squelch/server/lua/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a script on a clock that the test moves.
type stage struct {
	*Script
	t      *testing.T
	now    time.Duration
	said   []string // what the script printed
	failed []string
}

func play(t *testing.T, source string) *stage {
	t.Helper()
	st := &stage{t: t}
	st.Script = New(Options{Name: "stage", Clock: func() time.Duration { return st.now },
		Print:  func(line string) { st.said = append(st.said, line) },
		Alias:  func(string, *Ref) {},
		Failed: func(what string, err *sandbox.Error) { st.failed = append(st.failed, what+": "+err.Error()) }})
	st.limit = time.Minute // the race detector is slow
	t.Cleanup(st.Close)
	if err := st.Load("f.lua", source); err != nil {
		t.Fatalf("%v", err)
	}
	return st
}

// until runs everything that is due up to a moment, each thing at its own time.
func (st *stage) until(moment time.Duration) *stage {
	for {
		wake, some := st.Tick()
		st.Serve()
		if w, more := st.Tick(); more {
			wake, some = w, true
		}
		if !some || wake > moment || st.Fatal() != nil {
			st.now = moment
			return st
		}
		st.now = max(wake, st.now)
	}
}

func (st *stage) printed(want ...string) {
	st.t.Helper()
	if got := strings.Join(st.said, "|"); got != strings.Join(want, "|") {
		st.t.Errorf("printed %s\nwant    %s", got, strings.Join(want, "|"))
	}
}

// result runs an expression in a thread and gives what it prints.
func result(t *testing.T, source string) string {
	t.Helper()
	st := play(t, source)
	st.until(time.Minute)
	if len(st.failed) > 0 {
		t.Errorf("%s\nfailed: %v", source, st.failed)
	}
	return strings.Join(st.said, "|")
}

func TestThreadsWaitAndTimersRun(t *testing.T) {
	st := play(t, `
		CreateThread(function() print('a', GetGameTimer()) Wait(100) print('b', GetGameTimer()) Citizen.Wait(0) print('c', GetGameTimer()) end)
		Citizen.SetTimeout(50, function() print('timeout', GetGameTimer()) end)
		ClearTimeout(SetTimeout(10, function() print('never') end))
		Citizen.CreateThreadNow(function() print('now') Wait(30) print('later', GetGameTimer()) end)
		print('end of file')`)
	st.printed("now", "end of file")
	st.until(time.Second)
	st.printed("now", "end of file", "a\t0", "later\t30", "timeout\t50", "b\t100", "c\t120")
}

func TestWaitInsidePcall(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`CreateThread(function() local ok, v = pcall(function() Wait(10) return 'x' end) print(ok, v) end)`, "true\tx"},
		{`CreateThread(function() print(pcall(function() Wait(10) error('no', 0) end)) end)`, "false\tno"},
		{`CreateThread(function() print(pcall(function() print(pcall(function() Wait(5) error({}) end)) Wait(5) return 1, nil, 3 end)) end)`, ""},
		{`CreateThread(function() for i = 1, 300 do pcall(Wait, 1) end print(GetGameTimer()) end)`, "6000"},
		{`CreateThread(function() print(xpcall(function(a) Wait(1) error(a, 0) end, function(e) return 'handled ' .. e end, 'it')) end)`, "false\thandled it"},
		{`print(select('#', pcall(function() end)), pcall(nil))`, "1\tfalse\tprelude.lua:19: attempt to call a non-function object"},
		{`local function f() return pcall(f) end print(f())`, ""},
		{`CreateThread(function() pcall(function() local co = coroutine.running() SetTimeout(5, function() coroutine.resume(co, 'back') end) print(coroutine.yield()) end) print('after') end)`, "back|after"},
	} {
		got := result(t, c.source)
		if c.want != "" && got != c.want || got == "" {
			t.Errorf("%s\nprints %q, want %q", c.source, got, c.want)
		}
	}
}

func TestAWaitWhereItCannotBeIsAnError(t *testing.T) {
	for _, source := range []string{
		"for _ in function() Wait(1) end do end",
		"table.sort({ 3, 1, 2 }, function(a, b) Wait(1) return a < b end)",
		"(('x'):gsub('x', function() Wait(1) end))",
		"local t = setmetatable({}, { __index = function() Wait(1) end }) local x = t.y",
		"local t = setmetatable({}, { __add = function() coroutine.yield() end }) local x = t + 1",
	} {
		st := play(t, "CreateThread(function() local x = "+strings.Replace("nil "+source, "nil ((", "((", 1)+" end) CreateThread(function() Wait(50) print('goes on') end)")
		st.until(time.Second)
		if len(st.failed) != 1 || !strings.Contains(st.failed[0], "attempt to yield across") {
			t.Errorf("%s: %q", source, st.failed)
		}
		st.printed("goes on")
	}
}

func TestIteratorsThatAreCoroutinesWork(t *testing.T) {
	if got := result(t, "for i in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do print(i) end"); got != "1|2|3" {
		t.Error(got)
	}
}

func TestEvents(t *testing.T) {
	st := play(t, `
		local payload = { deep = { 1 } }
		local h = AddEventHandler('ping', function(p, n) p.deep[1] = 2 print('first', n, GetInvokingResource()) Wait(10) print('then', source) end)
		AddEventHandler('ping', function(p) print('second', p.deep[1]) end)
		RegisterNetEvent('net', function(what) local src = source print('net', src, what) Wait(0) print('net', src, source) end)
		TriggerEvent('ping', payload, nil)
		print(payload.deep[1])
		RemoveEventHandler(h)
		TriggerEvent('ping', payload)
		AddEventHandler('bad', function() error('oops') end)
		AddEventHandler('bad', function() print('still') CancelEvent() end)
		print(TriggerEvent('bad'), WasEventCanceled())`)
	if err := st.EmitNet("ping", 7); err != nil { // not registered for clients
		t.Fatal(err)
	}
	if err := st.EmitNet("net", 7, "hi"); err != nil {
		t.Fatal(err)
	}
	if err := st.Emit("ping", "", "other", &Table{Keys: []Packed{"deep"}, Values: []Packed{&Table{Array: []Packed{5.0}}}}); err != nil {
		t.Fatal(err)
	}
	st.until(time.Second)
	st.printed("first\tnil\tnil", "second\t1", "1", "second\t1", "still", "false\tfalse", "net\t7\thi", "second\t5", "then\tnil", "net\t7\tnil")
	if len(st.failed) != 1 || st.failed[0] != "the handler of bad: f.lua:10: oops" {
		t.Errorf("%q", st.failed)
	}
}

func TestPromises(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`CreateThread(function() local p = promise.new() SetTimeout(40, function() p:resolve('done') end) print(Citizen.Await(p), GetGameTimer()) end)`, "done\t40"},
		{`CreateThread(function() local p = promise.new():resolve(1) print(Await(p)) end)`, "1"},
		{`CreateThread(function() local p = promise.new() SetTimeout(40, function() p:reject('why') end) print(pcall(Citizen.Await, p)) end)`, "false\twhy"},
		{`promise.new():resolve(1):next(function(v) return v + 1 end):next(function(v) error('x' .. v, 0) end):next(nil, print)`, "x2"},
		{`CreateThread(function() local a, b = promise.new(), promise.new() SetTimeout(20, function() b:resolve(2) end) SetTimeout(40, function() a:resolve(1) end)
			print(table.unpack(Citizen.Await(promise.all({ a, b })))) print(Citizen.Await(promise.first({ a, b }))) end)`, "1\t2|1"},
		{`CreateThread(function() local p = promise.new():next(function(v) Wait(30) return v * 2 end) print('never') end)`, "never"},
		{`CreateThread(function() local p = promise.new() local q = p:next(function(v) Wait(30) return v * 2 end) p:resolve(4) print(Citizen.Await(q), GetGameTimer()) end)`, "8\t30"},
		{`CreateThread(function() local p = promise.new() local q = promise.new() p:resolve(q) SetTimeout(25, function() q:resolve('inner') end) print(Citizen.Await(p)) end)`, "inner"},
	} {
		if got := result(t, c.source); got != c.want {
			t.Errorf("%s\nprints %q, want %q", c.source, got, c.want)
		}
	}
}

func TestOwnExports(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`exports('add', function(a, b) return a + b end) print(exports.stage:add(1, 2), exports['stage']:add(3, 4))`, "3|7"},
		{`exports('add', function(a, b) return a + b end) print((exports.stage:add(1, 2)))`, "3"},
		{`exports('t', function(t) t.x = 2 return t end) local t = { x = 1 } local u = exports.stage:t(t) print(t.x, u.x)`, "1\t2"},
		{`exports('why', function() return nil, 'why' end) exports('mid', function() return 'a', nil, 'b' end) print(select('#', exports.stage:why()), select('#', exports.stage:mid()))`, "0\t1"},
		{`exports('args', function(...) return select('#', ...), select(3, ...) end) print(exports.stage:args('f', nil, 'X'))`, "3\tX"},
		{`exports('slow', function() Wait(30) return 'slept' end) CreateThread(function() print(exports.stage:slow(), GetGameTimer()) end)`, "slept\t30"},
		{`exports('slow', function() Wait(30) error('late', 0) end) CreateThread(function() print(pcall(function() return exports.stage:slow() end)) end)`, "false\tf.lua:1: An error occurred while calling export slow of resource stage: stage: late"},
		{`print(pcall(function() return exports.nobody:x() end))`, "false\tf.lua:1: No such export x in resource nobody"},
	} {
		if got := result(t, c.source); strings.ReplaceAll(got, "3\t7", "3|7") != c.want {
			t.Errorf("%s\nprints %q, want %q", c.source, got, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`print(json.encode({ 1, 'a', true, { x = vector3(1, 2, 3) } }))`, `[1,"a",true,{"x":{"x":1,"y":2,"z":3}}]`},
		{`print(json.encode({}), json.encode({ [5] = 'x' }), json.encode('a<b'), json.encode(nil), json.encode(1/0))`, "[]\t{\"5\":\"x\"}\t\"a<b\"\tnull\tnull"},
		{`local t = json.decode('{"a":[1,null,3],"b":null,"c":"\\u00fc"}') print(t.a[1], t.a[2], t.a[3], t.b, t.c)`, "1\tnil\t3\tnil\tü"},
		{`print(json.decode('{bad'), json.decode(''), json.decode('1 2'), json.decode('null'), json.decode('[1]]'))`, "nil\tnil\tnil\tnil\tnil"},
		{`print(json.decode(('['):rep(200) .. (']'):rep(200)))`, "nil"},
		{`local t = {} t.t = t print(pcall(json.encode, t))`, "false\tjson.encode: tables are nested more than 100 deep, or contain themselves"},
	} {
		if got := result(t, c.source); got != c.want {
			t.Errorf("%s\nprints %q, want %q", c.source, got, c.want)
		}
	}
}

func TestVectors(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`local a, b = vector3(1, 2, 3), vec3(1, 2, 3) print(a == b, a ~= b, a, type(a), #(a - vector3(1, 2, 0)))`, "true\tfalse\tvector3(1, 2, 3)\tvector3\t3"},
		{`print(vector3(vector2(1, 2), 3), vector2(5), vec(1, 2, 3, 4), vector4(vector3(1, 2, 3), 90).w)`, "vector3(1, 2, 3)\tvector2(5, 5)\tvector4(1, 2, 3, 4)\t90"},
		{`local v = vector3(1, 2, 3) print(v * 2, 2 * v, v / 2, -v, v + v, v.xy, v[2], v.w, table.unpack(v))`, "vector3(2, 4, 6)\tvector3(2, 4, 6)\tvector3(0.5, 1, 1.5)\tvector3(-1, -2, -3)\tvector3(2, 4, 6)\tvector2(1, 2)\t2\tnil\t1\t2\t3"},
		{`print(pcall(function() vector3(1, 2, 3).x = 4 end))`, "false\tf.lua:1: a vector cannot be changed: make a new one"},
		{`print('at ' .. vector2(1, 2))`, "at vector2(1, 2)"},
		{`AddEventHandler('v', function(v) print(v.z, type(v)) end) TriggerEvent('v', vector3(1, 2, 3))`, "3\tvector3"},
	} {
		if got := result(t, c.source); got != c.want {
			t.Errorf("%s\nprints %q, want %q", c.source, got, c.want)
		}
	}
}

func TestTheRestOfTheLibrary(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`print(GetCurrentResourceName(), GetConvar('x', 'y'), joaat('Adder') == GetHashKey('adder'), IsDuplicityVersion())`, "stage\ty\ttrue\ttrue"},
		{`print(table.pack(1, nil, 3).n, table.unpack(table.move({ 1, 2, 3 }, 1, 3, 2)))`, "3\t1\t1\t2\t3"},
		{`print(utf8.len('aü'), utf8.char(252), utf8.codepoint('ü'), #os.date('%Y'), type(os.time()), os.execute, io, require)`, "2\tü\t252\t4\tnumber\tnil\tnil\tnil"},
		{`math.randomseed(7) local a = math.random(100) math.randomseed(7) print(a == math.random(100), math.random(5, 5), (pcall(math.random, 2, 1)))`, "true\t5\tfalse"},
		{`print(math.type(1), math.type(1.5), math.type('1'), math.tointeger(3), math.tointeger(3.5))`, "integer\tfloat\tnil\t3\tnil"},
		{`print(xpcall(error, debug.traceback, 'x'))`, "false\tx"},
	} {
		if got := result(t, c.source); got != c.want {
			t.Errorf("%s\nprints %q, want %q", c.source, got, c.want)
		}
	}
}

func TestABuiltinResourceIsSafeFromItsScript(t *testing.T) {
	st := play(t, "")
	chunk, err := sandbox.Script(`
		Kept = 'kept'
		exports('get', function(t) t.x = t.x .. string.format('%s', Kept) return t, string.rep('a', 2) end)
		exports('throws', function() error('inside') end)
		exports('caught', function() return pcall(error, 'e', 0) end)`, "radio.lua")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Builtin("radio", map[string]lua.LValue{"Radio": lua.LTrue}, chunk); err != nil {
		t.Fatal(err)
	}
	if err := st.Load("g.lua", `
		string.rep = function() return 'evil' end
		string.format, pcall2, Kept = nil, pcall, 'evil'
		local t = { x = 'x' }
		local u, a = exports.radio:get(t)
		print(t.x, u.x, a, Radio)
		print(pcall(function() exports.radio:throws() end))
		print(exports.radio:caught())
		print(pcall(function() return exports.radio.none end))`); err != nil {
		t.Fatal(err)
	}
	st.printed("x\txkept\taa\tnil", "false\tg.lua:7: An error occurred while calling export throws of resource radio: radio.lua:4: inside",
		"false\te", "false\tg.lua:9: No such export none in resource radio")
}
