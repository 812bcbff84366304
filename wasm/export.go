//go:build wasip1

package main

import (
	"unsafe"

	"squelch/wasm/sim"
)

// maxRequest is the longest request, in bytes. A snapshot of a full radio (4096 users
// who scan 160 channels each) is about 10 MB.
const maxRequest = 64 << 20

// The buffers are globals so that the garbage collector keeps them at the addresses
// that the host was given.
var (
	machine sim.Machine
	in      []byte
	out     []byte
)

// room makes space for a request of n bytes and gives its address; 0: n is too large.
//
//go:wasmexport room
func room(n uint32) uint32 {
	if n > maxRequest {
		return 0
	}
	if uint32(cap(in)) < n || in == nil {
		in = make([]byte, n, max(n, 4096))
	}
	return address(in)
}

// answer is the address of the last reply.
//
//go:wasmexport answer
func answer() uint32 { return address(out) }

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

func request(n uint32) []byte { return in[:min(n, uint32(cap(in)))] }

func reply(b []byte) uint32 {
	out = b
	return uint32(len(out))
}

//go:wasmexport new
func begin(n uint32) uint32 { return reply(machine.New(request(n))) }

//go:wasmexport apply
func apply(n uint32) uint32 { return reply(machine.Apply(request(n))) }

//go:wasmexport command
func command(n uint32) uint32 { return reply(machine.Command(request(n))) }

//go:wasmexport tick
func tick(now float64) uint32 { return reply(machine.Tick(now)) }

//go:wasmexport view
func view(n uint32) uint32 { return reply(machine.View(request(n))) }

//go:wasmexport snapshot
func snapshot() uint32 { return reply(machine.Snapshot()) }

//go:wasmexport hash
func hash() uint32 { return reply(machine.Hash()) }
