package client

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"squelch/server/sio/packet"
)

// Errors of sending.
var (
	ErrClosed       = errors.New("client: closed")
	ErrNotConnected = errors.New("client: not connected")
	ErrBufferFull   = errors.New("client: too many events wait for a connection")
	ErrTimeout      = errors.New("client: no acknowledgement in time")
	ErrDisconnected = errors.New("client: disconnected before the acknowledgement")
)

// Event is one event of the server.
type Event struct {
	Name        string
	Args        []json.RawMessage
	Attachments [][]byte
	// Ack answers the server, at most once; nil if it asked for no answer.
	Ack func(args ...any)
}

// Client is one connection to a namespace of a server; it reconnects when it is lost.
type Client struct {
	opts      Options
	namespace string
	way       way
	calls     queue

	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu      sync.Mutex
	conn    *conn // nil: not connected
	closed  bool
	waiting [][]byte // events that wait for a connection, encoded
	acks    map[uint64]*pendingAck
	nextAck uint64
	id, pid string
	offset  string // of the last event received
}

// New makes a client and starts connecting. It fails if the options cannot work.
func New(opts Options) (*Client, error) {
	opts = opts.withDefaults()
	address, namespace, err := opts.target()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{opts: opts, namespace: namespace, cancel: cancel, acks: map[uint64]*pendingAck{}}
	c.way.first, c.way.present = address, address
	c.calls.init()
	c.ended.Add(2)
	go func() {
		defer c.ended.Done()
		c.calls.run()
	}()
	go func() {
		defer c.ended.Done()
		defer c.calls.end()
		defer cancel()
		c.run(ctx)
	}()
	return c, nil
}

// Close disconnects for good and waits until the callbacks have ended. It must
// not be called from a callback; use [Client.Stop] there.
func (c *Client) Close() {
	c.Stop()
	c.ended.Wait()
}

// Stop disconnects for good without waiting for the callbacks. The server learns that
// it is on purpose.
func (c *Client) Stop() {
	c.mu.Lock()
	stopped := c.closed
	c.closed = true
	conn := c.conn
	c.mu.Unlock()
	if stopped {
		return
	}
	if conn == nil {
		c.cancel()
		return
	}
	_ = conn.write(packet.AppendPrefix([]byte{'4'}, packet.Disconnect, 0, c.namespace, -1))
	conn.goodbye("io client disconnect")
}

// ID is the socket's id; empty while not connected.
func (c *Client) ID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// Connected says whether the namespace is connected.
func (c *Client) Connected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn != nil
}

// Cut drops the connection as a bad network would; the client reconnects.
func (c *Client) Cut() {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn != nil {
		conn.close("transport close")
	}
}

// run connects and reconnects until the client is closed or refused.
func (c *Client) run(ctx context.Context) {
	for now := (attempt{address: c.way.here()}); ; {
		err := c.session(ctx, now)
		var refused *ConnectError
		switch {
		case ctx.Err() != nil || c.stopped():
			return
		case err == nil:
			c.way.broke()
		case errors.As(err, &refused):
			c.tellError(err)
			return
		case errors.Is(err, errServerDisconnect):
			return
		default:
			c.tellError(err)
		}
		if c.opts.NoReconnect {
			return
		}
		now = c.way.next(c.opts.pause)
		select {
		case <-time.After(now.wait):
		case <-ctx.Done():
			return
		}
	}
}

func (c *Client) stopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func (c *Client) tellError(err error) {
	if f := c.opts.OnConnectError; f != nil {
		c.calls.push(func() { f(err) })
	}
}

// errServerDisconnect: the server ended the socket. Like socket.io-client, the client
// then does not reconnect by itself.
var errServerDisconnect = errors.New("io server disconnect")

// session is one connection from dialling to its end. A nil error means that it was
// connected and lost.
func (c *Client) session(ctx context.Context, to attempt) error {
	conn, err := c.dial(ctx, to)
	if err != nil {
		return err
	}
	defer conn.close("transport close")
	stop := context.AfterFunc(ctx, func() { conn.close("io client disconnect") })
	defer stop()
	if err := c.join(conn, to); err != nil {
		return err
	}
	err = c.read(conn)
	c.lost(conn.reason())
	if errors.Is(err, errServerDisconnect) {
		return err
	}
	return nil
}

// connected takes the answer to CONNECT.
func (c *Client) connected(conn *conn, answer []byte) error {
	var ids struct{ SID, PID string }
	if err := json.Unmarshal(answer, &ids); err != nil {
		return err
	}
	c.mu.Lock()
	recovered := ids.PID != "" && ids.PID == c.pid
	if !recovered {
		c.offset = ""
	}
	c.id, c.pid = ids.SID, ids.PID
	err := c.adopt(conn)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if f := c.opts.OnConnect; f != nil {
		c.calls.push(func() { f(recovered) })
	}
	return nil
}

// adopt makes conn the connection to send by, after sending what has waited for it.
// c.mu is locked, so that nothing overtakes.
func (c *Client) adopt(conn *conn) error {
	if c.closed {
		return ErrClosed
	}
	for len(c.waiting) > 0 {
		if err := conn.write(c.waiting[0]); err != nil {
			return err
		}
		c.waiting = c.waiting[1:]
	}
	c.waiting = nil
	c.conn = conn
	return nil
}

func (c *Client) lost(reason string) {
	c.mu.Lock()
	c.conn, c.id = nil, ""
	acks := c.acks
	c.acks = map[uint64]*pendingAck{}
	c.mu.Unlock()
	for _, a := range acks {
		a.stop()
		a.done(nil, ErrDisconnected)
	}
	if f := c.opts.OnDisconnect; f != nil {
		c.calls.push(func() { f(reason) })
	}
}
