package door

import (
	"squelch/core"
	"squelch/core/wire"
)

// Handshake checks the id that a client asks for when it connects, and gives the one
// that is meant: a player has one of its own; a dispatcher who names none asks for
// -1. A refusal is the data of the connect_error; nil: none.
func Handshake(by Caller, asked wire.ID) (core.UserID, *wire.ConnectRefusal) {
	switch {
	case by.Kind == Nobody:
		return 0, refuse("bad_token", ErrAuthentication.Message)
	case by.Kind == Key && by.Scopes&wire.SocketScopes == 0:
		return 0, refuse("bad_scope", by.Scopes.Check(wire.SocketScopes).Error())
	case by.Kind == Player && asked.Given && asked.User != by.User:
		return 0, refuse("bad_id", "serverId does not match this player token")
	case by.Kind == Player:
		return by.User, nil
	case !asked.Given:
		return -1, nil
	case asked.User >= 0:
		return 0, refuse("bad_id", "serverId must be negative for a dispatcher")
	}
	return asked.User, nil
}

// Known refuses a player whom the game server has not made known; nil: it has.
func Known(v core.View, id core.UserID) error {
	if !id.Player() || !v.Registered(id) {
		return &core.Error{Kind: core.NotFound, Field: "serverId", Message: "User not found"}
	}
	return nil
}

// Room refuses a client for which the radio has no place; nil: there is one.
func Room(v core.View, login string, want core.UserID) *wire.ConnectRefusal {
	if err := v.Room(login, want); err != nil {
		return refuse("full", err.Error())
	}
	return nil
}

func refuse(code, message string) *wire.ConnectRefusal {
	return &wire.ConnectRefusal{Code: code, Error: message}
}

// Facts are what a client's credentials say about it. The name of a dispatcher's
// login is its callsign too; that of an API key is not.
func Facts(by Caller, want core.UserID) core.Facts {
	f := core.Facts{Name: by.Name, Nac: by.Nac}
	if want.Dispatcher() && by.Kind != Key {
		f.Callsign = by.Name
	}
	return f
}

// Connect puts a client on the radio. dead is the id of an older client of the
// same owner whose link the adapter has found dead; 0: none.
func Connect(by Caller, want, dead core.UserID, facts core.Facts) Step {
	by.User = want
	return by.step("connect", core.Connect{Want: want, Owner: by.Login(), TakeOver: dead, Facts: facts})
}

// Recover lets the user of a broken link go on over a new connection as if the link
// had not broken.
func Recover(by Caller) Step {
	return by.step("connect", core.Recover{User: by.User, Owner: by.Login()})
}

// Relink gives a connected client to another login, which may have an id that waits
// for it.
func Relink(by, login Caller) Step {
	return by.step(string(Link), core.LinkSession{User: by.User, Owner: login.Login(), Name: login.Name, Callsign: login.Name})
}

// Leave ends a client's link. After a goodbye its place is gone at once; otherwise
// (the link broke) it is kept for the resume window.
func Leave(by Caller, goodbye bool) Step {
	return by.step("disconnect", core.Unlink{User: by.User, Clean: goodbye})
}

func (c Caller) step(event string, cmd core.Command) Step {
	return Step{By: c.actor(core.BySocket), Command: cmd, request: Request{By: c, Event: event}}
}

// Given is the id that a client asking for want was given by a Connect, Recover or
// Relink. first is what the client is told before anybody is told anything: its
// identity, if that is not the id that it asked for, or not the one that it had
// before (0: none). ok is false if the output gives no id.
func Given(out core.Output, want, before core.UserID) (id core.UserID, first []wire.Message, ok bool) {
	for _, e := range out.Events {
		f, is := e.Fact.(core.UserConnected)
		if !is || f.Wanted != want {
			continue
		}
		if f.User != want || (before != 0 && before != f.User) {
			first = []wire.Message{to(f.User, "identity", wire.Identity{ServerID: f.User})}
		}
		id, ok = f.User, true
	}
	return id, first, ok
}

// Meant is the id that a login means by want: the one that it was given when it asked
// for want, else want itself.
func Meant(v core.View, login string, want core.UserID) core.UserID { return v.Alias(login, want) }

// Users are the users of a login on the radio, also those with a broken link.
func Users(v core.View, login string) []core.UserID { return v.Owned(login) }

// End takes a user whose login has ended off the radio.
func End(id core.UserID, by core.Surface) Step {
	return Step{By: core.Actor{Surface: by}, Command: core.Unlink{User: id, Clean: true}}
}
