package client

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"squelch/server/sio/packet"
)

type pendingAck struct {
	timer *time.Timer // nil: it waits as long as the connection lasts
	done  func(args []json.RawMessage, err error)
}

func (a *pendingAck) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// encode makes the text of an event for a websocket message.
func (c *Client) encode(event string, id int64, args []any) (text []byte, attachments [][]byte, err error) {
	if packet.Reserved[event] {
		return nil, nil, fmt.Errorf("client: event %q: %w", event, packet.ErrReserved)
	}
	body, attachments, err := packet.AppendArgs(packet.AppendName(nil, event), args)
	if err != nil {
		return nil, nil, fmt.Errorf("client: event %q: %w", event, err)
	}
	text = packet.AppendPrefix([]byte{'4'}, packet.Event, len(attachments), c.namespace, id)
	return append(append(text, body...), ']'), attachments, nil
}

// Emit sends an event. Without a connection it waits for the next one, unless
// it has attachments or too many wait already.
func (c *Client) Emit(event string, args ...any) error {
	text, attachments, err := c.encode(event, -1, args)
	if err != nil {
		return err
	}
	c.mu.Lock()
	conn := c.conn
	switch {
	case conn != nil:
	case c.closed:
		err = ErrClosed
	case len(attachments) > 0:
		err = ErrNotConnected
	case len(c.waiting) >= maxBuffered:
		err = ErrBufferFull
	default:
		c.waiting = append(c.waiting, text)
	}
	c.mu.Unlock()
	if conn == nil {
		return err
	}
	return conn.write(text, attachments...)
}

// texts are the buffers of EmitVolatile.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// EmitVolatile sends an event whose arguments are already JSON; without a connection
// it drops the event. Voice uses it: it allocates next to nothing.
func (c *Client) EmitVolatile(event string, argJSON ...[]byte) error {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil {
		return ErrNotConnected
	}
	buf := texts.Get().(*[]byte)
	text := packet.AppendPrefix(append((*buf)[:0], '4'), packet.Event, 0, c.namespace, -1)
	text = packet.AppendName(text, event)
	for _, arg := range argJSON {
		text = append(append(text, ','), arg...)
	}
	text = append(text, ']')
	err := conn.write(text)
	*buf = text
	texts.Put(buf)
	return err
}

// EmitAck sends an event that the server is to acknowledge. done is called exactly
// once among the callbacks: with the arguments, ErrTimeout or ErrDisconnected. If
// EmitAck itself fails, done is not called.
func (c *Client) EmitAck(event string, timeout time.Duration, done func(args []json.RawMessage, err error), args ...any) error {
	_, err := c.emitAck(event, timeout, func(args []json.RawMessage, err error) {
		c.calls.push(func() { done(args, err) })
	}, args)
	return err
}

// emitAck registers done before it sends. Timeout 0 means none.
func (c *Client) emitAck(event string, timeout time.Duration, done func([]json.RawMessage, error), args []any) (id uint64, err error) {
	c.mu.Lock()
	conn := c.conn
	id = c.nextAck
	c.nextAck++
	c.mu.Unlock()
	if conn == nil {
		return id, ErrNotConnected
	}
	text, attachments, err := c.encode(event, int64(id), args)
	if err != nil {
		return id, err
	}
	c.mu.Lock()
	if c.conn != conn {
		c.mu.Unlock()
		return id, ErrNotConnected
	}
	a := &pendingAck{done: done}
	c.acks[id] = a
	if timeout > 0 {
		a.timer = time.AfterFunc(timeout, func() { c.settle(id, nil, ErrTimeout) })
	}
	c.mu.Unlock()
	if err := conn.write(text, attachments...); err != nil && c.forgetAck(id) {
		return id, err
	}
	return id, nil
}

// Call sends an event and waits for its acknowledgement, and for the callbacks of
// everything that came before it. It must not be used in a callback.
func (c *Client) Call(ctx context.Context, event string, args ...any) ([]json.RawMessage, error) {
	type result struct {
		args []json.RawMessage
		err  error
	}
	answer := make(chan result, 1)
	id, err := c.emitAck(event, 0, func(args []json.RawMessage, err error) {
		c.calls.push(func() { answer <- result{args, err} })
	}, args)
	if err != nil {
		return nil, err
	}
	select {
	case r := <-answer:
		return r.args, r.err
	case <-ctx.Done():
		c.forgetAck(id)
		return nil, ctx.Err()
	}
}

func (c *Client) acknowledged(p *packet.Packet) {
	if p.HasID {
		c.settle(p.ID, p.Args, nil)
	}
}

func (c *Client) forgetAck(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.acks[id]
	if a == nil {
		return false
	}
	a.stop()
	delete(c.acks, id)
	return true
}

func (c *Client) settle(id uint64, args []json.RawMessage, err error) {
	c.mu.Lock()
	a := c.acks[id]
	delete(c.acks, id)
	c.mu.Unlock()
	if a != nil {
		a.stop()
		a.done(args, err)
	}
}
