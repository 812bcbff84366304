package clientcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"squelch/core/wire"
	"squelch/sfu/client"
)

// media is the WebRTC connection of --webrtc.
type media struct {
	*client.Client
	gone bool // guarded by session.mu
}

// openMedia makes the WebRTC connection, in place of an older one.
func (s *session) openMedia(ctx context.Context) error {
	s.hangUp()
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	now := &media{}
	peer, err := client.Dial(ctx, client.Options{ID: s.self(), Loopback: true,
		Heard: func(p client.Received) { s.heard(p.Talker, p.Payload) },
		Gone: func() {
			s.mu.Lock()
			now.gone = true
			current := s.media == now
			s.mu.Unlock()
			if current { // else it has been replaced
				s.lostMedia()
			}
		},
	}, func(ctx context.Context, offer string) (string, error) {
		args, err := s.socket.Call(ctx, "webrtc:offer", wire.WebRTCOffer{SDP: offer})
		if err != nil {
			return "", err
		}
		var answer struct{ SDP, Error string }
		if len(args) == 0 || json.Unmarshal(args[0], &answer) != nil || answer.SDP == "" {
			return "", fmt.Errorf("the radio refused WebRTC: %s", answer.Error)
		}
		return answer.SDP, nil
	})
	if err != nil {
		return err
	}
	now.Client = peer
	s.mu.Lock()
	s.media = now
	gone := now.gone
	s.mu.Unlock()
	if gone { // meanwhile
		s.lostMedia()
	}
	s.out.status("webrtc", map[string]any{"connected": true})
	return nil
}

// hangUp closes the WebRTC connection, if there is one.
func (s *session) hangUp() {
	s.mu.Lock()
	old := s.media
	s.media = nil
	s.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// lostMedia asks for a new WebRTC connection.
func (s *session) lostMedia() {
	if !s.webrtc {
		return
	}
	select {
	case s.redial <- struct{}{}:
	default:
	}
}

// keepMedia reopens lost WebRTC connections until ctx ends.
func (s *session) keepMedia(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.redial:
		}
		s.out.status("webrtc", map[string]any{"connected": false})
		for s.openMedia(ctx) != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(askAgain):
			}
		}
	}
}
