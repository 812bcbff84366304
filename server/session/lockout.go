package session

import (
	"sync"
	"time"

	"squelch/server/address"
)

// Limits of wrong guesses.
const (
	// DefaultFailures within DefaultFailureWindow lock an address out for
	// DefaultLockTime.
	DefaultFailures      = 10
	DefaultFailureWindow = 2 * time.Minute
	DefaultLockTime      = 5 * time.Minute
	// maxAddresses is how many addresses are remembered, in about 3 MB. Beyond that the
	// one whose last failure is longest ago is forgotten.
	maxAddresses = 10_000
)

// LockoutOptions of [NewLockout]; zero values mean the defaults.
type LockoutOptions struct {
	Failures int
	Window   time.Duration
	LockTime time.Duration
	Now      func() time.Time
}

// Lockout bounds guesses by address: NAC ids, passwords, texts that are not a token.
// A valid token is not a guess and is never asked about here. Its methods may be
// called from any goroutine.
type Lockout struct {
	options LockoutOptions

	mu        sync.Mutex
	addresses *recent[string, *attempts]
	turns     map[string]*turn // of the addresses that are guessing right now
}

// turn is held by the one guess of an address that is being judged.
type turn struct {
	sync.Mutex
	wanted int // by how many guesses; guarded by Lockout.mu
}

// Verdict is the result of a guess.
type Verdict struct {
	Judged bool          // false: it was not looked at, because the address is locked out
	Right  bool          // it was right
	Locked time.Duration // how long the address is locked out from now on; 0: not at all
}

type attempts struct {
	failures []time.Time // within the window, at most options.Failures
	until    time.Time   // locked out until then
}

// NewLockout returns a Lockout without failures.
func NewLockout(options LockoutOptions) *Lockout {
	if options.Failures <= 0 {
		options.Failures = DefaultFailures
	}
	if options.Window <= 0 {
		options.Window = DefaultFailureWindow
	}
	if options.LockTime <= 0 {
		options.LockTime = DefaultLockTime
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Lockout{options: options, addresses: newRecent[string, *attempts](maxAddresses), turns: map[string]*turn{}}
}

// Judge asks right whether a guess from an address is right, unless the address is
// locked out. Guesses of one address are judged one after the other, so that
// those that arrive at once cannot outnumber the limit; other addresses do not
// wait for them.
func (l *Lockout) Judge(from string, right func() bool) Verdict {
	key := address.Counted(from)
	defer l.queue(key)()
	if wait := l.wait(key); wait > 0 {
		return Verdict{Locked: wait}
	}
	if right() {
		return Verdict{Judged: true, Right: true}
	}
	return Verdict{Judged: true, Locked: l.failed(key)}
}

// Wrong is Judge for a guess that is known to be wrong.
func (l *Lockout) Wrong(from string) Verdict {
	return l.Judge(from, func() bool { return false })
}

// queue waits for an address's turn and returns the function that ends it.
func (l *Lockout) queue(key string) (leave func()) {
	l.mu.Lock()
	mine := l.turns[key]
	if mine == nil {
		mine = &turn{}
		l.turns[key] = mine
	}
	mine.wanted++
	l.mu.Unlock()
	mine.Lock()
	return func() {
		mine.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if mine.wanted--; mine.wanted == 0 {
			delete(l.turns, key)
		}
	}
}

// Wait returns how long an address must wait before it may guess again; 0: it may
// now. The caller rounds it up to seconds for a Retry-After header.
func (l *Lockout) Wait(from string) time.Duration { return l.wait(address.Counted(from)) }

func (l *Lockout) wait(key string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	tried, known := l.addresses.get(key)
	if !known {
		return 0
	}
	return max(0, tried.until.Sub(l.options.Now()))
}

// failed notes a wrong guess, which was not made during a lock, and returns how long
// the address is now locked out.
func (l *Lockout) failed(key string) time.Duration {
	now := l.options.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	tried, known := l.addresses.get(key)
	if !known {
		tried = &attempts{}
	}
	l.addresses.put(key, tried)
	kept := tried.failures[:0]
	for _, at := range tried.failures {
		if now.Sub(at) < l.options.Window {
			kept = append(kept, at)
		}
	}
	tried.failures = append(kept, now)
	if len(tried.failures) < l.options.Failures {
		return 0
	}
	tried.failures, tried.until = nil, now.Add(l.options.LockTime)
	return l.options.LockTime
}
