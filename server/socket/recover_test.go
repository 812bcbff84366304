package socket

import (
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/session"
	sioclient "squelch/server/sio/client"
)

// console is a client that reconnects by itself, as consoles and bots do.
type console struct {
	*sioclient.Client
	t      testing.TB
	met    chan bool // recovered
	lost   chan string
	failed chan error
	events chan sioclient.Event
}

func (s *station) console(auth map[string]any) *console {
	s.t.Helper()
	c := &console{t: s.t, met: make(chan bool, 8), lost: make(chan string, 8), failed: make(chan error, 8), events: make(chan sioclient.Event, 1000)}
	var err error
	c.Client, err = sioclient.New(sioclient.Options{URL: strings.TrimSuffix(s.url, "/socket.io/?EIO=4&transport=websocket"),
		Auth: func() any { return auth }, ReconnectDelay: time.Millisecond, ReconnectDelayMax: 5 * time.Millisecond,
		OnConnect: func(recovered bool) { c.met <- recovered }, OnDisconnect: func(reason string) { c.lost <- reason },
		OnConnectError: func(err error) { c.failed <- err }, OnEvent: func(e sioclient.Event) { c.events <- e }})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

func await[T any](t testing.TB, from chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// told waits for an event whose first argument has the text.
func (c *console) told(name, text string) {
	c.t.Helper()
	for {
		if e := await(c.t, c.events, name+" "+text); e.Name == name && strings.Contains(string(e.Args[0]), text) {
			return
		}
	}
}

// upToDate waits until everything so far has arrived, so that the client has an
// offset.
func (c *console) upToDate() {
	c.t.Helper()
	if err := c.Emit("heartbeat", 1); err != nil {
		c.t.Fatal(err)
	}
	c.told("heartbeat_response", "")
}

func auth(c session.Credentials, id int) map[string]any {
	return map[string]any{"authToken": c.Token, "sessionId": c.SessionID, "serverId": id}
}

func (s *station) revoke(c session.Credentials) {
	s.t.Helper()
	live, err := s.sessions.Check(c.SessionID, c.Token)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.sessions.Revoke(s.t.Context(), live.Key); err != nil {
		s.t.Fatal(err)
	}
	if held, err := s.EndSession(s.t.Context(), live.Key); err != nil || len(held) != 1 {
		s.t.Errorf("held %v, %v", held, err)
	}
}

func (s *station) do(cmd core.Command) {
	s.t.Helper()
	if _, err := s.Engine().Do(s.t.Context(), core.Actor{Surface: core.ByREST}, cmd); err != nil {
		s.t.Fatal(err)
	}
}

func (s *station) waiting(n int, what string) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		lost := len(s.lost)
		s.mu.Unlock()
		if detached := s.Server.Stats().Detached; detached == n && lost == n {
			return
		} else if time.Now().After(end) {
			s.t.Fatalf("%s: %d sockets and %d users wait, want %d", what, detached, lost, n)
		}
	}
}

// papers returns what a lost set sends to be recovered.
func papers(greeting, event string) (pid, offset string) {
	_, rest, _ := strings.Cut(greeting, `"pid":"`)
	pid, _, _ = strings.Cut(rest, `"`)
	offset = strings.TrimSuffix(event[strings.LastIndex(event, `,"`)+2:], `"]`)
	return pid, offset
}

func TestWhatIsEndedIsNotRecovered(t *testing.T) {
	s := newStation(t, 100)
	king, rook := s.login("KING-1"), s.login("ROOK-1")
	token := must(s.sessions.PlayerConnect(t.Context(), 7, []byte(`{"serverId":7}`)))
	s.do(core.Register{User: 7})
	for _, c := range []struct {
		name string
		auth map[string]any
		end  func()
	}{
		{"a revoked session", auth(king, -1), func() { s.revoke(king) }},
		{"a dropped player", map[string]any{"authToken": token}, func() {
			if err := s.sessions.PlayerDrop(t.Context(), 7); err != nil {
				t.Fatal(err)
			}
			s.do(core.Drop{User: 7})
		}},
		{"a kicked dispatcher", auth(rook, -1), func() { s.do(core.Kick{User: -1}) }},
	} {
		r, greeting := s.dial(c.auth)
		r.tuned()
		r.say(`42["heartbeat",1]`)
		pid, offset := papers(greeting, r.hear(`42["heartbeat_response"`))
		r.conn.NetConn().Close()
		s.waiting(1, c.name+" is lost")
		c.end()
		s.waiting(0, c.name)
		wish := auth(rook, -1)
		wish["pid"], wish["offset"] = pid, offset
		again, got := s.dial(wish)
		if !strings.HasPrefix(got, "40{") || strings.Contains(got, pid) {
			t.Errorf("%s: %s", c.name, got)
		}
		if got := again.asks(`["setTalking",true]`); !strings.Contains(got, "No channel is selected") {
			t.Errorf("%s left its channel to another: %s", c.name, got)
		}
		again.say("41")
		for end := time.Now().Add(patience); s.Stats().Clients > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the goodbye was not heard", c.name)
			}
		}
	}
}

