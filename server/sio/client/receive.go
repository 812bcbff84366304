package client

import (
	"encoding/json"
	"errors"
	"sync/atomic"

	"squelch/server/sio/packet"
)

// assembler puts packets and their attachments together.
type assembler struct {
	partial     *packet.Packet
	attachments [][]byte
	bytes       int
}

// take returns a packet when it is complete, else nil.
func (a *assembler) take(binary bool, data []byte) (*packet.Packet, [][]byte, error) {
	if !binary {
		if a.partial != nil {
			return nil, nil, errors.New("client: packet while attachments are missing")
		}
		p, err := packet.Parse(data)
		if err != nil {
			return nil, nil, err
		}
		if p.Attachments > 0 {
			a.partial = &p
			return nil, nil, nil
		}
		return &p, nil, nil
	}
	if a.partial == nil {
		return nil, nil, errors.New("client: binary data without a packet")
	}
	if a.bytes += len(data); a.bytes > maxAttachmentBytes {
		return nil, nil, errors.New("client: attachments too large")
	}
	a.attachments = append(a.attachments, data)
	if len(a.attachments) < a.partial.Attachments {
		return nil, nil, nil
	}
	p, attachments := a.partial, a.attachments
	*a = assembler{}
	return p, attachments, packet.CheckPlaceholders(p.Payload, len(attachments))
}

// read takes packets until the connection ends.
func (c *Client) read(conn *conn) error {
	in := &assembler{}
	for {
		binary, data, err := conn.next()
		if err != nil {
			return err
		}
		p, attachments, err := in.take(binary, data)
		if err != nil {
			conn.close("parse error")
			return err
		}
		if p == nil || p.Namespace != c.namespace {
			continue
		}
		switch p.Kind {
		case packet.Event, packet.BinaryEvent:
			c.event(conn, p, attachments)
		case packet.Ack, packet.BinaryAck:
			c.acknowledged(p)
		case packet.Disconnect:
			conn.close("io server disconnect")
			return errServerDisconnect
		}
	}
}

// event queues the callback and notes the offset, as socket.io-client does: if the
// server recovers, a string at the end of the arguments is one.
func (c *Client) event(conn *conn, p *packet.Packet, attachments [][]byte) {
	if len(p.Args) == 0 {
		return
	}
	e := Event{Name: p.Name(), Args: p.Args[1:], Attachments: attachments}
	if p.HasID {
		e.Ack = c.answer(conn, p.ID)
	} else if last := p.Args[len(p.Args)-1]; len(p.Args) > 1 && last[0] == '"' {
		c.takeOffset(last)
	}
	if f := c.opts.OnEvent; f != nil {
		c.calls.push(func() { f(e) })
	}
}

func (c *Client) takeOffset(raw json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pid != "" {
		_ = json.Unmarshal(raw, &c.offset)
	}
}

func (c *Client) answer(conn *conn, id uint64) func(...any) {
	var used atomic.Bool
	return func(args ...any) {
		if used.Swap(true) {
			return
		}
		body, attachments, err := packet.AppendArgs(nil, args)
		if err != nil {
			body, attachments = nil, nil
		}
		text := packet.AppendPrefix([]byte{'4'}, packet.Ack, len(attachments), c.namespace, int64(id))
		text = append(text, '[')
		if len(body) > 0 {
			text = append(text, body[1:]...) // without the leading comma
		}
		_ = conn.write(append(text, ']'), attachments...)
	}
}
