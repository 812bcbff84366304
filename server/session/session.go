// Package session knows who may use the server: dispatchers with a session, game
// players with a token, programs with an API key; and who has guessed wrong too
// often.
//
// Nothing here knows HTTP or sockets. Everything takes the time from an
// injected clock.
package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits, all of this project unless named.
const (
	// DefaultLifetime of a session: clients renew theirs within a day.
	DefaultLifetime = 24 * time.Hour
	// DefaultMaxSessions is how many sessions may live at once. A login beyond that
	// ends the session that was idle longest.
	DefaultMaxSessions = 2048
	// DefaultMaxPerLogin is how many sessions of one login may live at once: some
	// windows, each of which asks for a new one now and then.
	DefaultMaxPerLogin = 16
	// DefaultMaxPlayers is how many players may be connected at once, twice
	// what the largest game servers take.
	DefaultMaxPlayers = 4096
	// returnTime is how long a session whose socket was cut is preferred to idle ones,
	// because a reconnect needs it again: twice the time for which the radio keeps the
	// user's place by default.
	returnTime = time.Minute
	// MaxField is the longest callsign, name or NAC id kept, in bytes.
	MaxField = 256
	// MaxRegistration is the longest registration of a player, in bytes.
	MaxRegistration = 64 << 10
)

// Errors, which say no more than a client may know.
var (
	// ErrUnknown: the session id is unknown or expired.
	ErrUnknown = errors.New("unknown or expired session")
	// ErrToken: the token is not the one wanted.
	ErrToken = errors.New("wrong token")
	// ErrFull: too many players are connected.
	ErrFull = errors.New("too many players")
	// ErrBusy: there are as many sessions as there may be, and each has an open socket.
	ErrBusy = errors.New("too many sessions with an open connection")
	// ErrInvalid: a field is missing, too long or out of range.
	ErrInvalid = errors.New("invalid")
)

// Storage keeps small values durably.
type Storage interface {
	// Change sets and removes keys at once, and returns nil when that is
	// durable.
	Change(ctx context.Context, put map[string][]byte, remove []string) error
	// All returns everything kept.
	All() map[string][]byte
}

// Via is how a dispatcher logged in.
type Via string

// The ways of logging in.
const (
	ViaNAC      Via = "nac"      // with the dispatch NAC id
	ViaExternal Via = "external" // with an external identity provider
)

// Identity is whom a session belongs to.
type Identity struct {
	Callsign string
	NacID    string // the NAC id given at login, if any
	Via      Via
	Name     string // from the identity provider, if any
}

func (i Identity) check() error {
	for name, value := range map[string]string{"callsign": i.Callsign, "nacId": i.NacID, "name": i.Name} {
		if len(value) > MaxField {
			return fmt.Errorf("%w: %s is longer than %d bytes", ErrInvalid, name, MaxField)
		}
	}
	if i.Via != ViaNAC && i.Via != ViaExternal {
		return fmt.Errorf("%w: via is %q", ErrInvalid, i.Via)
	}
	return nil
}

// Session is a live session as others may see it: without its secrets.
type Session struct {
	// Key names the session: the SHA-256 of its id, hex. It opens nothing, so
	// it may be logged and shown to an administrator.
	Key string
	// Lineage names the login that the session comes from: the Key of its first
	// session. A client that asks for a new session with a token keeps its identity: on
	// the radio the lineage, not the session, owns users and their ids.
	Lineage string
	Identity
	Created, Expires time.Time
	// LastUsed is when it last passed a check. It is not durable: after a
	// restart it is Created.
	LastUsed time.Time
}

// Credentials are what a client gets at a login. They are shown once.
type Credentials struct {
	SessionID string
	Token     string
}

// Options of [New]. The zero value is usable, with no master token.
type Options struct {
	MasterToken string           // "": no token passes as the master token
	DispatchNac string           // of those who have logged in with it; it is not stored with their sessions
	Lifetime    time.Duration    // 0: DefaultLifetime
	MaxSessions int              // 0: DefaultMaxSessions
	MaxPerLogin int              // 0: DefaultMaxPerLogin
	MaxPlayers  int              // 0: DefaultMaxPlayers
	Now         func() time.Time // nil: time.Now
	// Refresh reads one key of a storage that others share from where it is newest; false:
	// it is not there. It is asked before a session is refused that nobody here knows of.
	// Nil: nobody shares the storage.
	Refresh func(key string) bool
	// InUse says whether a login is on the radio, by its lineage: its sockets may be open at
	// another service. Nil: nobody shares the storage.
	InUse func(lineage string) bool
}

// Manager owns all sessions and player tokens. Its methods may be called from
// any goroutine. Checks never wait for the disk.
type Manager struct {
	storage   Storage
	master    digest
	hasMaster bool
	nac       string
	lifetime  time.Duration
	max       int
	maxLogin  int
	maxPlayer int
	now       func() time.Time
	refresh   func(key string) bool
	inUse     func(lineage string) bool
	keys      *Keys

	changing  sync.Mutex // one change at a time; held while the disk works
	undeleted []string   // keys of ended sessions that the disk still has; guarded by changing

	mu       sync.Mutex // guards the maps; never held while the disk works
	sessions map[digest]*live
	tokens   map[digest]digest  // session token → session id
	lineages map[string][]*live // by Lineage
	players  map[int]player
	owners   map[digest]int // player token → server id
}

