// Package lease knows which nodes of a cluster live, and which of them owns each radio.
//
// Each node renews one lease, a record on three nodes (JetStream, in memory). A node whose
// renewal has not been acknowledged for Town by its own monotonic clock holds nothing any
// more, whatever it still hears. Others count it as gone only later (Gone), so that two
// owners never decide at once. If NATS runs in the node's process, a node that nobody
// answers for is taken to have died and counts as gone at once, unless Options.Strict; if it
// lives after all, both may decide for up to Town.
//
// The owner of a radio is a record on the disks of three nodes, changed by
// compare-and-set. Its number in the stream is the epoch: orders of a lower one are void.
package lease
