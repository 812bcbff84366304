package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"
)

func init() { lua.MaxArrayIndex = maxArray }

// taken are removed from the base library: they load code, change environments or
// write to the terminal.
var taken = []string{"load", "loadstring", "loadfile", "dofile", "require", "module", "setfenv", "getfenv", "newproxy", "_printregs", "collectgarbage"}

// New is Bare with the shims that a configuration needs.
func New(print func(string)) *lua.LState {
	L := Bare(print)
	shim(L)
	return L
}

// Bare makes a Lua state with the base, table, string, math, bit and coroutine
// libraries, without their dangerous parts or with bounds for them. print gets what
// scripts print; nil drops it. Close the state after use.
func Bare(print func(string)) *lua.LState {
	L := lua.NewState(lua.Options{SkipOpenLibs: true, CallStackSize: callStack, MinimizeStackMemory: true,
		RegistrySize: firstRegistry, RegistryGrowStep: registryStep, RegistryMaxSize: maxRegistry})
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
	L.SetGlobal("error", L.NewFunction(raise))
	L.SetGlobal("print", L.NewFunction(printer(print)))
	bitLibrary(L)
	dialect(L)
	L.G.Registry.RawSetString(globalsKey, copied(L, L.G.Global))
	return L
}

// globalsKey is where the registry keeps the globals as Bare made them.
const globalsKey = "squelch.globals"

// Globals makes an environment with the globals that Bare defines, whatever has become
// of the state's own: code that runs in it is safe from what scripts redefine.
func Globals(L *lua.LState) *lua.LTable {
	return copied(L, L.G.Registry.RawGetString(globalsKey).(*lua.LTable))
}

// copied copies globals and their libraries.
func copied(L *lua.LState, from *lua.LTable) *lua.LTable {
	to := L.NewTable()
	from.ForEach(func(name, v lua.LValue) {
		if lib, ok := v.(*lua.LTable); ok && name != lua.LString("_G") {
			own := L.NewTable()
			lib.ForEach(own.RawSet)
			v = own
		}
		to.RawSet(name, v)
	})
	to.RawSetString("_G", to)
	return to
}

// createKey is where the registry keeps the coroutine.create that does not count.
const createKey = "squelch.create"

// Coroutine makes a coroutine that does not count as one that the script has made.
func Coroutine(L *lua.LState, fn *lua.LFunction) *lua.LState {
	fn = Lua(L, fn)
	ctx := L.RemoveContext() // see boundCoroutines
	L.Push(L.G.Registry.RawGetString(createKey))
	L.Push(fn)
	L.Call(1, 1)
	if ctx != nil {
		L.SetContext(ctx)
	}
	co := L.Get(-1).(*lua.LState)
	L.Pop(1)
	return co
}

// madeKey is where the registry counts the coroutines of the current call.
const madeKey = "squelch.coroutines"

// boundCoroutines counts what create and wrap make; a coroutine that goes on in a
// later call gets the bounds of that call.
func boundCoroutines(L *lua.LState) {
	lib := L.GetGlobal(lua.CoroutineLibName).(*lua.LTable)
	L.G.Registry.RawSetString(createKey, lib.RawGetString("create"))
	for _, name := range []string{"create", "wrap"} {
		make := lib.RawGetString(name).(*lua.LFunction).GFunction
		lib.RawSetString(name, L.NewFunction(func(L *lua.LState) int {
			n, _ := L.G.Registry.RawGetString(madeKey).(lua.LNumber)
			if n >= maxCoroutines {
				L.RaiseError("makes more than %d coroutines", maxCoroutines)
			}
			L.G.Registry.RawSetString(madeKey, n+1)
			// With a context gopher-lua would derive one for the coroutine, which a
			// coroutine that is left unfinished never gives back; resume hands it on.
			L.Replace(1, Lua(L, L.CheckFunction(1)))
			ctx := L.RemoveContext()
			made := make(L)
			if ctx != nil {
				L.SetContext(ctx)
			}
			if wrapped, ok := L.Get(-1).(*lua.LFunction); ok {
				L.Push(L.NewClosure(resumeWrapped(wrapped.GFunction), wrapped.Upvalues[0].Value()))
			}
			return made
		}))
	}
	lib.RawSetString("yield", L.NewFunction(yield))
	resume := lib.RawGetString("resume").(*lua.LFunction).GFunction
	lib.RawSetString("resume", L.NewFunction(func(L *lua.LState) int {
		L.CheckThread(1).SetContext(L.Context())
		return resume(L)
	}))
}

// hostChunk is the file that errors name in functions of Lua's making.
const hostChunk = "[host]"

var callThrough = sync.OnceValue(func() *lua.FunctionProto {
	c, err := Compile("local f = ... return function(...) return f(...) end", hostChunk)
	if err != nil {
		panic("sandbox: " + err.Error())
	}
	return c.Proto
})

// Lua makes a Lua function of one that is Go's: gopher-lua breaks if the outermost
// function of a coroutine is Go's and yields.
func Lua(L *lua.LState, fn *lua.LFunction) *lua.LFunction {
	if !fn.IsG {
		return fn
	}
	L.Push(L.NewFunctionFromProto(callThrough()))
	L.Push(fn)
	L.Call(1, 1)
	made := L.Get(-1).(*lua.LFunction)
	L.Pop(1)
	return made
}

// raise is error; gopher-lua's own counts the levels from 2 on wrongly.
func raise(L *lua.LState) int {
	v := L.Get(1)
	if level := L.OptInt(2, 1); level > 0 && lua.LVCanConvToString(v) {
		v = lua.LString(placed(L.Where(level), lua.LVAsString(v)))
	}
	L.Error(v, 0)
	return 0
}

func placed(where, msg string) string {
	if where == "" || strings.HasPrefix(where, hostChunk) {
		return msg
	}
	return where + " " + msg
}

// Renew gives the next call in L its full number of coroutines.
func Renew(L *lua.LState) { L.G.Registry.RawSetString(madeKey, lua.LNumber(0)) }

func yield(L *lua.LState) int {
	MayYield(L)
	return L.Yield(Arguments(L)...)
}

// Arguments are the values that a Go function is called with.
func Arguments(L *lua.LState) []lua.LValue {
	all := make([]lua.LValue, L.GetTop())
	for i := range all {
		all[i] = L.Get(i + 1)
	}
	return all
}

// MayYield raises an error if the Go function that calls it cannot yield: gopher-lua
// would go on in the wrong place, and then break. It cannot if Go stands between it
// and its coroutine: in a metamethod, an iterator, or a function that table.sort or
// string.gsub has called. Only Go's own stack tells: there the interpreter's loop was
// entered by callR, instead of by threadRun.
func MayYield(L *lua.LState) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "gopher-lua.threadRun"):
			return
		case strings.HasSuffix(f.Function, "gopher-lua.(*LState).callR"), !more:
			L.RaiseError("attempt to yield across metamethod/C-call boundary (a Wait inside a metamethod, an iterator, sort or gsub)")
		}
	}
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
	Renew(L)
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
	first := Heap()
	tick := time.NewTicker(heapPoll * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if Heap() > first+growth {
				cancel(errHeavy)
				return
			}
		}
	}
}

// Heap is how much the process's objects take, including garbage that has not been
// collected yet.
func Heap() uint64 { return measure("/memory/classes/heap/objects:bytes") }

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
