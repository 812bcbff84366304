package sio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"squelch/server/sio"
)

func TestRadiosThatComeAndGo(t *testing.T) {
	const radios = 200
	s := newStation(t, sio.Options{RecoveryWindow: time.Millisecond})
	var connected, disconnected atomic.Int64
	s.OnConnection(func(c *sio.Socket) {
		connected.Add(1)
		c.Join("everyone", fmt.Sprint(connected.Load()%7))
		var gone atomic.Bool
		c.OnEvent(func(string, []json.RawMessage, func(...any)) { _ = s.To("everyone").Emit("heard", 1) })
		c.OnDisconnect(func(string) {
			if gone.Swap(true) {
				t.Error("told twice that a socket has gone")
			}
			disconnected.Add(1)
		})
	})
	for round := 1; round <= 2; round++ {
		var all sync.WaitGroup
		for i := range radios {
			all.Add(1)
			go func() {
				defer all.Done()
				r := s.open([]string{"websocket", "polling"}[i%2])
				switch i % 5 {
				case 0:
					_ = r.send("41")
				case 1:
					_ = r.send(`42["x"]`, "1")
				case 2:
					_ = r.send(`42["x"]`)
					_ = s.Of("/").Emit("y")
				}
				switch {
				case r.ws != nil:
					r.ws.Close()
				case i%5 != 1:
					_ = r.send("nonsense")
				}
			}()
		}
		all.Wait()
		eventually(t, "everyone has gone", func() bool { return disconnected.Load() == int64(radios*round) })
		eventually(t, "nothing is left", func() bool {
			st := s.Stats()
			return st.Sessions == 0 && st.Sockets == 0 && st.Detached == 0 && st.BacklogBytes == 0
		})
	}
	if n := connected.Load(); n != 2*radios {
		t.Errorf("%d connected", n)
	}
	if n := len(s.Of("/").Sockets("everyone")); n != 0 {
		t.Errorf("%d are still in the room", n)
	}
}

func TestTheLastEventArrivesBeforeTheEnd(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := newStation(t, sio.Options{})
		reasons := make(chan string, 30)
		s.OnConnection(func(c *sio.Socket) {
			c.OnDisconnect(func(reason string) { reasons <- reason })
			c.OnEvent(func(string, []json.RawMessage, func(...any)) {
				_ = c.Emit("refused", "locked out")
				c.Disconnect(true)
				_ = c.Emit("too", "late")
			})
		})
		for range 30 {
			r := s.open(transport)
			r.mustSend(`42["join"]`)
			r.mustRead(`42["refused","locked out"]`)
			r.mustRead("41")
			if len(r.waiting) > 0 {
				t.Errorf("%q shares the payload with the disconnect", r.waiting)
			}
			packet, err := r.next()
			if r.ws == nil && packet != "1" || r.ws != nil && !websocket.IsCloseError(err, websocket.CloseNoStatusReceived) {
				t.Errorf("the end is %q, %v", packet, err)
			}
			if reason := <-reasons; reason != "server namespace disconnect" {
				t.Errorf("reason %q", reason)
			}
		}
	})
}

func TestPayloadLimits(t *testing.T) {
	const limit = 1_000_000
	for _, transport := range []string{"websocket", "polling", "chunked"} {
		t.Run(transport, func(t *testing.T) {
			s := newStation(t, sio.Options{MaxPayload: limit, InboundBytes: 2 * limit, MaxBacklog: 2 * limit})
			s.OnConnection(func(c *sio.Socket) {
				c.OnEvent(func(_ string, args []json.RawMessage, ack func(...any)) { ack(args[0]) })
			})
			r := s.open(transport)
			if transport == "chunked" {
				r.http = &http.Client{Transport: unsized{r.http.Transport}}
			}
			for _, size := range []int{90_000, 900_000, limit} {
				packet := event(size)
				r.mustSend(packet)
				if back := r.mustRead("430["); back[len("430["):len(back)-1] != packet[len(`420["e",`):len(packet)-1] {
					t.Fatalf("%d bytes came back changed", size)
				}
			}
			switch err := r.send(event(limit + 1)); {
			case transport != "websocket" && (err == nil || !strings.Contains(err.Error(), "413")):
				t.Errorf("one byte too many was answered with %v", err)
			case transport == "websocket":
				if packet, err := r.next(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
					t.Errorf("one byte too many was answered with %q, %v", packet, err)
				}
			}
		})
	}
}

