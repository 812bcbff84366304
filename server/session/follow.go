package session

import "strings"

// Follow takes what another service that shares the storage has changed. ended is the
// lineage of a session that is over, if it was the last of its login; "" otherwise.
func (m *Manager) Follow(key string, value []byte, removed bool) (ended string, err error) {
	if id, is := strings.CutPrefix(key, keyPrefix); is {
		return "", m.keys.follow(id, value, removed)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !removed {
		return "", m.restore(key, value)
	}
	if text, is := strings.CutPrefix(key, sessionPrefix); is {
		id, _ := parseDigest(text)
		s := m.sessions[id]
		if s == nil {
			return "", nil
		}
		m.forget([]*live{s})
		if len(m.lineages[s.Lineage]) == 0 {
			return s.Lineage, nil
		}
	}
	for serverID, p := range m.players {
		if playerKey(serverID) == key {
			delete(m.owners, p.token)
			delete(m.players, serverID)
		}
	}
	return "", nil
}

func (k *Keys) follow(id string, value []byte, removed bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.keys[id]; old != nil {
		delete(k.ids, old.secret)
		delete(k.keys, id)
	}
	if removed {
		return nil
	}
	return k.restore(id, value)
}

// lookUp asks for a session that nobody here knows of; the storage then calls Follow.
func (m *Manager) lookUp(id digest) {
	if m.refresh == nil {
		return
	}
	m.mu.Lock()
	_, known := m.sessions[id]
	m.mu.Unlock()
	if !known {
		m.refresh(sessionKey(id))
	}
}
