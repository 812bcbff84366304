package clientcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"squelch/core"
	sio "squelch/server/sio/client"
)

// session is one run of the command.
type session struct {
	options
	script *script // of --script; nil: none
	out    *printer
	note   io.Writer

	credentials credentials
	socket      *sio.Client
	recorder    *recorder     // nil: nothing is recorded
	failed      chan error    // what ends the run; the first error counts
	redial      chan struct{} // the WebRTC connection is to be reopened

	mu    sync.Mutex
	me    core.UserID
	names map[core.UserID]string
	floor floor
	media *media // nil: voice over Socket.IO, or not connected just now
	// several: the radio has more nodes than this one.
	several bool
}

func newSession(o options, out, note io.Writer) *session {
	p := &printer{w: out, json: o.json}
	if o.file != "" && !o.json {
		p.note = note
	}
	return &session{options: o, out: p, note: note, me: core.UserID(o.id),
		failed: make(chan error, 1), redial: make(chan struct{}, 1), names: map[core.UserID]string{},
		floor: floor{outcome: make(chan error, 1)}}
}

// run does what the flags say. Files come first, so that their errors appear before
// anybody hears this radio.
func (s *session) run(ctx context.Context) (err error) {
	var packets [][]byte
	if s.play != "" {
		if packets, err = readPackets(s.play); err != nil {
			return fmt.Errorf("--play: %w", err)
		}
	}
	if s.file != "" {
		if s.script, err = openScript(s, packets); err != nil {
			return err
		}
		defer func() { err = outcome(err, s.script.close()) }()
	}
	if s.credentials, err = s.login(ctx); err != nil {
		return err
	}
	if s.record != "" {
		if s.recorder, err = newRecorder(s.record); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.finishRecording()) }()
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	defer s.socket.Close()
	if s.script != nil {
		defer func() { s.script.quiet() }() // the key is released while there is a connection
	}
	if s.webrtc {
		defer s.hangUp()
		if err := s.openMedia(ctx); err != nil {
			return err
		}
	}
	var chores sync.WaitGroup
	defer chores.Wait()
	chored, cancel := context.WithCancel(ctx)
	defer cancel()
	chores.Go(func() { s.heartbeats(chored) })
	if s.webrtc {
		chores.Go(func() { s.keepMedia(chored) })
	}
	if s.script != nil {
		return s.runScript(ctx)
	}
	return s.stay(ctx, packets)
}

// stay plays and listens until the run is over.
func (s *session) stay(ctx context.Context, packets [][]byte) error {
	s.out.status("ready", map[string]any{"serverId": s.self(), "speak": s.speak, "scan": s.scan})
	if len(packets) > 0 {
		if err := s.say(ctx, packets); err != nil || s.lasts == 0 {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-s.failed:
		return err
	}
}

// self returns the id that the radio has given.
func (s *session) self() core.UserID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.me
}

func (s *session) fail(err error) { offer(s.failed, err) }

func offer(to chan error, err error) {
	select {
	case to <- err:
	default:
	}
}

// sleep waits for d, or until the run ends.
func (s *session) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		select {
		case err := <-s.failed:
			return err
		default:
			return ctx.Err()
		}
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case err := <-s.failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) heartbeats(ctx context.Context) {
	t := time.NewTicker(beat)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			if s.script != nil {
				s.script.beaten.Store(time.Now().UnixNano())
			}
			// Dropped while there is no connection: an old heartbeat is useless.
			_ = s.socket.EmitVolatile("heartbeat", fmt.Append(nil, now.UnixMilli()))
		}
	}
}
