package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// player is a connected game player. registration is what the game server sent about
// the player; only its owner reads it.
type player struct {
	token        digest
	registration json.RawMessage
}

// PlayerConnect gives the player with the positive serverID a new token, valid until
// PlayerDrop; an older token of that player ends. registration is stored unchanged
// beside it, so that a restart need not ask the game server again; it may be nil. All
// is durable when PlayerConnect returns nil.
func (m *Manager) PlayerConnect(ctx context.Context, serverID int, registration json.RawMessage) (token string, err error) {
	tokens, err := m.Enrol(ctx, []Enrolled{{ServerID: serverID, Registration: registration}}, nil)
	return tokens[serverID], err
}

func checkRegistration(serverID int, registration json.RawMessage) error {
	switch {
	case serverID <= 0:
		return fmt.Errorf("%w: serverId must be positive", ErrInvalid)
	case len(registration) > MaxRegistration:
		return fmt.Errorf("%w: the registration is longer than %d bytes", ErrInvalid, MaxRegistration)
	case len(registration) > 0 && !json.Valid(registration):
		return fmt.Errorf("%w: the registration is not JSON", ErrInvalid)
	}
	return nil
}

// PlayerDrop ends a player's token; an unknown player is not an error. As with
// Revoke, the token is refused from now on, even if there is an error.
func (m *Manager) PlayerDrop(ctx context.Context, serverID int) error {
	_, err := m.Enrol(ctx, nil, []int{serverID})
	return err
}

// CheckPlayer returns the player that this token belongs to.
func (m *Manager) CheckPlayer(token string) (serverID int, ok bool) {
	given := digestOf(token)
	m.mu.Lock()
	defer m.mu.Unlock()
	serverID, ok = m.owners[given]
	return serverID, ok
}

// Players returns the registrations of all connected players by server id.
func (m *Manager) Players() map[int]json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[int]json.RawMessage, len(m.players))
	for serverID, p := range m.players {
		all[serverID] = bytes.Clone(p.registration)
	}
	return all
}
