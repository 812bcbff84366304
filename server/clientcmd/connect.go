package clientcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"squelch/core"
	"squelch/core/wire"
	sio "squelch/server/sio/client"
)

// connect opens the socket and waits until the user is on its channels. The
// first failure is final; a connection that is lost later is re-established.
func (s *session) connect(ctx context.Context) error {
	up := make(chan error, 1)
	before := false // only the callbacks use it, one at a time
	made := make(chan struct{})
	at := s.server
	var err error
	server, path := sio.At(s.server)
	s.socket, err = sio.New(sio.Options{URL: server, Path: path, ReconnectDelay: reconnectDelay,
		Auth: func() any {
			return map[string]any{"authToken": s.credentials.token, "sessionId": s.credentials.session, "serverId": s.id}
		},
		OnConnect: func(recovered bool) {
			<-made // what follows uses s.socket
			s.out.status("connected", map[string]any{"recovered": recovered})
			if now := s.socket.URL(); now != at {
				at = now
				s.out.status("node", map[string]any{"url": now})
			}
			if s.script != nil {
				s.script.connected(recovered)
			}
			if before {
				s.again(recovered)
			}
			before = true
			offer(up, nil)
		},
		OnConnectError: func(err error) {
			s.out.status("connect_error", map[string]any{"error": err.Error()})
			var refused *sio.ConnectError
			if errors.As(err, &refused) {
				err = fmt.Errorf("the radio refused the connection: %s", refused.Message)
				s.fail(err)
			} else {
				err = unreachable(at, err)
			}
			offer(up, err)
		},
		OnDisconnect: func(reason string) {
			s.out.status("disconnected", map[string]any{"reason": reason})
			s.floorInterrupted()
			if s.script != nil {
				s.script.lost(reason)
			}
			if reason == "io server disconnect" {
				s.fail(errors.New("the radio closed the connection"))
			}
		},
		OnEvent: s.event,
	})
	if err != nil {
		return err
	}
	close(made)
	select {
	case err = <-up:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		err = s.tune(ctx)
	}
	if err != nil {
		s.socket.Close()
	}
	return err
}

// tune joins the channels; a refusal is an error, so that it does not pass for
// silence.
func (s *session) tune(ctx context.Context) error {
	// A session has its callsign from the login.
	if s.token != "" && s.callsign != "" {
		if err := s.ask(ctx, "updateUserInfo", map[string]string{"name": s.callsign}); err != nil {
			return fmt.Errorf("--callsign %s: %w", s.callsign, err)
		}
	}
	if s.speak != "" {
		if err := s.ask(ctx, "setSpeakerChannel", s.speak); err != nil {
			return fmt.Errorf("--speak %s: %w", s.speak, err)
		}
	}
	for _, f := range s.scan {
		if err := s.ask(ctx, "addListeningChannel", f); err != nil {
			return fmt.Errorf("--scan %s: %w", f, err)
		}
	}
	return nil
}

// again restores after a reconnect what the radio may have forgotten. If the
// connection was recovered, it has forgotten nothing, and joining twice would undo a
// dispatcher's move.
func (s *session) again(recovered bool) {
	if !recovered {
		s.mu.Lock()
		s.me = core.UserID(s.id) // an identity event may change it
		s.mu.Unlock()
		if s.script == nil { // a script's radio goes back to its channels by itself
			s.joinAgain()
		}
		s.lostMedia()
	}
	s.rekey()
}

// joinAgain does from within a callback what tune did at first.
func (s *session) joinAgain() {
	if s.token != "" && s.callsign != "" {
		s.tell("updateUserInfo", map[string]string{"name": s.callsign})
	}
	if s.speak != "" {
		s.tell("setSpeakerChannel", s.speak)
	}
	for _, f := range s.scan {
		s.tell("addListeningChannel", f)
	}
}

// tell sends an event from within a callback; a refusal ends the run.
func (s *session) tell(event string, arg any) {
	err := s.socket.EmitAck(event, answerTime, func(args []json.RawMessage, err error) {
		err = answered(args, err)
		switch {
		case err == nil:
			s.out.status("rejoined", map[string]any{"by": event, "payload": arg})
		case !errors.Is(err, sio.ErrDisconnected):
			s.fail(fmt.Errorf("%s after reconnecting: %w", event, err))
		}
	}, arg)
	if err != nil && s.socket.Connected() {
		s.fail(err)
	}
}

// ask sends an event and waits for its acknowledgement. If the connection is lost
// meanwhile, it sends the event again on the next one.
func (s *session) ask(ctx context.Context, event string, arg any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for {
		answer, err := s.socket.Call(ctx, event, arg)
		if err == nil || (s.socket.Connected() && !errors.Is(err, sio.ErrDisconnected)) {
			return answered(answer, err)
		}
		if err := s.sleep(ctx, askAgain); err != nil {
			return err
		}
	}
}

// answered returns the error in an acknowledgement.
func answered(args []json.RawMessage, err error) error {
	if err != nil || len(args) == 0 {
		return err
	}
	var reply wire.AckDenied
	if json.Unmarshal(args[0], &reply) == nil && reply.Error != "" {
		if reply.CurrentTalker != 0 {
			return &deniedError{reply}
		}
		return errors.New(reply.Error)
	}
	return nil
}
