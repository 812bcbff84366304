package client

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Timeouts of a client that has other servers to go to.
const (
	// homeTime is how long the server whose connection broke has to take the client back
	// before the others are tried, and otherTime how long each of those has. A server that
	// was killed refuses at once; one that is cut off from the network says nothing.
	homeTime  = time.Second
	otherTime = 2 * time.Second
	// spread is the longest wait before the first of the others is tried: the clients of a
	// server that is gone do not fall upon the next one all at once.
	spread = 500 * time.Millisecond
	// maxOthers is how many other servers are remembered.
	maxOthers = 64
)

// Elsewhere names other servers to which the client may go when its connection breaks, in
// the form of Options.URL; those are left out that are no such URLs, and those without TLS
// if the present one has it. leaving: the present one is about to end the connection, so it
// is not asked again first. The last call counts.
func (c *Client) Elsewhere(urls []string, leaving bool) {
	var addresses []string
	for _, u := range urls[:min(len(urls), maxOthers)] {
		if address, ok := c.opts.other(u); ok {
			addresses = append(addresses, address)
		}
	}
	c.way.list(addresses, leaving)
}

// URL is the server that the client is connected to, or was last, in the form of
// Options.URL.
func (c *Client) URL() string { return c.opts.base(c.way.here()) }

// way is where a client connects next.
type way struct {
	mu      sync.Mutex
	first   string   // of the options
	present string   // connected to, or last
	others  []string // as Elsewhere named them
	leaving bool
	round   []string // to try, before a longer pause
	rounds  int      // that have failed since the last connection
	spread  bool     // the next of the others waits, so that not all come at once
}

// attempt is one try to connect.
type attempt struct {
	address string
	wait    time.Duration // before it
	time    time.Duration // it may take; 0: the option's
}

func (w *way) list(others []string, leaving bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.others, w.leaving = others, leaving
}

func (w *way) here() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.present
}

// arrived notes a connection.
func (w *way) arrived(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if address != w.present {
		// Until the new one names the others, the old one is one of them.
		w.others = append(slices.DeleteFunc(slices.Clone(w.others), func(a string) bool { return a == address }), w.present)
		w.present = address
	}
	w.leaving, w.round, w.rounds = false, nil, 0
}

// broke plans what to try after a connection that is lost: the present server at once,
// unless it leaves.
func (w *way) broke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rounds, w.spread = 0, true
	w.round = w.shuffled()
	if len(w.round) > 0 && !w.leaving {
		w.round = append([]string{w.present}, w.round...)
	}
}

// shuffled are the other servers in a random order; w.mu is locked.
func (w *way) shuffled() []string {
	all := slices.DeleteFunc(slices.Clone(w.others), func(a string) bool { return a == w.present })
	if w.first != w.present && len(all) > 0 && !slices.Contains(all, w.first) {
		all = append(all, w.first)
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// next is the next try; pause is the pause before round n.
func (w *way) next(pause func(n int) time.Duration) attempt {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := attempt{address: w.present}
	if len(w.round) == 0 {
		a.wait = pause(w.rounds)
		w.rounds++
		w.round = append([]string{w.present}, w.shuffled()...)
	}
	a.address, w.round = w.round[0], w.round[1:]
	switch {
	case a.address != w.present:
		a.time = otherTime
		if w.spread {
			w.spread = false
			a.wait += time.Duration(rand.Int64N(int64(spread)))
		}
	case len(w.others) > 0:
		a.time = homeTime
	}
	return a
}
