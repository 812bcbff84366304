package radio

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/game"
	"squelch/server/logs"
	"squelch/server/script"
)

// scriptHost prepares the operator's scripts. They begin when everything else has.
func (r *Radio) scriptHost() *script.Host {
	return script.New(script.Options{Paths: r.config.Server.Scripts, Radio: r.config.Core.ResourceName, Logf: logs.Printf(r.log, logs.Info),
		View: func(ctx context.Context, look func(core.View)) error { return r.engine.View(ctx, look) },
		Act: func(ctx context.Context, by core.Actor, name string, args json.RawMessage) (int, error) {
			done, err := r.desk().Do(ctx, by, name, args)
			return done.Count, err
		},
		Send: r.announce})
}

// scriptDesk shows the scripts to the administration.
type scriptDesk struct{ host *script.Host }

func (d scriptDesk) List() []wire.AdminScript {
	out := []wire.AdminScript{}
	for _, s := range d.host.List() {
		out = append(out, wire.AdminScript{Name: s.Name, State: s.State, Since: s.Since.UnixMilli(), Restarts: s.Restarts, Problem: s.Problem,
			Exports: append([]string{}, s.Exports...), Events: append([]string{}, s.Events...)})
	}
	return out
}

func (d scriptDesk) Restart(ctx context.Context, name string) error {
	err := d.host.Restart(ctx, name)
	if errors.Is(err, script.ErrUnknown) {
		return admin.ErrNoScript
	}
	return err
}

// desk carries out what scripts and players' clients ask for, as it does for the game
// server.
func (r *Radio) desk() *game.Desk {
	return &game.Desk{Engine: r.engine, Callbacks: r.ask, Now: time.Now}
}

// refresh asks for a player's NAC id anew, because its own client wants it.
func (r *Radio) refresh(ctx context.Context, id core.UserID) error {
	return r.desk().Refresh(ctx, core.Actor{User: id, Surface: core.BySocket}, id)
}
