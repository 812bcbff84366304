package session

// Check is the test of a protected request: sessionID must be that of a live session,
// and token that of a live session of the same lineage, or the master token. Clients
// that were given a new session may still send the older token or the older session
// id. The error is ErrUnknown or ErrToken.
func (m *Manager) Check(sessionID, token string) (Session, error) {
	id, given := digestOf(sessionID), digestOf(token)
	m.lookUp(id)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.ofID(id)
	if s == nil {
		return Session{}, ErrUnknown
	}
	if !m.isMaster(given) {
		by := m.ofToken(given)
		if by == nil || by.Lineage != s.Lineage {
			return Session{}, ErrToken
		}
		by.LastUsed = m.now()
	}
	s.LastUsed = m.now()
	return s.Session, nil
}

// CheckIn is the test for a caller who is known to belong to a lineage: sessionID
// must be that of a live session of it.
func (m *Manager) CheckIn(lineage, sessionID string) (Session, error) {
	m.lookUp(digestOf(sessionID))
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.ofID(digestOf(sessionID))
	if s == nil || s.Lineage != lineage {
		return Session{}, ErrUnknown
	}
	s.LastUsed = m.now()
	return s.Session, nil
}

// Live says whether a session of the lineage may still be used.
func (m *Manager) Live(lineage string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.lineageLeft(lineage, m.now())) > 0
}

// CheckToken says whether token is the master token, which may connect without a
// session id.
func (m *Manager) CheckToken(token string) bool { return m.isMaster(digestOf(token)) }

// CheckSessionToken returns the live session that this token belongs to.
func (m *Manager) CheckSessionToken(token string) (Session, error) {
	given := digestOf(token)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.ofToken(given)
	if s == nil {
		return Session{}, ErrToken
	}
	s.LastUsed = m.now()
	return s.Session, nil
}

// ofID and ofToken find a live session, or nil. The maps do not compare in constant
// time, but that reveals nothing: they compare hashes.
func (m *Manager) ofID(id digest) *live {
	if s := m.sessions[id]; s != nil && !s.over(m.now()) {
		return s
	}
	return nil
}

func (m *Manager) ofToken(token digest) *live {
	id, known := m.tokens[token]
	if !known {
		return nil
	}
	return m.ofID(id)
}

// isMaster is false for every token if no master token is configured.
func (m *Manager) isMaster(given digest) bool {
	return m.hasMaster && given.same(m.master)
}
