// Package cluster lets several nodes share a radio. One node owns it and decides the order
// in which things happen (engine.Source); every node replays the orders, so that each can
// serve clients, and go on when the owner dies.
//
// A caller's command goes to the owner, which gives it a time and a number and tells all
// nodes. NATS is no atomic broadcast: when an owner dies, its last orders may have reached
// some nodes only. So the first order of a new owner names the last one before it; whoever
// has another takes a snapshot. Nothing that needs the disk waits on the way of a key-up:
// what must survive is written afterwards (Source.Durable), and only the reply to the
// command that changed it waits.
package cluster
