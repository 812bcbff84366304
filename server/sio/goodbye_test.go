package sio_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/server/sio"
)

// A radio that says goodbye and comes back at once is a new one, even if its second
// connection overtakes the goodbye on the first.
func TestAGoodbyeEndsWhateverOvertakesIt(t *testing.T) {
	each(t, func(t *testing.T, transport string) {
		const radios, times = 8, 25
		s := newStation(t, sio.Options{RecoveryWindow: patience})
		s.OnConnection(func(c *sio.Socket) { _ = c.Emit("state", 1) })
		open := map[string]func() *radio{"websocket": s.websocket, "polling": s.polling}[transport]
		var all sync.WaitGroup
		for range radios {
			all.Go(func() {
				for range times {
					r, again := open(), open()
					r.mustSend("40")
					id := r.greeted()
					r.event(&id)
					var leaving sync.WaitGroup
					leaving.Go(func() { r.leave() })
					if r.ws != nil {
						leaving.Wait() // a websocket has sent it; a POST is on its way
					}
					again.resume(id)
					if back := again.greeted(); back.SID == id.SID || back.PID == id.PID {
						t.Errorf("taken up again after its goodbye")
					}
					leaving.Wait()
					again.drop()
				}
			})
		}
		all.Wait()
		if strings.Contains(s.log(), "panic") {
			t.Error(s.log())
		}
	})
}

// A radio that is switched off right after its goodbye counts as one that said
// goodbye, though the station, which sends to it all the time, may see the broken
// connection first.
func TestAGoodbyeCountsThoughTheConnectionBreaksFirst(t *testing.T) {
	const radios, times = 8, 25
	s := newStation(t, sio.Options{RecoveryWindow: patience})
	s.OnConnection(func(c *sio.Socket) { _ = c.Emit("state", 1) })
	over, talking := make(chan bool), make(chan bool)
	go func() {
		defer close(talking)
		for {
			select {
			case <-over:
				return
			case <-time.After(20 * time.Microsecond):
				_ = s.Emit("chatter", strings.Repeat("x", 100))
			}
		}
	}()
	var all sync.WaitGroup
	for range radios {
		all.Go(func() {
			for range times {
				r := s.websocket()
				r.mustSend("40")
				r.mustRead("40{")
				r.mustSend("41")
				r.ws.NetConn().Close()
			}
		})
	}
	all.Wait()
	close(over)
	<-talking
	eventually(t, "everybody has gone", func() bool { return s.Stats().Sessions == 0 })
	eventually(t, "the handlers are done", func() bool { return s.Stats().Sockets == 0 })
	if n := s.Stats().Detached; n != 0 {
		t.Errorf("%d of %d radios that said goodbye are kept for their return", n, radios*times)
	}
}

// leave says goodbye as socket.io-client does: for the namespace, then for the
// connection.
func (r *radio) leave() {
	if r.ws == nil {
		_ = r.send("41", "1")
		return
	}
	_ = r.send("41")
	_ = r.ws.NetConn().(interface{ CloseWrite() error }).CloseWrite()
}

func (r *radio) drop() {
	if r.ws != nil {
		r.ws.Close()
		return
	}
	_ = r.send("1")
}
