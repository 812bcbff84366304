package cfx

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// handler is a function that handles an event.
type handler struct {
	event string
	id    int
	fn    *lua.LFunction
	gone  bool
}

func (s *Script) eventLibrary() {
	for name, f := range map[string]lua.LGFunction{
		"AddEventHandler": s.addHandler, "RemoveEventHandler": s.removeHandler, "RegisterNetEvent": s.registerNet,
		"RegisterServerEvent": s.registerNet, "TriggerEvent": s.trigger,
		"CancelEvent": func(*lua.LState) int { s.canceled = true; return 0 },
		"WasEventCanceled": func(L *lua.LState) int {
			L.Push(lua.LBool(s.canceled))
			return 1
		},
		"GetInvokingResource": func(L *lua.LState) int {
			if s.invoking == "" {
				L.Push(lua.LNil)
			} else {
				L.Push(lua.LString(s.invoking))
			}
			return 1
		},
		"GetCurrentResourceName": func(L *lua.LState) int { L.Push(lua.LString(s.o.Name)); return 1 },
	} {
		s.Global(name, f)
	}
}

// foreign begins the names of events by which a resource answers for another's
// exports: "__cfx_export_qb-core_GetCoreObject". Its handler gets a function, to which
// it gives the export.
const foreign = "__cfx_export_"

func (s *Script) addHandler(L *lua.LState) int {
	event, fn := name(L), L.CheckFunction(2)
	if s.handling >= maxHandlers {
		L.RaiseError("more than %d event handlers", maxHandlers)
	}
	s.lastID++
	h := &handler{event: event, id: s.lastID, fn: fn}
	s.handling++
	s.handlers[event] = append(s.handlers[event], h)
	if key, is := strings.CutPrefix(event, foreign); is && s.o.Alias != nil {
		s.alias(L, key, fn)
	}
	if len(s.handlers[event]) == 1 {
		s.handles()
	}
	out := L.NewTable()
	out.RawSetString("key", lua.LNumber(h.id))
	out.RawSetString("name", lua.LString(event))
	L.Push(out)
	return 1
}

// name is the first argument, of an event or export.
func name(L *lua.LState) string {
	text := L.CheckString(1)
	if len(text) > MaxName {
		L.RaiseError("a name of more than %d bytes", MaxName)
	}
	return text
}

// alias asks a handler at once which function it exports.
func (s *Script) alias(L *lua.LState, key string, fn *lua.LFunction) {
	if len(s.aliases) >= maxHandlers && !s.aliases[key] {
		L.RaiseError("more than %d exports of other names", maxHandlers)
	}
	s.aliases[key] = true
	set := L.NewFunction(func(L *lua.LState) int {
		s.o.Alias(key, &Ref{s, L.CheckFunction(1)})
		return 0
	})
	if err := s.inside(L, fn, "the handler of "+foreign+key, []lua.LValue{set}, nil); err != nil {
		L.RaiseError("%v", err)
	}
}

// handles tells the host that Events has changed.
func (s *Script) handles() {
	if s.o.Handles != nil {
		s.o.Handles()
	}
}

func (s *Script) removeHandler(L *lua.LState) int {
	t := L.CheckTable(1)
	event, id := lua.LVAsString(t.RawGetString("name")), t.RawGetString("key")
	list := s.handlers[event]
	for i, h := range list {
		if lua.LNumber(h.id) == id {
			h.gone = true
			s.handling--
			s.handlers[event] = append(list[:i:i], list[i+1:]...)
			if len(s.handlers[event]) == 0 {
				delete(s.handlers, event)
				s.handles()
			}
			break
		}
	}
	return 0
}

func (s *Script) registerNet(L *lua.LState) int {
	event := name(L)
	if len(s.net) >= maxHandlers && !s.net[event] {
		L.RaiseError("more than %d network events", maxHandlers)
	}
	if !s.net[event] {
		s.net[event] = true
		if len(s.handlers[event]) > 0 {
			s.handles()
		}
	}
	if L.Get(2) != lua.LNil {
		return s.addHandler(L)
	}
	return 0
}

// trigger is TriggerEvent: the script's own handlers run at once, inside the caller;
// those of other scripts soon.
func (s *Script) trigger(L *lua.LState) int {
	event := L.CheckString(1)
	packed, err := s.pack(sandbox.Arguments(L)[1:])
	if err != nil {
		L.RaiseError("TriggerEvent: %v", err)
	}
	canceled := s.canceled
	s.canceled = false
	if err := s.handle(L, event, lua.LString(""), packed); err != nil {
		L.RaiseError("%v", err)
	}
	L.Push(lua.LBool(!s.canceled))
	s.canceled = canceled
	if s.o.Triggered != nil {
		s.o.Triggered(event, packed)
	}
	return 1
}

// handle runs the handlers of an event, each with copies of its own. source is the
// global of that name until the handler's first Wait.
func (s *Script) handle(L *lua.LState, event string, source lua.LValue, args []Packed) error {
	list := s.handlers[event]
	if len(list) == 0 {
		return nil
	}
	before := s.L.GetGlobal("source")
	s.L.SetGlobal("source", source)
	defer s.L.SetGlobal("source", before)
	for _, h := range list[:len(list):len(list)] {
		if h.gone {
			continue
		}
		if err := s.inside(L, h.fn, "the handler of "+event, s.unpack(args), nil); err != nil {
			return err
		}
	}
	return nil
}

// Emit has the handlers of an event run soon. source is what the global source is
// meanwhile: a player's id, or "" for what comes from the server; from is the resource
// that GetInvokingResource names. The error is ErrBusy or ErrEnded.
func (s *Script) Emit(event string, source Packed, from string, args ...Packed) error {
	return s.post(func() { s.emit(event, source, from, args) }, maxQueue, weight(args))
}

// EmitNet is Emit for an event that comes from a client: only handlers of events that
// the script has registered (RegisterNetEvent) run.
func (s *Script) EmitNet(event string, source Packed, args ...Packed) error {
	return s.post(func() {
		if s.net[event] {
			s.emit(event, source, "", args)
		}
	}, maxQueue, weight(args))
}

func (s *Script) emit(event string, source Packed, from string, args []Packed) {
	invoking := s.invoking
	s.invoking = from
	defer func() { s.invoking = invoking }()
	if err := s.handle(nil, event, s.Value(source), args); err != nil {
		s.fail("the event "+event, err)
	}
}

// Events are the names of the events that the script handles, and whether a client may
// send them. It must be called on the goroutine that owns the script, as Options.Handles
// is.
func (s *Script) Events() map[string]bool {
	all := make(map[string]bool, len(s.handlers))
	for name := range s.handlers {
		all[name] = s.net[name]
	}
	return all
}
