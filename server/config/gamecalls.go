package config

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// GameCall is a callback that only the game server can answer, because it calls what
// exists only there: the exports of another resource, or a function of the game that
// Natives does not have.
type GameCall struct {
	Name string // "getUserNacId"
	Line int    // at which it begins
	Uses string // the first global that only the game server has: "exports", "MySQL"
}

// gameCallsOf finds the callbacks about players that need the game. It reads their
// code and that of the functions which they call, so that a branch which a trial would
// not take counts too.
func gameCallsOf(L *lua.LState, config *lua.LTable) []GameCall {
	var all []GameCall
	for _, name := range playerCallbacks {
		fn, ok := config.RawGetString(name).(*lua.LFunction)
		if !ok || fn.Proto == nil {
			continue
		}
		s := search{L: L, seen: map[any]bool{}}
		if s.function(fn) {
			all = append(all, GameCall{Name: name, Line: fn.Proto.LineDefined, Uses: firstText(s.found, maxAnswer)})
		}
	}
	return all
}

// gameNotes says which callbacks the game resource answers.
func gameNotes(file string, calls []GameCall) (notes []string) {
	for _, c := range calls {
		at := Error{File: file, Line: c.Line, Key: "Config." + c.Name, Msg: "uses " + c.Uses + ", which only the game server has: the game resource answers it"}
		notes = append(notes, at.Error())
	}
	return notes
}

// search walks through functions, what they close over and the globals that they read.
type search struct {
	L     *lua.LState
	seen  map[any]bool // *lua.LFunction, *lua.FunctionProto and *lua.LTable
	found string
}

func (s *search) function(fn *lua.LFunction) bool {
	if fn.Proto == nil || s.seen[fn] { // the first is a function of the service
		return false
	}
	s.seen[fn] = true
	if s.code(fn.Proto) {
		return true
	}
	for i, up := range fn.Upvalues {
		name := ""
		if i < len(fn.Proto.DbgUpvalues) {
			name = fn.Proto.DbgUpvalues[i]
		}
		if s.value(name, up.Value()) {
			return true
		}
	}
	return false
}

// code looks at the globals that a function and those inside it read.
func (s *search) code(p *lua.FunctionProto) bool {
	if s.seen[p] {
		return false
	}
	s.seen[p] = true
	for at, instruction := range p.Code {
		if op(instruction) != lua.OP_GETGLOBAL {
			continue
		}
		name := p.Constants[constant(instruction)].String()
		v := s.L.GetGlobal(name)
		if v == lua.LNil && !s.assigns(p, name) {
			s.found = name
			return true
		}
		if s.value(name, readOf(p, at, v)) {
			return true
		}
	}
	return slices.ContainsFunc(p.FunctionPrototypes, s.code)
}

// assigns says whether a function sets a global itself, before or after it reads it.
func (s *search) assigns(p *lua.FunctionProto, name string) bool {
	return slices.ContainsFunc(p.Code, func(instruction uint32) bool {
		return op(instruction) == lua.OP_SETGLOBAL && p.Constants[constant(instruction)].String() == name
	})
}

// How gopher-lua codes an instruction: 6 bits of operation, then either 8 bits A, 9
// bits C and 9 bits B, or 8 bits A and 18 bits Bx. Bit 8 of C marks a constant.
func op(instruction uint32) int          { return int(instruction >> 26) }
func constant(instruction uint32) uint32 { return instruction & 0x3ffff }

// readOf is what a function reads of a table that the instruction before has fetched,
// as in Framework.jobs.of: one field, and not all that the table has.
func readOf(p *lua.FunctionProto, at int, v lua.LValue) lua.LValue {
	from := p.Code[at] >> 18 & 0xff
	for _, next := range p.Code[at+1:] {
		t, ok := v.(*lua.LTable)
		key := next >> 9 & 0x1ff
		if !ok || op(next) != lua.OP_GETTABLEKS && op(next) != lua.OP_SELF || next&0x1ff != from || key < 0x100 {
			return v
		}
		v, from = t.RawGet(p.Constants[key-0x100]), next>>18&0xff
	}
	return v
}

func (s *search) value(name string, v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LFunction:
		return s.function(v)
	case *lua.LUserData:
		if sandbox.Void(v) {
			s.found = name
			return true
		}
	case *lua.LTable:
		if s.seen[v] || v == s.L.G.Global {
			return false
		}
		s.seen[v] = true
		needs := false
		v.ForEach(func(_, value lua.LValue) { needs = needs || s.value(name, value) })
		return needs
	}
	return false
}
