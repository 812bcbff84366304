package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
	sio "squelch/server/sio/client"
)

// Errors of a link.
var (
	// ErrNotConnected: the connection is lost just now; the link connects again.
	ErrNotConnected = errors.New("the connection to the radio is lost")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("the link is closed")
	// ErrEnded: the radio has disconnected the user, as a dispatcher may ask it to.
	ErrEnded = errors.New("the radio has disconnected this user")
	// ErrSlow: more than MaxEvents events waited for their handlers.
	ErrSlow = errors.New("the handlers are too slow for what happens on the radio")
)

// Link is a user's connection to the radio. It connects again when it is lost, and then
// joins its channels again if the radio has forgotten them. Its methods may be called from
// any goroutine.
type Link struct {
	client *Client
	want   core.UserID

	done   chan struct{} // closed when the link has ended
	events chan happening
	ended  sync.WaitGroup

	talking chan struct{} // has room for the one who talks

	mu       sync.Mutex
	me       core.UserID
	socket   *sio.Client
	once     bool  // it has been connected
	err      error // why it ended
	standing standing
	floor    *floor // of Talk; nil: the key is not held
	handlers map[string][]func(*Link, json.RawMessage) error
}

// happening is something that waits for its handlers.
type happening struct {
	event string
	arg   json.RawMessage
}

// Connect puts a user on the radio: a dispatcher with a negative id, or with a player's
// token that player. It returns when the user is on the radio, with the first error if that
// does not work, a [*Refusal] if the radio refuses. ctx bounds only the connecting; the
// link lives until Close. Handlers that are given here miss nothing.
func (c *Client) Connect(ctx context.Context, user core.UserID, handlers ...Handler) (*Link, error) {
	if user == 0 {
		return nil, errors.New("user is 0: expected a negative id for a dispatcher, such as -40, or a player's own id")
	}
	l := &Link{client: c, want: user, me: user, done: make(chan struct{}), events: make(chan happening, MaxEvents),
		talking: make(chan struct{}, 1), handlers: map[string][]func(*Link, json.RawMessage) error{}}
	l.Handle(handlers...)
	first := make(chan error, 1)
	if err := l.dial(first); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, ConnectTime)
	defer cancel()
	var err error
	select {
	case err = <-first:
	case <-ctx.Done():
		err = fmt.Errorf("the radio at %s does not answer: %w", c.base, ctx.Err())
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Handle adds handlers. They hear of what happens from now on.
func (l *Link) Handle(handlers ...Handler) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range handlers {
		l.handlers[h.event] = append(l.handlers[h.event], h.take)
	}
}

// User is the id that the radio has given: that of Connect, or another if it was taken.
func (l *Link) User() core.UserID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.me
}

// Done is closed when the link has ended for good.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err says why the link has ended: ErrClosed, ErrEnded, ErrSlow, or a [*Refusal] of a try to
// connect again. It is nil as long as the link has not ended.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close takes the user off the radio and waits until the handlers have ended. In a handler,
// use Stop.
func (l *Link) Close() {
	l.Stop()
	l.mu.Lock()
	socket := l.socket
	l.mu.Unlock()
	if socket != nil {
		socket.Close()
	}
	l.ended.Wait()
}

// Stop is Close that does not wait.
func (l *Link) Stop() { l.end(ErrClosed) }

// end ends the link; the first reason counts.
func (l *Link) end(err error) {
	l.mu.Lock()
	over, socket := l.err != nil, l.socket
	if !over {
		l.err = err
		close(l.done)
	}
	l.mu.Unlock()
	if !over && socket != nil {
		socket.Stop()
	}
}

// dial starts a Socket.IO client. first gets the outcome of its first try, nil: nobody waits.
func (l *Link) dial(first chan<- error) error {
	made := make(chan struct{})
	server, path := sio.At(l.client.base)
	socket, err := sio.New(sio.Options{
		URL: server, Path: path,
		ReconnectDelay: FirstPause, ReconnectDelayMax: LongestPause,
		ConnectTimeout: ConnectTime, MaxPayload: MaxMessage,
		Auth: func() any {
			return map[string]any{"authToken": l.client.token, "sessionId": l.client.session, "serverId": l.want}
		},
		OnConnect: func(recovered bool) {
			<-made // what follows uses l.socket
			l.connected(recovered)
			offer(first, nil)
		},
		OnConnectError: func(err error) {
			<-made
			err = connectRefusal(err)
			var r *Refusal
			if !errors.As(err, &r) {
				err = fmt.Errorf("the radio at %s does not answer: %w", l.client.base, err)
			}
			offer(first, err)
			l.failed(err)
		},
		OnDisconnect: l.lost,
		OnEvent:      l.event,
	})
	if err != nil {
		return err
	}
	defer close(made)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil { // closed meanwhile
		socket.Stop()
		return l.err
	}
	if l.socket == nil {
		l.ended.Go(l.handle)
	}
	l.socket = socket
	return nil
}

