package cfx

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// TestWhatAScriptCannotSurvive: each of these ends the script, with the place and the
// reason, and in bounded time and memory; pcall does not help.
func TestWhatAScriptCannotSurvive(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"an endless loop", "CreateThread(function() while true do end end)", "f.lua:1: runs longer than"},
		{"an endless loop in pcall", "CreateThread(function() while true do pcall(function() while true do end end) end end)", "runs longer than"},
		{"an endless loop in a coroutine", "CreateThread(function() coroutine.wrap(function() while true do end end)() end)", "runs longer than"},
		{"endless events", "AddEventHandler('x', function() while true do TriggerEvent('y') end end) CreateThread(function() TriggerEvent('x') end)", "runs longer than"},
		{"an endless loop of calls to the host", "CreateThread(function() while true do look() end end)", "runs longer than"},
		{"memory", "CreateThread(function() local t = {} while true do t[#t + 1] = { {}, {}, {}, {} } end end)", "needs more than 64 MB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Options{Name: "bomb"})
			s.Global("look", func(*lua.LState) int { s.Block(func() { time.Sleep(time.Microsecond) }); return 0 })
			s.guard.growth = 64 << 20
			switch c.name {
			case "memory":
				s.limit = time.Minute // the race detector is slow
			case "an endless loop of calls to the host":
				s.limit = 50 * time.Millisecond // most of the time it waits
			}
			if err := s.Load("f.lua", c.source); err != nil {
				t.Fatal(err)
			}
			err := s.Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("ended with %v, want %s", err, c.want)
			}
		})
	}
}

// TestLongRunsLeaveTheProcessorsToOthers: however many there are, they take at most a quarter of
// the processors.
func TestLongRunsLeaveTheProcessorsToOthers(t *testing.T) {
	for _, processors := range []int{1, 2, 3, 16} {
		for _, runs := range []int64{1, 2, 5, 200} {
			one := float64(guardPoll) / float64(guardPoll+longPause(runs, processors)) // of a processor
			if all := one * float64(runs); one > 0.25 || all > 0.25*float64(processors) {
				t.Errorf("%d runs on %d processors take %.3f of one each, %.3f together", runs, processors, one, all)
			}
			if runs == 1 && processors > 1 && one < 0.25 {
				t.Errorf("a single run on %d processors takes only %.3f of one", processors, one)
			}
		}
	}
}

// TestWhatFailsAlone: each of these ends its thread only.
func TestWhatFailsAlone(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"recursion", "local function f() return 1 + f() end f()", "more than 200 deep"},
		{"recursion through pcall", "local function f() return select(2, pcall(f)) end error(f(), 0)", "nested more than 150 deep"},
		{"recursion through coroutines", "local function f() coroutine.wrap(f)() end f()", "coroutines"},
		{"recursion through events", "AddEventHandler('e', function() TriggerEvent('e') end) TriggerEvent('e')", "more than 50 events"},
		{"recursion through exports", "exports('e', function() return exports.stage:e() end) exports.stage:e()", "more than 50 events"},
		{"recursion through threads", "local function f() Citizen.CreateThreadNow(f) end f()", "more than 50 events"},
		{"repetition", "local s = ('x'):rep(1e9)", "string of more than"},
		{"a pattern", "local s = (('a'):rep(5000)):find(('.-'):rep(9) .. 'b')", "pattern takes too long"},
		{"threads", "while true do Citizen.CreateThreadNow(function() Wait(1000) end) end", "more than 2000 threads"},
		{"timers", "while true do SetTimeout(1000, print) end", "more than 10000 timers"},
		{"handlers", "while true do AddEventHandler('e', print) end", "more than 2000 event handlers"},
		{"exports", "for i = 1, 3000 do exports('e' .. i, print) end", "more than 2000 exports"},
		{"a long name", "RegisterNetEvent(('x'):rep(257))", "a name of more than 256 bytes"},
		{"exports of other names", "while true do RemoveEventHandler(AddEventHandler('__cfx_export_' .. math.random(), function(set) set(print) end)) end", "more than 2000 exports of other names"},
		{"large arguments", "local t = {} for i = 1, 200000 do t[i] = i end TriggerEvent('x', t)", "too large to hand over"},
		{"a table in itself", "local t = {} t.t = t TriggerEvent('x', t)", "contain themselves"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := play(t, "CreateThread(function() "+c.source+" end) CreateThread(function() Wait(500) print('goes on') end)")
			st.until(2 * time.Second)
			if err := st.Fatal(); err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(st.failed, "|"); !strings.Contains(all, c.want) {
				t.Errorf("failed with %q, want %s", all, c.want)
			}
			if c.name != "timers" { // nothing can wait any more
				st.printed("goes on")
			}
		})
	}
}