func TestAConsoleIsBackAsItWas(t *testing.T) {
	s := newStation(t, 100)
	desk := s.console(auth(s.login("KING-1"), -1))
	await(t, desk.met, "the radio")
	near := s.desk(-2).tuned()
	for _, event := range []string{"setSpeakerChannel", "addListeningChannel"} {
		if err := desk.Emit(event, "154.755"); err != nil {
			t.Fatal(err)
		}
	}
	if err := desk.Emit("setTalking", true); err != nil {
		t.Fatal(err)
	}
	near.hear(`42["talkingState",{"serverId":-1,"frequency":"154.755","state":true}`)
	desk.upToDate()
	for range 3 {
		desk.Cut()
		await(t, desk.lost, "the cut")
		if !await(t, desk.met, "the radio") {
			t.Fatal("not recovered")
		}
	}
	near.say(`42["setTalking",true]`)
	near.hear(`42["ptt:denied"`)
	if n := s.Stats().Clients; n != 2 {
		t.Errorf("%d clients", n)
	}
	s.waiting(0, "nobody is lost")
}

// TestALateAnswerDoesNotUnmakeARecovery: the radio has given the user back to its
// client, so the client has it, though the answer took too long.
func TestALateAnswerDoesNotUnmakeARecovery(t *testing.T) {
	t.Parallel()
	s := newStation(t, 100)
	king := s.login("KING-1")
	r, greeting := s.dial(auth(king, -1))
	r.tuned()
	r.say(`42["heartbeat",1]`)
	pid, offset := papers(greeting, r.hear(`42["heartbeat_response"`))
	r.conn.NetConn().Close()
	s.waiting(1, "the socket is lost")

	back := auth(king, -1)
	back["pid"], back["offset"] = pid, offset
	s.late.Lock()
	time.AfterFunc(commandTime+time.Second, s.late.Unlock)
	r, greeting = s.dial(back)
	if !strings.Contains(greeting, pid) {
		t.Fatalf("another socket was made: %s", greeting)
	}
	r.say(`42["heartbeat",2]`)
	r.hear(`42["heartbeat_response"`)
	s.waiting(0, "the socket is back")
	if s.client(-1) == nil {
		t.Error("nobody is bound to -1")
	}
}

// A socket belongs to its present login: one that has since named a session is no
// longer the master token's.
func TestALateSessionIsNotRecoveredByTheMasterToken(t *testing.T) {
	s := newStation(t, 100)
	c := s.login("ROOK-1")
	bot := s.console(map[string]any{"authToken": masterToken, "serverId": -1})
	await(t, bot.met, "the radio")
	link := func() {
		if err := bot.Emit("setDispatchSession", c.SessionID); err != nil {
			t.Fatal(err)
		}
		bot.upToDate()
	}
	link()
	if err := bot.Emit("setSpeakerChannel", "154.755"); err != nil {
		t.Fatal(err)
	}
	bot.upToDate()
	bot.Cut()
	await(t, bot.lost, "the cut")
	if await(t, bot.met, "the radio") {
		t.Fatal("it says recovered, and its user is another")
	}
	bot.told("identity", `{"serverId":-2}`)
	link()
	var u core.UserView
	_ = s.Engine().View(t.Context(), func(v core.View) { u, _ = v.User(-1) })
	if !u.Linked || u.Lost || u.Current.String() != "154.755" || u.Name != "ROOK-1" {
		t.Errorf("the user is %+v", u)
	}
	s.waiting(0, "the old socket is forgotten")
}

