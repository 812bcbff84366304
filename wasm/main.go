// Command wasm is the core as one WebAssembly module (wasip1 reactor), for
// browsers and for wazero: package sim behind exported functions. Natively it
// is an empty program.
//
// A host calls _initialize once, then, for each request: room(n) for n bytes,
// writes the JSON at the address that it gives, calls the function with n, and
// reads as many bytes as the function gives at answer(). It must look up the
// memory anew after each call, because it may have grown. Clock and randomness
// are imports (clock_time_get, random_get of wasi_snapshot_preview1): nothing
// that a radio does depends on them.
//
// "just wasm" builds it.
package main

func main() {}
