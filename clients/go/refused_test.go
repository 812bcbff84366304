package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	client "squelch/clients/go"
	"squelch/core/wire"
	"squelch/server/sio"
)

// TestRefusedAfterALoss: a radio that is full, or that has locked the address out, takes the
// link later; another refusal ends the link. A channel that is refused after a reconnect is
// told as trouble. The server here is the service's own, with outcomes that the test chooses.
func TestRefusedAfterALoss(t *testing.T) {
	t.Parallel()
	const accept = ""
	outcomes := make(chan string, 8)
	sockets := make(chan *sio.Socket, 8)
	forbidden := make(chan bool, 1) // has a value: channels are refused
	server := sio.NewServer(sio.Options{})
	server.Use(func(*sio.Socket) error {
		code := <-outcomes
		if code == accept {
			return nil
		}
		return &sio.ConnectError{Message: "no: " + code, Data: wire.ConnectRefusal{Code: code, Error: "no: " + code, RetryAfter: 1}}
	})
	server.OnConnection(func(s *sio.Socket) {
		s.OnEvent(func(_ string, _ []json.RawMessage, ack func(...any)) {
			if len(forbidden) > 0 {
				ack(wire.AckError{Error: "not for you"})
				return
			}
			ack(wire.AckOK{Success: true})
		})
		sockets <- s
	})
	mux := http.NewServeMux()
	mux.Handle("/socket.io/", server)
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := server.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	back, trouble := make(chan bool, 8), make(chan string, 64)
	outcomes <- accept
	l, err := c.Connect(within(t), -5,
		client.OnConnected(func(*client.Link, bool) { back <- true }),
		client.OnTrouble(func(_ *client.Link, err error) { trouble <- err.Error() }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	take(t, back, "the first connect")
	if err := l.SetSpeakerChannel(within(t), client.MustFrequency("154.755")); err != nil {
		t.Fatal(err)
	}
	forbidden <- true
	for _, code := range []string{"full", "locked_out", accept} {
		outcomes <- code
	}
	take(t, sockets, "the first socket").Break()
	for _, want := range []string{"no: full", "no: locked_out", "setSpeakerChannel \"154.755\" after a reconnect: not for you"} {
		if got := take(t, trouble, want); got != want {
			t.Errorf("the trouble is %q, not %q", got, want)
		}
	}
	take(t, back, "the connect after two refusals")
	outcomes <- "bad_token"
	take(t, sockets, "the second socket").Break()
	take(t, l.Done(), "the end")
	var refusal *client.Refusal
	if !errors.As(l.Err(), &refusal) || refusal.Code != "bad_token" {
		t.Errorf("the link has ended with %v", l.Err())
	}
	if err := l.SetSpeakerChannel(within(t), client.MustFrequency("154.755")); err == nil || !strings.Contains(err.Error(), "no: bad_token") {
		t.Errorf("a call after the end: %v", err)
	}
}
