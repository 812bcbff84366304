package script

import (
	"context"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/lua/cfx"
)

// build makes the script's Lua state, with everything but its own files.
func (u *unit) build(r *Resource) (*cfx.Script, error) {
	var s *cfx.Script
	s = cfx.New(cfx.Options{Name: r.Name, Print: u.print, Failed: u.failed,
		Find:     u.h.find,
		Exported: func(name string, ref *cfx.Ref) { u.h.exported(r.Name, name, ref) },
		Alias:    u.h.alias,
		Triggered: func(event string, args []cfx.Packed) {
			u.h.emit(u, event, "", r.Name, args...)
		},
		Handles: func() {
			all := s.Events()
			u.handled.Store(&all)
			u.h.handles()
		}})
	for name, f := range map[string]lua.LGFunction{
		"GetPlayers": u.players(s), "GetPlayerName": u.playerName(s), "GetPlayerIdentifiers": u.identifiers(s),
		"GetPlayerIdentifierByType": u.identifierByType(s), "GetNumPlayerIndices": u.playerCount(s), "IsPlayerAceAllowed": u.aceAllowed(s),
		"DoesPlayerExist": u.exists(s), "TriggerClientEvent": u.triggerClient(s), "LoadResourceFile": u.loadFile,
		"GetResourceState": u.resourceState, "GetResourceMetadata": u.metadata, "GetNumResourceMetadata": u.metadataCount,
		"RegisterCommand": u.registerCommand(s), "ExecuteCommand": u.executeCommand(s),
	} {
		s.Global(name, f)
	}
	if err := u.radio(s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// look reads the radio for a script.
func (u *unit) look(s *cfx.Script, read func(core.View)) error {
	ctx, cancel := context.WithTimeout(u.ctx, viewTime)
	defer cancel()
	var err error
	s.Block(func() { err = u.h.o.View(ctx, read) })
	return err
}

// player is an argument that names a player; 0: it names none.
func player(L *lua.LState, arg int) core.UserID {
	n, ok := L.Get(arg).(lua.LNumber)
	if text, is := L.Get(arg).(lua.LString); is {
		f, err := strconv.ParseFloat(string(text), 64)
		n, ok = lua.LNumber(f), err == nil
	}
	if id := core.UserID(n); ok && lua.LNumber(id) == n {
		return id
	}
	return 0
}

// fact reads one thing about the player who is the first argument.
func (u *unit) fact(s *cfx.Script, read func(v core.View, id core.UserID, L *lua.LState) cfx.Packed) lua.LGFunction {
	return func(L *lua.LState) int {
		var v cfx.Packed
		if id := player(L, 1); id.Player() {
			_ = u.look(s, func(view core.View) { v = read(view, id, L) }) // the radio ends: nil
		}
		L.Push(s.Value(v))
		return 1
	}
}

func (u *unit) players(s *cfx.Script) lua.LGFunction {
	return func(L *lua.LState) int {
		list := []any{}
		_ = u.look(s, func(v core.View) {
			for _, id := range v.Players() {
				list = append(list, id.String()) // text, as in the game
			}
		})
		L.Push(s.Value(list))
		return 1
	}
}

func (u *unit) playerCount(s *cfx.Script) lua.LGFunction {
	return func(L *lua.LState) int {
		n := 0
		_ = u.look(s, func(v core.View) { n = len(v.Players()) })
		L.Push(lua.LNumber(n))
		return 1
	}
}

func (u *unit) exists(s *cfx.Script) lua.LGFunction {
	return u.fact(s, func(v core.View, id core.UserID, _ *lua.LState) cfx.Packed {
		_, is := v.User(id)
		return is
	})
}

func (u *unit) playerName(s *cfx.Script) lua.LGFunction {
	return u.fact(s, func(v core.View, id core.UserID, _ *lua.LState) cfx.Packed {
		if user, is := v.User(id); is {
			return user.Name
		}
		return nil
	})
}

func (u *unit) identifiers(s *cfx.Script) lua.LGFunction {
	return u.fact(s, func(v core.View, id core.UserID, _ *lua.LState) cfx.Packed {
		f, _ := v.Facts(id)
		return append([]string{}, f.Identifiers...)
	})
}

func (u *unit) identifierByType(s *cfx.Script) lua.LGFunction {
	return u.fact(s, func(v core.View, id core.UserID, L *lua.LState) cfx.Packed {
		f, _ := v.Facts(id)
		for _, text := range f.Identifiers {
			if strings.HasPrefix(text, lua.LVAsString(L.Get(2))+":") {
				return text
			}
		}
		return nil
	})
}

// aceAllowed asks permissions.cfg, as the game asks its own: one of the player's
// principals suffices.
func (u *unit) aceAllowed(s *cfx.Script) lua.LGFunction {
	return u.fact(s, func(v core.View, id core.UserID, L *lua.LState) cfx.Packed {
		f, known := v.Facts(id)
		if !known {
			return false
		}
		who := []string{"player." + id.String()}
		for _, text := range f.Identifiers {
			who = append(who, "identifier."+text)
		}
		acl := v.Config().ACL
		for _, principal := range who {
			if acl.Ask(principal, lua.LVAsString(L.Get(2))) == core.Allowed {
				return true
			}
		}
		return false
	})
}

// triggerClient is TriggerClientEvent(event, player or -1, …): the clients that are
// connected to the service get clientEvent {name, args}.
func (u *unit) triggerClient(s *cfx.Script) lua.LGFunction {
	return func(L *lua.LState) int {
		event, to := L.CheckString(1), core.Audience{}
		switch id := player(L, 2); {
		case id == -1:
			_ = u.look(s, func(v core.View) { to.Users = v.Players() }) // the radio ends: nobody
		case id.Player():
			to.Users = []core.UserID{id}
		default:
			L.ArgError(2, "must be a player's id, or -1 for all")
		}
		n := L.GetTop()
		list := make([]any, 0, max(n-2, 0))
		for i := 3; i <= n; i++ {
			v, err := s.ToGo(L.Get(i))
			if err != nil {
				L.RaiseError("TriggerClientEvent: %v", err)
			}
			list = append(list, v)
		}
		message, size := wire.ToClients(to, event, list)
		switch {
		case size > maxPayload:
			L.RaiseError("TriggerClientEvent: the arguments are more than %d bytes of JSON", maxPayload)
		case !u.sends.Allow():
			L.RaiseError("TriggerClientEvent: more than %d events a second", sendsPerSecond)
		}
		if u.h.o.Send != nil {
			u.h.o.Send(message)
		}
		return 0
	}
}

// loadFile is LoadResourceFile(resource, path): only of the script itself.
func (u *unit) loadFile(L *lua.LState) int {
	r := u.resource()
	L.Push(lua.LNil)
	if lua.LVAsString(L.Get(1)) != r.Name || r.single {
		return 1
	}
	if text, err := r.read(L.CheckString(2), maxResourceFile); err == nil {
		L.Push(lua.LString(text))
	}
	return 1
}

func (u *unit) other(name string) *unit {
	for _, o := range u.h.units {
		if o.name() == name {
			return o
		}
	}
	return nil
}

func (u *unit) resourceState(L *lua.LState) int {
	name, state := lua.LVAsString(L.Get(1)), "missing"
	if name == u.h.o.Radio {
		state = "started"
	} else if o := u.other(name); o != nil {
		state = map[string]string{"starting": "starting", "started": "started"}[o.status().State]
		if state == "" {
			state = "stopped"
		}
	}
	L.Push(lua.LString(state))
	return 1
}

func (u *unit) metadata(L *lua.LState) int {
	L.Push(lua.LNil)
	if o := u.other(lua.LVAsString(L.Get(1))); o != nil {
		list := o.resource().Metadata[lua.LVAsString(L.Get(2))]
		if i := L.OptInt(3, 0); i >= 0 && i < len(list) {
			L.Push(lua.LString(list[i]))
		}
	}
	return 1
}

func (u *unit) metadataCount(L *lua.LState) int {
	n := 0
	if o := u.other(lua.LVAsString(L.Get(1))); o != nil {
		n = len(o.resource().Metadata[lua.LVAsString(L.Get(2))])
	}
	L.Push(lua.LNumber(n))
	return 1
}

// registerCommand: the service has no chat; commands are for ExecuteCommand.
func (u *unit) registerCommand(s *cfx.Script) lua.LGFunction {
	return func(L *lua.LState) int {
		name, fn := L.CheckString(1), L.CheckFunction(2)
		if len(name) > cfx.MaxName {
			L.ArgError(1, "is longer than "+strconv.Itoa(cfx.MaxName)+" bytes")
		}
		if !u.h.command(strings.ToLower(name), s.Ref(fn)) {
			L.RaiseError("more than %d commands", maxCommands)
		}
		return 0
	}
}

// executeCommand runs a command of any script, as the console (source 0), soon.
func (u *unit) executeCommand(s *cfx.Script) lua.LGFunction {
	return func(L *lua.LState) int {
		if err := u.h.execute(s.Name(), L.CheckString(1)); err != nil {
			L.RaiseError("%v", err)
		}
		return 0
	}
}
