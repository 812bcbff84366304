// Package e2e proves the running program: its tests build the binary with the
// race detector, start it on free ports, and talk to it with npm's
// socket.io-client, with raw websockets and with HTTP. Nothing in it is used by
// the program.
package e2e
