package lease

import "time"

// Times of the lease. Raft's elections take 0.65 to 1 s (package mesh).
const (
	// Renew is how often a node renews its lease.
	Renew = 300 * time.Millisecond
	// Town is for how long after the last acknowledged renewal a node may own a radio, and
	// for how long a replica goes on without its owner.
	Town = 700 * time.Millisecond
	// Gone is how long after the last sign of a lease a node counts as gone. It is more
	// than Town by what the clocks of two machines drift apart meanwhile, and by the way of
	// a message.
	Gone = 900 * time.Millisecond
	// stagger keeps nodes from taking the same radio at once: the second in line waits so
	// much longer than the first.
	stagger = 40 * time.Millisecond

	// tick is how often a node looks at the others while not all is well, and leastRest is the
	// least time between two looks.
	tick      = 25 * time.Millisecond
	leastRest = 5 * time.Millisecond
	// askAfter is how long a node may be silent before it is asked whether it lives, askTime
	// how long it has for the answer, and refusals how often nobody must answer for it.
	askAfter = Renew + Renew/4
	askTime  = 100 * time.Millisecond
	refusals = 3

	// hearTime is how long after its last sign of life, one of which comes every Renew, a node
	// counts as one that is heard.
	hearTime = 3 * Renew
	// forget is how long a node that is gone is remembered.
	forget = time.Hour
	// giveTime is how long a radio that was given to a node waits for it.
	giveTime = 2 * time.Second

	// renewTime bounds one renewal, renewals is how many may be under way, and renewAgain the
	// pause after one that has failed.
	renewTime  = 500 * time.Millisecond
	renewals   = 3
	renewAgain = 50 * time.Millisecond
	// openTime is how long a node waits until its lease is on a majority.
	openTime = 10 * time.Minute
	// beginTime bounds one attempt at that.
	beginTime = 2 * time.Second
	// takeTime bounds one compare-and-set.
	takeTime = 500 * time.Millisecond

	// mendAfter is how long no renewal is acknowledged before a node takes the leases for lost,
	// and mendWait how much longer it waits before it makes them anew: another node may be
	// doing that. Together they are longer than two elections. mendTime bounds the work.
	mendAfter = 2 * time.Second
	mendWait  = 2 * time.Second
	mendTime  = 10 * time.Second
	// heldTime is how long the other nodes have to say that they hold a lease.
	heldTime = 500 * time.Millisecond
	// widenAgain is the pause between attempts to give the stream all its copies.
	widenAgain = 5 * time.Second

	// External NATS: Squelch and NATS die apart, so a lease is long, and who has died is
	// known because nobody answers for it.
	externalRenew = time.Second
	externalTown  = 8 * time.Second
	externalGone  = 10 * time.Second
)
