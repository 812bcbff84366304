package door

import (
	"encoding/json"

	"squelch/core"
	"squelch/core/wire"
)

// Act is what an action of the game server, or a script's call of an export, leads to:
// one of its fields is set.
type Act struct {
	Command core.Command // has to be applied
	// Refresh is the player about whom the operator's callbacks have to be asked again
	// (core.Refresh); All: all players.
	Refresh core.UserID
	All     bool
	Event   *wire.PlayerEvent // has to be run as its player's, by Door.Event
}

// ReadAct reads an action, a name and arguments of the table wire.Actions. The error is
// a *core.Error that names the argument at fault.
func ReadAct(name string, args json.RawMessage) (Act, error) {
	body, err := wire.DecodeAction(name, args)
	if err != nil {
		return Act{}, err
	}
	switch b := body.(type) {
	case *wire.RefreshUser:
		if !b.ServerID.User.Player() {
			return Act{}, invalid("serverId", "serverId must be positive")
		}
		return Act{Refresh: b.ServerID.User}, nil
	case *wire.RefreshPlayers:
		return Act{All: true}, nil
	case *wire.PlayerEvent:
		if !b.ServerID.User.Player() {
			return Act{}, invalid("serverId", "serverId must be positive")
		}
		return Act{Event: b}, nil
	}
	cmd, err := body.(wire.Commanding).Command(0)
	return Act{Command: cmd}, err
}
