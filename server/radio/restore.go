package radio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/cluster"
	"squelch/server/keeper"
	"squelch/server/store"
)

// restore returns the radio with every change that was acknowledged before the last stop,
// and with what the timeline has of its last transmissions.
func (r *Radio) restore(ctx context.Context) (*core.State, error) {
	snap, found, err := r.store.LatestSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	if found && r.member != nil {
		r.member.stored = cluster.Place{Epoch: snap.Epoch, Seq: snap.Seq}
	}
	d, err := r.restored(ctx, snap)
	if err != nil {
		return nil, err
	}
	return core.Restore(r.config.Core, d)
}

// restored is the radio of a snapshot; one without Data is of a new radio.
func (r *Radio) restored(ctx context.Context, snap store.Snapshot) (d core.Data, err error) {
	if snap.Data != nil {
		if snap.Format != keeper.Format {
			return d, fmt.Errorf("the data folder %s holds a snapshot of format %d; this program reads %d", r.folder, snap.Format, keeper.Format)
		}
		if err := json.Unmarshal(snap.Data, &d); err != nil {
			return d, fmt.Errorf("the data folder %s holds a snapshot that cannot be read: %w", r.folder, err)
		}
	}
	d.Transmissions, d.LastTransmission, err = r.timeline.Latest(ctx, core.ShownTransmissions)
	return d, err
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
