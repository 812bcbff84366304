package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sio "squelch/server/sio/client"
)

// ask sends an event and waits for its acknowledgement.
func ask[Ack any](ctx context.Context, l *Link, event string, payload any) (Ack, error) {
	var ack Ack
	socket, err := l.up()
	if err != nil {
		return ack, err
	}
	limited, cancel := context.WithTimeout(ctx, AnswerTime)
	defer cancel()
	args, err := socket.Call(limited, event, payload)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return ack, fmt.Errorf("%s: the radio has not answered within %v", event, AnswerTime)
	case err != nil:
		return ack, l.sending(event, err)
	case len(args) == 0:
		return ack, fmt.Errorf("%s: the acknowledgement is empty", event)
	}
	if err := ackRefusal(args[0]); err != nil {
		return ack, err
	}
	if err := json.Unmarshal(args[0], &ack); err != nil {
		return ack, fmt.Errorf("%s: the acknowledgement is not what this version expects: %w", event, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return ack, l.standing.note(event, payload)
}

// drop sends an event that nothing acknowledges, or drops it.
func (l *Link) drop(event string, payload any) error {
	socket, err := l.up()
	if err != nil {
		return err
	}
	arg, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("%s: %w", event, err)
	}
	return l.sending(event, socket.EmitVolatile(event, arg))
}

// up is the present socket, unless the link has ended.
func (l *Link) up() (*sio.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.socket, l.err
}

// sending is an error of Socket.IO in this package's words.
func (l *Link) sending(event string, err error) error {
	switch {
	case err == nil:
		return nil
	case l.Err() != nil:
		return fmt.Errorf("%s: %w", event, l.Err())
	case errors.Is(err, sio.ErrNotConnected), errors.Is(err, sio.ErrDisconnected), errors.Is(err, sio.ErrClosed):
		return fmt.Errorf("%s: %w", event, ErrNotConnected)
	}
	return fmt.Errorf("%s: %w", event, err)
}
