package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// enrolBytes is how much one write of Enrol stores, in bytes of registrations. It keeps
// a record, with base64, below the largest that the store takes (4 MiB).
const enrolBytes = 2 << 20

// Enrolled is a player for Enrol.
type Enrolled struct {
	ServerID     int
	Registration json.RawMessage // as for PlayerConnect
	Keep         bool            // a token that the player has stays valid, and no other is made
}

// Enrol is PlayerConnect for many players, each of them once, and PlayerDrop for those
// who leave, with few writes. tokens has the new ones. Players who leave are refused
// from now on, even if there is an error; of those who join, the ones in tokens are
// durable then, and all others are as they were.
func (m *Manager) Enrol(ctx context.Context, join []Enrolled, leave []int) (tokens map[int]string, err error) {
	for _, j := range join {
		if err := checkRegistration(j.ServerID, j.Registration); err != nil {
			return nil, err
		}
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	gone := m.endPlayers(leave)
	full := m.roomFor(join)
	if full != nil {
		join = nil
	}
	tokens = map[int]string{}
	for first := len(gone) > 0; first || len(join) > 0; first = false {
		n := portion(join)
		made, put, secrets := map[int]player{}, map[string][]byte{}, map[int]string{}
		for _, j := range join[:n] {
			p := player{registration: bytes.Clone(j.Registration)}
			if old, known := m.enrolled(j.ServerID); known && j.Keep {
				p.token = old.token
			} else {
				secrets[j.ServerID] = newSecret()
				p.token = digestOf(secrets[j.ServerID])
			}
			made[j.ServerID], put[playerKey(j.ServerID)] = p, p.encode(j.ServerID)
		}
		if err := m.storage.Change(ctx, put, gone); err != nil {
			return tokens, errors.Join(full, fmt.Errorf("the players cannot be stored: %w", err))
		}
		m.takeIn(made)
		for id, secret := range secrets {
			tokens[id] = secret
		}
		join, gone = join[n:], nil
	}
	return tokens, full
}

// portion is how many of the players one write takes.
func portion(join []Enrolled) int {
	size := 0
	for n, j := range join {
		if size += len(j.Registration); size > enrolBytes && n > 0 {
			return n
		}
	}
	return len(join)
}

func (m *Manager) enrolled(serverID int) (player, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.players[serverID]
	return p, known
}

func (m *Manager) roomFor(join []Enrolled) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := m.maxPlayer - len(m.players)
	for _, j := range join {
		if _, known := m.players[j.ServerID]; !known {
			left--
		}
	}
	if left < 0 {
		return fmt.Errorf("%w: %d are connected", ErrFull, len(m.players))
	}
	return nil
}

// endPlayers ends the tokens of players; it returns their keys in the storage.
func (m *Manager) endPlayers(leave []int) (keys []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, serverID := range leave {
		if p, known := m.players[serverID]; known {
			delete(m.owners, p.token)
			delete(m.players, serverID)
		}
		keys = append(keys, playerKey(serverID))
	}
	return keys
}

func (m *Manager) takeIn(made map[int]player) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for serverID, p := range made {
		if old, known := m.players[serverID]; known {
			delete(m.owners, old.token)
		}
		m.players[serverID], m.owners[p.token] = p, serverID
	}
}
