package client_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/server/sio"
	"squelch/server/sio/client"
)

// ourServer serves the events that the tests use; /recover/ recovers.
func ourServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	serve(t, mux, "/socket.io/", sio.Options{PingInterval: 300 * time.Millisecond})
	serve(t, mux, "/recover/", sio.Options{RecoveryWindow: patience})
	return web.URL
}

func serve(t *testing.T, mux *http.ServeMux, path string, opts sio.Options) *sio.Server {
	server := sio.NewServer(opts)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := server.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	server.OnConnection(greet)
	guarded := server.Of("/guarded")
	guarded.Use(func(s *sio.Socket) error {
		if string(s.Handshake().Auth) == `{"token":"good"}` {
			return nil
		}
		return &sio.ConnectError{Message: "not authorized", Data: json.RawMessage(`{"code":401,"hint":["log","in"]}`)}
	})
	guarded.OnConnection(greet)
	mux.Handle(path, server)
	return server
}

func greet(s *sio.Socket) {
	s.OnEvent(func(name string, args []json.RawMessage, ack func(...any)) {
		back := []any{sio.Attachments(s.Attachments())}
		for _, arg := range args {
			back = append(back, arg)
		}
		switch name {
		case "echo":
			if ack == nil {
				_ = s.Emit("echo", back...)
			} else {
				ack(back...)
			}
		case "ask":
			_ = s.EmitAck("question", patience, func(args []json.RawMessage, err error) {
				if err == nil {
					_ = s.Emit("asked", args[0])
				}
			}, 41)
		case "join":
			s.Join(strings.Trim(string(args[0]), `"`))
			ack()
		case "tell": // an event, and then the answer
			_ = s.Emit("told", "over")
			ack()
		case "bye":
			_ = s.Emit("last words", "over")
			s.Disconnect(true)
		}
	})
	auth := s.Handshake().Auth
	if auth == nil {
		auth = json.RawMessage("{}")
	}
	_ = s.Emit("hello", map[string]any{"auth": auth, "namespace": s.Namespace().Name(), "recovered": s.Recovered()})
}

// Events that were sent before the answer are heard before the answer, however long
// their callbacks take.
func TestACallReturnsAfterWhatCameBefore(t *testing.T) {
	var heard atomic.Int32
	c := call(t, ourServer(t), func(o *client.Options) {
		o.OnEvent = func(e client.Event) {
			if e.Name == "told" {
				time.Sleep(5 * time.Millisecond)
				heard.Add(1)
			}
		}
	})
	c.connects()
	for n := range int32(20) {
		c.asks("tell")
		if got := heard.Load(); got != n+1 {
			t.Fatalf("%d of %d events were heard when the answer was", got, n+1)
		}
	}
}

func TestOverTLS(t *testing.T) {
	mux := http.NewServeMux()
	web := httptest.NewUnstartedServer(mux)
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // the stranger's handshake error
	web.StartTLS()
	defer web.Close()
	serve(t, mux, "/socket.io/", sio.Options{})
	c := call(t, web.URL, func(o *client.Options) {
		o.TLS = &tls.Config{RootCAs: web.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	})
	c.hears("connect")
	c.hears("hello")
	long := strings.Repeat("v", 300_000)
	if got := c.asks("echo", long); string(got[0]) != `"`+long+`"` {
		t.Error("a long event came back changed")
	}
	stranger := call(t, web.URL, func(o *client.Options) { o.NoReconnect = true })
	if got := stranger.hears("error"); !strings.Contains(got, "certificate") {
		t.Errorf("an unknown certificate was answered with %s", got)
	}
}

// What is missed while disconnected is heard once, in order, after the reconnect.
func TestMissedEventsAreReplayed(t *testing.T) {
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	defer web.Close()
	server := serve(t, mux, "/socket.io/", sio.Options{RecoveryWindow: patience, ReplayEvents: 5000})
	c := call(t, web.URL, nil)
	c.hears("connect false")
	c.hears("hello")
	const events = 2000
	go func() {
		for n := range events {
			_ = server.Emit("state", n)
			if n%50 == 0 {
				c.Cut()
				time.Sleep(time.Millisecond)
			}
		}
	}()
	for n := 0; n < events; {
		note := c.hears("")
		switch {
		case strings.HasPrefix(note, "state "):
			if !strings.HasPrefix(note, "state ["+jsonNumber(n)+" ") {
				t.Fatalf("heard %s as number %d", note, n)
			}
			n++
		case strings.HasPrefix(note, "connect false"):
			t.Fatalf("not recovered after %d events", n)
		}
	}
}

func jsonNumber(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// A clean end must reach the server as one, because it ends a membership at once.
func TestAClosedClientSaysGoodbye(t *testing.T) {
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	defer web.Close()
	server := serve(t, mux, "/socket.io/", sio.Options{RecoveryWindow: patience})
	reasons := make(chan string, 1)
	server.OnConnection(func(s *sio.Socket) { s.OnDisconnect(func(reason string) { reasons <- reason }) })
	for range 20 {
		c := call(t, web.URL, nil)
		c.hears("connect")
		c.Close()
		c.hears("disconnect io client disconnect")
		if reason := <-reasons; reason != "client namespace disconnect" {
			t.Fatalf("the server heard %q", reason)
		}
	}
}

func TestAwaitedAnswersEndWithTheConnection(t *testing.T) {
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	defer web.Close()
	serve(t, mux, "/socket.io/", sio.Options{})
	c := call(t, web.URL, func(o *client.Options) { o.NoReconnect = true })
	c.hears("connect")
	c.hears("hello")
	if err := c.EmitAck("silent", patience, func(_ []json.RawMessage, err error) { c.notes <- err.Error() }); err != nil {
		t.Fatal(err)
	}
	c.Cut()
	c.hears(client.ErrDisconnected.Error())
	c.hears("disconnect")
	if err := c.EmitVolatile("voice"); !errors.Is(err, client.ErrNotConnected) {
		t.Errorf("voice without a connection: %v", err)
	}
}
