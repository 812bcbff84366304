package client_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"squelch/server/sio"
	"squelch/server/sio/client"
)

// node is a server that can be killed. Its path has a prefix, as that of one of many radios.
type node struct {
	*httptest.Server
	sockets *sio.Server
}

func newNode(t *testing.T, prefix string) *node {
	t.Helper()
	mux := http.NewServeMux()
	n := &node{sockets: serve(t, mux, prefix+"/socket.io/", sio.Options{})}
	n.Server = httptest.NewServer(mux)
	n.URL += prefix
	t.Cleanup(n.kill)
	return n
}

// kill ends the server as the end of its process does.
func (n *node) kill() {
	_ = n.Listener.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = n.sockets.Close(ctx) // websockets are no connections of the HTTP server any more
	n.CloseClientConnections()
	n.Close()
}

// traveller connects to a node and tells to which it is connected.
func traveller(t *testing.T, o client.Options) (*client.Client, chan string) {
	t.Helper()
	at := make(chan string, 64)
	made := make(chan struct{})
	var c *client.Client
	o.ReconnectDelay = 50 * time.Millisecond
	o.OnConnect = func(bool) {
		<-made
		at <- c.URL()
	}
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	close(made)
	t.Cleanup(c.Close)
	return c, at
}

func arrives(t *testing.T, at chan string, want ...string) string {
	t.Helper()
	select {
	case got := <-at:
		for _, w := range want {
			if got == w {
				return got
			}
		}
		t.Fatalf("it is at %s, want one of %q", got, want)
	case <-time.After(patience):
		t.Fatalf("it does not arrive at any of %q", want)
	}
	return ""
}

func TestAClientGoesToAnotherServerWhenItsOwnIsGone(t *testing.T) {
	t.Parallel()
	a, b, c := newNode(t, ""), newNode(t, "/r/county"), newNode(t, "")
	nowhere := "http://127.0.0.1:1" // a node that died with it
	one, at := traveller(t, client.Options{URL: a.URL})
	arrives(t, at, a.URL)
	one.Elsewhere([]string{nowhere, b.URL, "no URL", "ftp://x"}, false)
	one.Cut() // a hiccup
	arrives(t, at, a.URL)
	a.kill()
	arrives(t, at, b.URL)
	one.Elsewhere([]string{c.URL}, false)
	b.kill()
	arrives(t, at, c.URL)
}

func TestAClientLeavesWithoutAskingAgain(t *testing.T) {
	t.Parallel()
	a, b := newNode(t, ""), newNode(t, "")
	one, at := traveller(t, client.Options{URL: a.URL})
	arrives(t, at, a.URL)
	one.Elsewhere([]string{b.URL}, true)
	one.Cut() // a still answers
	arrives(t, at, b.URL)
	b.kill()
	arrives(t, at, a.URL) // where it came from
}

func TestAClientComesBackToItsOnlyServer(t *testing.T) {
	t.Parallel()
	a := newNode(t, "")
	one, at := traveller(t, client.Options{URL: a.URL, Auth: func() any { return json.RawMessage(`{}`) }})
	arrives(t, at, a.URL)
	one.Elsewhere([]string{"http://127.0.0.1:1"}, false)
	one.Cut()
	arrives(t, at, a.URL)
	one.Elsewhere(nil, false)
	one.Cut()
	arrives(t, at, a.URL)
}

func TestNoCredentialsLeaveTLS(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 16)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	t.Cleanup(plain.Close)
	mux := http.NewServeMux()
	serve(t, mux, "/socket.io/", sio.Options{})
	safe := httptest.NewTLSServer(mux)
	t.Cleanup(safe.Close)
	one, at := traveller(t, client.Options{URL: safe.URL, TLS: safe.Client().Transport.(*http.Transport).TLSClientConfig})
	arrives(t, at, safe.URL)
	one.Elsewhere([]string{plain.URL}, true)
	one.Cut()
	arrives(t, at, safe.URL)
	select {
	case path := <-asked:
		t.Errorf("it has asked %s without TLS", path)
	default:
	}
}
