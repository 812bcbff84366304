package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	peer "squelch/sfu/client"
)

// handheld is a player's radio that is connected through the game server's offer.
type handheld struct {
	*peer.Client
	mu    sync.Mutex
	got   []string
	heard int // frames of voice
	over  bool
}

// handheld connects a player by the route that the game server uses.
func (s *service) handheld(id int) *handheld {
	s.t.Helper()
	r := &handheld{}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	var err error
	r.Client, err = peer.Dial(ctx, peer.Options{Loopback: true,
		Control: func(text []byte) { r.set(func() { r.got = append(r.got, string(text)) }) },
		Heard:   func(peer.Received) { r.set(func() { r.heard++ }) },
		Gone:    func() { r.set(func() { r.over = true }) },
	}, func(_ context.Context, offer string) (string, error) {
		var answer struct{ SDP string }
		s.ask(http.MethodPost, "/api/game/webrtc", map[string]any{"serverId": id, "sdp": offer}, session{AuthToken: masterToken}, http.StatusOK, &answer)
		return answer.SDP, nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.Close)
	return r
}

func (r *handheld) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// wait waits until done, or until a message has the text.
func (r *handheld) wait(t *testing.T, text string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		yes := false
		r.set(func() {
			if done != nil {
				yes = done()
				return
			}
			for _, m := range r.got {
				yes = yes || strings.Contains(m, text)
			}
		})
		if yes {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("in vain: %s; got %.2000q", text, r.got)
		}
	}
}

func (r *handheld) say(t *testing.T, text string) {
	t.Helper()
	if err := r.SendControl(text); err != nil {
		t.Fatal(err)
	}
}

// A player's whole client over one WebRTC connection: it joins, talks with a dispatcher
// on Socket.IO, comes back after a restart of the service, and is off when the game server drops
// it. The player never has a token.
func TestAPlayersWholeClientOverWebRTC(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do("/api/player/connect", map[string]any{"serverId": 7, "name": "Unit 7", "nacId": "PD"}, session{AuthToken: masterToken})
	r, desk := s.handheld(7), s.dispatcher(-1, s.login("DESK"))
	r.wait(t, `["configUpdate",{"zones":[`, nil)
	r.wait(t, `["self",{"serverId":7,`, nil)
	r.say(t, `["setSpeakerChannel","154.755",1]`)
	r.wait(t, `["#ack",1,{"success":true}]`, nil)
	desk.send(`421["setSpeakerChannel","154.755"]`)
	desk.wait(`431[{"success":true}]`)
	r.say(t, `["setTalking",{"state":true},2]`)
	r.wait(t, `["#ack",2,{"success":true}]`, nil)
	for n := range 50 {
		if err := r.Send([]byte{31 << 3, 1, byte(n)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if got := desk.wait(`42["voice"`); !strings.Contains(got, `"serverId":7,"frequency":"154.755"`) {
		t.Error(got)
	} else {
		fitsTheDocument(t, strings.TrimPrefix(got, "42"))
	}
	r.say(t, `["setTalking",false,3]`)
	r.wait(t, `["#ack",3,{"success":true}]`, nil)
	desk.send(`422["setTalking",true]`)
	desk.wait(`432[{"success":true}]`)
	for range 50 {
		desk.send(`42["voice",{"data":"+AEC"}]`)
		time.Sleep(5 * time.Millisecond)
	}
	r.wait(t, "voice", func() bool { return r.heard > 10 })
	var tone struct {
		Data []byte
		Type string
	}
	r.say(t, `["toneFile",{"name":"ALERT_A"},4]`)
	r.wait(t, `["#ack",4,{"data":"UklGR`, nil)
	r.set(func() {
		for _, m := range r.got {
			if text, is := strings.CutPrefix(m, `["#ack",4,`); is {
				_ = json.Unmarshal([]byte(strings.TrimSuffix(text, "]")), &tone)
			}
		}
	})
	if len(tone.Data) != 16<<10 || tone.Type != "audio/wav" {
		t.Errorf("%d bytes of %s", len(tone.Data), tone.Type)
	}
	admin := s.administrator()
	var shown struct{ Revision string }
	admin.call(http.MethodGet, "config", nil, http.StatusOK, &shown)
	admin.call(http.MethodPut, "config", map[string]any{"revision": shown.Revision, "config": map[string]any{
		"volumes": map[string]any{"voice": 80, "sfx": 10, "audio3d": 20, "step": 5}}}, http.StatusOK, &shown)
	fitsTheDocument(t, strings.TrimPrefix(desk.wait(`42["configRefresh"`), "42"))
	said := map[string]bool{}
	r.set(func() {
		for _, m := range r.got {
			said[fitsTheDocument(t, m)] = true
		}
	})
	for _, event := range []string{"webrtc:slots", "talkingState", "self", "configUpdate"} {
		if !said[event] {
			t.Errorf("the player has never heard %s", event)
		}
	}

	desk.conn.Close()
	s.stop()
	r.wait(t, "the end", func() bool { return r.over })
	s = s.again()
	r = s.handheld(7)
	r.wait(t, `["self",{"serverId":7,"name":"Unit 7","nacId":"PD"`, nil) // known without being announced anew

	s.do("/api/player/drop", map[string]any{"serverId": 7}, session{AuthToken: masterToken})
	r.wait(t, "the end", func() bool { return r.over })
	status, text := s.call(http.MethodPost, "/api/game/webrtc", map[string]any{"serverId": 7, "sdp": "v=0"}, session{AuthToken: masterToken})
	if status != http.StatusNotFound {
		t.Errorf("who was dropped: %d %s", status, text)
	}
	s.stop()
	if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
		t.Error(report)
	}
	if len(s.holding(`"action":"player.webrtc"`)) == 0 {
		t.Error("the audit log does not have the connection")
	}
}
