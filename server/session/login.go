package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits of external logins.
const (
	// LoginTime is how long a user has to log in at the identity provider; the
	// longest life that RFC 6749, section 4.1.2, advises for a code.
	LoginTime = 10 * time.Minute
	// usedLogins is how many finished logins are remembered, so that none works twice.
	// Origin: dispatchers do not log in a hundred times a minute, and a forgotten login
	// still needs its browser's cookie, and a code that the provider accepts once.
	usedLogins = 1000
)

// Errors of Finish.
var (
	ErrForeignLogin = errors.New("the login does not belong to this browser")
	ErrOldLogin     = errors.New("the login was used already or is too old")
)

// Logins are external logins that are under way (OAuth 2 with PKCE, RFC 7636). The
// data of a login travels in an encrypted cookie, so that beginning logins takes no
// room here and pushes nobody else's out. The key is made at every start: a restart
// ends the logins that are under way. Its methods may be called from any goroutine.
type Logins struct {
	now  func() time.Time
	seal cipher.AEAD

	mu   sync.Mutex
	used *recent[digest, struct{}]
}

// Login is a login that begins.
type Login struct {
	State    string // for the identity provider, which sends it back
	Verifier string // PKCE's; only its hash leaves the service (43 characters, RFC 7636, section 4.1)
	Cookie   string // for the browser: state, verifier and time, encrypted
}

// NewLogins makes the key; now may be nil.
func NewLogins(now func() time.Time) (*Logins, error) {
	if now == nil {
		now = time.Now
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it ends the process rather than fail
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	return &Logins{now: now, seal: seal, used: newRecent[digest, struct{}](usedLogins)}, nil
}

// Begin makes the secrets of a login.
func (l *Logins) Begin() Login {
	login := Login{State: newSecret(), Verifier: newSecret()}
	plain := binary.BigEndian.AppendUint64(nil, uint64(l.now().UnixMilli()))
	plain = append(append(plain, login.State...), login.Verifier...)
	login.Cookie = base64.RawURLEncoding.EncodeToString(l.seal.Seal(nil, nil, plain, nil))
	return login
}

// Belongs says whether a state that came back is the one in the browser's cookie,
// even if that login has expired or was finished.
func (l *Logins) Belongs(state, cookie string) bool {
	_, _, ok := l.open(state, cookie)
	return ok
}

// Finish returns the verifier for a state that came back with the browser's cookie.
// Each works once and for LoginTime.
func (l *Logins) Finish(state, cookie string) (verifier string, err error) {
	verifier, begun, ok := l.open(state, cookie)
	if !ok {
		return "", ErrForeignLogin
	}
	if age := l.now().Sub(begun); age < 0 || age >= LoginTime {
		return "", ErrOldLogin
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := digestOf(state)
	if _, used := l.used.get(key); used {
		return "", ErrOldLogin
	}
	l.used.put(key, struct{}{})
	return verifier, nil
}

func (l *Logins) open(state, cookie string) (verifier string, begun time.Time, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		return "", time.Time{}, false
	}
	plain, err := l.seal.Open(nil, nil, sealed, nil)
	const timeSize, secretSize = 8, 43
	if err != nil || len(plain) != timeSize+2*secretSize {
		return "", time.Time{}, false
	}
	begun = time.UnixMilli(int64(binary.BigEndian.Uint64(plain)))
	inside, verifier := string(plain[timeSize:timeSize+secretSize]), string(plain[timeSize+secretSize:])
	return verifier, begun, digestOf(inside).same(digestOf(state))
}