// offer gives what nobody may be waiting for.
func offer(to chan<- error, err error) {
	select {
	case to <- err:
	default: // also if to is nil
	}
}

// connected puts the user back where it was, if the radio has forgotten it.
func (l *Link) connected(recovered bool) {
	l.mu.Lock()
	again := l.once && !recovered
	if again {
		l.me = l.want // an identity event may change it
	}
	l.once = true
	socket := l.socket
	l.mu.Unlock()
	l.client.nodes.moved(socket.URL())
	if again {
		l.restore()
	}
	l.happens(connected, recovered)
}

// failed takes a try to connect that did not work. The first one is Connect's to report.
// After a refusal the Socket.IO client does not try again: the link does if the reason
// passes, and else it ends.
func (l *Link) failed(err error) {
	l.mu.Lock()
	once := l.once
	l.mu.Unlock()
	if !once {
		return
	}
	l.happens(trouble, err.Error())
	var r *Refusal
	switch {
	case !errors.As(err, &r):
	case r.Code == "full" || r.Code == "locked_out":
		l.ended.Go(func() { l.redial(cmp.Or(r.RetryAfter, LongestPause)) })
	default:
		l.end(r)
	}
}

// redial connects again after a refusal that passes.
func (l *Link) redial(pause time.Duration) {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-l.done:
	case <-t.C:
		l.mu.Lock()
		old := l.socket
		l.mu.Unlock()
		old.Close() // it has given up: this only waits for its callbacks
		if err := l.dial(nil); err != nil {
			l.end(err)
		}
	}
}

func (l *Link) lost(reason string) {
	l.loseFloor(ErrNotConnected)
	l.happens(lost, reason)
	if reason == "io server disconnect" {
		l.end(ErrEnded)
	}
}

// event takes what the radio sends. What the link itself needs is read at once; handlers
// have their turn.
func (l *Link) event(e sio.Event) {
	arg := json.RawMessage("null")
	if len(e.Args) > 0 {
		arg = e.Args[0]
	}
	switch e.Name {
	case "identity":
		var id wire.Identity
		if json.Unmarshal(arg, &id) == nil {
			l.mu.Lock()
			l.me = id.ServerID
			l.mu.Unlock()
		}
	case wire.NodesEvent:
		var n wire.Nodes
		if json.Unmarshal(arg, &n) == nil {
			l.goElsewhere(n)
		}
	case "talkingState":
		var t wire.TalkingState
		if json.Unmarshal(arg, &t) == nil {
			l.followFloor(t)
		}
	}
	l.queue(happening{e.Name, arg})
}

func (l *Link) happens(event string, what any) {
	arg, err := json.Marshal(what)
	if err == nil { // it is a text or a boolean
		l.queue(happening{event, arg})
	}
}

// queue gives a happening to the handlers, if it has any.
func (l *Link) queue(h happening) {
	l.mu.Lock()
	wanted := len(l.handlers[h.event]) > 0
	l.mu.Unlock()
	if !wanted {
		return
	}
	select {
	case l.events <- h:
	default:
		l.end(ErrSlow)
	}
}

// handle runs the handlers until the link ends, with what came before that.
func (l *Link) handle() {
	for {
		select {
		case h := <-l.events:
			l.run(h)
			continue
		default:
		}
		select {
		case h := <-l.events:
			l.run(h)
		case <-l.done:
			return
		}
	}
}

func (l *Link) run(h happening) {
	l.mu.Lock()
	handlers := l.handlers[h.event]
	l.mu.Unlock()
	for _, take := range handlers {
		if err := take(l, h.arg); err != nil && h.event != trouble {
			l.happens(trouble, err.Error())
		}
	}
}
