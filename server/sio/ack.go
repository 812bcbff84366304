package sio

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"squelch/server/sio/eio"
	"squelch/server/sio/packet"
)

// Errors of acknowledgements.
var (
	ErrTimeout      = errors.New("sio: no acknowledgement in time")
	ErrDisconnected = errors.New("sio: disconnected before the acknowledgement")
	ErrTooManyAcks  = errors.New("sio: too many acknowledgements awaited")
)

type pendingAck struct {
	timer *time.Timer
	done  func(args []json.RawMessage, err error)
}

// EmitAck sends a reliable event that the client is to acknowledge. done is called
// exactly once, on the client's handler goroutine: with the arguments, or with
// ErrTimeout or ErrDisconnected. If EmitAck itself fails, done is not called. Events
// with acknowledgement are not replayed by recovery.
func (s *Socket) EmitAck(event string, timeout time.Duration, done func(args []json.RawMessage, err error), args ...any) error {
	if packet.Reserved[event] {
		return packet.ErrReserved
	}
	body, attachments, err := packet.AppendArgs(packet.AppendName(nil, event), args)
	if err != nil {
		return err
	}
	id, err := s.await(timeout, done)
	if err != nil {
		return err
	}
	text := packet.AppendPrefix(nil, packet.Event, len(attachments), s.outlet.namespace.name, int64(id))
	s.outlet.sendFrame(eio.NewFrame(append(append(text, body...), ']'), attachments...))
	return nil
}

func (s *Socket) await(timeout time.Duration, done func([]json.RawMessage, error)) (id uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return 0, ErrDisconnected
	case len(s.acks) >= maxPendingAcks:
		return 0, ErrTooManyAcks
	case s.acks == nil:
		s.acks = map[uint64]*pendingAck{}
	}
	id = s.nextAck
	s.nextAck++
	s.acks[id] = &pendingAck{done: done, timer: time.AfterFunc(timeout, func() {
		// If the session ends first, end settles it.
		s.client.session.Do(func() { s.settle(id, nil, ErrTimeout) })
	})}
	return id, nil
}

// acknowledged takes an acknowledgement; one that was not asked for is ignored.
func (s *Socket) acknowledged(p *packet.Packet, attachments [][]byte) {
	if !p.HasID {
		return
	}
	s.attachments = attachments
	defer func() { s.attachments = nil }()
	s.settle(p.ID, p.Args, nil)
}

func (s *Socket) settle(id uint64, args []json.RawMessage, err error) {
	s.mu.Lock()
	a := s.acks[id]
	delete(s.acks, id)
	s.mu.Unlock()
	if a == nil {
		return
	}
	a.timer.Stop()
	s.guard("acknowledgement", func() { a.done(args, err) })
}

// answer returns the function that acknowledges an event of the client.
func (s *Socket) answer(id uint64) func(args ...any) {
	var used atomic.Bool
	return func(args ...any) {
		if used.Swap(true) {
			return
		}
		body, attachments, err := packet.AppendArgs(nil, args)
		if err != nil {
			s.client.server.engine.Logf("acknowledgement: %v", err)
			body, attachments = nil, nil
		}
		text := packet.AppendPrefix(nil, packet.Ack, len(attachments), s.outlet.namespace.name, int64(id))
		text = append(text, '[')
		if len(body) > 0 {
			text = append(text, body[1:]...) // without the leading comma
		}
		s.client.session.Send(eio.NewFrame(append(text, ']'), attachments...), false)
	}
}
