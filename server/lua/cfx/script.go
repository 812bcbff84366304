package cfx

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// Options of New. Everything but Name may be left out.
type Options struct {
	Name string // of the resource: GetCurrentResourceName, exports
	// Clock is the time since the script began. Nil: the real time.
	Clock func() time.Duration
	// Print gets what print writes, line by line; nil drops it.
	Print func(line string)
	// Failed is told of an error that ended a thread or handler; the script goes on.
	// what is "a thread", "the handler of playerJoining" and the like.
	Failed func(what string, err *sandbox.Error)
	// Find looks for an export of another resource; nil or false: there is none.
	Find func(resource, name string) (*Ref, bool)
	// Exported is told of each export that the script makes.
	Exported func(name string, fn *Ref)
	// Alias is told when the script answers for an export of another name: it handles
	// the event "__cfx_export_<resource>_<name>".
	Alias func(key string, fn *Ref)
	// Triggered is told of every TriggerEvent, after the script's own handlers ran.
	Triggered func(event string, args []Packed)
	// Handles is told when Events changes.
	Handles func()
}

// Script is one running resource.
type Script struct {
	o        Options
	L        *lua.LState
	guard    *guard
	limit    time.Duration // of one run; resumeTime outside tests
	patience time.Duration // with another script's export; callTime outside tests
	born     time.Time
	forget   *lua.LFunction // of the prelude: drops what is known of a resource's exports
	wrap     *lua.LFunction // of the prelude: raises the error of a call that Go has made
	park     lua.LGFunction // suspends the thread that calls it

	// Of the goroutine that owns the script.
	at       *lua.LState // the Lua thread that runs; nil: none
	root     *thread     // the scheduler's thread that it belongs to
	nested   int
	threads  map[*thread]bool // begun and not ended
	timers   timers
	byID     map[int]*timer
	lastID   int
	handlers map[string][]*handler
	handling int
	net      map[string]bool // events of RegisterNetEvent
	exports  map[string]*lua.LFunction
	aliases  map[string]bool // exports for which it has answered under another name
	builtin  map[string]map[string]*lua.LFunction
	owed     map[*reply]bool // answers that callers still wait for
	canceled bool            // CancelEvent
	invoking string          // GetInvokingResource; "": nobody
	vectors  *lua.LTable
	random   *rand.Rand
	fatal    error
	busy     time.Duration // what is left of the credit
	busyAt   time.Time
	weighed  struct {
		at   time.Time
		live uint64
	}

	mu     sync.Mutex
	queue  []job
	queued int // bytes in the queue
	over   bool
	ring   chan struct{} // something is in the queue
	ended  chan struct{} // the script has ended
}

// job is something to do on the script's goroutine; bytes is about what it holds.
type job struct {
	run   func()
	bytes int
}

//go:embed prelude.lua
var prelude string

// preludeChunk is the same for every script.
var preludeChunk = sync.OnceValues(func() (*sandbox.Chunk, error) { return sandbox.Compile(prelude, "prelude.lua") })

// New makes a script without any file; Close it after use.
func New(o Options) *Script {
	s := &Script{o: o, guard: newGuard(), limit: resumeTime, patience: callTime, born: time.Now(), byID: map[int]*timer{}, handlers: map[string][]*handler{},
		net: map[string]bool{}, exports: map[string]*lua.LFunction{}, aliases: map[string]bool{}, builtin: map[string]map[string]*lua.LFunction{},
		owed: map[*reply]bool{}, threads: map[*thread]bool{}, random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), busy: credit, busyAt: time.Now(),
		ring: make(chan struct{}, 1), ended: make(chan struct{})}
	if s.o.Clock == nil {
		s.o.Clock = func() time.Duration { return time.Since(s.born) }
	}
	s.L = sandbox.Bare(o.Print)
	s.L.SetContext(s.guard.running())
	s.vectorLibrary()
	s.jsonLibrary()
	s.threadLibrary()
	s.library()
	s.eventLibrary()
	s.boot()
	return s
}

// boot runs the prelude, which defines what is easier to say in Lua. It gets Go's
// functions as its arguments, so that scripts do not see them.
func (s *Script) boot() {
	chunk, err := preludeChunk()
	if err != nil {
		panic("cfx: the embedded prelude.lua does not compile: " + err.Error())
	}
	host := s.L.NewTable()
	s.L.SetFuncs(host, map[string]lua.LGFunction{
		"create": s.createInner, "suspend": s.park, "waker": s.waker,
		"find": s.find, "register": s.register,
	})
	fn := s.L.NewFunctionFromProto(chunk.Proto)
	if err := s.L.CallByParam(lua.P{Fn: fn, NRet: 2, Protect: true}, host); err != nil {
		panic("cfx: the embedded prelude.lua does not run: " + err.Error())
	}
	s.forget, s.wrap = s.L.Get(-2).(*lua.LFunction), s.L.Get(-1).(*lua.LFunction)
	s.L.Pop(2)
}

