package socket

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core/wire"
	peer "squelch/sfu/client"
)

// earpiece is the WebRTC connection of a desk; it takes packets that repeat frames.
type earpiece struct {
	*peer.Client
	mu       sync.Mutex
	mid      string // of the slot that was heard last
	frames   int
	repeated int
}

// earpiece connects a desk's voice over WebRTC.
func (s *station) earpiece(r *set) *earpiece {
	s.t.Helper()
	e := &earpiece{}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	c, err := peer.Dial(ctx, peer.Options{Loopback: true, Redundant: true, Heard: e.hears}, func(_ context.Context, offer string) (string, error) {
		answer := r.asks(`["webrtc:offer",` + string(must(json.Marshal(wire.WebRTCOffer{SDP: offer}))) + `]`)
		var got []wire.WebRTCAnswer
		if err := json.Unmarshal([]byte(strings.TrimPrefix(answer, "431")), &got); err != nil || got[0].SDP == "" {
			return "", fmt.Errorf("the answer is %s: %v", answer, err)
		}
		return got[0].SDP, nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	e.Client = c
	return e
}

func (e *earpiece) hears(p peer.Received) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mid = p.Mid
	if p.Repeated {
		e.repeated++
	} else {
		e.frames++
	}
}

// hearsWhile lets talker speak until done.
func (e *earpiece) hearsWhile(talker *set, what string, done func() bool) {
	talker.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		e.mu.Lock()
		yes := done()
		e.mu.Unlock()
		if yes {
			return
		}
		if time.Now().After(end) {
			talker.t.Fatalf("in vain: %s; %d frames came, %d repeated", what, e.frames, e.repeated)
		}
		talker.say(`42["voice",{"data":"+AECAw=="}]`)
	}
}

func TestADeskThatReportsLossHearsFramesTwice(t *testing.T) {
	s := newStation(t, 100).offered()
	adam, boy := s.desk(-1).tuned(), s.desk(-2).tuned()
	ear := s.earpiece(boy)
	if got := adam.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Fatal(got)
	}
	ear.hearsWhile(adam, "voice", func() bool { return ear.frames > 20 })
	ear.mu.Lock()
	mid, before := ear.mid, ear.repeated
	ear.mu.Unlock()
	if before != 0 {
		t.Fatalf("%d frames came twice before anything was lost", before)
	}
	got := boy.asks(`["webrtc:report",{"slots":[{"mid":"` + mid + `","received":90,"lost":10,"concealed":9600,"events":10},` +
		`{"mid":"no such slot","received":0,"lost":1,"concealed":0,"events":0}]}]`)
	var counts []wire.WebRTCCounts
	if err := json.Unmarshal([]byte(strings.TrimPrefix(got, "431")), &counts); err != nil || len(counts) != 1 {
		t.Fatalf("the answer is %s: %v", got, err)
	}
	if c := counts[0]; len(c.Slots) == 0 || c.Slots[0].Mid != mid || c.Slots[0].Sent < 20 || c.Received != 0 {
		t.Errorf("after 20 packets to slot %s, and none from it, the radio has counted %+v", mid, c)
	}
	ear.hearsWhile(adam, "frames that come twice", func() bool { return ear.repeated > 20 })
}

func TestAHandheldReportsOnItsOnlyConnection(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	r := s.handheld(7).tuned()
	if got := r.ask("setTalking", `{"state":true}`); got != success {
		t.Fatal(got)
	}
	if err := r.Send([]byte{31 << 3, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	var counts wire.WebRTCCounts
	for end := time.Now().Add(patience); counts.Received == 0; {
		got := r.ask("webrtc:report", `{"slots":[]}`)
		if err := json.Unmarshal([]byte(got), &counts); err != nil || len(counts.Slots) == 0 {
			t.Fatalf("the answer is %s: %v", got, err)
		}
		if time.Now().After(end) {
			t.Fatalf("the packet that was said is not counted: %s", got)
		}
	}
}
