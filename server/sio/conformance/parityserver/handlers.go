package main

import (
	"encoding/json"
	"log"
	"sync"
	"time"

	"squelch/server/sio"
)

// endings has the reasons why labelled clients went; an early question waits for one.
var endings sync.Map // label → *ending

type ending struct {
	reason string
	once   sync.Once // a client that is recovered ends more than once
	known  chan struct{}
}

func endingOf(label string) *ending {
	e, _ := endings.LoadOrStore(label, &ending{known: make(chan struct{})})
	return e.(*ending)
}

// credentials are what this test's clients say about themselves.
type credentials struct {
	Token string `json:"token"`
	Label string `json:"label"`
}

func credentialsOf(s *sio.Socket) (c credentials) {
	if auth := s.Handshake().Auth; len(auth) > 0 {
		_ = json.Unmarshal(auth, &c) // what does not fit stays empty
	}
	return c
}

func admit(s *sio.Socket) error {
	if credentialsOf(s).Token == "good" {
		return nil
	}
	return &sio.ConnectError{Message: "not authorized", Data: map[string]any{"code": 401, "hint": []string{"log", "in"}}}
}

// visitor is one client with what the server keeps for it.
type visitor struct {
	*sio.Socket
	burst []int
}

func handle(s *sio.Socket) {
	v := &visitor{Socket: s}
	label := credentialsOf(s).Label
	s.OnDisconnect(func(reason string) {
		if label == "" {
			return
		}
		e := endingOf(label)
		e.once.Do(func() {
			e.reason = reason
			close(e.known)
		})
	})
	s.OnEvent(v.event)
	auth := s.Handshake().Auth
	if len(auth) == 0 {
		auth = json.RawMessage("{}")
	}
	v.say("hello", map[string]any{"auth": auth, "namespace": s.Namespace().Name(), "recovered": s.Recovered()})
}

func (v *visitor) say(event string, args ...any) {
	if err := v.Emit(event, args...); err != nil {
		log.Printf("parity: %s: %v", event, err)
	}
}

// arg reads argument i of an event, or the zero value.
func arg[T any](args []json.RawMessage, i int) (value T) {
	if i < len(args) {
		_ = json.Unmarshal(args[i], &value) // the test compares what comes of it
	}
	return value
}

func (v *visitor) event(name string, args []json.RawMessage, ack func(...any)) {
	if name == "echo" {
		v.echo(args, ack)
		return
	}
	if ack == nil {
		ack = func(...any) {}
	}
	room := arg[string](args, 0)
	everyone := v.Namespace()
	switch name {
	case "ask":
		v.ask(time.Duration(arg[int](args, 0)) * time.Millisecond)
	case "join":
		v.Join(room)
		ack()
	case "leave":
		v.Leave(room)
		ack()
	case "rooms":
		ack(len(everyone.Sockets(room)))
	case "shout":
		for i := range arg[int](args, 1) {
			_ = everyone.To(room).Emit("heard", i)
		}
		ack()
	case "shout to others":
		_ = everyone.To(room).Except(v.ID()).Emit("heard", args[1])
		ack()
	case "mixed":
		for i := 0; i < arg[int](args, 1); i += 2 {
			v.say("heard", i)
			_ = everyone.To(room).Emit("heard", i+1)
		}
	case "burst":
		v.burst = append(v.burst, arg[int](args, 0))
	case "tally":
		ack(v.tally())
	case "whisper":
		if p, err := everyone.Prepare("whispered", "psst"); err == nil {
			v.SendVolatile(p)
		}
	case "bye":
		v.say("last words", "over")
		v.Disconnect(arg[bool](args, 0))
	case "ending of":
		go func() {
			e := endingOf(room)
			<-e.known
			ack(e.reason)
		}()
	}
}

func (v *visitor) echo(args []json.RawMessage, ack func(...any)) {
	back := []any{sio.Attachments(v.Attachments())}
	for _, a := range args {
		back = append(back, a)
	}
	if ack != nil {
		ack(back...)
		return
	}
	v.say("echo", back...)
}

func (v *visitor) ask(timeout time.Duration) {
	err := v.EmitAck("question", timeout, func(args []json.RawMessage, err error) {
		if err != nil || len(args) == 0 {
			v.say("asked", "timeout")
			return
		}
		v.say("asked", args[0], sio.Attachments(v.Attachments()))
	}, 41)
	if err != nil {
		log.Printf("parity: question: %v", err)
	}
}

func (v *visitor) tally() any {
	inOrder := true
	for i, n := range v.burst {
		inOrder = inOrder && i == n
	}
	return map[string]any{"count": len(v.burst), "inOrder": inOrder}
}
