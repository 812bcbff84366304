package cluster

import "time"

// Limits of a radio that several nodes share. The origin is this project.
const (
	// inboxLength bounds what waits for the source: as much as the engine takes.
	inboxLength = 1024

	// repeatAfter is how long a proposal may be without its order before it is sent again,
	// and giveUp how long before its caller is told that there is none.
	repeatAfter = 150 * time.Millisecond
	giveUp      = 5 * time.Second

	// mostPending is how many proposals of a node may wait for their orders.
	mostPending = 4096

	// rollTime is how long a new owner waits for the nodes that live to say how far they are:
	// no longer than a node that has just died counts as living, nearly.
	rollTime = 500 * time.Millisecond
	// usersTime is how long an owner waits for the nodes to say who is there, and rollAgain
	// when it asks again if one has not.
	usersTime = 2 * time.Second
	rollAgain = time.Second
	// lookAgain is how often somebody who waits looks again.
	lookAgain = 2 * time.Millisecond
	// fetchAgain is how often a replica that needs a snapshot asks for one.
	fetchAgain = 500 * time.Millisecond
	// takeAgain is how long after an attempt to take a radio the next one is made.
	takeAgain = 100 * time.Millisecond
	// haveTime is how long an owner waits for another node to say that it has an order whose
	// outcome is about to be acknowledged.
	haveTime = time.Second
	// haveAgain is how often it asks.
	haveAgain = 200 * time.Millisecond
	// mostHave is how many such questions may wait at a node.
	mostHave = 1024
	// heldHashes is how many hashes of either side wait for the other's.
	heldHashes = 16

	// hashEvery is after how many orders the states are compared.
	hashEvery = 100

	// maxBehind is how many records, and moments of the timeline, a replica keeps in case it
	// has to store them in the place of an owner that has died: those of some seconds.
	maxBehind = 1024

	// heldOrders bounds what is kept while a snapshot is on its way.
	heldOrders = 4096

	// snapshotPart is the size of the parts of a snapshot on the way, in bytes, and
	// snapshotTime how long one may take.
	snapshotPart = 1 << 20
	snapshotTime = 5 * time.Second
	maxSnapshot  = 256 << 20

	// beatEvery is how often an owner without orders says how far it is, so that a node that
	// has missed the last one finds out.
	beatEvery = 200 * time.Millisecond
	// beatFor is how long an owner goes on with that after its last order: a node that has
	// missed all of these has lost its routes, and finds out by itself. That the owner lives
	// is told by its node, once for all radios, every nodeBeat.
	beatFor  = 3 * time.Second
	nodeBeat = 300 * time.Millisecond

	// lookEvery is how often a source looks at its lease and at its proposals while something
	// is under way, and lookIdle while nothing is: it is told when a node comes or goes.
	lookEvery = 50 * time.Millisecond
	lookIdle  = time.Second

	// slew is by how much of the time that passes the owner's clock is brought to that of its
	// machine.
	slew = 0.005

	// remembered is of how many orders the proposals are known, so that a snapshot says which
	// proposals are in it.
	remembered = 4096
	// mostOrigins is of how many processes the newest proposal is known, so that one that is
	// sent twice is ordered once. A process that starts anew is another one.
	mostOrigins = 4096
)

const (
	// statusTime is how long the nodes have to say how they are doing, mostAsked how many
	// such questions are answered at once, and farBehind how many orders a node may be behind
	// before that is a problem: more than a busy radio has while they answer.
	statusTime = time.Second
	mostAsked  = 16
	farBehind  = 1000
	// mostNamed is how many names are told to somebody who has named none of them.
	mostNamed = 10
	// moveTime is how long a radio may take to go to another node: longer than one that was
	// given to it waits for it.
	moveTime = 10 * time.Second
)

// keepTime bounds how long a node waits for the streams of what is kept, waitTime for what
// they hold of a radio, and waitAgain is the pause between attempts: a node that starts before
// the others waits for them. catchUpTime bounds how long it waits for its own copies to catch up
// with theirs.
const (
	keepTime    = 10 * time.Minute
	waitTime    = 10 * time.Minute
	waitAgain   = time.Second
	catchUpTime = time.Minute
)

// tickEvery is the least time between two looks at what is due: a tick of the radio may be so
// late.
const tickEvery = 10 * time.Millisecond
