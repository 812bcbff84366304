//go:build !race

package sio_test

import (
	"strings"
	"testing"

	"squelch/server/sio"
)

// Voice for many listeners must not make garbage for each of them. (The race detector
// allocates on its own, so this runs without it.)
func TestSendingAllocatesNothingPerListener(t *testing.T) {
	s := newStation(t, sio.Options{})
	met := make(chan *sio.Socket, 1)
	s.OnConnection(func(c *sio.Socket) {
		c.Join("154.755")
		met <- c
	})
	var sockets []*sio.Socket
	for range 5 {
		r := s.open("websocket")
		sockets = append(sockets, <-met)
		go func() {
			for {
				if _, err := r.next(); err != nil {
					return
				}
			}
		}()
	}
	voice := sio.PrepareRaw("voice", []byte(`{"data":"`+strings.Repeat("v", 200)+`"}`))
	room := s.To("154.755")
	others := room.Except(sockets[0].ID())
	for name, send := range map[string]func() bool{
		"voice to one":        func() bool { return sockets[0].SendVolatile(voice) },
		"control to one":      func() bool { return sockets[0].SendPrepared(voice) },
		"voice to a room":     func() bool { return room.SendVolatile(voice) == len(sockets) },
		"voice to the others": func() bool { return others.SendVolatile(voice) == len(sockets)-1 },
	} {
		n, refused := 1.0, 1
		for range 50 {
			// The peers read in this process and allocate too, so a run may count some of
			// theirs; what sending itself allocates is in every run.
			if n == 0 && refused == 0 {
				break
			}
			refused = 0
			n = testing.AllocsPerRun(200, func() {
				if !send() {
					refused++
				}
			})
		}
		if n != 0 || refused > 0 {
			t.Errorf("%s allocates %v times, refused %d times", name, n, refused)
		}
	}
}
