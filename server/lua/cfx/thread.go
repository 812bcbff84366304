package cfx

import (
	"container/heap"
	"math"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// thread is a coroutine of the scheduler.
type thread struct {
	co    *lua.LState
	fn    *lua.LFunction
	what  string
	limit time.Duration // 0: the script's
	done  func(out []lua.LValue, err error)
	ended bool
	parks int  // how often it has suspended itself
	idle  bool // it has, and waits for its waker
}

// Tokens that a thread yields to the scheduler, as its first value.
type token string

const (
	waits    token = "wait"    // and then the milliseconds
	suspends token = "suspend" // until a waker runs
)

// thread makes a thread that has not begun.
func (s *Script) thread(fn *lua.LFunction, what string) (*thread, error) {
	if len(s.threads) >= maxThreads {
		return nil, errTooMany(maxThreads, "threads have begun and not ended")
	}
	t := &thread{co: s.coroutine(), fn: sandbox.Lua(s.L, fn), what: what}
	s.threads[t] = true
	return t, nil
}

// coroutine makes a Lua thread. With a context set, gopher-lua would derive one for
// it, which only a finished coroutine gives back.
func (s *Script) coroutine() *lua.LState {
	ctx := s.L.RemoveContext()
	co, _ := s.L.NewThread()
	s.L.SetContext(ctx)
	co.SetContext(ctx)
	return co
}

// run resumes a thread until it ends or yields. It may be called while another runs:
// then it runs inside that one.
func (s *Script) run(t *thread, args ...lua.LValue) {
	if t.ended || s.fatal != nil {
		return
	}
	limit := t.limit
	if limit == 0 {
		limit = s.limit
	}
	from := s.at
	if from == nil {
		from = s.L
		sandbox.Renew(s.L)
	}
	at, root := s.at, s.root
	s.at, s.root = t.co, t
	t.idle = false
	s.nested++
	s.guard.enter(limit)
	state, err, out := from.Resume(t.co, t.fn, args...)
	if took := s.guard.leave(); took > 0 {
		s.charge(took)
	}
	s.nested--
	s.at, s.root = at, root
	if s.nested == 0 {
		s.exceeded(err)
	}
	switch {
	case state == lua.ResumeYield:
		s.yielded(t, out)
	default:
		s.finished(t, out, err)
	}
}

// yielded takes note of what a thread waits for. If it is neither of the scheduler's
// tokens, the script itself has to resume it.
func (s *Script) yielded(t *thread, out []lua.LValue) {
	if len(out) == 0 {
		return
	}
	u, ok := out[0].(*lua.LUserData)
	if !ok {
		return
	}
	switch u.Value {
	case waits:
		var ms lua.LNumber // none, if the script hands on only a part of what Wait has yielded
		if len(out) > 1 {
			ms, _ = out[1].(lua.LNumber)
		}
		if _, err := s.plan(duration(float64(ms)), nil, func() { s.run(t) }); err != nil {
			s.finished(t, nil, err)
		}
	case suspends:
		t.parks++
		t.idle = true
	}
}

func (s *Script) finished(t *thread, out []lua.LValue, err error) {
	t.ended = true
	delete(s.threads, t)
	switch {
	case t.done != nil:
		t.done(out, err)
	case err != nil && s.guard.ctx.Err() == nil:
		s.fail(t.what, err)
	}
}

// duration is what a script waits for; at least a tick.
func duration(ms float64) time.Duration {
	if !(ms > 0) {
		return tick
	}
	return max(time.Duration(math.Min(ms, 1e12))*time.Millisecond, tick)
}

// timer is something that will run.
type timer struct {
	due   time.Duration
	id    int
	fire  func()
	fn    *lua.LFunction // that fire will run, to be weighed; nil: none of the script's
	index int
}

// timers are the next first; those due at the same time in the order in which they
// were made.
type timers []*timer

func (q timers) Len() int { return len(q) }
func (q timers) Less(i, j int) bool {
	if q[i].due != q[j].due {
		return q[i].due < q[j].due
	}
	return q[i].id < q[j].id
}
func (q timers) Swap(i, j int) { q[i], q[j] = q[j], q[i]; q[i].index, q[j].index = i, j }
func (q *timers) Push(x any)   { t := x.(*timer); t.index = len(*q); *q = append(*q, t) }
func (q *timers) Pop() any {
	old := *q
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return t
}

// plan has something run after a time.
func (s *Script) plan(after time.Duration, fn *lua.LFunction, fire func()) (id int, err error) {
	if len(s.timers) >= maxTimers {
		return 0, errTooMany(maxTimers, "timers are waiting")
	}
	s.lastID++
	t := &timer{due: s.o.Clock() + after, id: s.lastID, fn: fn, fire: fire}
	heap.Push(&s.timers, t)
	s.byID[t.id] = t
	return t.id, nil
}

func (s *Script) drop(t *timer) {
	heap.Remove(&s.timers, t.index)
	delete(s.byID, t.id)
}

func (s *Script) threadLibrary() {
	wait, suspend := s.token(waits), s.token(suspends)
	s.park = func(L *lua.LState) int {
		sandbox.MayYield(L)
		return L.Yield(suspend)
	}
	sleep := func(L *lua.LState) int {
		ms := L.OptNumber(1, 0)
		if L == s.L {
			L.RaiseError("Wait is only possible in a thread, handler or timer")
		}
		sandbox.MayYield(L)
		return L.Yield(wait, ms)
	}
	now := func(L *lua.LState) int {
		if err := s.inside(L, L.CheckFunction(1), "a thread", nil, nil); err != nil {
			L.RaiseError("%v", err)
		}
		return 0
	}
	soon := func(L *lua.LState) int {
		fn := L.CheckFunction(1)
		s.later(L, 0, fn, "a thread")
		return 0
	}
	timeout := func(L *lua.LState) int {
		ms, fn := L.CheckNumber(1), L.CheckFunction(2)
		L.Push(lua.LNumber(s.later(L, duration(float64(ms)), fn, "a SetTimeout")))
		return 1
	}
	clear := func(L *lua.LState) int {
		if t := s.byID[L.OptInt(1, 0)]; t != nil {
			s.drop(t)
		}
		return 0
	}
	citizen := s.L.NewTable()
	s.L.SetFuncs(citizen, map[string]lua.LGFunction{"Wait": sleep, "CreateThread": soon, "CreateThreadNow": now, "SetTimeout": timeout, "ClearTimeout": clear})
	s.L.SetGlobal("Citizen", citizen)
	for name, f := range map[string]lua.LGFunction{"Wait": sleep, "CreateThread": soon, "SetTimeout": timeout, "ClearTimeout": clear} {
		s.Global(name, f)
	}
	s.Global("GetGameTimer", func(L *lua.LState) int {
		L.Push(lua.LNumber(s.o.Clock().Milliseconds()))
		return 1
	})
}

func (s *Script) token(t token) *lua.LUserData {
	u := s.L.NewUserData()
	u.Value = t
	return u
}

// inside runs a function in a thread of its own up to its first Wait, within L
// (CreateThreadNow); nil: within whatever runs.
func (s *Script) inside(L *lua.LState, fn *lua.LFunction, what string, args []lua.LValue, done func([]lua.LValue, error)) error {
	if s.nested >= maxNested {
		return errTooMany(maxNested, "events, threads and exports run inside each other")
	}
	t, err := s.thread(fn, what)
	if err != nil {
		return err
	}
	t.done = done
	at := s.at
	if L != nil {
		s.at = L // it may be a coroutine of the script
	}
	s.run(t, args...)
	s.at = at
	return nil
}

// later has a function run in a thread of its own.
func (s *Script) later(L *lua.LState, after time.Duration, fn *lua.LFunction, what string) int {
	id, err := s.plan(after, fn, func() {
		t, err := s.thread(fn, what)
		if err != nil {
			s.fail(what, err)
			return
		}
		s.run(t)
	})
	if err != nil {
		L.RaiseError("%v", err)
	}
	return id
}

// waker returns a function that makes the current thread go on, with the values that
// the function is called with. The thread has to suspend itself; a waker that is
// called earlier, or again, does nothing.
func (s *Script) waker(L *lua.LState) int {
	t := s.root
	park := t.parks + 1
	L.Push(L.NewFunction(func(L *lua.LState) int {
		args := sandbox.Arguments(L)
		_, err := s.plan(0, nil, func() {
			if t.idle && t.parks == park {
				s.run(t, args...)
			}
		})
		if err != nil {
			L.RaiseError("%v", err)
		}
		return 0
	}))
	return 1
}

// createInner makes the coroutine in which pcall runs a function; it does not count
// as one that the script has made.
func (s *Script) createInner(L *lua.LState) int {
	depth := 0
	for th := L; th != nil; th = th.Parent {
		depth++
	}
	if depth > maxPcalls {
		L.RaiseError("stack overflow: pcall and coroutines are nested more than %d deep", maxPcalls)
	}
	L.Push(sandbox.Coroutine(L, L.CheckFunction(1)))
	return 1
}
