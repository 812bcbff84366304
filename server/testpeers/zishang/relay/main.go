// Command relay is the server of the relay benchmark made with
// github.com/zishang520/socket.io: the same relay as relay-server.mjs.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zishang520/socket.io/v2/socket"
)

func main() {
	options := socket.DefaultServerOptions()
	options.SetPingInterval(5 * time.Second)
	options.SetPingTimeout(5 * time.Second)
	server := socket.NewServer(nil, options)
	_ = server.On("connection", func(clients ...any) {
		s := clients[0].(*socket.Socket)
		var id any
		if auth, ok := s.Handshake().Auth.(map[string]any); ok {
			id = auth["serverId"]
		}
		join := func(args ...any) {
			s.Join(socket.Room(fmt.Sprint(args[0])))
			acknowledge(args)
		}
		_ = s.On("setSpeakerChannel", join)
		_ = s.On("addListeningChannel", join)
		_ = s.On("setTalking", func(args ...any) { acknowledge(args) })
		_ = s.On("voice", func(args ...any) {
			v, ok := args[0].(map[string]any)
			if !ok {
				return
			}
			f := fmt.Sprint(v["frequency"])
			_ = s.To(socket.Room(f)).Emit("voice", map[string]any{"serverId": id, "frequency": f, "data": v["data"], "receiveType": "listener"})
		})
	})
	http.Handle("/socket.io/", server.ServeHandler(nil))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String())
	go func() { // ends with the benchmark
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(l, nil))
}

func acknowledge(args []any) {
	if ack, ok := args[len(args)-1].(socket.Ack); ok {
		ack([]any{map[string]any{"success": true}}, nil)
	}
}
