package engine

import (
	"context"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// Source decides the order in which things happen to the radio, and owns the clock.
// Alone is the source of a service on its own; in a cluster the radio's owner
// decides, and its source carries the orders to every engine. The engine closes its
// source.
type Source interface {
	// Propose asks for an order. id identifies the proposal within this process; 0:
	// nobody waits for it. Propose returns when the proposal is on its way; after an
	// error no such order ever comes. A source that has to send a proposal twice still
	// orders it once. If ctx has ended, Propose does not wait for room.
	Propose(ctx context.Context, id uint64, by core.Actor, cmd core.Command) error
	// Orders returns the channel of all orders, without holes, from the first one or
	// from a Snapshot on. It is closed when there are no more.
	Orders() <-chan Ordered
	// Wake is called after every order: at is when the radio wants to be told that
	// time has passed (zero: never). The source that owns the clock then orders a
	// tick. It must not block.
	Wake(at time.Time)
	// Durable stores what the orders up to seq have changed: audited events and moments
	// of the timeline, each in order, and the durable state, if snap is not nil. Moments may
	// be of later orders than seq. It returns
	// when all are safe, or with the reason why they are not; a *core.Error of kind
	// Unavailable says that they are kept in memory and stored later. Nobody waits for
	// moments alone, so it need not either. Calls come one after the other. A
	// source whose owner may be deposed fences them with the epoch.
	Durable(ctx context.Context, epoch, seq uint64, snap *core.Data, log []core.Record, moments []core.Moment) error
	// Close ends it: Propose fails with ErrClosed, ticks stop.
	Close()
}

// Ordered is an order with its place in the log.
type Ordered struct {
	// Epoch counts the owners of the radio. Orders of an epoch that has passed are
	// ignored.
	Epoch uint64
	// Seq is one more than that of the order before, in another epoch too.
	Seq uint64
	// Origin is the process that proposed it (Options.Origin), ID is the proposal's
	// number there. A tick has neither.
	Origin, ID uint64
	// Order is the command with its moment and its actor; without a command it is
	// a tick.
	Order wire.Order
	// Snapshot, if not nil, is the whole radio as it was after the order Seq. It takes
	// the place of an Order: an engine that has missed orders goes on from here. One
	// that has missed none ignores a snapshot that is not newer.
	Snapshot *wire.Start
	// Anew says of a Snapshot that it replaces the radio even if it is not newer: this
	// replica was found to differ.
	Anew bool
	// Store has the durable state stored after this order, even if it changes nothing of it:
	// a new owner thereby fences the one before.
	Store bool
	// Lost, if not nil, says why the proposal ID of this process was not ordered. It may
	// still be on its way. It has no place in the log.
	Lost error
}
