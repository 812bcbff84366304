package sio_test

import (
	"errors"
	"testing"
	"time"

	"squelch/server/sio"
)

// lostRadio is a radio that was connected, heard one event and was cut.
func lostRadio(s *station, met chan *sio.Socket, gone chan string) (ids, *sio.Socket) {
	s.t.Helper()
	r := s.websocket()
	r.mustSend("40")
	id := r.greeted()
	c := <-met
	_ = c.Emit("state", 1)
	r.event(&id)
	r.cut()
	<-gone
	return id, c
}

func TestARefusedRadioDisturbsNobody(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience})
	s.Use(func(c *sio.Socket) error {
		if c.Recovered() || c.Data != nil {
			t.Error("it has the lost socket before it was admitted")
		}
		if c.Handshake().Header.Get("X-Badge") == "none" {
			return errors.New("no badge")
		}
		return nil
	})
	live := s.websocket()
	live.mustSend("40")
	id := live.greeted()
	c := <-met
	_ = c.Emit("state", 1)
	live.event(&id)
	for range 3 {
		stranger := s.websocketWith("X-Badge", "none")
		stranger.resume(id)
		stranger.mustRead(`44{"message":"no badge"}`)
	}
	_ = c.Emit("state", 2)
	if got := live.event(&id); got != "state2" || len(gone) > 0 || !c.Connected() {
		t.Errorf("heard %s, %d gone", got, len(gone))
	}
}

func TestARefusalDoesNotProlongTheWindow(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: 300 * time.Millisecond})
	s.Use(func(c *sio.Socket) error {
		if c.Handshake().Header.Get("X-Badge") == "none" {
			return errors.New("no badge")
		}
		return nil
	})
	id, _ := lostRadio(s, met, gone)
	stranger := s.websocketWith("X-Badge", "none")
	eventually(t, "the window ends though somebody knocks all the time", func() bool {
		stranger.resume(id)
		stranger.mustRead("44")
		return s.Stats().Detached == 0
	})
}

func TestTheOwnerDecidesWhoRecovers(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience})
	answers := make(chan string, 1)
	s.Of("/").OnRecover(
		func(old, now *sio.Socket) bool {
			if old == now || old.ID() == now.ID() || now.Recovered() {
				t.Error("asked too late")
			}
			switch <-answers {
			case "no":
				return false
			case "panic":
				panic("the owner of a story")
			}
			return true
		},
		func(old, now *sio.Socket) bool {
			if old.ID() != now.ID() || !now.Recovered() || now.Data != "unit 7" {
				t.Error("asked too early")
			}
			return <-answers == "yes"
		})
	s.panics = 1
	id, lost := lostRadio(s, met, gone)
	try := func(answer ...string) (ids, *sio.Socket) {
		t.Helper()
		go func() {
			for _, a := range answer {
				answers <- a
			}
		}()
		r := s.websocket()
		r.resume(id)
		return r.greeted(), <-met
	}
	for _, no := range []string{"no", "panic"} {
		if got, c := try(no); got.SID == id.SID || got.PID == id.PID || c.Recovered() {
			t.Errorf("recovered after %q", no)
		}
		if s.Stats().Detached != 1 {
			t.Error("the lost socket does not wait any more")
		}
	}
	if got, c := try("yes", "yes"); got.SID != id.SID || !c.Recovered() || c.ID() != lost.ID() {
		t.Error("not recovered though the owner agreed")
	}
	id, _ = lostRadio(s, met, gone)
	if got, c := try("yes", "no"); got.SID == id.SID || got.PID == id.PID || c.Recovered() || c.Data != "unit 7" {
		t.Error("recovered though the owner has forgotten it")
	}
	if s.Stats().Detached != 0 {
		t.Error("a socket that its owner has forgotten waits")
	}
}

func TestALostSocketIsEndedByItsOwner(t *testing.T) {
	s, met, gone := recovering(t, sio.Options{RecoveryWindow: patience})
	id, lost := lostRadio(s, met, gone)
	lost.Disconnect(true)
	if s.Stats().Detached != 0 {
		t.Error("it still waits")
	}
	r := s.websocket()
	r.resume(id)
	if r.greeted().SID == id.SID || (<-met).Recovered() {
		t.Error("recovered")
	}

	// A socket that has been recovered is not affected.
	id, lost = lostRadio(s, met, gone)
	r = s.websocket()
	r.resume(id)
	r.greeted()
	again := <-met
	lost.Disconnect(true)
	if !again.Connected() || !again.Recovered() {
		t.Error("the socket that came back was ended by the old one")
	}
	_ = again.Emit("state", 2)
	if got := r.event(&id); got != "state2" {
		t.Errorf("heard %s", got)
	}

	// The socket is ended while it is being recovered: the client tries again, and is a
	// new one.
	id, _ = lostRadio(s, met, gone)
	s.Of("/").OnRecover(func(_, _ *sio.Socket) bool { return true }, func(old, now *sio.Socket) bool {
		now.OnDisconnect(func(reason string) { gone <- reason })
		old.Disconnect(true)
		return true
	})
	r = s.websocket()
	r.resume(id)
	if packet, err := r.next(); err == nil {
		t.Errorf("heard %s", packet)
	}
	if reason := <-gone; reason != "transport close" {
		t.Errorf("ended because of %q", reason)
	}
	r = s.websocket()
	r.resume(id)
	if r.greeted().SID == id.SID || (<-met).Recovered() {
		t.Error("recovered")
	}
	if st := s.Stats(); st.Detached != 0 || st.Sockets != 3 {
		t.Errorf("%+v", st)
	}
}
