package radio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/keeper"
)

// restore returns the radio with every change that was acknowledged before the last stop,
// and with what the timeline has of its last transmissions.
func (r *Radio) restore(ctx context.Context) (*core.State, error) {
	snap, found, err := r.store.LatestSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	var d core.Data
	if found {
		if snap.Format != keeper.Format {
			return nil, fmt.Errorf("the data folder %s holds a snapshot of format %d; this program reads %d", r.folder, snap.Format, keeper.Format)
		}
		if err := json.Unmarshal(snap.Data, &d); err != nil {
			return nil, fmt.Errorf("the data folder %s holds a snapshot that cannot be read: %w", r.folder, err)
		}
	}
	if d.Transmissions, d.LastTransmission, err = r.timeline.Latest(ctx, core.ShownTransmissions); err != nil {
		return nil, err
	}
	return core.Restore(r.config.Core, d)
}

// register puts back on the radio the players that the game server had registered
// before the last stop. That needs no storage, because nothing about them is new.
func (r *Radio) register(ctx context.Context) error {
	players := r.sessions.Players()
	for _, id := range wire.SortedKeys(players) {
		var p wire.PlayerConnect
		if wire.Decode(players[id], &p) != nil {
			continue
		}
		err := r.engine.Apply(ctx, core.Actor{Surface: core.BySystem}, core.Register{User: core.UserID(id), Facts: p.Facts()})
		var refusal *core.Error
		switch {
		case errors.As(err, &refusal):
			r.log.Warn("a player could not be registered again", "player", id, "error", err)
		case err != nil:
			return err
		}
	}
	return nil
}
