// Package mirror copies what is kept of a radio between a node's own data folder and what the
// nodes of its cluster share: once into an empty cluster (Join), so that a radio that
// outgrows one machine goes on, and from then on into each node's folder (Mirror), so that
// it can be backed up there, be served alone again, or begin a new cluster.
//
// Logs keep their numbers. A copy is never written over something else: what a folder holds
// that the cluster does not is set aside first.
package mirror
