package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/sfu"
)

func TestAPlayerIsWelcomedOverTheDataChannelAsOverASocket(t *testing.T) {
	s := newStation(t, 100).offered()
	token := must(s.sessions.PlayerConnect(t.Context(), 8, []byte(`{}`)))
	s.do(core.Register{User: 8, Facts: core.Facts{Name: "Unit 7"}})
	s.player(7)
	sock, _ := s.dial(map[string]any{"authToken": token})
	var over []string
	for text := ""; !strings.HasPrefix(text, `42["self"`); {
		text = sock.hear("42")
		over = append(over, text[:strings.Index(text, ",")][2:])
	}
	r := s.handheld(7)
	r.until("the welcome", func() bool { return len(r.got) >= len(over) })
	var here []string
	for _, m := range r.got[:len(over)] {
		here = append(here, m[:strings.Index(m, ",")])
	}
	if !slices.Equal(here, over) {
		t.Errorf("over the data channel %q, over a socket %q", here, over)
	}
	if self := r.hear(`["self"`); !strings.Contains(self, `"serverId":7,`) {
		t.Error(self)
	}
}

func TestTheConfigurationComesInFullWheneverItChanges(t *testing.T) {
	s := newStation(t, 100).offered()
	c := config(100)
	c.DispatchNac = "D-SECRET-911"
	c.Zones[0].Channels[0].AllowedNacs = []string{"D-SECRET-911"}
	for i := range 400 { // far longer than one message may be
		c.Zones[0].Channels = append(c.Zones[0].Channels, core.Channel{Name: strings.Repeat("Überleit \"Süd\" ", 40), Type: core.Conventional, Frequency: core.Frequency(160_000_000 + 12_500*i)})
	}
	s.do(core.ReplaceConfig{Config: c})
	s.player(7)
	r := s.handheld(7)
	read := func() (body struct {
		ServerName string
		Zones      []struct{ Channels []struct{ Name string } }
	}) {
		t.Helper()
		text := r.hear(`["configUpdate"`)
		if err := json.Unmarshal([]byte(text[len(`["configUpdate",`):len(text)-1]), &body); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "D-SECRET-911") {
			t.Error("it has the login of the dispatch panel")
		}
		return body
	}
	if got := read(); len(got.Zones) != 1 || len(got.Zones[0].Channels) != len(c.Zones[0].Channels)-1 || got.Zones[0].Channels[9].Name != c.Zones[0].Channels[9].Name {
		t.Errorf("%d zones", len(got.Zones))
	}
	c.ServerName = "Another County"
	s.do(core.ReplaceConfig{Config: c})
	if got := read(); got.ServerName != "Another County" {
		t.Errorf("after a change %q", got.ServerName)
	}
}