// Name is the resource's.
func (s *Script) Name() string { return s.o.Name }

// State is the Lua state, for host functions; only for the goroutine that owns the
// script.
func (s *Script) State() *lua.LState { return s.L }

// Global defines a host function. It may call Block to wait for something.
func (s *Script) Global(name string, fn lua.LGFunction) { s.L.SetGlobal(name, s.L.NewFunction(fn)) }

// Block runs wait, which may take its time: it does not count as the script's. The
// script serves nobody meanwhile.
func (s *Script) Block(wait func()) {
	run := s.guard.pause()
	defer s.guard.resume(run)
	wait()
}

// Load runs a file; name is what errors call it. The error is a *sandbox.Error. Like
// everything that a script runs, the file may Wait; then the rest of it runs later,
// and its errors go to Failed.
func (s *Script) Load(name, source string) error {
	chunk, err := sandbox.Script(source, name)
	if err != nil {
		return err
	}
	return s.Start(chunk)
}

// Start runs a compiled file, see Load.
func (s *Script) Start(chunk *sandbox.Chunk) (failed error) {
	defer s.survive(&failed)
	t, err := s.thread(s.L.NewFunctionFromProto(chunk.Proto), "the file "+chunk.Name)
	if err != nil {
		return &sandbox.Error{File: chunk.Name, Msg: err.Error()}
	}
	t.limit = loadTime
	t.done = func(_ []lua.LValue, err error) {
		if err != nil {
			failed = sandbox.Failure(err, chunk.Name)
		}
	}
	s.run(t)
	t.done = nil
	if s.fatal != nil {
		return s.fatal
	}
	return failed
}

// Builtin runs the files of a resource that is part of every script: its functions see
// globals of their own, in which env is added to the libraries, and what it exports
// answers at once, within the script. Its functions must not yield.
func (s *Script) Builtin(resource string, env map[string]lua.LValue, files ...*sandbox.Chunk) error {
	own := s.private(env)
	made := map[string]*lua.LFunction{}
	s.builtin[resource] = made
	own.RawSetString("exports", s.L.NewFunction(func(L *lua.LState) int {
		made[L.CheckString(1)] = L.CheckFunction(2)
		return 0
	}))
	for _, chunk := range files {
		fn := s.L.NewFunctionFromProto(chunk.Proto)
		fn.Env = own
		s.guard.enter(loadTime)
		err := s.L.CallByParam(lua.P{Fn: fn, Protect: true})
		s.guard.leave()
		if err != nil {
			return sandbox.Failure(err, chunk.Name)
		}
	}
	return nil
}

// private makes an environment with copies of the libraries, so that nothing that a
// script does to its own reaches it.
func (s *Script) private(env map[string]lua.LValue) *lua.LTable {
	fresh := sandbox.Globals(s.L)
	for _, name := range []string{"json", "joaat", "GetHashKey", "vector2", "vector3", "vector4", "type"} {
		fresh.RawSetString(name, s.L.GetGlobal(name))
	}
	for k, v := range env {
		fresh.RawSetString(k, v)
	}
	return fresh
}

// Tick runs what is due and returns when something will be; false: nothing is planned.
// It must be called on the goroutine that owns the script.
func (s *Script) Tick() (wake time.Duration, some bool) {
	now, last := s.o.Clock(), s.lastID // what begins now, runs the next time
	for len(s.timers) > 0 && s.fatal == nil {
		t := s.timers[0]
		if t.due > now || t.id > last {
			break
		}
		s.drop(t)
		t.fire()
	}
	if len(s.timers) == 0 {
		return 0, false
	}
	return s.timers[0].due, true
}

// Serve runs the jobs that wait, but no endless row of them.
func (s *Script) Serve() {
	for n := 0; n < maxQueue && s.fatal == nil && s.serveOne(); n++ {
	}
}

// serveOne runs one job; false: none waits.
func (s *Script) serveOne() bool {
	run, more := s.next()
	if run == nil {
		return false
	}
	if more {
		s.ringBell()
	}
	run()
	return true
}

func (s *Script) ringBell() {
	select {
	case s.ring <- struct{}{}:
	default:
	}
}

