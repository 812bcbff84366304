package sio_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"squelch/server/sio"
)

var seeds = []string{
	`40`, `40{"token":"t","pid":"p","offset":"o"}`, `40/custom,{}`, `42["setTalking",{"state":true,"frequency":154.755}]`,
	`4212["join",1]`, `451-["voice",{"_placeholder":true,"num":0}]`, `4313[]`, `41`, `41/custom,`, `3`, `42/custom,1["x"]`,
	`42`, `4212`, `450-`, `451-`, `452-["a",{"_placeholder":true,"num":1}]`, `461-0[{"_placeholder":true,"num":0}]`, `44{"message":"x"}`,
}

// mutate changes a valid packet at random.
func mutate(random *rand.Rand, packet string) string {
	b := []byte(packet)
	for range random.IntN(3) {
		i := random.IntN(len(b) + 1)
		switch random.IntN(4) {
		case 0:
			b = append(b[:i:i], append([]byte{byte(random.IntN(256))}, b[i:]...)...)
		case 1:
			b = b[:i]
		case 2:
			b = append(b[:i:i], append([]byte(seeds[random.IntN(len(seeds))]), b[i:]...)...)
		case 3:
			if i < len(b) {
				b[i] ^= 1 << random.IntN(8)
			}
		}
	}
	return string(b)
}

// Packets that no honest client would send harm only their sender.
func TestMutationsHarmNobodyElse(t *testing.T) {
	s := newStation(t, sio.Options{})
	s.Of("/custom")
	s.OnConnection(func(c *sio.Socket) {
		c.Join("room")
		c.OnEvent(func(name string, args []json.RawMessage, ack func(...any)) {
			back := []any{name, sio.Attachments(c.Attachments())}
			for _, arg := range args {
				back = append(back, arg)
			}
			if ack != nil {
				ack(back[1:]...)
			}
			_ = c.Emit("back", back...)
		})
	})
	other := s.open("websocket")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			random := rand.New(rand.NewPCG(7, uint64(worker)))
			for range 40 {
				hostile(s, random)
			}
		}()
	}
	all.Wait()
	eventually(t, "the senders have gone", func() bool { return s.Stats().Sessions == 1 })
	if s.Stats().Malformed == 0 {
		t.Error("nothing was malformed")
	}
	other.mustSend(`420["still",1]`)
	other.mustRead("430[1]")
}

// hostile is one session that sends mutations until it is closed.
func hostile(s *station, random *rand.Rand) {
	if random.IntN(2) == 0 {
		r := s.websocket()
		defer r.ws.Close()
		_ = r.send("3", "40")
		for range 30 {
			kind := websocket.TextMessage
			if random.IntN(6) == 0 {
				kind = websocket.BinaryMessage
			}
			if r.ws.WriteMessage(kind, []byte(mutate(random, seeds[random.IntN(len(seeds))]))) != nil {
				return
			}
		}
		if random.IntN(2) == 0 { // half a frame, then silence and the end
			_, _ = r.ws.NetConn().Write([]byte{0x81, 0xfe, 0x10})
		}
		return
	}
	r := s.polling()
	var at sync.WaitGroup
	for range 3 { // overlapping polls and POSTs
		at.Add(2)
		go func() {
			defer at.Done()
			_, _ = (&radio{t: s.t, base: r.base, http: r.http}).read()
		}()
		packets := make([]string, 5)
		for i := range packets {
			packets[i] = mutate(random, seeds[random.IntN(len(seeds))])
		}
		go func() {
			defer at.Done()
			_ = r.send("40" + "\x1e" + strings.Join(packets, "\x1e"))
		}()
	}
	_ = r.send("1")
	at.Wait()
	_ = r.send("nonsense")
}
