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

	// rollTime is how long a new owner waits for the nodes that live to answer the roll call.
	rollTime = 150 * time.Millisecond

	// hashEvery is after how many orders the states are compared.
	hashEvery = 100

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

	// slew is by how much of the time that passes the owner's clock is brought to that of its
	// machine.
	slew = 0.005

)

// tickEvery is how often a source looks at what is due: a tick of the radio may be so late.
const tickEvery = 10 * time.Millisecond
