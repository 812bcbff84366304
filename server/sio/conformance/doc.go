// Package conformance holds server/sio to the Engine.IO v4 and Socket.IO v5
// protocols, beside Node's socket.io: every case runs against both servers, over raw
// HTTP and raw websocket, and the answers are compared line by line. Where the two
// may differ, the case says so and why.
//
// The same is done from the other end with socket.io-client, the client that
// dispatch panels use, and with packets that no honest client would send.
package conformance
