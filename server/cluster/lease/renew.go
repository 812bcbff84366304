package lease

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// begin reads, and renews for the first time. A question that comes while nobody leads a
// stream has no answer, so it does not wait for long.
func (l *Leases) begin(ctx context.Context) error {
	try, cancel := context.WithTimeout(ctx, beginTime)
	defer cancel()
	if err := l.read(try); err != nil {
		return err
	}
	return l.put(try, time.Now())
}

func (l *Leases) renewIfDue(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.due) || l.flying >= renewals {
		return
	}
	l.due = now.Add(UntilAligned(now, l.renew))
	l.flying++
	l.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), renewTime)
		defer cancel()
		err := l.put(ctx, time.Now())
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flying--
		if err == nil {
			return
		}
		now := time.Now()
		l.failed(now)
		if again := now.Add(renewAgain); again.Before(l.due) { // nobody leads the leases
			l.due = again
			l.lookSooner()
		}
	})
}

// UntilAligned is how long it is to the next moment at which all nodes do what each does so often,
// as far as their clocks agree: raft then carries their renewals in one entry, and processes
// wake once for all. Steps of the clock make no pause longer than every.
func UntilAligned(now time.Time, every time.Duration) time.Duration {
	return every - time.Duration(now.UnixNano()%int64(every))
}

// put renews the lease.
func (l *Leases) put(ctx context.Context, began time.Time) error {
	l.mu.Lock()
	data, err := json.Marshal(l.self)
	l.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = l.o.Mesh.Stream.Publish(ctx, leaseSubject+l.o.Self.Name, data, jetstream.WithRetryAttempts(0))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes.add(time.Since(began), err)
	if err != nil {
		return err
	}
	if began.Sub(l.held) > l.settle && !l.since.IsZero() {
		l.since = time.Now()
	}
	if began.After(l.held) {
		l.held = began
	}
	l.failing = time.Time{}
	return nil
}

// Holds says whether this node may decide about what it owns.
func (l *Leases) Holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds(time.Now())
}

func (l *Leases) holds(now time.Time) bool { return now.Sub(l.held) < l.town }

// Carried says whether the nodes carry NATS themselves: one of them alone then stores nothing.
func (l *Leases) Carried() bool { return l.o.Mesh.Embedded() && l.o.Replicas > 1 }

// Renewed is when the newest acknowledged renewal of this node began.
func (l *Leases) Renewed() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// Until is when this node's lease ends if it is not renewed.
func (l *Leases) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.Add(l.town)
}
