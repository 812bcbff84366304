package sio_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/server/sio"
)

// ids are what a radio remembers for recovery.
type ids struct{ SID, PID, offset string }

func (r *radio) greeted() ids {
	r.t.Helper()
	var got ids
	if err := json.Unmarshal([]byte(r.mustRead("40{"))[2:], &got); err != nil {
		r.t.Fatal(err)
	}
	return got
}

// event reads an event and returns its name and arguments, without the offset.
func (r *radio) event(id *ids) string {
	r.t.Helper()
	var args []any
	if err := json.Unmarshal([]byte(r.mustRead("42["))[2:], &args); err != nil {
		r.t.Fatal(err)
	}
	id.offset, _ = args[len(args)-1].(string)
	return fmt.Sprint(args[:len(args)-1]...)
}

func (r *radio) resume(id ids) {
	r.t.Helper()
	r.mustSend(fmt.Sprintf(`40{"pid":%q,"offset":%q}`, id.PID, id.offset))
}

// recovering is a station whose sockets join a room; it reports their coming and
// going.
func recovering(t *testing.T, opts sio.Options) (s *station, met chan *sio.Socket, gone chan string) {
	s = newStation(t, opts)
	met, gone = make(chan *sio.Socket, 8), make(chan string, 8)
	s.OnConnection(func(c *sio.Socket) {
		if !c.Recovered() {
			c.Join("154.755")
			c.Data = "unit 7"
		}
		c.OnDisconnect(func(reason string) { gone <- reason })
		met <- c
	})
	return s, met, gone
}

// cut ends the connection as a bad network does.
func (r *radio) cut() {
	if r.ws != nil {
		r.ws.NetConn().Close()
		return
	}
	_ = r.send("1")
}

func TestALostRadioGetsWhatItMissed(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience})
		open := map[string]func() *radio{"websocket": s.websocket, "polling": s.polling}[transport]
		r := open()
		r.mustSend("40")
		id := r.greeted()
		first := <-met
		room := s.To("154.755")
		_ = room.Emit("state", 1)
		if got := r.event(&id); got != "state1" {
			t.Fatalf("heard %s", got)
		}
		r.cut()
		if reason := <-gone; reason != "transport close" {
			t.Errorf("lost because of %q", reason)
		}
		_ = room.Emit("state", 2)
		room.SendVolatile(sio.PrepareRaw("voice", []byte(`{"data":"x"}`)))
		_ = first.Emit("state", 3)
		if n := len(s.Of("/").Sockets()); n != 0 {
			t.Errorf("%d sockets are connected", n)
		}
		_ = s.To(first.ID()).Emit("state", 4)

		again := open()
		again.resume(id)
		if new := again.greeted(); new.SID != id.SID || new.PID != id.PID {
			t.Errorf("greeted as %v, was %v", new, id)
		}
		second := <-met
		if !second.Recovered() || second.ID() != first.ID() || second.Data != "unit 7" {
			t.Errorf("recovered %v, id %s, data %v", second.Recovered(), second.ID(), second.Data)
		}
		_ = room.Emit("state", 5)
		for n := 2; n <= 5; n++ {
			if got := again.event(&id); got != fmt.Sprint("state", n) {
				t.Errorf("heard %s as number %d", got, n)
			}
		}
		if st := s.Stats(); st.Detached != 0 {
			t.Errorf("%d sockets are still lost", st.Detached)
		}
		again.mustSend("41")
		<-gone
		third := open()
		third.resume(id)
		if new := third.greeted(); new.SID == id.SID || new.PID == id.PID || (<-met).Recovered() {
			t.Error("a radio that left was taken up again")
		}
	})
}

func TestAReconnectTakesOverFromAConnectionThatSeemsAlive(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience})
	r := s.websocket()
	r.mustSend("40")
	id := r.greeted()
	<-met
	_ = s.Emit("state", 1)
	r.event(&id)
	_ = s.Emit("state", 2) // on its way, never read

	again := s.websocket()
	again.resume(id)
	if new := again.greeted(); new.SID != id.SID {
		t.Error("the second connection is a stranger")
	}
	if reason := <-gone; reason != "transport close" {
		t.Errorf("the first ended because of %q", reason)
	}
	if !(<-met).Recovered() {
		t.Error("not recovered")
	}
	if got := again.event(&id); got != "state2" {
		t.Errorf("heard %s", got)
	}
}

