package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"squelch/server/sio/packet"
)

// conn is one websocket with its heartbeat.
type conn struct {
	ws      *websocket.Conn
	silence time.Duration // after this long without a message the server is gone

	writing sync.Mutex

	mu    sync.Mutex
	cause string // why it was closed; the first cause counts
}

func (c *Client) dial(ctx context.Context, to attempt) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(to.time, c.opts.ConnectTimeout))
	defer cancel()
	dialer := websocket.Dialer{TLSClientConfig: c.opts.TLS, Proxy: http.ProxyFromEnvironment}
	ws, response, err := dialer.DialContext(ctx, to.address, c.opts.Header)
	if err != nil {
		if response != nil {
			body, _ := io.ReadAll(io.LimitReader(response.Body, 200))
			return nil, fmt.Errorf("client: %w: %s %s", err, response.Status, body)
		}
		return nil, fmt.Errorf("client: %w", err)
	}
	ws.SetReadLimit(int64(c.opts.MaxPayload))
	return &conn{ws: ws}, nil
}

// close ends the connection; the first reason is kept.
func (c *conn) close(reason string) {
	c.because(reason)
	_ = c.ws.Close()
}

func (c *conn) because(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == "" {
		c.cause = reason
	}
}

// goodbye lets the server close the connection, so that nothing sent before is lost.
func (c *conn) goodbye(reason string) {
	c.because(reason)
	by := time.Now().Add(goodbyeTimeout)
	if err := c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), by); err != nil {
		c.close(reason)
		return
	}
	time.AfterFunc(goodbyeTimeout, func() { c.close(reason) })
}

func (c *conn) reason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// write sends one text message and its attachments.
func (c *conn) write(text []byte, attachments ...[]byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.ws.SetWriteDeadline(time.Now().Add(writeTimeout))
	err := c.ws.WriteMessage(websocket.TextMessage, text)
	for _, a := range attachments {
		if err == nil {
			err = c.ws.WriteMessage(websocket.BinaryMessage, a)
		}
	}
	if err != nil {
		c.close("transport error")
	}
	return err
}

// next reads one message that is for the Socket.IO layer, and answers pings.
func (c *conn) next() (binary bool, data []byte, err error) {
	for {
		kind, data, err := c.ws.ReadMessage()
		if err != nil {
			return false, nil, err
		}
		if c.silence > 0 {
			_ = c.ws.SetReadDeadline(time.Now().Add(c.silence))
		}
		switch {
		case kind == websocket.BinaryMessage:
			return true, data, nil
		case len(data) == 0:
			return false, nil, errors.New("client: empty packet")
		case data[0] == '4':
			return false, data[1:], nil
		case data[0] == '2':
			if err := c.write([]byte{'3'}); err != nil {
				return false, nil, err
			}
		case data[0] == '1':
			return false, nil, io.EOF
		}
	}
}

// join does both handshakes, and delivers events that came before the answer to
// CONNECT, because Node replays missed ones there.
func (c *Client) join(conn *conn, to attempt) error {
	_ = conn.ws.SetReadDeadline(time.Now().Add(cmp.Or(to.time, c.opts.ConnectTimeout)))
	_, data, err := conn.ws.ReadMessage()
	if err != nil {
		return fmt.Errorf("client: handshake: %w", err)
	}
	var open struct{ PingInterval, PingTimeout int64 }
	if len(data) == 0 || data[0] != '0' || json.Unmarshal(data[1:], &open) != nil {
		return fmt.Errorf("client: handshake: %.80q is not an open packet", data)
	}
	request, err := c.connectPacket()
	if err != nil {
		return err
	}
	if err := conn.write(request); err != nil {
		return fmt.Errorf("client: handshake: %w", err)
	}
	in := &assembler{}
	for {
		binary, data, err := conn.next()
		if err != nil {
			return fmt.Errorf("client: handshake: %w", err)
		}
		p, attachments, err := in.take(binary, data)
		switch {
		case err != nil:
			return err
		case p == nil || p.Namespace != c.namespace:
		case p.Kind == packet.Connect:
			conn.silence = time.Duration(open.PingInterval+open.PingTimeout) * time.Millisecond
			_ = conn.ws.SetReadDeadline(time.Now().Add(conn.silence))
			c.way.arrived(to.address)
			return c.connected(conn, p.Payload)
		case p.Kind == packet.ConnectError:
			return refusal(p.Payload)
		case p.Kind == packet.Event || p.Kind == packet.BinaryEvent:
			c.event(conn, p, attachments)
		}
	}
}

func refusal(payload []byte) error {
	var e struct {
		Message string
		Data    json.RawMessage
	}
	if err := json.Unmarshal(payload, &e); err != nil {
		return fmt.Errorf("client: connect error: %w", err)
	}
	return &ConnectError{Message: e.Message, Data: e.Data}
}

// connectPacket makes CONNECT with the auth object and what recovery needs.
func (c *Client) connectPacket() ([]byte, error) {
	auth := map[string]json.RawMessage{}
	if c.opts.Auth != nil {
		given, err := json.Marshal(c.opts.Auth())
		if err == nil {
			err = json.Unmarshal(given, &auth)
		}
		if err != nil {
			return nil, fmt.Errorf("client: auth: %w", err)
		}
	}
	c.mu.Lock()
	if c.pid != "" {
		auth["pid"], _ = json.Marshal(c.pid)
		if c.offset != "" {
			auth["offset"], _ = json.Marshal(c.offset)
		}
	}
	c.mu.Unlock()
	text := packet.AppendPrefix([]byte{'4'}, packet.Connect, 0, c.namespace, -1)
	if len(auth) == 0 {
		return text, nil
	}
	return packet.AppendJSON(text, auth)
}