// event makes a whole Engine.IO packet of that many bytes.
func event(size int) string {
	const frame = `420["e",""]`
	return `420["e","` + strings.Repeat("x", size-len(frame)) + `"]`
}

// unsized sends bodies without Content-Length.
type unsized struct{ http.RoundTripper }

func (u unsized) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r = r.Clone(r.Context())
		r.ContentLength = -1
		r.Body = io.NopCloser(io.MultiReader(r.Body, bytes.NewReader(nil)))
	}
	return u.RoundTripper.RoundTrip(r)
}

func TestMiddlewareAndNamespaces(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := newStation(t, sio.Options{})
		s.panics = 1
		s.Use(func(c *sio.Socket) error {
			switch auth := string(c.Handshake().Auth); auth {
			case `{"token":"right"}`:
				return nil
			case `{"token":"panic"}`:
				panic("middleware of a story")
			case "":
				return errors.New("no token")
			default:
				return &sio.ConnectError{Message: "bad token", Data: map[string]any{"code": "bad_token", "error": auth}}
			}
		})
		s.Of("/custom").OnConnection(func(c *sio.Socket) { _ = c.Emit("welcome", c.Namespace().Name()) })
		open := s.websocket
		if transport == "polling" {
			open = s.polling
		}
		r := open()
		r.mustSend("40", `40{"token":"wrong"}`, "40/nowhere,", `40{"token":"panic"}`, "40/custom", `40{"token":"right"}`)
		r.mustRead(`44{"message":"no token"}`)
		r.mustRead(`44{"message":"bad token","data":{"code":"bad_token","error":"{\"token\":\"wrong\"}"}}`)
		r.mustRead(`44/nowhere,{"message":"Invalid namespace"}`)
		r.mustRead(`44{"message":"internal error"}`)
		r.mustRead(`40/custom,{"sid":"`)
		r.mustRead(`42/custom,["welcome","/custom"]`)
		r.mustRead(`40{"sid":"`)
		if !strings.Contains(s.log(), "middleware of a story") {
			t.Error("the panic was not logged")
		}
	})
}

func TestAcknowledgements(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := newStation(t, sio.Options{})
		type answer struct {
			args []json.RawMessage
			err  error
		}
		answers := make(chan answer, 4)
		take := func(args []json.RawMessage, err error) { answers <- answer{args, err} }
		met := make(chan *sio.Socket, 1)
		s.OnConnection(func(c *sio.Socket) {
			c.OnEvent(func(_ string, args []json.RawMessage, ack func(...any)) {
				ack(args[0], []byte{7}, "ok")
				ack("twice")
			})
			met <- c
		})
		r := s.open(transport)
		c := <-met
		r.mustSend(`428["x",{"b":1,"a":2}]`)
		r.mustRead(`461-8[{"b":1,"a":2},{"_placeholder":true,"num":0},"ok"]`)
		if attachment := r.mustRead("b"); attachment != "b\x07" && attachment != "bBw==" {
			t.Errorf("attachment %q", attachment)
		}
		if err := c.EmitAck("ask", patience, take, 1); err != nil {
			t.Fatal(err)
		}
		r.mustRead(`420["ask",1]`)
		r.mustSend(`4399["nobody asked"]`, `43["no id"]`, `430["fine",2]`, `430["again"]`)
		if a := <-answers; a.err != nil || len(a.args) != 2 || string(a.args[0]) != `"fine"` {
			t.Errorf("answered with %q, %v", a.args, a.err)
		}
		if err := c.EmitAck("ask", time.Millisecond, take); err != nil {
			t.Fatal(err)
		}
		if a := <-answers; !errors.Is(a.err, sio.ErrTimeout) {
			t.Errorf("silence was answered with %v", a.err)
		}
		if err := c.EmitAck("ask", patience, take); err != nil {
			t.Fatal(err)
		}
		c.Disconnect(true)
		if a := <-answers; !errors.Is(a.err, sio.ErrDisconnected) {
			t.Errorf("the end was answered with %v", a.err)
		}
		if err := c.EmitAck("ask", patience, take); !errors.Is(err, sio.ErrDisconnected) {
			t.Errorf("a socket that has gone was asked: %v", err)
		}
	})
}

