package client_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	client "squelch/clients/go"
	"squelch/core/wire"
	"squelch/server/sio"
)

// fakeNode is a node of a radio that acknowledges everything.
type fakeNode struct {
	*httptest.Server
	sockets *sio.Server
	asked   chan string // events and routes
}

func newFakeNode(t *testing.T, others func() wire.Nodes) *fakeNode {
	t.Helper()
	mux := http.NewServeMux()
	n := &fakeNode{sockets: sio.NewServer(sio.Options{}), asked: make(chan string, 64)}
	n.sockets.OnConnection(func(s *sio.Socket) {
		s.OnEvent(func(name string, args []json.RawMessage, ack func(...any)) {
			n.asked <- name + " " + string(args[0])
			if ack != nil {
				ack(wire.AckOK{Success: true})
			}
		})
		_ = s.Emit(wire.NodesEvent, others())
	})
	mux.Handle("/socket.io/", n.sockets)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		n.asked <- r.Method + " " + r.URL.Path
		_, _ = w.Write([]byte(`{"success":true}`))
	})
	n.Server = httptest.NewServer(mux)
	t.Cleanup(n.kill)
	return n
}

func (n *fakeNode) kill() {
	_ = n.Listener.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = n.sockets.Close(ctx)
	n.CloseClientConnections()
	n.Close()
}

// TestLinkAndCallsGoToAnotherNode: the node is killed. The link is on its channel at the
// next one, and calls go there too.
func TestLinkAndCallsGoToAnotherNode(t *testing.T) {
	t.Parallel()
	b := newFakeNode(t, func() wire.Nodes { return wire.Nodes{Self: "b"} })
	a := newFakeNode(t, func() wire.Nodes { return wire.Nodes{Self: "a", Nodes: []wire.NodeAddress{{Name: "b", URL: b.URL}}} })
	c, err := client.New(a.URL, client.Key("k"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	told := make(chan wire.Nodes, 8)
	l, err := c.Connect(within(t), -5, client.OnNodes(func(_ *client.Link, n wire.Nodes) { told <- n }))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if n := take(t, told, "the nodes"); n.Self != "a" {
		t.Errorf("told %+v", n)
	}
	if err := l.SetSpeakerChannel(within(t), client.MustFrequency("154.755")); err != nil {
		t.Fatal(err)
	}
	if err := c.PostDispatchLogout(within(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`setSpeakerChannel "154.755"`, "POST /radio/dispatch/logout"} {
		if got := take(t, a.asked, "the first node"); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
	}
	a.kill()
	if got := take(t, b.asked, "the second node"); got != `setSpeakerChannel "154.755"` {
		t.Errorf("asked %s", got)
	}
	if err := c.PostDispatchLogout(within(t)); err != nil {
		t.Fatal(err)
	}
	if got := take(t, b.asked, "the second node"); got != "POST /radio/dispatch/logout" {
		t.Errorf("asked %s", got)
	}
}
