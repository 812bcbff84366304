package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"

	lua "github.com/yuin/gopher-lua"
)

func init() { lua.MaxArrayIndex = maxArray }

// taken are removed from the base library: they load code, change environments or
// write to the terminal.
var taken = []string{"load", "loadstring", "loadfile", "dofile", "require", "module", "setfenv", "getfenv", "newproxy", "_printregs", "collectgarbage"}

// New makes a Lua state with the base, table, string, math and coroutine libraries,
// without their dangerous parts or with bounds for them, and the shims. print gets
// what scripts print; nil drops it. Close the state after use.
func New(print func(string)) *lua.LState {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, CallStackSize: callStack, MinimizeStackMemory: true})
	for _, lib := range []struct {
		name string
		open lua.LGFunction
	}{{lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}, {lua.StringLibName, lua.OpenString},
		{lua.MathLibName, lua.OpenMath}, {lua.CoroutineLibName, lua.OpenCoroutine}} {
		L.Push(L.NewFunction(lib.open))
		L.Push(lua.LString(lib.name))
		L.Call(1, 0)
	}
	for _, name := range taken {
		L.SetGlobal(name, lua.LNil)
	}
	str := L.GetGlobal("string").(*lua.LTable)
	L.SetFuncs(str, stringFuncs)
	str.RawSetString("dump", lua.LNil)
	tab := L.GetGlobal("table").(*lua.LTable)
	tab.RawSetString("concat", L.NewFunction(tableConcat))
	tab.RawSetString("unpack", L.GetGlobal("unpack"))
	L.SetGlobal(concatName, L.NewFunction(concat))
	boundCoroutines(L)
	shim(L, print)
	return L
}

// madeKey is where the registry counts the coroutines of the current call.
const madeKey = "squelch.coroutines"

// boundCoroutines counts what create and wrap make; a coroutine that goes on in a
// later call gets the bounds of that call.
func boundCoroutines(L *lua.LState) {
	lib := L.GetGlobal(lua.CoroutineLibName).(*lua.LTable)
	for _, name := range []string{"create", "wrap"} {
		make := lib.RawGetString(name).(*lua.LFunction).GFunction
		lib.RawSetString(name, L.NewFunction(func(L *lua.LState) int {
			n, _ := L.G.Registry.RawGetString(madeKey).(lua.LNumber)
			if n >= maxCoroutines {
				L.RaiseError("makes more than %d coroutines", maxCoroutines)
			}
			L.G.Registry.RawSetString(madeKey, n+1)
			made := make(L)
			if wrapped, ok := L.Get(-1).(*lua.LFunction); ok {
				L.Push(L.NewClosure(resumeWrapped(wrapped.GFunction), wrapped.Upvalues[0].Value()))
			}
			return made
		}))
	}
	resume := lib.RawGetString("resume").(*lua.LFunction).GFunction
	lib.RawSetString("resume", L.NewFunction(func(L *lua.LState) int {
		L.CheckThread(1).SetContext(L.Context())
		return resume(L)
	}))
}

// resumeWrapped resumes a coroutine of coroutine.wrap; gopher-lua keeps the coroutine
// in the function's only upvalue.
func resumeWrapped(resume lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		L.ToThread(lua.UpvalueIndex(1)).SetContext(L.Context())
		return resume(L)
	}
}

// Run executes a chunk in L within the limit and returns its results. The
// limit and the heap are watched; either ends the run with an *Error.
func Run(ctx context.Context, L *lua.LState, c *Chunk, limit time.Duration) ([]lua.LValue, error) {
	return runWithin(ctx, L, c, Bounds{Time: limit})
}

func runWithin(ctx context.Context, L *lua.LState, c *Chunk, b Bounds) ([]lua.LValue, error) {
	return Call(ctx, L, c.Name, b, L.NewFunctionFromProto(c.Proto), lua.MultRet)
}

// Call calls fn within b. The error is an *Error; name is the file that it names.
func Call(ctx context.Context, L *lua.LState, name string, b Bounds, fn *lua.LFunction, nret int, args ...lua.LValue) (out []lua.LValue, err error) {
	if b.Time > 0 {
		within, cancel := context.WithTimeout(ctx, b.Time)
		defer cancel()
		ctx = within
	}
	if b.Heap == 0 {
		b.Heap = heapGrowth
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); watchHeap(stop, cancel, b.Heap) }()
	defer func() { close(stop); <-done }()
	out, err = call(ctx, L, name, fn, nret, args)
	if at := (*Error)(nil); errors.As(err, &at) && errors.Is(context.Cause(ctx), errHeavy) {
		at.Msg = fmt.Sprintf("%s%d MB of memory", heavy, b.Heap>>20)
	}
	return out, err
}

func call(ctx context.Context, L *lua.LState, name string, fn *lua.LFunction, nret int, args []lua.LValue) (out []lua.LValue, err error) {
	L.SetContext(ctx)
	L.G.Registry.RawSetString(madeKey, lua.LNumber(0))
	L.G.Registry.RawSetString(askedKey, lua.LFalse)
	top := L.GetTop()
	defer func() {
		if r := recover(); r != nil { // a bug of the interpreter must not end the service
			out, err = nil, &Error{name, 0, broken}
		}
		L.SetTop(top)
	}()
	if err := L.CallByParam(lua.P{Fn: fn, NRet: nret, Protect: true}, args...); err != nil {
		return nil, runError(err, name)
	}
	for i := top + 1; i <= L.GetTop(); i++ {
		out = append(out, L.Get(i))
	}
	return out, nil
}

var errHeavy = errors.New("the heap grew too much")

// watchHeap ends a run that makes the process grow too much. It measures the whole
// process, because the interpreter does not know what a state holds; what else the
// process does meanwhile is small beside the bound.
func watchHeap(stop <-chan struct{}, cancel context.CancelCauseFunc, growth uint64) {
	first := heap()
	tick := time.NewTicker(heapPoll * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if heap() > first+growth {
				cancel(errHeavy)
				return
			}
		}
	}
}

// heap is how much the process's objects take, including garbage that has not been
// collected yet.
func heap() uint64 { return measure("/memory/classes/heap/objects:bytes") }

// LiveHeap is what the last garbage collection found in use in the process.
func LiveHeap() uint64 { return measure("/gc/heap/live:bytes") }

func measure(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}
