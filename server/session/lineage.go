package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Reauth begins a new session for the bearer of a token. With a live session's
// token it is one more session of that lineage, whose identity it takes over
// with the new callsign; with the master token it is a login of its own. The
// older sessions live on, because other windows may use them.
func (m *Manager) Reauth(ctx context.Context, token, callsign string) (Credentials, Session, error) {
	if m.CheckToken(token) {
		return m.Create(ctx, Identity{Callsign: callsign, Via: ViaNAC})
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	// Checked again here, because a revocation may have come first.
	asking, who, err := m.asks(token)
	if err != nil {
		return Credentials{}, Session{}, err
	}
	who.Callsign = callsign
	if err := who.check(); err != nil {
		return Credentials{}, Session{}, err
	}
	return m.begin(ctx, who, asking)
}

func (m *Manager) asks(token string) (*live, Identity, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.ofToken(digestOf(token))
	if s == nil {
		return nil, Identity{}, ErrToken
	}
	s.LastUsed = m.now()
	return s, s.Identity, nil
}

// makeRoom chooses the sessions that end when another begins: those whose time is
// over, then as many as are too many. A session that asks for another one pays with
// the oldest of its own lineage, never with somebody else's; a login pays with the
// session that was idle longest. A session with an open socket is never chosen.
func (m *Manager) makeRoom(asking *live, now time.Time) ([]*live, error) {
	used := m.usedElsewhere()
	m.mu.Lock()
	defer m.mu.Unlock()
	ended := m.expired(now)
	tooMany, limit := len(m.sessions)-len(ended)+1-m.max, m.max
	pool, order := m.sessionsLeft(now), idleLongest
	if asking != nil {
		pool, order = m.lineageLeft(asking.Lineage, now), oldestBut(asking, now)
		tooMany = min(tooMany, 1) // what others have is not theirs to clear away
		if own := len(pool) + 1 - m.maxLogin; own >= tooMany {
			tooMany, limit = own, m.maxLogin
		}
	}
	if tooMany > 0 {
		pool = slices.DeleteFunc(pool, func(s *live) bool { return s.sockets > 0 || used[s.Lineage] })
		if len(pool) < tooMany {
			return nil, fmt.Errorf("%w: the limit is %d", ErrBusy, limit)
		}
		slices.SortFunc(pool, order)
		ended = append(ended, pool[:tooMany]...)
	}
	for _, s := range ended {
		s.ending = true
	}
	return ended, nil
}

// usedElsewhere are the lineages that must not be cleared away, because they have sockets at
// another service. It is only asked when room may be needed.
func (m *Manager) usedElsewhere() map[string]bool {
	if m.inUse == nil {
		return nil
	}
	m.mu.Lock()
	full := len(m.sessions) >= m.max
	lineages := make([]string, 0, len(m.lineages))
	for l, all := range m.lineages {
		if full || len(all) >= m.maxLogin {
			lineages = append(lineages, l)
		}
	}
	m.mu.Unlock()
	used := map[string]bool{}
	for _, l := range lineages {
		used[l] = m.inUse(l)
	}
	return used
}

func (m *Manager) sessionsLeft(now time.Time) (left []*live) {
	for _, s := range m.sessions {
		if !s.over(now) {
			left = append(left, s)
		}
	}
	return left
}

func (m *Manager) lineageLeft(lineage string, now time.Time) (left []*live) {
	for _, s := range m.lineages[lineage] {
		if !s.over(now) {
			left = append(left, s)
		}
	}
	return left
}

func idleLongest(a, b *live) int {
	return cmpFirst(a.LastUsed.Compare(b.LastUsed), a.Created.Compare(b.Created), strings.Compare(a.Key, b.Key))
}

// oldestBut sorts the sessions that may end first to the front. The session that asks
// comes last, because its token may be all that the client has; before it come those
// whose sockets may come back, the most recently cut one last.
func oldestBut(asking *live, now time.Time) func(a, b *live) int {
	asks := func(s *live) int {
		if s == asking {
			return 1
		}
		return 0
	}
	cut := func(s *live) time.Time {
		if now.Sub(s.cut) < returnTime {
			return s.cut
		}
		return time.Time{}
	}
	return func(a, b *live) int {
		return cmpFirst(asks(a)-asks(b), cut(a).Compare(cut(b)), a.Created.Compare(b.Created), strings.Compare(a.Key, b.Key))
	}
}

func cmpFirst(orders ...int) int {
	for _, order := range orders {
		if order != 0 {
			return order
		}
	}
	return 0
}

// Hold notes an open socket on each of the sessions, named by their keys. It returns
// false, and holds nothing, if the first of them has ended meanwhile: then the socket
// has no session any more. Without keys there is nothing to hold.
func (m *Manager) Hold(keys ...string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(keys) > 0 && m.named(keys[0]) == nil {
		return false
	}
	for _, key := range keys {
		if s := m.named(key); s != nil {
			s.sockets++
		}
	}
	return true
}

// Release takes back what Hold was given, because a socket of these sessions has
// ended. cut says that its connection broke, so that the client may come back with
// them. They count as used until now.
func (m *Manager) Release(cut bool, keys ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		id, ok := parseDigest(key)
		if s := m.sessions[id]; ok && s != nil && s.sockets > 0 {
			s.sockets--
			s.LastUsed, s.cut = m.now(), time.Time{}
			if cut {
				s.cut = s.LastUsed
			}
		}
	}
}

// named returns the session with this key, unless it is ending.
func (m *Manager) named(key string) *live {
	id, ok := parseDigest(key)
	s := m.sessions[id]
	if !ok || s == nil || s.ending || s.over(m.now()) {
		return nil
	}
	return s
}

// Revoke ends the login that key names, the key of one of its sessions or of the
// lineage, with all its sessions. They are refused from now on, even if an error says
// that this could not be stored yet; a restart before the next Sweep would bring them
// back. An unknown key is ErrUnknown.
func (m *Manager) Revoke(ctx context.Context, key string) error {
	return m.end(ctx, key, func(s *live) []*live { return slices.Clone(m.lineages[s.Lineage]) })
}

// IsLineage says whether text has the form of a lineage's name. A login whose
// sessions are all over may still have sockets under it.
func IsLineage(text string) bool {
	_, ok := parseDigest(text)
	return ok
}

// Discard ends one session, named by its key, and leaves its siblings. It is for a
// session whose credentials were told to nobody. As with Revoke it is refused from
// now on.
func (m *Manager) Discard(ctx context.Context, key string) error {
	return m.end(ctx, key, func(s *live) []*live { return []*live{s} })
}

func (m *Manager) end(ctx context.Context, key string, which func(*live) []*live) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	m.mu.Lock()
	id, ok := parseDigest(key)
	s := m.sessions[id]
	if s == nil && len(m.lineages[key]) > 0 { // its first session has ended
		s = m.lineages[key][0]
	}
	if !ok || s == nil {
		m.mu.Unlock()
		return ErrUnknown
	}
	ended := which(s)
	m.forget(ended)
	m.mu.Unlock()
	if err := m.remove(ctx, ended); err != nil {
		return fmt.Errorf("the session's end cannot be stored: %w", err)
	}
	return nil
}

// remove deletes ended sessions from the storage, and those that it could not delete
// before. The caller holds changing.
func (m *Manager) remove(ctx context.Context, ended []*live) error {
	m.undeleted = append(m.undeleted, sessionKeys(ended)...)
	err := m.storage.Change(ctx, nil, m.undeleted)
	if err == nil {
		m.undeleted = nil
	}
	return err
}