func (s *Script) next() (run func(), more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil, false
	}
	first := s.queue[0]
	s.queue[0] = job{}
	s.queued -= first.bytes
	if s.queue = s.queue[1:]; len(s.queue) == 0 {
		s.queue = nil
	}
	return first.run, s.queue != nil
}

// ErrBusy is returned when too much waits for a script, ErrEnded when it has ended.
var (
	ErrBusy  = errors.New("too many calls and events wait for it")
	ErrEnded = errors.New("it is not running")
)

// Post has a job run on the script's goroutine. It never waits; the error is ErrBusy
// or ErrEnded.
func (s *Script) Post(run func()) error { return s.post(run, maxQueue, 0) }

func (s *Script) post(run func(), most, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return ErrEnded
	}
	if len(s.queue) >= most || bytes > 0 && s.queued+bytes > maxQueued {
		return ErrBusy
	}
	s.queue = append(s.queue, job{run, bytes})
	s.queued += bytes
	s.ringBell()
	return nil
}

// answerRoom is room in the queue that only answers and Forget may take: a caller has
// one call under way for each of its threads.
const answerRoom = 4 * maxThreads

// Run owns the script until ctx ends (nil) or the script cannot go on (the reason).
// Then it is closed.
func (s *Script) Run(ctx context.Context) (err error) {
	defer s.Close()
	defer s.survive(&err)
	alarm := time.NewTimer(0)
	defer alarm.Stop()
	for {
		s.Tick()
		s.Serve()
		if s.fatal == nil {
			s.weigh()
		}
		s.exceeded(nil) // Stop may have been called
		if s.fatal != nil || ctx.Err() != nil {
			return s.fatal
		}
		delay := time.Hour
		if len(s.timers) > 0 {
			delay = max(s.timers[0].due-s.o.Clock(), 0)
		}
		if rest := s.rest(); rest > 0 { // it has used up its share
			alarm.Reset(rest)
			select {
			case <-alarm.C:
			case <-ctx.Done():
			case <-s.guard.ctx.Done():
			}
			continue
		}
		alarm.Reset(delay)
		select {
		case <-alarm.C:
		case <-s.ring:
		case <-ctx.Done():
		case <-s.guard.ctx.Done():
		}
	}
}

// survive ends only the script after a panic, which is a bug here or in the interpreter.
func (s *Script) survive(err *error) {
	if r := recover(); r != nil {
		s.fatal = &sandbox.Error{File: s.o.Name, Msg: fmt.Sprintf("breaks the interpreter (%v)", r)}
		*err = s.fatal
	}
}

// Fatal is why the script cannot go on; nil: it can.
func (s *Script) Fatal() error { return s.fatal }

// charge books what a run took.
func (s *Script) charge(took time.Duration) {
	now := time.Now()
	s.busy = min(s.busy+time.Duration(share*float64(now.Sub(s.busyAt))), credit) - took
	s.busyAt = now
}

// rest is how long the script has to pause.
func (s *Script) rest() time.Duration {
	s.charge(0)
	if s.busy >= 0 {
		return 0
	}
	return time.Duration(float64(-s.busy) / share)
}

// Close ends the script: what runs is stopped, and callers who wait for it are told.
// It must be called on the goroutine that owns the script, or when none does.
func (s *Script) Close() {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return
	}
	s.over, s.queue = true, nil
	s.mu.Unlock()
	close(s.ended)
	for r := range s.owed {
		r.answer(outcome{err: ErrEnded})
	}
	s.guard.close()
	s.L.Close()
}

// Stop makes a running script end, from any goroutine.
func (s *Script) Stop() { s.guard.cancel(errStopped) }

// Ended is closed when the script has ended.
func (s *Script) Ended() <-chan struct{} { return s.ended }

func (s *Script) fail(what string, err error) {
	if s.o.Failed != nil {
		s.o.Failed(what, sandbox.Failure(err, s.o.Name))
	}
}

// exceeded notes that a limit ended the script.
func (s *Script) exceeded(err error) {
	cause := s.guard.exceeded()
	if cause == nil && sandbox.Broken(err) {
		cause = err
	}
	if cause == nil || s.fatal != nil {
		return
	}
	at := &sandbox.Error{File: s.o.Name, Msg: cause.Error()}
	if err != nil {
		if from := sandbox.Failure(err, s.o.Name); from.Line > 0 {
			at.File, at.Line = from.File, from.Line
		}
	}
	s.fatal = at
}

func errTooMany(most int, what string) error { return fmt.Errorf("more than %d %s", most, what) }
