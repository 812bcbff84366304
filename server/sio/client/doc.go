// Package client is a Socket.IO v5 client over websocket: events with
// acknowledgements, binary attachments, reconnecting with growing pauses, and
// connection state recovery.
//
// Callbacks run one at a time, in the order in which things happened, on one
// goroutine of the client. They may use the client, but not wait for a [Client.Call].
package client
