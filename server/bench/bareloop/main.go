// Command bareloop is the floor of the relay benchmark: what remains of a voice relay
// when there is no radio, no Socket.IO and no protection from slow clients. For each
// message of a talker it makes one WebSocket frame and writes its bytes to the sockets of
// that talker's listeners, one after the other.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/gorilla/websocket"
)

// group is who hears one talker.
type group struct {
	mu      sync.Mutex
	sockets []net.Conn
}

// groups are by the frequency as JSON, as the clients of the benchmark name it.
type groups struct {
	mu     sync.Mutex
	byName map[string]*group
}

func (all *groups) named(name []byte) *group {
	all.mu.Lock()
	defer all.mu.Unlock()
	g := all.byName[string(name)]
	if g == nil {
		g = &group{}
		all.byName[string(name)] = g
	}
	return g
}

func main() {
	all := &groups{byName: map[string]*group{}}
	upgrader := websocket.Upgrader{ReadBufferSize: 512, WriteBufferSize: 512, WriteBufferPool: &sync.Pool{}}
	http.HandleFunc("/socket.io/", func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		go all.serve(c) // on a small stack: that of the request is freed
	})
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

var (
	listening = []byte(`420["addListeningChannel",`)
	speaking  = []byte(`420["setSpeakerChannel",`)
	voice     = []byte(`42["voice",{"data":"`)
)

// serve greets a client as a Socket.IO server would, puts it into its group, and relays
// what it says.
func (all *groups) serve(c *websocket.Conn) {
	defer c.Close()
	say := func(text string) { _ = c.WriteMessage(websocket.TextMessage, []byte(text)) }
	say(`0{"sid":"bare","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}`)
	var to *group
	var name []byte
	for {
		_, text, err := c.ReadMessage()
		switch {
		case err != nil:
			return
		case bytes.HasPrefix(text, voice) && to != nil:
			data, _, _ := bytes.Cut(text[len(voice):], []byte(`"`))
			to.write(frame(fmt.Appendf(nil, `42["voice",{"serverId":-1,"frequency":%s,"data":"%s","receiveType":"listener"}]`, name, data)))
		case bytes.HasPrefix(text, []byte("40")):
			say(`40{"sid":"bare"}`)
		case bytes.HasPrefix(text, listening):
			g := all.named(text[len(listening) : len(text)-1])
			g.mu.Lock()
			g.sockets = append(g.sockets, c.UnderlyingConn())
			g.mu.Unlock()
			say(`430[{"success":true}]`)
		case bytes.HasPrefix(text, speaking):
			name = text[len(speaking) : len(text)-1]
			to = all.named(name)
			say(`430[{"success":true}]`)
		case bytes.HasPrefix(text, []byte("420")):
			say(`430[{"success":true}]`)
		}
	}
}

// frame is an unmasked text frame (RFC 6455 section 5.2) of 126 to 65,535 bytes.
func frame(text []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0x81, 126}, uint16(len(text))), text...)
}

// write blocks on a listener that does not keep up; those of the benchmark do.
func (g *group) write(frame []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sockets {
		_, _ = s.Write(frame)
	}
}
