package session

import (
	"sync"
	"time"
)

// Limits of external logins.
const (
	// LoginTime is how long a user has to log in at the identity provider; the
	// longest life that RFC 6749, section 4.1.2, advises for a code.
	LoginTime = 10 * time.Minute
	// maxLogins is how many may be under way; beyond that the oldest ends.
	maxLogins = 1000
)

// Logins remembers external logins that are under way (OAuth 2 with PKCE, RFC
// 7636). They are kept in memory only: a restart ends them. Its methods may be
// called from any goroutine.
type Logins struct {
	now func() time.Time

	mu      sync.Mutex
	pending *recent[digest, pendingLogin]
}

type pendingLogin struct {
	verifier string
	begun    time.Time
}

// NewLogins returns an empty Logins; now may be nil.
func NewLogins(now func() time.Time) *Logins {
	if now == nil {
		now = time.Now
	}
	return &Logins{now: now, pending: newRecent[digest, pendingLogin](maxLogins)}
}

// Begin makes the state parameter for the redirect to the identity provider and
// the code verifier that belongs to it (43 characters, RFC 7636, section 4.1).
func (l *Logins) Begin() (state, verifier string) {
	state, verifier = newSecret(), newSecret()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending.put(digestOf(state), pendingLogin{verifier, l.now()})
	return state, verifier
}

// Finish returns the verifier for a state that came back. Each state works once
// and for LoginTime.
func (l *Logins) Finish(state string) (verifier string, ok bool) {
	key := digestOf(state)
	l.mu.Lock()
	defer l.mu.Unlock()
	begun, known := l.pending.get(key)
	l.pending.remove(key)
	if !known || l.now().Sub(begun.begun) >= LoginTime {
		return "", false
	}
	return begun.verifier, true
}
