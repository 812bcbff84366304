// Command suiteserver serves what the official Engine.IO and Socket.IO
// protocol test suites expect of a server.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"squelch/server/sio"
	"squelch/server/sio/eio"
)

// settings of the server; the defaults are what the suites expect (see
// "test-suite" in the socket.io and engine.io protocol repositories).
type settings struct {
	pingInterval, pingTimeout, connectTimeout, recovery time.Duration
	maxPayload                                          int
}

func main() {
	var s settings
	port := flag.Int("port", 3000, "TCP `port` on localhost; 0 takes a free one")
	addr := flag.String("addr", "", "listen `address` instead, as host:port")
	flag.DurationVar(&s.pingInterval, "ping-interval", 300*time.Millisecond, "pause between heartbeats")
	flag.DurationVar(&s.pingTimeout, "ping-timeout", 200*time.Millisecond, "how long a pong may take")
	flag.DurationVar(&s.connectTimeout, "connect-timeout", time.Second, "how long a session may go without a namespace")
	flag.DurationVar(&s.recovery, "recovery", 0, "how long a lost socket can be taken up again; 0: never")
	flag.IntVar(&s.maxPayload, "max-payload", 1_000_000, "largest message in `bytes`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "suiteserver serves /engine.io/ (echo) and /socket.io/ (namespaces / and /custom)\nfor the official protocol test suites. It prints its address when it listens.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *addr == "" {
		*addr = fmt.Sprintf("localhost:%d", *port)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, s.handler()))
}

func (set settings) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/engine.io/", eio.NewServer(eio.Options{
		PingInterval: set.pingInterval, PingTimeout: set.pingTimeout, MaxPayload: set.maxPayload, Logf: log.Printf,
	}, func(s *eio.Session) eio.Handler { return echo{s} }))
	server := sio.NewServer(sio.Options{
		PingInterval: set.pingInterval, PingTimeout: set.pingTimeout, ConnectTimeout: set.connectTimeout,
		MaxPayload: set.maxPayload, RecoveryWindow: set.recovery, Logf: log.Printf,
	})
	for _, name := range []string{"/", "/custom"} {
		server.Of(name).OnConnection(serve)
	}
	mux.Handle("/socket.io/", server)
	return mux
}

// echo sends every message back.
type echo struct{ session *eio.Session }

func (e echo) Message(m eio.Message) {
	if m.Binary {
		e.session.Send(eio.NewBinary(m.Data), false)
	} else {
		e.session.Send(eio.NewFrame(m.Data), false)
	}
}

func (echo) Close(string) {}

func serve(s *sio.Socket) {
	auth := s.Handshake().Auth
	if len(auth) == 0 {
		auth = json.RawMessage("{}")
	}
	_ = s.Emit("auth", auth)
	s.OnEvent(func(name string, args []json.RawMessage, ack func(...any)) {
		back := []any{sio.Attachments(s.Attachments())}
		for _, arg := range args {
			back = append(back, arg)
		}
		switch {
		case name == "message":
			_ = s.Emit("message-back", back...)
		case name == "message-with-ack" && ack != nil:
			ack(back...)
		}
	})
}
