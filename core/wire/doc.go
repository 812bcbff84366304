// Package wire is the one place for every JSON shape that crosses a boundary of the
// radio: the routes of REST with their bodies and replies, and the events of
// Socket.IO in both directions. It also turns events of the core into messages, and
// requests into commands. The forms that only older clients send are in quirks.go.
//
// Files with the build tag !wasm, such as those of the administration, are for the
// service alone: a browser that simulates the radio does not load them.
package wire

//go:generate go run ./gen
