//go:build inspect

package main

import (
	"encoding/json"
	"net"
	"os"
	"runtime"
)

// A test that attacks the service looks at its memory from outside. Only builds with
// the tag inspect have this, and those are never released: a connection to the socket
// named by SQUELCH_INSPECT gets what is in use after a collection.
func init() {
	path := os.Getenv("SQUELCH_INSPECT")
	if path == "" {
		return
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			_ = json.NewEncoder(conn).Encode(map[string]uint64{"heap": m.HeapAlloc, "goroutines": uint64(runtime.NumGoroutine())})
			_ = conn.Close()
		}
	}()
}