func TestVoiceGoesBothWaysBetweenADataChannelAndASocket(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	r, desk := s.handheld(7).tuned(), s.desk(-1).tuned()
	if got := r.ask("setTalking", `{"state":true}`); got != success {
		t.Fatal(got)
	}
	opus := []byte{31 << 3, 1, 2, 3}
	for n := range 60 {
		if err := r.Send(append(opus, byte(n))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if got := desk.hear(`42["voice"`); !strings.Contains(got, `"serverId":7,"frequency":"154.755","data":"+AEC`) {
		t.Error(got)
	}
	if got := desk.asks(`["setTalking",true]`); !strings.Contains(got, `"currentTalker":7`) {
		t.Error(got)
	}
	if got := r.ask("setTalking", `false`); got != success {
		t.Fatal(got)
	}
	if got := desk.asks(`["setTalking",true]`); got != `431[{"success":true}]` {
		t.Fatal(got)
	}
	for _, told := range []string{`["talkingState",{"serverId":-1,"frequency":"154.755","state":true}]`, `["webrtc:slots",{"slots":[{"slot":0,`} {
		r.until(told, func() bool {
			return slices.ContainsFunc(r.got, func(m string) bool { return strings.HasPrefix(m, told) })
		})
	}
	for range 60 {
		desk.say(`42["voice",{"data":"+AECAw=="}]`)
		time.Sleep(5 * time.Millisecond)
	}
	r.until("voice", func() bool { return r.from[-1] > 20 })
	if got := r.ask("setTalking", `true`); got != `{"success":false,"error":"The channel is busy","currentTalker":-1}` {
		t.Error(got)
	}
	if st := s.Media.Stats(); len(st.Peers) != 1 || st.Peers[0].PreRolled > 60 || st.Peers[0].Up.Packets == 0 {
		t.Errorf("%+v", st.Peers)
	}
}

func TestALostDataChannelIsResumedAndAGoodbyeIsNot(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	first := s.handheld(7).tuned()
	first.ask("addListeningChannel", `"463"`)
	first.Close()
	s.becomes(7, "lost", isLost)
	second := s.handheld(7)
	if self := second.hear(`["self"`); !strings.Contains(self, `"channel":"154.755"`) || !strings.Contains(self, `"listening":["463"]`) {
		t.Errorf("after a lost link: %s", self)
	}
	if u := s.user(7); !isLive(u) || u.Current.String() != "154.755" {
		t.Errorf("%+v", u)
	}
	second.say(`["#bye"]`)
	second.ended()
	s.becomes(7, "gone", isOff)
	third := s.handheld(7)
	if self := third.hear(`["self"`); !strings.Contains(self, `"channel":null`) {
		t.Errorf("after a goodbye: %s", self)
	}
	if n := s.Stats().Clients; n != 1 {
		t.Errorf("%d clients", n)
	}
}

func TestTheNewestConnectionOfAPlayerWins(t *testing.T) {
	s := newStation(t, 100).offered()
	token := must(s.sessions.PlayerConnect(t.Context(), 7, []byte(`{}`)))
	s.do(core.Register{User: 7})
	sock, _ := s.dial(map[string]any{"authToken": token})
	sock.tuned()
	first := s.handheld(7)
	sock.hear("41")
	second := s.handheld(7)
	if self := second.hear(`["self"`); !strings.Contains(self, `"channel":"154.755"`) {
		t.Errorf("the second data channel: %s", self)
	}
	first.ended()
	sock, _ = s.dial(map[string]any{"authToken": token})
	sock.hear(`42["self"`)
	second.ended()
	if u := s.user(7); !isLive(u) || s.Stats().Clients != 1 || len(s.Media.Stats().Peers) != 0 {
		t.Errorf("%+v, %d clients, %+v", u, s.Stats().Clients, s.Media.Stats().Peers)
	}
}

func TestADroppedOrDisconnectedPlayerIsOffAtOnce(t *testing.T) {
	s := newStation(t, 100).offered()
	for name, end := range map[string]func(){
		"dropped":      func() { s.drop(7) },
		"disconnected": func() { s.do(core.Kick{User: 7}) },
	} {
		s.player(7)
		r := s.handheld(7).tuned()
		r.ask("setTalking", "true")
		end()
		r.ended()
		if u := s.user(7); !isOff(u) || s.Stats().Clients != 0 {
			t.Errorf("%s: %+v", name, u)
		}
		if name == "disconnected" {
			r.hear(`["dispatchNotification",{"type":"userDisconnected"`) // the last message arrives
		}
	}
}

// A player over a data channel has a player's permissions, whatever it sends.
func TestAPlayerActsAsItself(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	s.player(8)
	r, other := s.handheld(7).tuned(), s.handheld(8).tuned()
	for event, payload := range map[string]string{"acknowledgePanic": `{"serverId":8}`, "listenToUser": `8`, "panic": `{"serverId":8,"enabled":true}`} {
		r.ask(event, payload)
	}
	if got := r.ask("setDispatchSession", `"any"`); got != success {
		t.Error(got)
	}
	r.say(`["voice",{"data":"QUJD","serverId":8}]`)
	var panics []core.Panic
	_ = s.Engine().View(t.Context(), func(v core.View) { panics = v.Panics() })
	if len(panics) != 1 || panics[0].User != 7 {
		t.Errorf("%+v", panics)
	}
	if got := other.ask("heartbeat", "1"); got != success {
		t.Error(got)
	}
}

func TestHostileMessagesHarmNobodyElse(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(8)
	good := s.handheld(8).tuned()
	for name, send := range map[string]func(*handheld){
		"not JSON":       func(r *handheld) { r.say(`nonsense`) },
		"an object":      func(r *handheld) { r.say(`{"heartbeat":1}`) },
		"nothing":        func(r *handheld) { r.say(``) },
		"an empty array": func(r *handheld) { r.say(`[]`) },
		"no name":        func(r *handheld) { r.say(`[7,"heartbeat"]`) },
		"a wrong ack":    func(r *handheld) { r.say(`["heartbeat",1,"x"]`) },
		"a negative ack": func(r *handheld) { r.say(`["heartbeat",1,-1]`) },
		"too much":       func(r *handheld) { r.say(`["heartbeat",1,2,3]`) },
		"deep nesting":   func(r *handheld) { r.say(strings.Repeat("[", 60_000)) },
	} {
		s.player(7)
		r := s.handheld(7).tuned()
		send(r)
		r.ended()
		s.becomes(7, "lost after "+name, isLost)
		s.drop(7)
	}
	s.player(7)
	r := s.handheld(7)
	wrong := s.Stats().WrongPayload
	for _, text := range []string{`["selfDestruct",{"now":true}]`, `["#unknown"]`, `["heartbeat"]`, `["setSpeakerChannel",{"a":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}]`,
		`["radioState",{"power":"` + strings.Repeat("x", 60_000) + `"}]`} {
		r.say(text)
	}
	if got := r.ask("heartbeat", "1"); got != success {
		t.Error(got)
	}
	if n := s.Stats().WrongPayload - wrong; n != 2 {
		t.Errorf("%d payloads were wrong", n)
	}
	if got := good.ask("heartbeat", "1"); got != success {
		t.Error(got)
	}
}

func TestAPanicWhileAPlayerEntersEndsItsLinkOnly(t *testing.T) {
	s := newStation(t, 100).offered()
	var once sync.Once
	s.joining = func() { once.Do(func() { panic("a bug") }) }
	s.player(7)
	r, err := s.tryHandheld(7, func(ctx context.Context, offer string) (string, error) { return s.Offer(ctx, 7, offer) })
	if err == nil { // else it has ended before the client saw it open
		r.ended()
	}
	s.handheld(7).tuned()
}

// A flood waits for its turn, event by event; more than may wait ends the connection.
// Others notice nothing.
func TestAFloodOverTheDataChannelIsTheEndOfIt(t *testing.T) {
	s := newStation(t, 100).offered()
	s.Hub.EventsPerSecond = 20
	s.player(7)
	s.player(8)
	r, good := s.handheld(7).tuned(), s.handheld(8).tuned()
	for n := 0; n < eventBurst+4*inboxEvents; n++ {
		if err := r.SendControl(`["addListeningChannel","463"]`); err != nil {
			break
		}
	}
	r.ended()
	s.becomes(7, "lost", isLost)
	if got := good.ask("setTalking", "true"); got != success {
		t.Error(got)
	}
	if got := s.handheld(7).ask("heartbeat", "1"); got != success {
		t.Error(got)
	}
}

// All players share a script's queue, so nobody may fill it.
func TestAFloodForScriptsIsRefused(t *testing.T) {
	s := newStation(t, 10_000).offered()
	took := 0
	s.Scripts = func(from core.UserID, _ string, _ []json.RawMessage) bool {
		if from == 7 {
			took++
		}
		return true
	}
	s.player(7)
	s.player(8)
	r := s.handheld(7)
	for n := 1; n <= 1000; n++ {
		r.say(fmt.Sprintf(`["serverEvent",{"name":"roster:open"},%d]`, n))
	}
	if last := r.hear(`["#ack",1000,`); !strings.Contains(last, "Too many events for scripts") {
		t.Error(last)
	}
	if got := s.handheld(8).ask("serverEvent", `{"name":"roster:open"}`); got != success {
		t.Error(got)
	}
	if took < scriptBurst || took == 1000 {
		t.Errorf("the scripts got %d of 1000 events", took)
	}
}

func TestAScriptsEventReachesDataChannelsAndSockets(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	token := must(s.sessions.PlayerConnect(t.Context(), 8, []byte(`{}`)))
	s.do(core.Register{User: 8})
	r := s.handheld(7)
	sock, _ := s.dial(map[string]any{"authToken": token})
	r.hear(`["self"`)
	sock.hear(`42["self"`)
	m, _ := wire.ToClients(core.Audience{Users: []core.UserID{7, 8, 99}}, "roster:state", []any{"on", 7})
	s.Announce(m)
	const event = `["clientEvent",{"name":"roster:state","args":["on",7]}`
	r.hear(event)
	sock.hear("42" + event)
}

func TestHangingUpEndsEveryDataChannel(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	r := s.handheld(7).tuned()
	if err := s.HangUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if u := s.user(7); !isLost(u) {
		t.Errorf("when it is over: %+v", u)
	}
	r.ended()
	_, err := s.tryHandheld(7, func(ctx context.Context, offer string) (string, error) { return s.Offer(ctx, 7, offer) })
	var refused *core.Error
	if !errors.As(err, &refused) || refused.Kind != core.Unavailable {
		t.Errorf("an offer after that: %v", err)
	}
}

// The service may stop between the moment when a data channel counts as open and the one
// when its player is put on the radio.
func TestAStopWhileADataChannelOpensLeavesNobodyOnTheRadio(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	over := make(chan struct{})
	r, err := s.tryHandheld(7, func(ctx context.Context, offer string) (string, error) {
		return s.Media.Answer(ctx, 7, offer, sfu.PeerEvents{Slots: func(sfu.Slots) {}, Closed: func(error) {}, Control: func(channel *sfu.Control) {
			defer close(over)
			k := newControl(s.Hub, s.newClient(nil, &admitted{who: Identity{Caller: door.Caller{Kind: door.Player, User: 7}}, want: 7}), channel)
			k.hangUp()
			k.serve()
		}})
	})
	<-over
	if err == nil { // else it has ended before the client saw it open
		r.ended()
	}
	if u := s.user(7); isLive(u) || s.Stats().Clients != 0 {
		t.Errorf("%+v, %d clients", u, s.Stats().Clients)
	}
}

func TestADataChannelIsLeftWhenTheRadioIsReplaced(t *testing.T) {
	s := newStation(t, 100).offered()
	s.player(7)
	r := s.handheld(7).tuned()
	s.breakAll()
	r.ended()
	s.becomes(7, "lost", isLost)
	if self := s.handheld(7).hear(`["self"`); !strings.Contains(self, `"channel":"154.755"`) {
		t.Error(self)
	}
}
