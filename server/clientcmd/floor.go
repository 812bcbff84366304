package clientcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"squelch/core"
	"squelch/core/wire"
	sio "squelch/server/sio/client"
)

// floor is what this user knows of its right to talk; session.mu guards it.
type floor struct {
	held      bool       // the key is down
	at        string     // the frequency that was granted; "": none yet
	regaining bool       // lost with the connection, to be requested again
	outcome   chan error // of the key-up; nil: granted
}

type keying struct {
	State     bool   `json:"state"`
	Frequency string `json:"frequency"`
	Override  bool   `json:"override,omitempty"`
}

// keyUp asks for the floor, and waits until it is granted or another user turns out
// to have it.
func (s *session) keyUp(ctx context.Context) error {
	s.mu.Lock()
	s.floor.held = true
	s.mu.Unlock()
	if err := s.ask(ctx, "setTalking", keying{true, s.speak, s.override}); err != nil {
		var busy *deniedError
		if errors.As(err, &busy) {
			return s.busy(busy.CurrentTalker, s.speak)
		}
		return fmt.Errorf("the key-up on %s was refused: %w", s.speak, err)
	}
	t := time.NewTimer(grantTime)
	defer t.Stop()
	select {
	case err := <-s.floor.outcome:
		return err
	case err := <-s.failed:
		return err
	case <-t.C:
		return errors.New("the radio did not answer the key-up")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keyDown releases the key, even if the run is about to end.
func (s *session) keyDown(ctx context.Context) error {
	s.mu.Lock()
	s.floor.held = false
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbyeTime)
	defer cancel()
	return s.ask(ctx, "setTalking", keying{State: false, Frequency: s.speak})
}

// talking follows this user's own floor. What is heard elsewhere, as on a patched
// channel, says nothing about it.
func (s *session) talking(t wire.TalkingState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.floor
	switch {
	case t.ServerID != s.me || !f.held:
	case t.State:
		if f.at == "" {
			f.at = t.Frequency
		}
		offer(f.outcome, nil)
	case f.regaining: // the loss that the reconnect deals with
	case f.at == "":
		offer(f.outcome, fmt.Errorf("the time-out timer ended the transmission on %s: release and key up again", t.Frequency))
	case f.at == t.Frequency:
		s.fail(fmt.Errorf("the floor of %s was lost", t.Frequency))
	}
}

// busy names the user who is in the way.
func (s *session) busy(talker core.UserID, frequency string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	holder := "user " + talker.String()
	if name := s.names[talker]; name != "" {
		holder += " (" + name + ")"
	}
	return fmt.Errorf("the channel is busy: %s holds the floor of %s", holder, frequency)
}

// deniedError is a key-up that was acknowledged as not granted.
type deniedError struct{ wire.AckDenied }

func (e *deniedError) Error() string { return e.AckDenied.Error }

// denied: another user has the floor.
func (s *session) denied(d wire.PTTDenied) {
	err := s.busy(d.CurrentTalker, d.Frequency)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.floor.at != "" { // this user had it before the connection was lost
		s.fail(err)
		return
	}
	offer(s.floor.outcome, err)
}

// floorInterrupted: until the key-up has been repeated, voice goes nowhere.
func (s *session) floorInterrupted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.floor.regaining = s.floor.held
}

// rekey repeats the key-up after a reconnect. A user who still has the floor keeps
// it.
func (s *session) rekey() { s.regain(time.Now().Add(regainTime)) }

// regain tries again until a moment, unless somebody else has the floor.
func (s *session) regain(until time.Time) {
	s.mu.Lock()
	held, several := s.floor.held, s.several
	s.mu.Unlock()
	if !held {
		return
	}
	err := s.socket.EmitAck("setTalking", answerTime, func(args []json.RawMessage, err error) {
		err = answered(args, err)
		if errors.Is(err, sio.ErrDisconnected) {
			return // the next connection keys up again
		}
		busy := (*deniedError)(nil)
		if errors.As(err, &busy) {
			err = s.busy(busy.CurrentTalker, s.speak)
		}
		if err != nil && busy == nil && several && time.Now().Before(until) { // no node may decide just now
			time.AfterFunc(regainAgain, func() { s.regain(until) })
			return
		}
		if err != nil {
			s.fail(fmt.Errorf("the floor of %s could not be regained: %w", s.speak, err))
			return
		}
		s.mu.Lock()
		s.floor.regaining = false
		s.mu.Unlock()
		s.out.status("rekeyed", map[string]any{"frequency": s.speak})
	}, keying{true, s.speak, s.override})
	if err != nil && s.socket.Connected() {
		s.fail(err)
	}
}

// mute says whether voice sent now would go nowhere.
func (s *session) mute() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.floor.regaining
}
