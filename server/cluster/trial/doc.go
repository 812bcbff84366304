// Package trial is a node of a cluster without a service around it: it shares radios with
// other nodes, has users, keeps what must survive, and does what it is told, in this process
// or in one of its own (Serve, Child). Tests and benchmarks kill it, stop it and cut it off.
package trial
