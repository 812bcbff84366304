package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"squelch/core"
)

// While its data channel is not open, an offer has no client; it must not become one of
// whoever gets the player's id next.
func TestAnOfferEndsWithItsPlayer(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	enough := errors.New("enough")
	_, err := s.tryHandheld(7, func(ctx context.Context, offer string) (string, error) {
		if _, err := s.Offer(ctx, 7, offer); err != nil {
			return "", err
		}
		s.drop(7)
		s.player(7) // somebody else
		if peers := s.Media.Stats().Peers; len(peers) != 0 {
			t.Errorf("the connection of the one who left is still there: %+v", peers)
		}
		return "", enough
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	// If the player is dropped while the answer is made, there is no connection yet that
	// could end; it ends when its data channel opens.
	r, err := s.tryHandheld(7, func(ctx context.Context, offer string) (string, error) {
		answer, err := s.Offer(ctx, 7, offer)
		s.Hub.mu.Lock()
		defer s.Hub.mu.Unlock()
		delete(s.Hub.offers, 7)
		return answer, err
	})
	if err == nil {
		r.ended()
	}
	if u := s.user(7); u.Linked || s.Stats().Clients != 0 {
		t.Errorf("%+v", u)
	}
	s.handheld(7).tuned()
}

func TestWhoMayOffer(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	var sdp string
	for _, c := range []struct {
		id   core.UserID
		kind core.Kind
		text string
		sdp  func() string
	}{
		{7, core.Invalid, "sdp is missing", func() string { return "" }},
		{7, core.Invalid, "sdp cannot be read", func() string { return "nonsense" }},
		{9, core.NotFound, "User not found", func() string { return sdp }},
		{-1, core.NotFound, "User not found", func() string { return sdp }},
		{0, core.NotFound, "User not found", func() string { return sdp }},
		{7, core.Invalid, "no section for the data channel", func() string { return strings.Split(sdp, "m=application")[0] }},
	} {
		_, err := s.tryHandheld(c.id, func(ctx context.Context, offer string) (string, error) {
			sdp = offer
			return s.Offer(ctx, c.id, c.sdp())
		})
		var refused *core.Error
		if !errors.As(err, &refused) || refused.Kind != c.kind || !strings.Contains(refused.Message, c.text) {
			t.Errorf("player %s: %v, want %s %q", c.id, err, c.kind, c.text)
		}
	}
	s.Hub.mu.Lock()
	defer s.Hub.mu.Unlock()
	if len(s.Hub.offers) != 0 {
		t.Errorf("%d offers are still awaited", len(s.Hub.offers))
	}
}

// An ordinary offer over a socket takes no data channel, and a data channel no further
// connection for voice.
func TestThereIsOneWayToADataChannel(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	r := s.handheld(7)
	for _, event := range []string{"webrtc:offer", "webrtc:close"} {
		if got := r.ask(event, `{"sdp":"v=0"}`); !strings.Contains(got, "share this connection") {
			t.Errorf("%s: %s", event, got)
		}
	}
	desk := s.desk(-1)
	_, err := s.tryHandheld(-1, func(_ context.Context, offer string) (string, error) {
		return "", fmt.Errorf("%s", desk.asks(`["webrtc:offer",`+string(must(json.Marshal(map[string]string{"sdp": offer})))+`]`))
	})
	if err == nil || !strings.Contains(err.Error(), "only audio is supported") {
		t.Error(err)
	}
	if got := r.ask("heartbeat", "1"); got != success {
		t.Error(got)
	}
}