func TestWhatCannotBeRecoveredStartsAnew(t *testing.T) {
	for name, story := range map[string]func(s *station, id *ids){
		"wrong pid":       func(_ *station, id *ids) { id.PID = "guessed" },
		"wrong offset":    func(_ *station, id *ids) { id.offset = "guessed" },
		"too much missed": func(s *station, _ *ids) { missed(s, 20) },
		"too late": func(s *station, _ *ids) {
			eventually(s.t, "the window ends", func() bool { return s.Stats().Detached == 0 })
		},
		"no room for it": func(s *station, _ *ids) { missed(s, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			opts := sio.Options{RecoveryWindow: patience, ReplayEvents: 10}
			if name == "too late" {
				opts.RecoveryWindow = 20 * time.Millisecond
			}
			if name == "no room for it" {
				opts.ReplayBytes = 10
			}
			s, met, gone := recovering(t, opts)
			r := s.websocket()
			r.mustSend("40")
			id := r.greeted()
			<-met
			_ = s.Emit("state", 1)
			r.event(&id)
			sid := id.SID
			r.cut()
			<-gone
			story(s, &id)
			again := s.websocket()
			again.resume(id)
			if again.greeted().SID == sid || (<-met).Recovered() {
				t.Error("recovered")
			}
			if rooms := s.Of("/").Sockets("154.755"); len(rooms) != 1 || rooms[0].ID() == sid {
				t.Errorf("%d sockets in the room", len(rooms))
			}
		})
	}
}

func missed(s *station, n int) {
	for i := range n {
		_ = s.Emit("state", i)
	}
}

func TestARefusedRadioMayStillRecoverLater(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience})
	var locked atomic.Bool
	s.Use(func(c *sio.Socket) error {
		if locked.Load() {
			return errors.New("locked out")
		}
		return nil
	})
	r := s.websocket()
	r.mustSend("40")
	id := r.greeted()
	<-met
	_ = s.Emit("state", 1)
	r.event(&id)
	r.cut()
	<-gone
	locked.Store(true)
	again := s.websocket()
	again.resume(id)
	again.mustRead(`44{"message":"locked out"}`)
	locked.Store(false)
	_ = s.Emit("state", 2)
	again.resume(id)
	if again.greeted().SID != id.SID || !(<-met).Recovered() {
		t.Error("not recovered")
	}
	if got := again.event(&id); got != "state2" {
		t.Errorf("heard %s", got)
	}
}

// A radio that stays for hours must not be kept with all it ever heard: what a pong
// confirms is dropped, and the radio can still recover from there.
func TestWhatHasArrivedIsNotKept(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience, ReplayEvents: 10})
	r := s.websocket()
	r.mustSend("40")
	id := r.greeted()
	c := <-met
	for round := range 5 {
		for n := range 8 {
			_ = s.Emit("state", n)
			if got := r.event(&id); got != fmt.Sprint("state", n) {
				t.Fatalf("round %d: heard %s", round, got)
			}
		}
		pinged := make(chan bool, 1)
		c.Probe(patience, func(alive bool) { pinged <- alive })
		if packet, err := r.read(); packet != "2" || err != nil {
			t.Fatalf("heard %q, %v", packet, err)
		}
		r.mustSend("3")
		<-pinged
	}
	r.cut()
	<-gone
	missed(s, 9)
	again := s.websocket()
	again.resume(id)
	if again.greeted().SID != id.SID {
		t.Fatal("not recovered")
	}
	for n := range 9 {
		if got := again.event(&id); got != fmt.Sprint("state", n) {
			t.Errorf("heard %s", got)
		}
	}
}

func TestBroadcastsDuringRecoveryArriveOnceAndInOrder(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience, ReplayEvents: 5000})
	r := s.websocket()
	r.mustSend("40")
	id := r.greeted()
	<-met
	const events, cuts = 2000, 5
	go func() {
		for n := range events {
			_ = s.To("154.755").Emit("state", n)
			if n%10 == 0 {
				time.Sleep(time.Millisecond) // spreads the events over the cuts
			}
		}
	}()
	for n := range events {
		if got := r.event(&id); got != fmt.Sprint("state", n) {
			t.Fatalf("heard %s as number %d", got, n)
		}
		if n%(events/cuts) == events/cuts/2 {
			r.cut()
			r = s.websocket()
			r.resume(id)
			if sid := r.greeted().SID; sid != id.SID {
				t.Fatal("not recovered")
			}
			<-gone
			<-met
		}
	}
	if strings.Contains(s.log(), "panic") {
		t.Error(s.log())
	}
}
