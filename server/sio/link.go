package sio

import (
	"sync"
	"time"

	"squelch/server/sio/eio"
)

// link is the sending side of a socket. It outlives a lost connection while
// recovery is possible: the rooms know the link, and a recovered socket takes
// it over.
//
// Locks are taken in the order link.mu, session, log.
type link struct {
	namespace *Namespace
	id, pid   string
	rooms     map[string]struct{} // guarded by the namespace's rooms

	mu      sync.Mutex
	session *eio.Session // nil: not connected, or lost
	owner   *Socket
	state   linkState
	timer   *time.Timer // ends the recovery window
	log     *replayLog  // nil: no recovery
}

type linkState uint8

const (
	linkNew     linkState = iota
	linkUp                // connected
	linkLost              // detached: waits for recovery
	linkClaimed           // detached, and a client is about to take it up
	linkGone
)

// send hands an event to the socket.
func (l *link) send(p *Prepared, volatile bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if volatile || l.log == nil {
		return l.session != nil && l.session.Send(p.volatileFrame(), volatile)
	}
	if l.state == linkNew || l.state == linkGone {
		return false
	}
	frame, offset := p.loggedFrame()
	accepted := l.session != nil && l.session.Send(frame, false)
	l.log.add(frame, offset) // after Send: see replayLog.pingSent
	return accepted
}

// sendFrame sends what is no event: it is neither logged nor replayed.
func (l *link) sendFrame(f *eio.Frame) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session != nil && l.session.Send(f, false)
}

// lastOwner is the socket that a client which got everything up to the offset
// may take up; nil: none.
func (l *link) lastOwner(offset string) *Socket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != linkUp && l.state != linkLost {
		return nil
	}
	if _, ok := l.log.since(offset); !ok {
		return nil
	}
	return l.owner
}

func (l *link) connectedOwner() *Socket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != linkUp {
		return nil
	}
	return l.owner
}

// attach connects the link: the greeting, then what was missed since the offset
// (nil: a new link), then live events. It reports false where the link was ended
// meanwhile, or the offset is not known any more.
func (l *link) attach(owner *Socket, greeting *eio.Frame, offset *string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var missed []*eio.Frame
	if offset != nil {
		var ok bool
		if missed, ok = l.log.since(*offset); !ok || l.state != linkClaimed {
			return false
		}
		l.namespace.server.detached.leave(l.owner.handshake.Counted)
	}
	session := owner.client.session
	session.Send(greeting, false)
	for _, frame := range missed {
		session.Send(frame, false)
	}
	l.session, l.owner, l.state = session, owner, linkUp
	return true
}

// forsake ends a lost link, if it still is that of this socket.
func (l *link) forsake(of *Socket) {
	l.mu.Lock()
	waits := l.owner == of && (l.state == linkLost || l.state == linkClaimed)
	l.mu.Unlock()
	if waits {
		l.end()
	}
}

// end disconnects the link for good.
func (l *link) end() {
	l.mu.Lock()
	if l.state == linkGone {
		l.mu.Unlock()
		return
	}
	if l.state == linkLost || l.state == linkClaimed {
		l.namespace.server.detached.leave(l.owner.handshake.Counted)
	}
	l.state, l.session = linkGone, nil
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.namespace.rooms.remove(l)
	l.namespace.forgetPID(l.pid)
}
