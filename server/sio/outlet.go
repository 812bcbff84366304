package sio

import (
	"sync"
	"time"

	"squelch/server/sio/eio"
)

// outlet is the sending side of a socket. It outlives a lost connection while
// recovery is possible: the rooms know the outlet, and a recovered socket takes
// it over.
//
// Locks are taken in the order outlet.mu, session, log.
type outlet struct {
	namespace *Namespace

	mu      sync.Mutex
	session *eio.Session // nil: not connected, or lost
	log     *replayLog   // nil: no recovery
	owner   *Socket
	state   outletState
	timer   *time.Timer // ends the recovery window

	id, pid string
	rooms   map[string]struct{} // guarded by the namespace's rooms
}

type outletState uint8

const (
	outletNew     outletState = iota
	outletUp                  // connected
	outletLost                // detached: waits for recovery
	outletClaimed             // detached, and a client is about to recover it
	outletGone
)

// send hands an event to the socket.
func (l *outlet) send(p *Prepared, volatile bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if volatile || l.log == nil {
		return l.session != nil && l.session.Send(p.volatileFrame(), volatile)
	}
	if l.state == outletNew || l.state == outletGone {
		return false
	}
	event := p.loggedEvent()
	accepted := l.session != nil && l.session.Send(event.frame, false)
	l.log.add(event) // after Send: see replayLog.pingSent
	return accepted
}

// sendFrame sends a frame that is not an event: it is neither logged nor replayed.
func (l *outlet) sendFrame(f *eio.Frame) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session != nil && l.session.Send(f, false)
}

// lastOwner returns the outlet's socket if a client that has everything up to the
// offset may recover it; else nil.
func (l *outlet) lastOwner(offset string) *Socket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != outletUp && l.state != outletLost {
		return nil
	}
	if _, ok := l.log.since(offset); !ok {
		return nil
	}
	return l.owner
}

func (l *outlet) connectedOwner() *Socket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != outletUp {
		return nil
	}
	return l.owner
}

// attach connects the outlet: it sends the greeting, then what was missed since the
// offset (nil: a new outlet), then live events. It reports false if the outlet has
// ended meanwhile, or the offset is no longer known.
func (l *outlet) attach(owner *Socket, greeting *eio.Frame, offset *string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var missed []*eio.Frame
	if offset != nil {
		var ok bool
		if missed, ok = l.log.since(*offset); !ok || l.state != outletClaimed {
			return false
		}
		l.namespace.server.detached.leave(l.owner.handshake.Counted)
	}
	session := owner.client.session
	session.Send(greeting, false)
	for _, frame := range missed {
		session.Send(frame, false)
	}
	l.session, l.owner, l.state = session, owner, outletUp
	return true
}

// forsake ends a lost outlet if it still belongs to this socket.
func (l *outlet) forsake(of *Socket) {
	l.mu.Lock()
	waits := l.owner == of && (l.state == outletLost || l.state == outletClaimed)
	l.mu.Unlock()
	if waits {
		l.end()
	}
}

// end disconnects the outlet for good.
func (l *outlet) end() {
	l.mu.Lock()
	if l.state == outletGone {
		l.mu.Unlock()
		return
	}
	if l.state == outletLost || l.state == outletClaimed {
		l.namespace.server.detached.leave(l.owner.handshake.Counted)
	}
	l.state, l.session = outletGone, nil
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.namespace.rooms.remove(l)
	l.namespace.forgetPID(l.pid)
}
