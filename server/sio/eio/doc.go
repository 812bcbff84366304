// Package eio is an Engine.IO v4 server: long polling, websocket, the upgrade
// from one to the other, and the heartbeat.
//
// It carries opaque messages. A [Session] hands what arrives to its [Handler],
// one message after the other in the order of arrival, and accepts [Frame]s,
// which are encoded once and may go to any number of sessions. Sending never
// blocks: what the peer does not take goes to a bounded backlog, and beyond
// that the session is closed (control) or the frame dropped (volatile).
//
// Protocol: https://github.com/socketio/engine.io-protocol, revision 4.
package eio
