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
	if serverID <= 0 {
		return "", fmt.Errorf("%w: serverId must be positive", ErrInvalid)
	}
	if len(registration) > MaxRegistration {
		return "", fmt.Errorf("%w: the registration is longer than %d bytes", ErrInvalid, MaxRegistration)
	}
	if len(registration) > 0 && !json.Valid(registration) {
		return "", fmt.Errorf("%w: the registration is not JSON", ErrInvalid)
	}
	token = newSecret()
	joined := player{token: digestOf(token), registration: bytes.Clone(registration)}
	m.changing.Lock()
	defer m.changing.Unlock()
	m.mu.Lock()
	old, known := m.players[serverID]
	full := !known && len(m.players) >= m.maxPlayer
	m.mu.Unlock()
	if full {
		return "", fmt.Errorf("%w: %d are connected", ErrFull, m.maxPlayer)
	}
	if err := m.storage.Change(ctx, map[string][]byte{playerKey(serverID): joined.encode(serverID)}, nil); err != nil {
		return "", fmt.Errorf("the player cannot be stored: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known {
		delete(m.owners, old.token)
	}
	m.players[serverID], m.owners[joined.token] = joined, serverID
	return token, nil
}

// PlayerDrop ends a player's token; an unknown player is not an error. As with
// Revoke, the token is refused from now on, even if there is an error.
func (m *Manager) PlayerDrop(ctx context.Context, serverID int) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	m.mu.Lock()
	if p, known := m.players[serverID]; known {
		delete(m.owners, p.token)
		delete(m.players, serverID)
	}
	m.mu.Unlock()
	if err := m.storage.Change(ctx, nil, []string{playerKey(serverID)}); err != nil {
		return fmt.Errorf("the player's end cannot be stored: %w", err)
	}
	return nil
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
