// Command events is a server made with github.com/zishang520/socket.io,
// as a second foreign peer for the tests of package client. It listens on a
// free port of localhost, which it prints. The events are those of
// server/testpeers/parity-server.mjs, as far as the tests use them.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zishang520/engine.io/v2/types"
	"github.com/zishang520/socket.io/v2/socket"
)

func main() {
	mux := http.NewServeMux()
	opts := socket.DefaultServerOptions()
	opts.SetPath("/socket.io/")
	opts.SetPingInterval(300 * time.Millisecond)
	opts.SetPingTimeout(20 * time.Second)
	opts.SetTransports(types.NewSet("websocket"))
	io := socket.NewServer(nil, opts)
	handle(io.Sockets())
	guarded := io.Of("/guarded", nil)
	guarded.Use(func(s *socket.Socket, next func(*socket.ExtendedError)) {
		if auth, _ := s.Handshake().Auth.(map[string]any); auth["token"] == "good" {
			next(nil)
			return
		}
		next(socket.NewExtendedError("not authorized", map[string]any{"code": 401, "hint": []string{"log", "in"}}))
	})
	handle(guarded)
	mux.Handle("/socket.io/", io.ServeHandler(opts))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() { // the test closes stdin when it ends, however it ends
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, mux))
}

func handle(n socket.Namespace) {
	_ = n.On("connection", func(args ...any) {
		s := args[0].(*socket.Socket)
		_ = s.On("echo", func(args ...any) {
			if ack, ok := args[len(args)-1].(socket.Ack); ok {
				ack(args[:len(args)-1], nil)
				return
			}
			_ = s.Emit("echo", args...)
		})
		_ = s.On("silent", func(...any) {})
		_ = s.On("ask", func(...any) {
			s.EmitWithAck("question", 41)(func(answer []any, err error) { _ = s.Emit("asked", answer...) })
		})
		_ = s.On("join", func(args ...any) {
			s.Join(socket.Room(args[0].(string)))
			args[1].(socket.Ack)(nil, nil)
		})
		_ = s.On("bye", func(args ...any) {
			_ = s.Emit("last words", "over")
			s.Disconnect(args[0].(bool))
		})
		_ = s.Emit("hello", map[string]any{"auth": s.Handshake().Auth, "namespace": n.Name(), "recovered": s.Recovered()})
	})
}
