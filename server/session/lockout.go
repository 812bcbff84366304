package session

import (
	"net/netip"
	"sync"
	"time"
)

// Limits of failed logins.
const (
	// DefaultFailures within DefaultFailureWindow lock an address out for
	// DefaultLockTime.
	DefaultFailures      = 10
	DefaultFailureWindow = 2 * time.Minute
	DefaultLockTime      = 5 * time.Minute
	// maxAddresses is how many addresses are remembered; about 3 MB. Beyond
	// that the one whose last failure is longest ago is forgotten.
	maxAddresses = 10_000
	// prefixV6 is how much of an IPv6 address counts: one customer usually has
	// a whole /64 (RFC 6177).
	prefixV6 = 64
)

// LockoutOptions of [NewLockout]; zero values mean the defaults.
type LockoutOptions struct {
	Failures int
	Window   time.Duration
	LockTime time.Duration
	Now      func() time.Time
}

// Lockout counts failed logins by address. Its methods may be called from any
// goroutine.
type Lockout struct {
	options LockoutOptions

	mu        sync.Mutex
	addresses *recent[string, *attempts]
}

type attempts struct {
	failures []time.Time // within the window, at most options.Failures
	until    time.Time   // locked out until then
}

// NewLockout returns a Lockout that knows of no failure yet.
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
	return &Lockout{options: options, addresses: newRecent[string, *attempts](maxAddresses)}
}

// addressKey brings an IP address, with or without port, to the form that
// counts. Anything else counts as it is, cut to a bounded length.
func addressKey(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		withPort, portErr := netip.ParseAddrPort(address)
		if portErr != nil {
			return address[:min(len(address), 64)]
		}
		ip = withPort.Addr()
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.Prefix(prefixV6)
	if err != nil {
		return ip.String()
	}
	return prefix.String()
}

// Wait returns how long address must wait before it may try to log in; 0: it
// may now. The value is for a Retry-After header, rounded up to seconds by the
// caller.
func (l *Lockout) Wait(address string) time.Duration {
	key := addressKey(address)
	l.mu.Lock()
	defer l.mu.Unlock()
	tried, known := l.addresses.get(key)
	if !known {
		return 0
	}
	return max(0, tried.until.Sub(l.options.Now()))
}

// Failed notes a failed login and returns how long address is now locked out.
// Attempts during a lock do not prolong it.
func (l *Lockout) Failed(address string) time.Duration {
	key := addressKey(address)
	now := l.options.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	tried, known := l.addresses.get(key)
	if !known {
		tried = &attempts{}
	}
	if wait := tried.until.Sub(now); wait > 0 {
		return wait
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
