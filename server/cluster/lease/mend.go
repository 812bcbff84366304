package lease

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/cluster/keep"
)

// A node that restarts has lost its copy of the leases, and raft lets copies that are lost vote
// only together with all others: a copy that is away might have what they have not. So two of
// three nodes that come back after a power cut, or one that dies before the one that has just
// started has caught up, would leave all without leases until the third is there. But there is
// nothing in a lease that is not said anew within Renew. So the nodes make the stream of the
// leases anew, if no renewal of any of them is acknowledged while the stream of the state, which
// is on disks, takes a record.

// mendSubject is that record: whoever has written it makes the leases anew.
const mendSubject = keep.StatePrefix + "mended.leases"

// failed is called when a renewal was not acknowledged.
func (l *Leases) failed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch now := time.Now(); {
	case l.failing.IsZero():
		l.failing = now
	case !l.mending && now.Sub(l.failing) > max(l.Scale(mendAfter), l.town) && l.ctx.Err() == nil:
		l.mending = true
		l.work.Go(l.mend)
	}
}

// mend makes the leases anew, once or more often, until a renewal is acknowledged.
func (l *Leases) mend() {
	defer func() {
		l.mu.Lock()
		l.mending = false
		l.mu.Unlock()
	}()
	for l.lost() {
		record, err := l.mended()
		if err == nil && l.pause(l.Scale(mendWait)) && l.lost() && !l.anyHolds() && l.claim(record) {
			l.anew()
		}
		l.pause(l.renew)
	}
}

// lost says whether no renewal was acknowledged for so long that the leases may be lost.
func (l *Leases) lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ctx.Err() == nil && !l.failing.IsZero()
}

// pause is false if the node closes.
func (l *Leases) pause(d time.Duration) bool {
	select {
	case <-l.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// mended is the number of the record that the leases were made anew; 0: they never were.
func (l *Leases) mended() (record uint64, err error) {
	ctx, cancel := context.WithTimeout(l.ctx, beginTime)
	defer cancel()
	s, err := l.o.Mesh.Stream.Stream(ctx, ownerStream)
	if err != nil {
		return 0, err
	}
	m, err := s.GetLastMsgForSubject(ctx, mendSubject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return m.Sequence, nil
}

// claim says whether this node is the one that makes the leases anew.
func (l *Leases) claim(record uint64) bool {
	ctx, cancel := context.WithTimeout(l.ctx, takeTime)
	defer cancel()
	_, err := l.o.Mesh.Stream.Publish(ctx, mendSubject, []byte(l.o.Self.Name), jetstream.WithExpectLastSequencePerSubject(record), jetstream.WithRetryAttempts(0))
	return err == nil
}

// anyHolds asks whether another node holds a lease: then it is this one that has a problem, and
// not the leases.
func (l *Leases) anyHolds() bool {
	ctx, cancel := context.WithTimeout(l.ctx, heldTime)
	defer cancel()
	_, err := l.o.Mesh.Log.RequestWithContext(ctx, heldSubject, nil)
	return err == nil
}

func (l *Leases) askedHeld(m *nats.Msg) {
	if l.Holds() {
		_ = m.Respond(nil)
	}
}

// anew makes the stream of the leases anew: on as many nodes as it should be on, or on those
// that are there.
func (l *Leases) anew() {
	l.o.Logf("warning: no node's lease is acknowledged: the leases, which are kept in memory, are made anew")
	ctx, cancel := context.WithTimeout(l.ctx, mendTime)
	defer cancel()
	js := l.o.Mesh.Stream
	try, end := context.WithTimeout(ctx, beginTime)
	_ = js.DeleteStream(try, Stream) // it may be gone; if it is not, the next try is in a moment
	end()
	for replicas := l.o.Replicas; ; replicas-- {
		if replicas <= l.o.Replicas/2 { // not enough nodes are known
			if !l.pause(renewAgain) {
				return
			}
			replicas = l.o.Replicas
		}
		try, end := context.WithTimeout(ctx, beginTime)
		_, err := js.CreateStream(try, stream(replicas))
		end()
		if err == nil {
			l.isNarrow(replicas)
			return
		}
		if ctx.Err() != nil {
			l.o.Logf("warning: the leases cannot be made anew: %v", err)
			return
		}
	}
}

// isNarrow takes note of how many nodes the leases are on.
func (l *Leases) isNarrow(replicas int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.narrow = replicas < l.o.Replicas
}

// widenIfDue has the leases on as many nodes as they should be on, once so many are there.
func (l *Leases) widenIfDue(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	alive := 1
	for _, n := range l.nodes {
		if !n.isGone() {
			alive++
		}
	}
	if !l.narrow || alive < l.o.Replicas || now.Before(l.widen) {
		return
	}
	l.widen = now.Add(widenAgain)
	l.work.Go(func() {
		ctx, cancel := context.WithTimeout(l.ctx, beginTime)
		defer cancel()
		if _, err := l.o.Mesh.Stream.UpdateStream(ctx, stream(l.o.Replicas)); err == nil {
			l.isNarrow(l.o.Replicas)
		}
	})
}
