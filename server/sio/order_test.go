package sio_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"squelch/server/sio"
)

func TestEventsOfOneClientStayInOrder(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		const events = 2000
		var mu sync.Mutex
		var heard []string
		done := make(chan struct{})
		s := newStation(t, sio.Options{})
		s.OnConnection(func(c *sio.Socket) {
			c.OnEvent(func(name string, args []json.RawMessage, _ func(...any)) {
				mu.Lock()
				defer mu.Unlock()
				if heard = append(heard, string(args[0])); len(heard) == events {
					close(done)
				}
			})
		})
		// CONNECT and the first events go out at once: none may be lost.
		r := s.websocket
		if transport == "polling" {
			r = s.polling
		}
		client := r()
		packets := []string{"40"}
		for i := range events {
			if packets = append(packets, fmt.Sprintf(`42["setTalking",%d]`, i)); len(packets) == 100 {
				client.mustSend(packets...)
				packets = nil
			}
		}
		client.mustSend(packets...)
		client.mustRead("40{")
		<-done
		for i, got := range heard {
			if got != fmt.Sprint(i) {
				t.Fatalf("event %d arrived as number %s", i, got)
			}
		}
	})
}

// sequence reads the events with this name and checks that they count up.
func sequence(t *testing.T, r *radio, name string, want int) {
	t.Helper()
	for i := 0; i < want; {
		packet, err := r.next()
		if err != nil {
			t.Fatalf("after %d of %d: %v", i, want, err)
		}
		if packet == "6" {
			continue
		}
		if expected := fmt.Sprintf(`42[%q,%d]`, name, i); packet != expected {
			t.Fatalf("heard %s, want %s", packet, expected)
		}
		i++
	}
}

func TestBroadcastsToARoomArriveInOrder(t *testing.T) {
	const broadcasts = 1000
	for _, transport := range []string{"websocket", "polling", "upgrade"} {
		t.Run(transport, func(t *testing.T) {
			s := newStation(t, sio.Options{})
			joined := make(chan struct{}, 2)
			s.OnConnection(func(c *sio.Socket) {
				c.Join("154.755")
				joined <- struct{}{}
			})
			r := s.open(transport)
			bystander := s.websocket().connect()
			<-joined
			<-joined
			go func() {
				for i := range broadcasts {
					if i == broadcasts/4 && transport == "upgrade" {
						s.To("154.755").Emit("half", "way") // the radio switches when it hears this
					}
					if err := s.To("154.755").Emit("channelState", i); err != nil {
						t.Error(err)
					}
				}
			}()
			if transport == "upgrade" {
				upgradeAtHalf(t, r, broadcasts)
			} else {
				sequence(t, r, "channelState", broadcasts)
			}
			for i := 0; i < broadcasts; i++ {
				if packet := bystander.mustRead("42["); strings.Contains(packet, "half") {
					i--
				}
			}
		})
	}
}

// upgradeAtHalf reads by polling, switches, and reads the rest by websocket.
func upgradeAtHalf(t *testing.T, r *radio, want int) {
	t.Helper()
	heard := 0
	for heard < want {
		packet := r.mustRead("")
		switch {
		case strings.Contains(packet, "half"):
			pending := r.waiting
			r.upgrade()
			r.waiting = pending
		case packet == "6":
		case packet != fmt.Sprintf(`42["channelState",%d]`, heard):
			t.Fatalf("heard %s as number %d", packet, heard)
		default:
			heard++
		}
	}
	if r.ws == nil {
		t.Error("the radio never switched to websocket")
	}
}

func TestDirectAndRoomEventsKeepTheirOrder(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		const events = 600
		s := newStation(t, sio.Options{})
		s.OnConnection(func(c *sio.Socket) {
			c.Join("room")
			c.OnEvent(func(string, []json.RawMessage, func(...any)) {
				prepared := make([]*sio.Prepared, events)
				for i := range prepared {
					prepared[i] = sio.PrepareRaw("e", fmt.Append(nil, i))
				}
				for i := 0; i < events; i += 4 {
					_ = c.Emit("e", i)
					_ = s.To("room").Emit("e", i+1)
					c.SendPrepared(prepared[i+2])
					s.To(c.ID()).SendPrepared(prepared[i+3])
				}
			})
		})
		r := s.open(transport)
		r.mustSend(`42["go"]`)
		sequence(t, r, "e", events)
	})
}

func TestRooms(t *testing.T) {
	s := newStation(t, sio.Options{})
	sockets := make(chan *sio.Socket, 3)
	s.OnConnection(func(c *sio.Socket) { sockets <- c })
	var radios []*radio
	var cs []*sio.Socket
	for range 3 {
		radios = append(radios, s.open("websocket"))
		cs = append(cs, <-sockets)
	}
	cs[0].Join("a", "b")
	cs[1].Join("b", "c")
	cs[2].Join("c")
	if got := cs[0].Rooms(); len(got) != 2 || got[0] != "a" || got[1] != "b" {
		t.Errorf("first socket is in %v", got)
	}
	for i, b := range []sio.Broadcast{
		s.To("a"), s.To("a", "b"), s.To("b", "c").Except("a"), s.To("c").Except(cs[1].ID()), s.To(cs[1].ID()), s.To("nobody"), s.Except("b"),
	} {
		if err := b.Emit("e", i); err != nil {
			t.Fatal(err)
		}
	}
	cs[1].Leave("c")
	_ = s.To("c").Emit("e", 7)
	_ = s.Emit("end")
	for i, want := range []string{"0 1", "1 2 4", "2 3 6 7"} {
		var heard []string
		for {
			packet := radios[i].mustRead("42[")
			if packet == `42["end"]` {
				break
			}
			heard = append(heard, strings.TrimSuffix(strings.TrimPrefix(packet, `42["e",`), "]"))
		}
		if got := strings.Join(heard, " "); got != want {
			t.Errorf("radio %d heard %s, want %s", i, got, want)
		}
	}
	if n := len(s.Of("/").Sockets("b")); n != 2 {
		t.Errorf("room b has %d sockets", n)
	}
	cs[0].Disconnect(true)
	eventually(t, "the first socket leaves its rooms", func() bool { return len(s.Of("/").Sockets("b")) == 1 && len(s.Of("/").Sockets("a")) == 0 })
	cs[0].Join("b")
	if n := len(s.Of("/").Sockets("b")); n != 1 {
		t.Errorf("a socket that has gone joined a room")
	}
}
