package cfx

import (
	"errors"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// register is exports('name', fn).
func (s *Script) register(L *lua.LState) int {
	name, fn := name(L), L.CheckFunction(2)
	if len(s.exports) >= maxHandlers && s.exports[name] == nil {
		L.RaiseError("more than %d exports", maxHandlers)
	}
	s.exports[name] = fn
	if s.o.Exported != nil {
		s.o.Exported(name, &Ref{s, fn})
	}
	return 0
}

// find is exports.resource.name: a function that returns true and the results, or
// false and why there are none. Nil and why: there is no such export.
func (s *Script) find(L *lua.LState) int {
	resource, name := lua.LVAsString(L.Get(1)), lua.LVAsString(L.Get(2))
	if all, ok := s.builtin[resource]; ok {
		if fn := all[name]; fn != nil {
			L.Push(L.NewFunction(s.builtinCall(fn, resource, name)))
			return 1
		}
	} else if resource == s.o.Name {
		if fn := s.exports[name]; fn != nil {
			L.Push(L.NewFunction(s.call(&Ref{s, fn}, resource, name)))
			return 1
		}
	} else if s.o.Find != nil {
		if ref, ok := s.o.Find(resource, name); ok {
			L.Push(L.NewFunction(s.call(ref, resource, name)))
			return 1
		}
	}
	L.Push(lua.LNil)
	L.Push(lua.LString(fmt.Sprintf("No such export %s in resource %s", name, resource)))
	return 2
}

// Forget drops what the script knows of another resource's exports, because that one
// has stopped.
func (s *Script) Forget(resource string) error {
	return s.post(func() {
		s.L.Push(s.forget)
		s.L.Push(lua.LString(resource))
		_ = s.L.PCall(1, 0, nil) // it only sets a field
	}, maxQueue+answerRoom, 0) // there is no second try
}

// builtinCall calls an export that is part of this script: no other goroutine is
// asked, and nothing can wait.
func (s *Script) builtinCall(fn *lua.LFunction, resource, name string) lua.LGFunction {
	return func(L *lua.LState) int {
		n := L.GetTop()
		args, err := s.copies(sandbox.Arguments(L))
		if err != nil {
			return refuse(L, resource, name, err)
		}
		L.Push(fn)
		for _, v := range args {
			L.Push(v)
		}
		if err := L.PCall(n, lua.MultRet, nil); err != nil {
			return refuse(L, resource, name, sandbox.Failure(err, resource))
		}
		out, err := s.copies(results(sandbox.Arguments(L)[n:]))
		if err != nil {
			return refuse(L, resource, name, err)
		}
		L.Push(lua.LTrue)
		for _, v := range out {
			L.Push(v)
		}
		return 1 + len(out)
	}
}

func refuse(L *lua.LState, resource, name string, err error) int {
	L.Push(lua.LFalse)
	L.Push(lua.LString(fmt.Sprintf("An error occurred while calling export %s of resource %s: %v", name, resource, err)))
	return 2
}

// outcome is how a call ended. With late the answer comes later, because the export
// waits for something.
type outcome struct {
	out  []Packed
	err  error
	late bool
}

// reply carries the outcome of a call to its caller. All of it runs on the goroutine
// of the script that is called, but first, which its caller reads.
type reply struct {
	to    *Script      // the caller
	first chan outcome // the answer, or that it comes late
	after func(outcome)
	said  bool // that it comes late
	done  bool
}

func (r *reply) answer(o outcome) {
	if r.done {
		return
	}
	r.done = true
	if !r.said {
		r.first <- o
		return
	}
	// A caller that has ended needs no answer.
	_ = r.to.post(func() { r.after(o) }, maxQueue+answerRoom, 0)
}

// serve runs a function for somebody else and answers.
func (s *Script) serve(fn *lua.LFunction, from string, args []Packed, r *reply) {
	s.owed[r] = true
	invoking := s.invoking
	s.invoking = from
	err := s.inside(nil, fn, "an export", s.unpack(args), func(out []lua.LValue, err error) {
		delete(s.owed, r)
		if why := s.guard.exceeded(); why != nil {
			err = why
		}
		if err != nil {
			r.answer(outcome{err: sandbox.Failure(err, s.o.Name)})
			return
		}
		packed, err := s.pack(results(out))
		r.answer(outcome{out: packed, err: err})
	})
	s.invoking = invoking
	if err != nil {
		delete(s.owed, r)
		r.answer(outcome{err: err})
	}
	if !r.done {
		r.said = true
		r.first <- outcome{late: true}
	}
}

// call makes the function that calls another script's. The caller's goroutine waits
// until the export has begun, and serves others meanwhile: two scripts that call each
// other do not lock each other. If the export waits, the calling thread is suspended.
func (s *Script) call(ref *Ref, resource, name string) lua.LGFunction {
	return func(L *lua.LState) int {
		packed, err := s.pack(sandbox.Arguments(L))
		if err != nil {
			return refuse(L, resource, name, err)
		}
		t, early, over := s.root, (*outcome)(nil), false
		park := t.parks + 1
		r := &reply{to: s, first: make(chan outcome, 1), after: func(o outcome) {
			switch {
			case over: // the thread may be suspended for something else by now
			case t.idle && t.parks == park:
				s.run(t, s.told(o, resource, name)...)
			default:
				early = &o // the thread is not suspended yet
			}
		}}
		if ref.owner == s {
			s.within(L, func() { s.serve(ref.fn, s.o.Name, packed, r) })
		} else {
			err = ref.owner.post(func() { ref.owner.serve(ref.fn, s.o.Name, packed, r) }, maxQueue, weight(packed))
		}
		var o outcome
		if err == nil {
			o, err = s.await(L, ref.owner, r)
		}
		switch {
		case err != nil:
			over = true
			return refuse(L, resource, name, err)
		case o.late && early == nil:
			return s.park(L)
		case o.late:
			o = *early
		}
		values := s.told(o, resource, name)
		for _, v := range values {
			L.Push(v)
		}
		return len(values)
	}
}

// told is an outcome as the prelude takes it.
func (s *Script) told(o outcome, resource, name string) []lua.LValue {
	if o.err != nil {
		return []lua.LValue{lua.LFalse, lua.LString(fmt.Sprintf("An error occurred while calling export %s of resource %s: %v", name, resource, o.err))}
	}
	return append([]lua.LValue{lua.LTrue}, s.unpack(o.out)...)
}

// within makes L the place in which what f runs is resumed.
func (s *Script) within(L *lua.LState, f func()) {
	at := s.at
	s.at = L
	f()
	s.at = at
}

// await waits for a reply and serves others meanwhile.
func (s *Script) await(L *lua.LState, owner *Script, r *reply) (o outcome, err error) {
	select {
	case o = <-r.first:
		return o, nil
	default:
	}
	late := time.NewTimer(s.patience)
	defer late.Stop()
	run := s.guard.pause()
	defer func() { s.guard.resume(run) }()
	for {
		select {
		case o = <-r.first:
			return o, nil
		case <-owner.ended:
			select {
			case o = <-r.first:
				return o, nil
			default:
			}
			return o, ErrEnded
		case <-s.ring:
			s.within(L, func() { s.serveOne() })
		case <-s.guard.ctx.Done():
			return o, errStopped
		case <-late.C:
			return o, fmt.Errorf("it did not answer within %v", s.patience)
		}
	}
}

// function makes a Lua function of one that was handed over.
func (s *Script) function(ref *Ref) lua.LValue {
	if ref.owner == s {
		return ref.fn
	}
	L := s.at
	if L == nil {
		L = s.L
	}
	L.Push(s.wrap)
	L.Push(L.NewFunction(s.call(ref, ref.owner.o.Name, "(a function)")))
	L.Call(1, 1)
	fn := L.Get(-1)
	L.Pop(1)
	return fn
}

var errNoFunction = errors.New("is not a function")

// Do calls a function of the script on the script's own goroutine, from Go: a host's
// callback. done, if not nil, gets its results or error, once it has ended.
func (s *Script) Do(what string, fn lua.LValue, args []lua.LValue, done func([]lua.LValue, error)) error {
	f, ok := fn.(*lua.LFunction)
	if !ok {
		return errNoFunction
	}
	return s.inside(nil, f, what, args, done)
}

// Ref is a function of the script for others to call.
func (s *Script) Ref(fn *lua.LFunction) *Ref { return &Ref{s, fn} }

// Resource is the name of the function's own script.
func (r *Ref) Resource() string { return r.owner.o.Name }

// Send calls the function soon, and nobody waits for it; what it fails with is the
// script's own affair. The error is ErrBusy or ErrEnded.
func (r *Ref) Send(from string, args ...Packed) error {
	s := r.owner
	return s.post(func() {
		invoking := s.invoking
		s.invoking = from
		if err := s.inside(nil, r.fn, "a function called by "+from, s.unpack(args), nil); err != nil {
			s.fail("a function called by "+from, err)
		}
		s.invoking = invoking
	}, maxQueue, weight(args))
}
