// Package wire holds every JSON shape that crosses a boundary of the radio,
// once: the routes of REST with their bodies and replies, the events of
// Socket.IO in both directions, how an event of the core becomes messages and
// how a request becomes a command. The forms that only old clients send live in
// quirks.go.
//
// Files with the build tag !wasm are the service's alone, the administration
// among them: a browser that simulates the radio does not load them.
package wire

//go:generate go run ./gen
