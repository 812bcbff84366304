// Package sio is a Socket.IO v5 server on the Engine.IO v4 transport of
// package eio. It knows namespaces, middleware, events, acknowledgements,
// rooms, binary attachments and connection state recovery, and nothing of what
// the events mean.
//
// Arguments may stay raw JSON in both directions, so that key order and large
// integers survive. An event for many sockets is encoded and framed once ([Prepare],
// [PrepareRaw]).
//
// Order: the events of one client are handled one after the other in the order
// of arrival, on a goroutine that exists only while there is work; OnDisconnect
// follows exactly once. What one goroutine sends to a socket, directly or
// through rooms, arrives in that order.
//
// With recovery on, every reliable event carries one more argument, the offset
// (a string), as Node's server does it.
//
// The HTTP server around the handler must give a poll time to wait (its ReadTimeout
// and WriteTimeout must not cut it off; bodies and answers have deadlines here), must
// not compress, and must not add CORS headers.
//
// Protocol: https://github.com/socketio/socket.io-protocol, revision 5.
package sio
