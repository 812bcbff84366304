package game

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/engine"
)

// Desk carries out actions of the table wire.Actions: for the game server and for
// scripts in the service.
type Desk struct {
	Engine *engine.Engine
	// Callbacks asks the operator's callbacks about a player, and fills in CallbackName,
	// CallbackNac and Refused. Nil: there are none.
	Callbacks func(ctx context.Context, id core.UserID, facts *core.Facts)
	Now       func() time.Time
}

// Outcome is what an action gives back.
type Outcome struct {
	Count int // players refreshed, of refreshPlayerInfo
	Reply any // the ack of an event; nil: none
}

// Do carries out an action for by, whose name the records have. args is a JSON object.
// It returns when the action is in effect, and durable if it must be. A refusal is a
// *core.Error or a *door.Refusal.
func (d *Desk) Do(ctx context.Context, by core.Actor, name string, args json.RawMessage) (Outcome, error) {
	act, err := door.ReadAct(name, args)
	switch {
	case err != nil:
		return Outcome{}, err
	case act.Event != nil:
		return d.event(ctx, by, act.Event)
	case act.All:
		return d.refreshAll(ctx, by)
	case act.Refresh != 0:
		return Outcome{}, d.Refresh(ctx, by, act.Refresh)
	}
	_, err = d.Engine.Do(ctx, by, act.Command)
	return Outcome{}, err
}

// Refresh asks the callbacks about a player again.
func (d *Desk) Refresh(ctx context.Context, by core.Actor, id core.UserID) error {
	var facts core.Facts
	known := false
	if err := d.Engine.View(ctx, func(v core.View) { facts, known = v.Facts(id) }); err != nil {
		return err
	}
	if known && d.Callbacks != nil { // the radio refuses an unknown one
		d.Callbacks(ctx, id, &facts)
	}
	_, err := d.Engine.Do(ctx, by, core.Refresh{User: id, CallbackName: facts.CallbackName, CallbackNac: facts.CallbackNac, Refused: facts.Refused})
	return err
}

// refreshAll refreshes all players and counts them. One who leaves meanwhile does not
// count.
func (d *Desk) refreshAll(ctx context.Context, by core.Actor) (Outcome, error) {
	var ids []core.UserID
	if err := d.Engine.View(ctx, func(v core.View) { ids = v.Players() }); err != nil {
		return Outcome{}, err
	}
	done := Outcome{}
	for _, id := range ids {
		err := d.Refresh(ctx, by, id)
		var refused *core.Error
		switch {
		case err == nil:
			done.Count++
		case !errors.As(err, &refused):
			return done, err
		}
	}
	return done, nil
}

// event runs an event of a player's client as that player, whose rights count. The
// player need not be connected: its game client may still reach the game server when
// its radio does not reach the service. The records name the player and who passed the
// event on.
func (d *Desk) event(ctx context.Context, by core.Actor, e *wire.PlayerEvent) (Outcome, error) {
	var player core.UserView
	var unknown error
	if err := d.Engine.View(ctx, func(v core.View) {
		player, _ = v.User(e.ServerID.User)
		unknown = door.Known(v, e.ServerID.User)
	}); err != nil {
		return Outcome{}, err
	}
	if unknown != nil {
		return Outcome{}, unknown
	}
	if _, known := wire.EventScopes(e.Name); !known {
		return Outcome{}, &core.Error{Kind: core.Invalid, Field: "name", Message: "name must be the name of a client event"}
	}
	front := door.Door{}
	step := front.Event(door.Request{At: d.Now().UnixMilli(), Event: e.Name, Payload: json.RawMessage(e.Payload),
		By: door.Caller{Kind: door.Player, User: player.ID, Name: passedOn(player.Name, by.Name)}})
	if step.Job != "" {
		return Outcome{}, &core.Error{Kind: core.Invalid, Field: "name", Message: "name must be an event that does not need the player's own connection"}
	}
	var out core.Output
	var err error
	if step.Command != nil {
		out, err = d.Engine.Do(ctx, step.By, step.Command)
		if err != nil && door.Status(err) == 0 {
			return Outcome{}, err
		}
	}
	answer := step.Answer(out, err)
	if answer.Err != nil {
		return Outcome{}, offline(answer.Err, player)
	}
	return Outcome{Reply: answer.Body}, nil
}

// passedOn names a player in the records, and who speaks for it.
func passedOn(player, by string) string {
	if by == "" {
		return player
	}
	return player + " via " + by
}

// offline says why a player who is known is not found by what needs its radio on the
// air.
func offline(err error, player core.UserView) error {
	var refused *core.Error
	if !player.Linked && errors.As(err, &refused) && refused.Kind == core.NotFound && refused.Field == "serverId" {
		return &core.Error{Kind: core.Conflict, Field: "serverId", Message: "The player's radio is not connected"}
	}
	return err
}
