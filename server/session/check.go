package session

import "context"

// Check is the test of a protected request: sessionID must be a live session
// and token its own token or the master token.
func (m *Manager) Check(sessionID, token string) (Session, error) {
	id, given := digestOf(sessionID), digestOf(token)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id]
	if s == nil || !m.now().Before(s.Expires) {
		return Session{}, ErrUnknown
	}
	if !given.same(s.token) && !m.isMaster(given) {
		return Session{}, ErrToken
	}
	s.LastUsed = m.now()
	return s.Session, nil
}

// Live tells whether a session, named by its Key, may still be used.
func (m *Manager) Live(key string) bool {
	id, ok := parseDigest(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id]
	return ok && s != nil && m.now().Before(s.Expires)
}

// CheckToken tells whether token is the master token, which may connect without
// a session id.
func (m *Manager) CheckToken(token string) bool { return m.isMaster(digestOf(token)) }

// CheckSessionToken returns the live session whose own token this is.
func (m *Manager) CheckSessionToken(token string) (Session, error) {
	given := digestOf(token)
	m.mu.Lock()
	defer m.mu.Unlock()
	id, known := m.tokens[given]
	s := m.sessions[id]
	if !known || s == nil || !m.now().Before(s.Expires) {
		return Session{}, ErrToken
	}
	s.LastUsed = m.now()
	return s.Session, nil
}

// isMaster is false for every token when none is configured.
func (m *Manager) isMaster(given digest) bool {
	return m.hasMaster && given.same(m.master)
}

// Reauth begins a new session for the bearer of the master token or of a live
// session's token, whose identity it takes over with the new callsign. The old
// session lives on until its time is over, because other windows may use it.
func (m *Manager) Reauth(ctx context.Context, token, callsign string) (Credentials, Session, error) {
	who := Identity{Via: ViaNAC}
	if !m.CheckToken(token) {
		s, err := m.CheckSessionToken(token)
		if err != nil {
			return Credentials{}, Session{}, err
		}
		who = s.Identity
	}
	who.Callsign = callsign
	return m.Create(ctx, who)
}
