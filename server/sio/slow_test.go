package sio_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"squelch/server/sio"
)

// deaf makes a radio that does not read.
func deaf(t *testing.T, s *station) (*radio, *sio.Socket) {
	t.Helper()
	met := make(chan *sio.Socket, 1)
	s.OnConnection(func(c *sio.Socket) { met <- c })
	r := s.open("websocket")
	return r, <-met
}

func TestAPeerThatNeverReadsIsClosed(t *testing.T) {
	for _, tls := range []bool{false, true} {
		t.Run(map[bool]string{false: "tcp", true: "tls"}[tls], func(t *testing.T) {
			const backlog = 256 << 10
			s := startStation(t, sio.Options{MaxBacklog: backlog}, tls)
			_, slow := deaf(t, s)
			gone := make(chan string, 1)
			slow.OnDisconnect(func(reason string) { gone <- reason })
			healthy := s.open("websocket")
			state, err := sio.Prepare("channelState", strings.Repeat("x", 8000))
			if err != nil {
				t.Fatal(err)
			}
			sent := 0
			for slow.SendPrepared(state) {
				if sent++; sent > 20_000 {
					t.Fatal("160 MB went to a peer that never reads")
				}
				if b := s.Stats().BacklogBytes; b > backlog+10_000 {
					t.Fatalf("%d bytes wait for the peer", b)
				}
			}
			if reason := <-gone; reason != "transport error" {
				t.Errorf("closed because of %q", reason)
			}
			if s.Stats().Overflowed != 1 {
				t.Error("the overflow was not counted")
			}
			_ = s.Emit("still", "here")
			healthy.mustRead(`42["still","here"]`)
			eventually(t, "the backlog is released", func() bool { return s.Stats().BacklogBytes == 0 })
		})
	}
}

func TestVoiceForASlowPeerIsDroppedOldestFirst(t *testing.T) {
	s := newStation(t, sio.Options{MaxVolatileFrames: 10})
	r, slow := deaf(t, s)
	voice := func(n string) *sio.Prepared {
		return sio.PrepareRaw("voice", []byte(`"`+n+`"`), []byte(`"`+strings.Repeat("v", 4000)+`"`))
	}
	full := func() bool { _, dropped, _ := slow.Counters(); return dropped > 0 }
	for n := 0; !full(); n++ {
		if n > 20_000 {
			t.Fatal("80 MB of voice went to a peer that never reads")
		}
		slow.SendVolatile(voice("early"))
	}
	for range 10 { // these push out the ten that wait
		if !slow.SendVolatile(voice("late")) {
			t.Error("a new voice frame was refused")
		}
	}
	if err := slow.Emit("talkingState", true); err != nil {
		t.Fatal(err)
	}
	_, dropped, backlog := slow.Counters()
	if dropped < 10 || backlog == 0 || backlog > 60_000 {
		t.Errorf("%d frames dropped, %d bytes wait", dropped, backlog)
	}
	late, stateAfter := 0, -1
	for late < 10 {
		switch packet := r.mustRead("42["); {
		case strings.HasPrefix(packet, `42["voice","late"`):
			late++
		case packet == `42["talkingState",true]`:
			stateAfter = late
		}
	}
	if stateAfter != 0 {
		t.Errorf("the control event waited behind %d voice frames", stateAfter)
	}
	if n := s.Stats().Overflowed; n != 0 {
		t.Error("voice closed the peer")
	}
}

func TestAFloodBlocksOnlyItself(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s := newStation(t, sio.Options{InboundMessages: 8, PingInterval: 50 * time.Millisecond, PingTimeout: 50 * time.Millisecond})
		open := make(chan struct{})
		handled := make(chan struct{}, 10_000)
		s.OnConnection(func(c *sio.Socket) {
			c.OnEvent(func(name string, _ []json.RawMessage, ack func(...any)) {
				if name == "flood" {
					<-open
					handled <- struct{}{}
				} else {
					ack()
				}
			})
		})
		flooder := s.open(transport)
		sent := make(chan error, 1)
		go func() {
			var err error
			for range 20 {
				if err == nil {
					err = flooder.send(slicesOf(`42["flood"]`, 50)...)
				}
			}
			sent <- err
		}()
		other := s.open("websocket")
		for range 20 {
			other.mustSend(`420["x"]`)
			other.mustRead("430[]")
		}
		if n := len(handled); n != 0 {
			t.Errorf("%d events were handled while the handler was stuck", n)
		}
		close(open)
		if err := <-sent; err != nil && transport == "websocket" {
			t.Errorf("the flooder was closed: %v", err)
		}
		if transport == "websocket" {
			for range 1000 {
				<-handled
			}
		}
	})
}

func slicesOf(s string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

func TestVoiceOverTLSArrivesWhole(t *testing.T) {
	s := startStation(t, sio.Options{MaxVolatileFrames: 5000, MaxVolatileBytes: 64 << 20}, true)
	s.OnConnection(func(c *sio.Socket) { c.Join("room") })
	r := s.open("websocket")
	eventually(t, "the radio is in the room", func() bool { return len(s.Of("/").Sockets("room")) == 1 })
	for n := range 500 {
		s.To("room").SendVolatile(sio.PrepareRaw("voice", []byte(`"`+strings.Repeat("v", 50*n)+`"`)))
		if err := s.To("room").Emit("state", n); err != nil {
			t.Fatal(err)
		}
	}
	for voices, states := 0, 0; voices < 500 || states < 500; {
		packet := r.mustRead("42[")
		if strings.HasPrefix(packet, `42["voice"`) {
			if len(packet) != len(`42["voice",""]`)+50*voices {
				t.Fatalf("voice frame %d has %d bytes", voices, len(packet))
			}
			voices++
			continue
		}
		states++
	}
}
