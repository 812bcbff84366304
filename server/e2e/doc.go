// Package e2e tests the running program: its tests build the binary with the race
// detector, start it on free ports, and talk to it with npm's socket.io-client, with
// raw websockets and with HTTP. The stories of testdata/corpus also run against
// core.wasm, which must answer alike. Nothing in this package is used by the program.
package e2e