func TestAHandlerThatPanicsEndsNothing(t *testing.T) {
	panicking := newStation(t, sio.Options{})
	panicking.panics = 1
	panicking.OnConnection(func(c *sio.Socket) {
		c.OnEvent(func(name string, _ []json.RawMessage, ack func(...any)) {
			if name == "bad" {
				panic("handler of a story")
			}
			ack(name)
		})
	})
	r := panicking.open("websocket")
	r.mustSend(`420["bad"]`, `421["good"]`)
	r.mustRead(`431["good"]`)
	if !strings.Contains(panicking.log(), "handler of a story") {
		t.Errorf("the log says %q", panicking.log())
	}
}

func TestProbe(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := newStation(t, sio.Options{})
		met := make(chan *sio.Socket, 1)
		s.OnConnection(func(c *sio.Socket) { met <- c })
		r := s.open(transport)
		c := <-met
		alive := make(chan bool, 1)
		c.Probe(patience, func(a bool) { alive <- a })
		if packet, err := r.read(); packet != "2" || err != nil {
			t.Fatalf("heard %q, %v instead of a ping", packet, err)
		}
		r.mustSend("3")
		if !<-alive {
			t.Error("a radio that answers was taken for dead")
		}
		c.Probe(time.Millisecond, func(a bool) { alive <- a })
		if <-alive {
			t.Error("a radio that is silent was taken for alive")
		}
		c.Disconnect(true)
		eventually(t, "the session ends", func() bool { return s.Stats().Sockets == 0 })
		c.Probe(patience, func(a bool) { alive <- a })
		if <-alive {
			t.Error("a radio that has gone was taken for alive")
		}
	})
}

// TestAProbeJustBeforeTheHeartbeat: the peer has the whole ping timeout to answer it.
func TestAProbeJustBeforeTheHeartbeat(t *testing.T) {
	const interval = 200 * time.Millisecond
	s := newStation(t, sio.Options{PingInterval: interval, PingTimeout: patience})
	met := make(chan *sio.Socket, 1)
	s.OnConnection(func(c *sio.Socket) { met <- c })
	r := s.open("websocket")
	c := <-met
	alive := make(chan bool, 1)
	c.Probe(patience, func(a bool) { alive <- a })
	if packet, err := r.read(); packet != "2" || err != nil {
		t.Fatalf("heard %q, %v instead of a ping", packet, err)
	}
	time.Sleep(2 * interval) // a slow line: the heartbeat is due before the answer
	r.mustSend("3")
	if !<-alive {
		t.Error("a radio that answered in time was taken for dead")
	}
	wellConnected(t, s, r)
}

// crowd is a station that takes addresses from a header; silent opens a session from
// such an address and says nothing.
func crowd(t *testing.T, all, each int) (s *station, silent func(from string) int) {
	s = newStation(t, sio.Options{MaxSessions: all, MaxSessionsPerAddress: each,
		ClientAddr: func(r *http.Request) string { return r.Header.Get("X-From") }})
	return s, func(from string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/socket.io/?EIO=4&transport=polling", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-From", from)
		response, err := s.http.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
}