// The machine of a bot loses its power, and the radio has not noticed: sets here do
// not answer pings.
func TestARestartedBotIsNotKeptOutByItsGhost(t *testing.T) {
	s := newStation(t, 100)
	near := s.desk(-7).tuned()
	first := s.desk(-1).tuned()
	if got := first.asks(`["setTalking",true]`); !strings.Contains(got, `"success":true`) {
		t.Fatal(got)
	}
	near.hear(`42["talkingState",{"serverId":-1,"frequency":"154.755","state":true}`)
	again := s.console(map[string]any{"authToken": masterToken, "serverId": -1})
	await(t, again.met, "the radio")
	near.hear(`42["talkingState",{"serverId":-1,"frequency":"154.755","state":false}`)
	first.hear("41")
	// A bot that is alive keeps its id. Another that wants the same one gets the next,
	// and gets that back after a crash of its own.
	second := s.desk(-1)
	if got := second.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
		t.Errorf("the second: %s", got)
	}
	second.tuned()
	third := s.desk(-1)
	if got := third.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
		t.Errorf("the second, started again: %s", got)
	}
	if got := third.asks(`["setTalking",true]`); !strings.Contains(got, `"success":true`) {
		t.Errorf("on the channel that it had: %s", got)
	}
	again.upToDate()
	if len(again.lost) > 0 || s.Stats().Clients != 3 {
		t.Errorf("%d clients; the first lost %d times", s.Stats().Clients, len(again.lost))
	}
}

// A login that asked for -1 and was given -2 comes back once under either id: it is
// the same user, even when nobody has noticed that its connection died.
func TestAnIDAndItsAliasAreOneUser(t *testing.T) {
	s := newStation(t, 100)
	mad := s.console(auth(s.login("MAD"), -1))
	await(t, mad.met, "the radio")
	king := s.login("KING-1")
	first, _ := s.dial(auth(king, -1))
	if got := first.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
		t.Fatal(got)
	}
	first.tuned()
	first.conn.NetConn().Close()
	s.waiting(1, "KING-1 is lost")
	second, _ := s.dial(auth(king, -2))
	second.tuned()
	third, _ := s.dial(auth(king, -1)) // the second does not answer pings any more
	if got := third.hear(`42["identity"`); !strings.Contains(got, `{"serverId":-2}`) {
		t.Error(got)
	}
	if n := s.Stats().Clients; n != 2 {
		t.Errorf("%d clients", n)
	}
	_ = s.Engine().View(t.Context(), func(v core.View) {
		for _, u := range v.Users() {
			if u.Linked && !u.Lost && s.client(u.ID) == nil {
				t.Errorf("%s seems to be linked", u.ID)
			}
		}
	})
}

func TestAPlayerDroppedBetweenTokenAndRadioIsOut(t *testing.T) {
	s := newStation(t, 100)
	token := must(s.sessions.PlayerConnect(t.Context(), 7, []byte(`{"serverId":7}`)))
	s.joining = func() {
		if err := s.sessions.PlayerDrop(t.Context(), 7); err != nil {
			t.Error(err)
		}
	}
	r, _ := s.dial(map[string]any{"authToken": token})
	r.hear("41")
}

// TestWhoHasMissedSomethingComesAnew: when the hub does not keep up, every client's
// link is cut. The client reconnects, is not recovered, and is told how the radio is.
func TestWhoHasMissedSomethingComesAnew(t *testing.T) {
	s := newStation(t, 10)
	c := s.console(map[string]any{"authToken": masterToken, "serverId": -3})
	if await(t, c.met, "the connection") {
		t.Fatal("a first connection is recovered")
	}
	if err := c.Emit("setSpeakerChannel", "154.755"); err != nil {
		t.Fatal(err)
	}
	c.told("channelState", "154.755")
	s.dropAll(t.Context(), 5)
	if reason := await(t, c.lost, "the cut"); reason != "" {
		t.Errorf("the client was sent away, by %q, and may not come back by itself", reason)
	}
	if await(t, c.met, "the return") {
		t.Error("it goes on as if it had missed nothing")
	}
	c.told("channelState", "154.755")
	var u core.UserView
	if err := s.Engine().View(t.Context(), func(v core.View) { u, _ = v.User(-3) }); err != nil || u.Current.String() != "154.755" {
		t.Errorf("%v: it came back as %+v", err, u)
	}
}
