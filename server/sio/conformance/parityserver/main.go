// Command parityserver is our half of the parity test: package sio behind the
// same events as testpeers/parity-server.mjs. It prints its address as its
// first line.
//
//	/socket.io/  an ordinary server     /recover/  the same with recovery
//	/quick/      the same with a heart that beats fast (300 ms) and waits long enough for a busy machine (3 s)
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"squelch/server/sio"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	go leaveWithParent()
	mux := http.NewServeMux()
	mux.Handle("/socket.io/", serve(sio.Options{}))
	mux.Handle("/recover/", serve(sio.Options{RecoveryWindow: time.Minute}))
	mux.Handle("/quick/", serve(sio.Options{PingInterval: 300 * time.Millisecond, PingTimeout: 3 * time.Second}))
	log.Fatal(http.Serve(listener, mux))
}

// leaveWithParent ends the program when the test that started it has ended, even if
// it was killed.
func leaveWithParent() {
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

func serve(options sio.Options) *sio.Server {
	options.MaxPayload = 1_000_000
	options.Logf = log.Printf
	server := sio.NewServer(options)
	server.OnConnection(handle)
	guarded := server.Of("/guarded")
	guarded.Use(admit)
	guarded.OnConnection(handle)
	server.Of("/closed").Use(func(*sio.Socket) error { return fmt.Errorf("nobody enters") })
	return server
}
