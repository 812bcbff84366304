package client

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"squelch/core/wire"
)

// nodes are where a radio can be reached that several nodes share, as its links were told.
type nodes struct {
	mu      sync.Mutex
	present string // where the last link, or the last call that got through, has gone
	others  []string
}

// bases are the addresses to try in turn; home is that of New.
func (n *nodes) bases(home string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := []string{n.present}
	for _, base := range append(slices.Clone(n.others), home) {
		if !slices.Contains(all, base) {
			all = append(all, base)
		}
	}
	return all
}

// moved notes where the radio was reached.
func (n *nodes) moved(base string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if base == n.present {
		return
	}
	n.others = append(slices.DeleteFunc(n.others, func(o string) bool { return o == base }), n.present)
	n.present = base
}

func (n *nodes) list(others []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.others = others
}

// goElsewhere tells the link and the calls of the other nodes. The key is never sent to one
// without TLS if the radio's own address has it.
func (l *Link) goElsewhere(n wire.Nodes) {
	l.mu.Lock()
	socket := l.socket
	l.mu.Unlock()
	socket.Elsewhere(n.URLs(), n.Leaving)
	l.client.nodes.list(slices.DeleteFunc(n.URLs(), func(base string) bool {
		u, err := url.Parse(base)
		plain := err == nil && u.Scheme == "http" && strings.HasPrefix(l.client.base, "http:")
		return err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !plain
	}))
}

// unreached says that a call has reached nobody, so that it can be made elsewhere without
// being made twice.
func unreached(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
