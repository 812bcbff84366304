package session

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"squelch/server/address"
)

// Limits of requests, all of this project: how many a second, and how many at once.
const (
	// DefaultRate is for one session: it allows for a CAD that polls the status once a
	// second for fifty views, and for loading a page.
	DefaultRate  = 50
	DefaultBurst = 100
	// DefaultLoginRate is for one address: it allows for a dispatch centre at the start
	// of a shift.
	DefaultLoginRate  = 5
	DefaultLoginBurst = 20
	// DefaultReauthRate is for one lineage: it allows for all windows of a dispatcher
	// that ask for a new session when their connection comes back.
	DefaultReauthRate  = 1
	DefaultReauthBurst = 10
	// DefaultMasterReauthRate is for one address and the master token: it allows for
	// all bots of a host that come back after a restart of the service.
	DefaultMasterReauthRate  = 20
	DefaultMasterReauthBurst = 300
	// maxLimited is how many callers are told apart; beyond that the one that has been
	// quiet longest starts afresh.
	maxLimited = 10_000
)

// Limiter bounds the requests of each caller. Its methods may be called from
// any goroutine.
type Limiter struct {
	rate  rate.Limit
	burst int
	now   func() time.Time

	mu      sync.Mutex
	callers *recent[string, *rate.Limiter]
}

// NewLimiter allows each caller perSecond requests, and burst at once. Zero
// values mean the defaults; now may be nil.
func NewLimiter(perSecond float64, burst int, now func() time.Time) *Limiter {
	if perSecond <= 0 {
		perSecond = DefaultRate
	}
	if burst <= 0 {
		burst = DefaultBurst
	}
	if now == nil {
		now = time.Now
	}
	return &Limiter{rate: rate.Limit(perSecond), burst: burst, now: now, callers: newRecent[string, *rate.Limiter](maxLimited)}
}

// WaitAddress is Wait for a caller that is known only by its address. The port does
// not count, nor the part of an IPv6 address that a customer may choose.
func (l *Limiter) WaitAddress(from string) time.Duration { return l.Wait(address.Counted(from)) }

// Wait takes one request of the caller named key (a session's Key or Lineage) and
// returns 0 if it is allowed; otherwise it takes nothing and returns how long to wait
// before trying again.
func (l *Limiter) Wait(key string) time.Duration {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter, known := l.callers.get(key)
	if !known {
		limiter = rate.NewLimiter(l.rate, l.burst)
	}
	l.callers.put(key, limiter)
	taken := limiter.ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}
