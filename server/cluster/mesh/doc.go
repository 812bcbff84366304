// Package mesh joins the nodes of a cluster: NATS with JetStream, embedded in each node with
// encrypted routes among them, or an existing one by its addresses. It knows nothing of
// radios.
//
// There are two connections, so that a burst of voice delays no order: Log carries orders
// and what must survive, Voice carries frames, over an account and a route of its own.
package mesh
