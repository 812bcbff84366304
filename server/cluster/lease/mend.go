package lease

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/cluster/keep"
)

// The leases are in memory, so a node that restarts has lost its copy. Raft counts the vote of a
// copy without entries only once all copies have voted, because one that is away may have entries
// that nobody else has. So if two of three nodes come back after a power cut, or if a node dies
// before one that has just started has caught up, nobody can renew until the third node is back.
//
// But every lease is renewed within Renew anyway, so nothing is lost with them. If no node's
// renewal is acknowledged, while the stream of the state (on disk) still takes a record, the nodes
// delete the stream of the leases and make it anew.

// mendSubject is that record. The node that writes it, by compare-and-set, makes the stream anew.
const mendSubject = keep.StatePrefix + "mended.leases"

// failed notes that a renewal was not acknowledged. l.mu is held.
func (l *Leases) failed(now time.Time) {
	switch {
	case l.failing.IsZero():
		l.failing = now
	case !l.mending && now.Sub(l.failing) > max(l.Scale(mendAfter), l.town) && l.ctx.Err() == nil:
		l.mending = true
		l.work.Go(l.mend)
	}
}

// mend makes the stream anew, more than once if need be, until a renewal is acknowledged.
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

// lost says whether renewals are still not acknowledged.
func (l *Leases) lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ctx.Err() == nil && !l.failing.IsZero()
}

// pause waits, and is false if the node closes meanwhile.
func (l *Leases) pause(d time.Duration) bool {
	select {
	case <-l.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// mended is the number of the newest such record; 0: there is none.
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

// claim writes the next one, and says whether this node was the first to do so.
func (l *Leases) claim(record uint64) bool {
	ctx, cancel := context.WithTimeout(l.ctx, takeTime)
	defer cancel()
	_, err := l.o.Mesh.Stream.Publish(ctx, mendSubject, []byte(l.o.Self.Name), jetstream.WithExpectLastSequencePerSubject(record), jetstream.WithRetryAttempts(0))
	return err == nil
}

// anyHolds asks whether another node holds a lease. If one does, the fault is this node's own.
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

// anew deletes the stream and makes it again, with fewer copies if not all nodes are there, but
// always on a majority.
func (l *Leases) anew() {
	l.o.Logf("warning: no node can renew its lease: the stream of the leases is made anew")
	ctx, cancel := context.WithTimeout(l.ctx, mendTime)
	defer cancel()
	try, end := context.WithTimeout(ctx, beginTime)
	_ = l.o.Mesh.Stream.DeleteStream(try, Stream) // whether it was there does not matter
	end()
	for {
		var err error
		for replicas := l.o.Replicas; replicas > l.o.Replicas/2; replicas-- {
			try, end := context.WithTimeout(ctx, beginTime)
			_, err = l.o.Mesh.Stream.CreateStream(try, stream(replicas))
			end()
			if err == nil {
				l.isNarrow(replicas)
				return
			}
		}
		if ctx.Err() != nil {
			l.o.Logf("warning: the stream of the leases cannot be made anew: %v", err)
			return
		}
		l.pause(renewAgain)
	}
}

// isNarrow notes how many copies the stream has.
func (l *Leases) isNarrow(replicas int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.narrow = replicas < l.o.Replicas
}

// widenIfDue gives the stream all its copies once there are enough nodes.
func (l *Leases) widenIfDue(now time.Time) {
	l.mu.Lock()
	due := l.narrow && now.After(l.widen)
	if due {
		l.widen = now.Add(widenAgain)
	}
	l.mu.Unlock()
	if !due || len(l.Alive()) < l.o.Replicas {
		return
	}
	l.work.Go(func() {
		ctx, cancel := context.WithTimeout(l.ctx, beginTime)
		defer cancel()
		if _, err := l.o.Mesh.Stream.UpdateStream(ctx, stream(l.o.Replicas)); err == nil {
			l.isNarrow(l.o.Replicas)
		}
	})
}