// TestWhatAScriptKeepsIsWeighed: a script that grows slowly is found out.
func TestWhatAScriptKeepsIsWeighed(t *testing.T) {
	st := play(t, "kept = {} for i = 1, 1000 do kept[i] = { name = ('x'):rep(1000) .. i } end")
	before := play(t, "").Held()
	if got := st.Held() - before; got < 1<<20 || got > 2<<20 {
		t.Errorf("1000 strings of 1000 bytes weigh %d bytes", got)
	}
	st = play(t, "CreateThread(function() local own = ('x'):rep(1000000) Wait(1000) print(own) end) SetTimeout(5, (function() local s = ('y'):rep(1000000) return function() print(s) end end)())")
	st.until(0)
	if got := st.Held() - before; got < 2<<20-100_000 {
		t.Errorf("what a thread and a timer hold weighs %d bytes", got)
	}
}

// TestABusyScriptPauses: a script that never stops working gets its share and no more.
func TestABusyScriptPauses(t *testing.T) {
	s := New(Options{Name: "busy"})
	defer s.Close()
	s.charge(credit + time.Second)
	if rest := s.rest(); rest < time.Second || rest > 3*time.Second {
		t.Errorf("after a second too much it rests %v", rest)
	}
}

// pair is two scripts that know each other's exports.
func pair(t *testing.T, first, second string) (a, b *stageRun) {
	t.Helper()
	all := map[string]*stageRun{}
	find := func(resource, name string) (*Ref, bool) {
		r := all[resource]
		if r == nil {
			return nil, false
		}
		ref, ok := r.exported[name]
		return ref, ok
	}
	ctx, cancel := context.WithCancel(t.Context())
	var made []*stageRun
	for name, source := range map[string]string{"a": first, "b": second} {
		r := &stageRun{exported: map[string]*Ref{}, lines: make(chan string, 1000)}
		r.Script = New(Options{Name: name, Find: find, Print: func(l string) { r.lines <- l },
			Exported: func(name string, ref *Ref) { r.exported[name] = ref },
			Failed:   func(what string, err *sandbox.Error) { r.lines <- what + ": " + err.Error() }})
		all[name] = r
		made = append(made, r)
		if err := r.Load(name+".lua", source); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range made {
		r.over = make(chan error, 1)
		go func() { r.over <- r.Run(ctx) }()
	}
	t.Cleanup(func() {
		cancel()
		for _, r := range made {
			<-r.ended
		}
	})
	return all["a"], all["b"]
}

type stageRun struct {
	*Script
	exported map[string]*Ref
	lines    chan string
	over     chan error
}

func (r *stageRun) says(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		select {
		case got := <-r.lines:
			if got != w {
				t.Errorf("%s says %q, want %q", r.Name(), got, w)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s does not say %q", r.Name(), w)
		}
	}
}

func TestScriptsCallEachOther(t *testing.T) {
	a, _ := pair(t, `
		exports('name', function() return 'a' end)
		CreateThread(function()
			print(exports.b:echo({ x = { 1, 2 } }, nil, vector3(1, 2, 3)))
			print(exports.b:round(5))
			print(exports.b:slow(3))
			print(pcall(function() exports.b:fails() end))
			local list = { 3, 1, 2 }
			table.sort(list, function(x, y) return exports.b:less(x, y) end)
			print(list[1], list[2], list[3])
			exports.b:callMe(function(v) Wait(1) print('called', v) return v * 2 end)
		end)`, `
		exports('echo', function(t, n, v) t.x[1] = 9 return t.x[1], n, v end)
		exports('round', function(n) return exports.a:name() .. n end)
		exports('slow', function(n) Wait(20) return n + 1 end)
		exports('fails', function() error('oops') end)
		exports('less', function(x, y) return x < y end)
		exports('callMe', function(f) CreateThread(function() print('answer', f(21)) end) end)`)
	a.says(t, "9", "a5", "4", "false\ta.lua:7: An error occurred while calling export fails of resource b: b.lua:5: oops", "1\t2\t3", "called\t21")
}

// TestScriptsThatCallEachOtherWithoutEnd: neither locks up, and both go on.
func TestScriptsThatCallEachOtherWithoutEnd(t *testing.T) {
	a, b := pair(t, `
		exports('f', function() return exports.b:f() end)
		exports('hello', function() return 'a is here' end)
		CreateThread(function() local ok, why = pcall(function() return exports.b:f() end) print(ok, why:match('more than 50')) end)`, `
		exports('f', function() return exports.a:f() end)
		CreateThread(function() Wait(300) print(exports.a:hello()) end)`)
	a.says(t, "false\tmore than 50")
	b.says(t, "a is here")
}

// TestACallToAScriptThatEnds: the caller is told.
func TestACallToAScriptThatEnds(t *testing.T) {
	a, b := pair(t, `CreateThread(function()
			print((select(2, pcall(function() exports.b:hang() end)):match('runs longer') or 'other'))
		end)`, `
		exports('hang', function() while true do end end)`)
	a.says(t, "runs longer")
	if err := <-b.over; err == nil || !strings.Contains(err.Error(), "b.lua:2: runs longer than 1s without a Wait") {
		t.Errorf("b ended with %v", err)
	}
}

// TestAnAnswerThatIsNoLongerWaitedFor: it does not take the place of the answer that the
// thread waits for by then.
func TestAnAnswerThatIsNoLongerWaitedFor(t *testing.T) {
	exported := map[string]*Ref{}
	b := New(Options{Name: "b", Exported: func(name string, ref *Ref) { exported[name] = ref }})
	a := New(Options{Name: "a", Find: func(_, name string) (*Ref, bool) { return exported[name], exported[name] != nil }})
	a.patience = time.Millisecond
	lines := make(chan string, 2)
	a.Global("say", func(L *lua.LState) int {
		a.patience = callTime
		lines <- L.CheckString(1)
		return 0
	})
	for s, source := range map[*Script]string{
		b: `exports('first', function() Wait(0) return 'first' end) exports('second', function() Wait(100) return 'second' end)`,
		a: `CreateThread(function()
			say(select(2, pcall(function() exports.b:first() end)):match('did not answer'))
			say(exports.b:second())
		end)`,
	} {
		if err := s.Load(s.Name()+".lua", source); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	defer run.Wait()
	defer cancel()
	run.Go(func() { _ = a.Run(ctx) })
	if got := <-lines; got != "did not answer" {
		t.Errorf("the first call says %s", got)
	}
	run.Go(func() { _ = b.Run(ctx) })
	if got := <-lines; got != "second" {
		t.Errorf("the second call is answered with %s", got)
	}
}

// TestAQueueIsBounded: what floods a script that does not run is refused.
func TestAQueueIsBounded(t *testing.T) {
	s := New(Options{Name: "slow"})
	defer s.Close()
	for range maxQueue {
		if err := s.Emit("x", "", ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Emit("x", "", ""); err != ErrBusy {
		t.Errorf("one more event: %v", err)
	}
	if err := s.Forget("other"); err != nil {
		t.Errorf("it goes on calling a script that has stopped: %v", err)
	}
}

// TestAQueueIsBoundedInBytesToo: few events with large arguments fill the memory as well
// as many small ones.
func TestAQueueIsBoundedInBytesToo(t *testing.T) {
	s := New(Options{Name: "slow"})
	defer s.Close()
	large := &Table{Array: []Packed{strings.Repeat("x", maxBytes)}}
	for n := 1; ; n++ {
		if err := s.Emit("x", "", "", large); err == ErrBusy {
			break
		} else if err != nil || n*maxBytes > maxQueued {
			t.Fatalf("%d MB are in the queue, %v", n*maxBytes>>20, err)
		}
	}
	if err := s.Emit("x", "", "", "small"); err != nil {
		t.Error(err)
	}
	s.Serve()
	if err := s.Emit("x", "", "", large); err != nil || s.queued < maxBytes || s.queued > 2*maxBytes {
		t.Errorf("afterwards: %v, %d bytes", err, s.queued)
	}
}

// TestAScriptMayHandOnWhatWaitYields: in coroutines of its own it gets what Wait says to
// the scheduler, and may hand on all of it, a part, or something else.
func TestAScriptMayHandOnWhatWaitYields(t *testing.T) {
	st := play(t, `
		local function inner() return coroutine.wrap(function() Wait(5) end) end
		CreateThread(function() coroutine.yield(inner()()) print('whole') end)
		CreateThread(function() coroutine.yield((inner()())) print('part') end)
		CreateThread(function() coroutine.yield((inner()()), {}) print('other') end)
		CreateThread(function() coroutine.yield() print('never') end)`)
	st.until(time.Second)
	st.printed("whole", "part", "other")
}

// TestAPanicOfAHostFunctionEndsOnlyTheScript: also where no Lua is in between.
func TestAPanicOfAHostFunctionEndsOnlyTheScript(t *testing.T) {
	s := New(Options{Name: "a"})
	_ = s.Post(func() { panic("oops") })
	if err := s.Run(t.Context()); err == nil || err.Error() != "a: breaks the interpreter (oops)" {
		t.Error(err)
	}
	s = New(Options{Name: "a", Print: func(string) { panic("oops") }})
	defer s.Close()
	if err := s.Load("f.lua", "print()"); err == nil {
		t.Error("no error")
	}
}

// FuzzPack: any JSON that is read can be handed to a script and back.
func FuzzPack(f *testing.F) {
	for _, s := range []string{`{"a":[1,null,{"b":"c"}]}`, `[[[]]]`, `1e999`, `"\ud800"`, `{"1":2,"":3}`} {
		f.Add(s)
	}
	s := New(Options{Name: "fuzz"})
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseJSON([]byte(text))
		if err != nil {
			return
		}
		lv := s.Value(v)
		if _, err := s.ToGo(lv); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}

func BenchmarkExportOfAnotherScript(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	var add *Ref
	callee := New(Options{Name: "b", Exported: func(_ string, r *Ref) { add = r }})
	if err := callee.Load("b.lua", "exports('add', function(x, y) return x + y end)"); err != nil {
		b.Fatal(err)
	}
	go func() { _ = callee.Run(ctx) }()
	caller := New(Options{Name: "a", Find: func(string, string) (*Ref, bool) { return add, true }})
	defer caller.Close()
	if err := caller.Load("a.lua", "function go() for i = 1, 100 do exports.b:add(i, 1) end end"); err != nil {
		b.Fatal(err)
	}
	fn := caller.L.GetGlobal("go")
	for n := 0; n < b.N; n += 100 {
		if err := caller.Do("go", fn, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	cancel()
	<-callee.Ended()
}

func BenchmarkPcallInAThread(b *testing.B) {
	s := New(Options{Name: "a"})
	defer s.Close()
	if err := s.Load("a.lua", "function go() for i = 1, 100 do pcall(tostring, i) end end"); err != nil {
		b.Fatal(err)
	}
	fn := s.L.GetGlobal("go")
	for n := 0; n < b.N; n += 100 {
		if err := s.Do("go", fn, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