// wellConnected checks that every radio hears what is sent to all.
func wellConnected(t *testing.T, s *station, radios ...*radio) {
	t.Helper()
	if err := s.Of("/").Emit("roll call"); err != nil {
		t.Fatal(err)
	}
	for _, r := range radios {
		r.mustRead(`42["roll call"]`)
	}
}

func TestSessionLimits(t *testing.T) {
	s, silent := crowd(t, 3, 2)
	var radios []*radio
	for _, from := range []string{"a", "a", "b"} {
		radios = append(radios, s.websocketWith("X-From", from).connect())
	}
	if got := []int{silent("a"), silent("b"), silent("c")}; fmt.Sprint(got) != "[503 503 503]" {
		t.Errorf("where every session is a radio's: %v", got)
	}
	if st := s.Stats(); st.Sessions != 3 || st.Refused != 3 {
		t.Errorf("%+v", st)
	}
	wellConnected(t, s, radios...)
}

// A customer may have a whole IPv6 network, and with it any number of addresses.
func TestAWholeIPv6NetworkIsOneAddress(t *testing.T) {
	s, silent := crowd(t, 100, 2)
	s.websocketWith("X-From", "2001:db8:0:1::1").connect()
	s.websocketWith("X-From", "2001:db8:0:1::2").connect()
	if got := []int{silent("2001:db8:0:1:ffff::3"), silent("2001:db8:0:2::1")}; fmt.Sprint(got) != "[503 200]" {
		t.Errorf("the third of the network, and the neighbour: %v", got)
	}
}

// A refusal makes no session younger: those that try again and again make room before
// the newcomer that is about to say who it is.
func TestTheRefusedMakeRoomBeforeTheNewcomer(t *testing.T) {
	s, silent := crowd(t, 100, 3)
	s.Of("/").Use(func(s *sio.Socket) error {
		if len(s.Handshake().Auth) == 0 {
			return &sio.ConnectError{Message: "who are you?"}
		}
		return nil
	})
	refused := []*radio{s.websocketWith("X-From", "a"), s.websocketWith("X-From", "a")}
	newcomer := s.websocketWith("X-From", "a")
	for _, r := range refused {
		r.mustSend("40")
		r.mustRead("44")
	}
	for range refused {
		if status := silent("a"); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	newcomer.mustSend(`40{"token":"good"}`)
	newcomer.mustRead("40{")
	wellConnected(t, s, newcomer)
}

// Opening sessions and saying nothing keeps nobody out: the oldest of them makes
// room, of the newcomer's own address first.
func TestSilentSessionsMakeRoom(t *testing.T) {
	s, silent := crowd(t, 12, 8)
	ann := s.websocketWith("X-From", "a").connect()
	for range 50 {
		if status := silent("a"); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	bob := s.websocketWith("X-From", "a").connect() // from the address that they all have
	for n := range 60 {
		if status := silent(string('b' + rune(n%3))); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	kim := s.websocketWith("X-From", "e").connect() // when there is no room at all
	wellConnected(t, s, ann, bob, kim)
	if st := s.Stats(); st.Sessions > 12 {
		t.Errorf("%+v", st)
	}
	kim.mustSend("41") // a radio that says goodbye is silent again
	for range 60 {
		silent("a")
	}
	for range 60 {
		silent("e")
	}
	if _, err := kim.next(); err == nil {
		t.Error("a session without a radio held its room")
	}
	wellConnected(t, s, ann, bob)
}

func TestASessionWithoutANamespaceEnds(t *testing.T) {
	s := newStation(t, sio.Options{ConnectTimeout: 50 * time.Millisecond})
	silent := s.websocket()
	if packet, err := silent.next(); !websocket.IsCloseError(err, websocket.CloseNoStatusReceived) {
		t.Errorf("heard %q, %v", packet, err)
	}
	left := s.open("websocket")
	left.mustSend("41")
	if packet, err := left.next(); !websocket.IsCloseError(err, websocket.CloseNoStatusReceived) {
		t.Errorf("heard %q, %v", packet, err)
	}
}
