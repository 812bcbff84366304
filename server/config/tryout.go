package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// Tried is the result of one call of a callback, for a player who does not exist.
type Tried struct {
	Name   string
	Answer string    // in words; "" when it failed
	Err    *Error    // what is wrong with it
	Game   *GameCall // only the game server can answer it; nil: the service can
}

// TryOut calls the callbacks about players once each, with their bounds. The game's
// functions answer with samples: a name, a licence, no permission. Every failure has
// the line at which it happened, or at which the callback begins.
func (c *Callbacks) TryOut(ctx context.Context, id int) []Tried {
	dry := &Callbacks{said: map[string]bool{}, has: c.has, calls: c.calls, limit: c.limit, heap: c.heap, src: c.src, ctx: ctx, natives: Natives{
		PlayerName:  func(id int) string { return fmt.Sprintf("Player %d", id) },
		Identifiers: func(int) []string { return []string{"license:0123456789abcdef"} },
		AceAllowed:  func(int, string) bool { return false },
	}}
	m := &machine{}
	defer m.drop()
	var all []Tried
	for _, name := range []string{"radioAccessCheck", "getUserNacId", "getPlayerName"} {
		if c.has[name] {
			all = append(all, dry.try(m, name, id))
		}
	}
	return all
}

func (c *Callbacks) try(m *machine, name string, id int) Tried {
	t := Tried{Name: name}
	line := 0
	wrong := func(line int, msg string) Tried {
		t.Err = &Error{File: c.src.name, Line: line, Key: "Config." + name, Msg: msg}
		return t
	}
	if err := c.ready(m); err != nil {
		return wrong(0, err.Error())
	}
	L := m.L // answer may drop it
	if fn, ok := m.config.RawGetString(name).(*lua.LFunction); ok && fn.Proto != nil {
		line = fn.Proto.LineDefined
	}
	v, err := c.answer(m, &call{ctx: c.ctx, name: name, args: []lua.LValue{lua.LNumber(id)}})
	if i := slices.IndexFunc(c.calls, func(call GameCall) bool { return call.Name == name }); i >= 0 {
		t.Game = &c.calls[i]
	} else if sandbox.AskedOthers(L) { // in a way that its code does not show
		t.Game = &GameCall{Name: name, Line: line, Uses: "exports"}
	}
	if err != nil {
		if at := (*sandbox.Error)(nil); errors.As(err, &at) {
			if at.Line > 0 {
				line = at.Line
			}
			return wrong(line, at.Msg)
		}
		return wrong(line, err.Error())
	}
	if sandbox.Void(v) {
		return wrong(line, errVoid.Error())
	}
	if name == "radioAccessCheck" {
		t.Answer = map[bool]string{true: "yes", false: "no"}[lua.LVAsBool(v)]
		return t
	}
	switch v.Type() {
	case lua.LTNil:
		t.Answer = "none"
	case lua.LTString, lua.LTNumber:
		t.Answer = `"` + strings.Map(printable, textAnswer(v)) + `"`
	default:
		return wrong(line, "returns a "+v.Type().String()+", which counts as none: expected text or a number")
	}
	return t
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}