type live struct {
	Session
	id, token digest
	sockets   int       // that are open
	cut       time.Time // when the last of them lost its connection; zero: never, or it said goodbye
	ending    bool      // chosen to make room; the storage is being changed
}

func (s *live) over(now time.Time) bool { return !now.Before(s.Expires) }

// New reads what storage holds. Sessions that have expired meanwhile are left for
// [Manager.Sweep].
func New(storage Storage, options Options) (*Manager, error) {
	m := &Manager{
		storage: storage, nac: options.DispatchNac, master: digestOf(options.MasterToken), hasMaster: options.MasterToken != "",
		lifetime: options.Lifetime, max: options.MaxSessions, maxLogin: options.MaxPerLogin, maxPlayer: options.MaxPlayers, now: options.Now, refresh: options.Refresh, inUse: options.InUse,
		sessions: map[digest]*live{}, tokens: map[digest]digest{}, lineages: map[string][]*live{},
		players: map[int]player{}, owners: map[digest]int{},
	}
	if m.lifetime == 0 {
		m.lifetime = DefaultLifetime
	}
	if m.max == 0 {
		m.max = DefaultMaxSessions
	}
	if m.maxLogin == 0 {
		m.maxLogin = DefaultMaxPerLogin
	}
	if m.maxPlayer == 0 {
		m.maxPlayer = DefaultMaxPlayers
	}
	if m.now == nil {
		m.now = time.Now
	}
	for key, value := range storage.All() {
		if err := m.restore(key, value); err != nil {
			return nil, fmt.Errorf("stored session %q: %w", key, err)
		}
	}
	var err error
	m.keys, err = openKeys(storage, m.now)
	return m, err
}

// Keys returns the API keys.
func (m *Manager) Keys() *Keys { return m.keys }

// Create begins a session of a new lineage: a login. It is durable when Create
// returns nil.
func (m *Manager) Create(ctx context.Context, who Identity) (Credentials, Session, error) {
	if err := who.check(); err != nil {
		return Credentials{}, Session{}, err
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	return m.begin(ctx, who, nil)
}

// begin makes a session in the lineage of the session that asks for it; nil: in a new
// lineage. The caller holds changing.
func (m *Manager) begin(ctx context.Context, who Identity, asking *live) (Credentials, Session, error) {
	credentials := Credentials{SessionID: newSecret(), Token: newSecret()}
	begun := &live{id: digestOf(credentials.SessionID), token: digestOf(credentials.Token)}
	// Whole milliseconds, as they are stored: a restart changes nothing.
	now := time.UnixMilli(m.now().UnixMilli())
	begun.Session = Session{Key: begun.id.String(), Lineage: begun.id.String(), Identity: who, Created: now, Expires: now.Add(m.lifetime), LastUsed: now}
	if asking != nil {
		begun.Lineage = asking.Lineage
	}
	ended, err := m.makeRoom(asking, now)
	if err != nil {
		return Credentials{}, Session{}, err
	}
	err = m.storage.Change(ctx, map[string][]byte{sessionKey(begun.id): begun.encode()}, sessionKeys(ended))
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		for _, s := range ended {
			s.ending = false
		}
		return Credentials{}, Session{}, fmt.Errorf("the session cannot be stored: %w", err)
	}
	m.forget(ended)
	m.remember(begun)
	return credentials, begun.Session, nil
}

// remember and forget keep the maps consistent. A session that is known already keeps its
// sockets.
func (m *Manager) remember(s *live) {
	if known := m.sessions[s.id]; known != nil {
		s.sockets, s.cut, s.LastUsed = known.sockets, known.cut, known.LastUsed
		m.forget([]*live{known})
	}
	m.sessions[s.id], m.tokens[s.token] = s, s.id
	m.lineages[s.Lineage] = append(m.lineages[s.Lineage], s)
}

func (m *Manager) forget(ended []*live) {
	for _, s := range ended {
		delete(m.tokens, s.token)
		delete(m.sessions, s.id)
		left := slices.DeleteFunc(m.lineages[s.Lineage], func(other *live) bool { return other == s })
		if m.lineages[s.Lineage] = left; len(left) == 0 {
			delete(m.lineages, s.Lineage)
		}
	}
}

func (m *Manager) expired(now time.Time) (ended []*live) {
	for _, s := range m.sessions {
		if s.over(now) {
			ended = append(ended, s)
		}
	}
	return ended
}

// Sweep removes expired sessions and returns how many. They are refused anyway; call
// it every few minutes to free their room, and to store when API keys were last used.
func (m *Manager) Sweep(ctx context.Context) (int, error) {
	m.changing.Lock()
	defer m.changing.Unlock()
	m.mu.Lock()
	ended := m.expired(m.now())
	m.forget(ended)
	m.mu.Unlock()
	return len(ended), errors.Join(m.remove(ctx, ended), m.keys.sweep(ctx))
}

// List returns the live sessions, oldest first.
func (m *Manager) List() []Session {
	m.mu.Lock()
	now := m.now()
	var all []Session
	for _, s := range m.sessions {
		if !s.over(now) {
			all = append(all, s.Session)
		}
	}
	m.mu.Unlock()
	slices.SortFunc(all, func(a, b Session) int {
		return cmpFirst(a.Created.Compare(b.Created), strings.Compare(a.Key, b.Key))
	})
	return all
}
