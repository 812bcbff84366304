// Command wasm is the core as one WebAssembly module (wasip1 reactor), for browsers
// and for wazero: package sim behind exported functions. Built natively, it is an empty
// program.
//
// A host calls _initialize once. For each request it calls room(n) with the number of
// bytes, writes the JSON at the address that room returns, calls the function with n,
// and reads as many bytes as the function returns at the address answer(). After each
// call it must look up the memory again, which may have grown. Clock and random numbers
// are imports (clock_time_get, random_get of wasi_snapshot_preview1), but nothing that
// a radio does depends on them.
//
// "just wasm" builds it.
package main

func main() {}
