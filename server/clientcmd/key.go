package clientcmd

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core/wire"
	sio "squelch/server/sio/client"
	"squelch/sfu/opus/packet"
)

// keyState is how far a press of the key has come, in the words of the radio's Lua.
type keyState string

const (
	keyIdle    keyState = "idle"
	keyAsking  keyState = "asking"
	keyTalking keyState = "talking"
	keyDenied  keyState = "denied"
	keyTail    keyState = "" // released, but the last word is still on its way; Lua is not told
)

// key is the push-to-talk of the handheld: it asks for the floor, sends voice while it
// has it, and tells the radio's Lua. The goroutine that owns the Lua state runs it.
type key struct {
	h         *handheld
	state     keyState
	press     int // counts presses: an answer belongs to the press that asked
	frequency string
	granted   bool // by the service itself, in an emergency
	began     time.Time
	hush      context.CancelFunc // ends the voice
	voices    sync.WaitGroup

	release atomic.Int64 // pttReleaseDelay, ns
	timeout atomic.Int64 // timeoutTimer, ns; 0: none
	packets [][]byte     // what is said: of --play
}

func newKey(h *handheld) *key {
	k := &key{h: h, state: keyIdle}
	k.release.Store(int64(tail))
	return k
}

// configure takes the times of a configUpdate.
func (k *key) configure(arg json.RawMessage) {
	var c struct {
		PTTReleaseDelay *int64
		TimeoutTimer    *int64
	}
	if json.Unmarshal(arg, &c) != nil {
		return
	}
	if c.PTTReleaseDelay != nil {
		k.release.Store(*c.PTTReleaseDelay * int64(time.Millisecond))
	}
	if c.TimeoutTimer != nil {
		k.timeout.Store(*c.TimeoutTimer * int64(time.Millisecond))
	}
}

// become tells the radio's Lua, after what runs now: it may be what has asked.
func (k *key) become(state keyState, more map[string]any) {
	k.state = state
	m := map[string]any{"state": string(state), "frequency": k.frequency}
	maps.Copy(m, more)
	k.h.tell("ptt", m)
}

// down presses the key. In an emergency the service has granted the floor already.
func (k *key) down(frequency, source string) {
	if k.state == keyTail && !k.granted && source != "panic" && frequency == k.frequency {
		k.press++ // the tail's end is off
		k.become(keyTalking, nil)
		return
	}
	k.end()
	k.press++
	k.frequency, k.granted = frequency, source == "panic"
	if k.granted {
		k.talk()
		return
	}
	k.become(keyAsking, nil)
	press := k.press
	err := k.h.s.socket.EmitAck("setTalking", answerTime, func(args []json.RawMessage, err error) {
		err = answered(args, err)
		k.h.do(func() { k.answer(press, err) })
	}, keying{State: true, Frequency: frequency, Override: k.h.s.override})
	if err != nil {
		k.become(keyDenied, map[string]any{"reason": "no connection"})
	}
}

// answer is the service's to a key-up. One that says yes comes after the event that
// tells everybody, if there was a floor to take.
func (k *key) answer(press int, err error) {
	if press != k.press || k.state != keyAsking {
		return
	}
	var busy *deniedError
	switch {
	case err == nil:
		k.talk()
	case errors.Is(err, sio.ErrDisconnected): // lost follows
	case errors.As(err, &busy):
		k.become(keyDenied, map[string]any{"reason": "busy", "talker": int(busy.CurrentTalker)})
	default:
		k.become(keyDenied, map[string]any{"reason": err.Error()})
	}
}

// talking is a talkingState; those of this user say how its floor fares.
func (k *key) talking(arg json.RawMessage) {
	var t wire.TalkingState
	if json.Unmarshal(arg, &t) != nil || t.ServerID != k.h.s.self() || t.Frequency != k.frequency || k.granted {
		return
	}
	switch {
	case t.State && k.state == keyAsking:
		k.talk()
	case !t.State && (k.state == keyTalking || k.state == keyTail):
		reason := "taken"
		if limit := time.Duration(k.timeout.Load()); limit > 0 && time.Since(k.began) >= limit {
			reason = "timeout"
		}
		k.silence()
		k.press++
		k.become(keyIdle, map[string]any{"reason": reason})
	}
}

// talk begins to send.
func (k *key) talk() {
	k.began = time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	k.hush = cancel
	frequency := k.frequency
	k.voices.Go(func() { k.h.s.voiceUntil(ctx, frequency, k.packets) })
	k.become(keyTalking, nil)
}

func (k *key) silence() {
	if k.hush != nil {
		k.hush()
		k.hush = nil
	}
}

// up releases the key; the voice ends a little later, so that the last word is not cut
// off.
func (k *key) up() {
	if k.state != keyTalking || k.granted {
		k.end()
		return
	}
	k.state = keyTail
	press := k.press
	time.AfterFunc(time.Duration(k.release.Load()), func() {
		k.h.do(func() {
			if press == k.press {
				k.end()
			}
		})
	})
}

// end lets go at once.
func (k *key) end() {
	if k.state == keyIdle {
		return
	}
	k.silence()
	k.press++
	if !k.granted {
		// A release never fails, and a lost link ends the floor by itself.
		_ = k.h.s.socket.Emit("setTalking", keying{State: false, Frequency: k.frequency})
	}
	k.become(keyIdle, nil)
}

// lost: the link is gone, and with it the floor. The radio's Lua knows that from the
// connection.
func (k *key) lost() {
	k.silence()
	k.press++
	k.state = keyIdle
}

// close waits until nothing is sent any more.
func (k *key) close() {
	k.silence()
	k.voices.Wait()
}

// hiss is 20 ms of silence in Opus (a packet of the CELT layer without energy): what a
// microphone sends when nobody says anything.
var hiss = []byte{0xf8, 0xff, 0xfe}

// voiceUntil sends the packets, as often as --repeat says, then silence, each when it is
// due, until ctx ends. What cannot be sent at once is dropped.
func (s *session) voiceUntil(ctx context.Context, frequency string, packets [][]byte) {
	began, due := time.Now(), time.Duration(0)
	sent, dropped := 0, 0
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i := 0; ; i++ {
		p := hiss
		if i < len(packets)*s.repeat {
			p = packets[i%len(packets)]
		}
		select {
		case <-timer.C:
		case <-ctx.Done():
			s.out.status("played", map[string]any{"frequency": frequency, "packets": sent, "dropped": dropped})
			return
		}
		if s.sendOn(frequency, p) == nil {
			sent++
		} else {
			dropped++
		}
		due += time.Duration(packet.Samples(p)) * time.Second / packet.Rate
		timer.Reset(max(0, time.Until(began.Add(due))))
	}
}
