package socket

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
	"squelch/server/session"
	"squelch/server/sio"
	"squelch/server/store"
	"squelch/sfu"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a wait that would otherwise last forever.
const patience = 20 * time.Second

const masterToken = "master-token-of-the-tests"

// ownersIds is how many ids one login may hold here.
const ownersIds = 20

// station is a hub with everything that it needs, without REST.
type station struct {
	*Hub
	t        testing.TB
	url      string
	web      *httptest.Server
	sessions *session.Manager
	lockout  *session.Lockout
	listed   atomic.Pointer[wire.Nodes] // what Nodes says, in a cluster
	killed   atomic.Bool                // it does not answer other nodes
	joining  func()                     // called when a user is about to be put on the radio
	unit     string                     // the unit id of everybody
	late     sync.Mutex                 // held: no command is answered
}

func config(users int) core.Config {
	c := core.DefaultConfig()
	c.Zones = []core.Zone{{Name: "County", Channels: []core.Channel{
		{Name: "DISP", Type: core.Conventional, Frequency: must(core.ParseFrequency("154.755"))},
		{Name: "P25", Type: core.Digital, Frequency: must(core.ParseFrequency("463"))},
	}}}
	c.TalkLease = 60_000
	c.Limits.Users, c.Limits.IDsPerLogin = users, ownersIds
	return c
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newStation(t testing.TB, users int) *station { return newStations(t, users, 1)[0] }

// newStations are hubs of one radio, as the nodes of a cluster have them, on one engine.
func newStations(t testing.TB, users, nodes int) (all []*station) {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir()+"/data", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lockout := session.NewLockout(session.LockoutOptions{Failures: 3})
	sessions, err := session.New(st.Sessions(), session.Options{MasterToken: masterToken})
	if err != nil {
		t.Fatal(err)
	}
	var radio *engine.Engine
	var followers []engine.Follower
	for range nodes {
		s := &station{t: t, lockout: lockout, sessions: sessions}
		s.Hub = NewHub(Options{Engine: func() *engine.Engine { return radio }, Gate: NewGate(sessions, lockout),
			Server: sio.NewServer(sio.Options{PingInterval: patience, PingTimeout: patience, RecoveryWindow: time.Hour}),
			Joining: func(_ context.Context, _ core.UserID, facts *core.Facts) {
				if s.joining != nil {
					s.joining()
				}
				facts.Unit = s.unit
			},
			Media: sfu.New(sfu.Options{}), Now: time.Now, Logf: t.Logf})
		answers := &engine.Queue[struct{}]{Name: "answers", Most: 1000, Replies: true,
			Prepare: func(*engine.Step) (struct{}, bool) { return struct{}{}, true },
			Deliver: func(context.Context, []struct{}) error {
				s.late.Lock()
				defer s.late.Unlock()
				return nil
			}}
		followers = append(followers, s.Follower(), answers)
		all = append(all, s)
	}
	routes := func(r *core.RouteTable) {
		for _, s := range all {
			s.Media.SetRoutes(r)
		}
	}
	radio = engine.Start(must(core.Restore(config(users), core.Data{})), engine.NewAlone(time.Now, nil),
		engine.Options{Routes: routes, Followers: followers, Logf: t.Logf})
	t.Cleanup(func() {
		for _, s := range all {
			s.close()
		}
		radio.Close()
		for _, s := range all {
			s.Media.Close()
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range all {
		s.web = httptest.NewServer(s.Server)
		s.url = strings.Replace(s.web.URL, "http", "ws", 1) + "/socket.io/?EIO=4&transport=websocket"
	}
	return all
}

// close ends the links of a station.
func (s *station) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.HangUp(ctx); err != nil {
		s.t.Errorf("the data channels did not close: %v", err)
	}
	if err := s.Server.Close(ctx); err != nil {
		s.t.Errorf("the sockets did not close: %v", err)
	}
	s.web.CloseClientConnections()
	s.web.Close()
}

// set is a radio set: a websocket that speaks Socket.IO by hand.
type set struct {
	t    testing.TB
	conn *websocket.Conn
}

// dial opens a set and returns the radio's answer to its auth object.
func (s *station) dial(auth map[string]any) (*set, string) {
	s.t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(s.url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	r := &set{s.t, conn}
	r.hear("0{")
	r.say("40" + string(must(json.Marshal(auth))))
	return r, r.hear("4")
}

func (s *station) desk(id int) *set {
	s.t.Helper()
	r, answer := s.dial(map[string]any{"authToken": masterToken, "serverId": id})
	if !strings.HasPrefix(answer, "40") {
		s.t.Fatalf("desk %d: %s", id, answer)
	}
	return r
}

func (r *set) say(text string) {
	r.t.Helper()
	if err := r.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		r.t.Fatal(err)
	}
}

// hear reads until a message begins with prefix.
func (r *set) hear(prefix string) string {
	r.t.Helper()
	var heard []string
	for {
		_, b, err := r.conn.ReadMessage()
		if err != nil {
			r.t.Fatalf("waiting for %s: %v; heard %q", prefix, err, heard)
		}
		if strings.HasPrefix(string(b), prefix) {
			return string(b)
		}
		heard = append(heard, string(b))
	}
}

// asks sends an event and returns the answer.
func (r *set) asks(event string) string {
	r.t.Helper()
	r.say("421" + event)
	return r.hear("431")
}

func (r *set) tuned() *set {
	r.t.Helper()
	if got := r.asks(`["setSpeakerChannel","154.755"]`); got != `431[{"success":true}]` {
		r.t.Fatalf("tuning: %s", got)
	}
	return r
}
