package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/server/internal/teststation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const master = "the-master-token"

func newWatch() *teststation.Clock { return teststation.NewClock(time.UnixMilli(1_750_000_000_000)) }

// dispatchNac cannot occur in a hash by chance.
const dispatchNac = "desk-293"

func manager(t *testing.T, storage Storage, clock *teststation.Clock, change func(*Options)) *Manager {
	t.Helper()
	options := Options{MasterToken: master, DispatchNac: dispatchNac, Now: clock.Now}
	if change != nil {
		change(&options)
	}
	m, err := New(storage, options)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func login(t *testing.T, m *Manager, callsign string) (Credentials, Session) {
	t.Helper()
	credentials, s, err := m.Create(t.Context(), Identity{Callsign: callsign, NacID: dispatchNac, Via: ViaNAC})
	if err != nil {
		t.Fatal(err)
	}
	return credentials, s
}

func TestADispatcherLogsInAndIsKnown(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), nil)
	north, session := login(t, m, "NORTH")
	south, _ := login(t, m, "SOUTH")
	if session.Callsign != "NORTH" || session.Expires.Sub(session.Created) != 24*time.Hour {
		t.Errorf("session %+v", session)
	}
	if len(north.SessionID) != 43 || len(north.Token) != 43 || north.SessionID == north.Token || north == south {
		t.Errorf("credentials %+v, %+v", north, south)
	}
	cases := []struct {
		name, id, token string
		want            error
	}{
		{"own token", north.SessionID, north.Token, nil},
		{"master token", north.SessionID, master, nil},
		{"another's token", north.SessionID, south.Token, ErrToken},
		{"session id as token", north.SessionID, north.SessionID, ErrToken},
		{"key as id", session.Key, north.Token, ErrUnknown},
		{"no token", north.SessionID, "", ErrToken},
		{"no id", "", north.Token, ErrUnknown},
		{"master token without a session", "", master, ErrUnknown},
		{"other case", strings.ToUpper(north.SessionID), north.Token, ErrUnknown},
		{"nothing", "", "", ErrUnknown},
	}
	for _, c := range cases {
		got, err := m.Check(c.id, c.token)
		if !errors.Is(err, c.want) || (err == nil) != (got.Callsign == "NORTH") {
			t.Errorf("%s: %+v, %v, want %v", c.name, got, err, c.want)
		}
	}
	if !m.CheckToken(master) || m.CheckToken(north.Token) || m.CheckToken("") {
		t.Error("only the master token passes without a session id")
	}
	if s, err := m.CheckSessionToken(south.Token); err != nil || s.Callsign != "SOUTH" {
		t.Errorf("session of a token: %+v, %v", s, err)
	}
	if _, err := m.CheckSessionToken(master); !errors.Is(err, ErrToken) {
		t.Errorf("the master token belongs to a session: %v", err)
	}
}

func TestWithoutAMasterTokenNothingPassesAsIt(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), func(o *Options) { o.MasterToken = "" })
	credentials, _ := login(t, m, "NORTH")
	if m.CheckToken("") {
		t.Error("an empty token passes as the master token")
	}
	if _, err := m.Check(credentials.SessionID, ""); !errors.Is(err, ErrToken) {
		t.Errorf("an empty token passes: %v", err)
	}
	if _, _, err := m.Reauth(t.Context(), "", "X"); !errors.Is(err, ErrToken) {
		t.Errorf("an empty token begins a session: %v", err)
	}
}

func TestASessionEndsAfterADay(t *testing.T) {
	clock, storage := newWatch(), &teststation.Bucket{}
	m := manager(t, storage, clock, nil)
	credentials, session := login(t, m, "NORTH")
	clock.Pass(24*time.Hour - time.Millisecond)
	if _, err := m.Check(credentials.SessionID, credentials.Token); err != nil || !m.Live(session.Key) {
		t.Errorf("in its last moment: %v", err)
	}
	clock.Pass(time.Millisecond)
	if _, err := m.Check(credentials.SessionID, credentials.Token); !errors.Is(err, ErrUnknown) || m.Live(session.Key) {
		t.Errorf("after its time: %v", err)
	}
	if _, _, err := m.Reauth(t.Context(), credentials.Token, "NORTH"); !errors.Is(err, ErrToken) {
		t.Errorf("reauth after its time: %v", err)
	}
	if len(m.List()) != 0 {
		t.Error("it is still listed")
	}
	if n, err := m.Sweep(t.Context()); n != 1 || err != nil || len(storage.All()) != 0 {
		t.Errorf("swept %d, %v, %d values are left", n, err, len(storage.All()))
	}
}

// The dispatch NAC id is known again after a restart, but not from the session's
// record.
func TestTheDispatchNacIsNotStoredWithSessions(t *testing.T) {
	clock, storage := newWatch(), &teststation.Bucket{}
	login(t, manager(t, storage, clock, nil), "NORTH")
	for key, value := range storage.All() {
		if strings.Contains(string(value), dispatchNac) {
			t.Errorf("%s: %s", key, value)
		}
	}
	after := manager(t, storage, clock, nil)
	if all := after.List(); len(all) != 1 || all[0].NacID != dispatchNac {
		t.Errorf("after a restart: %+v", all)
	}
}

func TestSessionsSurviveARestart(t *testing.T) {
	clock, storage := newWatch(), &teststation.Bucket{}
	before := manager(t, storage, clock, nil)
	kept, session := login(t, before, "NORTH")
	gone, _ := login(t, before, "SOUTH")
	if err := before.Revoke(t.Context(), digestOf(gone.SessionID).String()); err != nil {
		t.Fatal(err)
	}
	for key, value := range storage.All() {
		for _, secret := range []string{kept.SessionID, kept.Token, master} {
			if strings.Contains(key+string(value), secret) {
				t.Errorf("a secret is kept in the clear: %s %s", key, value)
			}
		}
	}
	clock.Pass(time.Hour)
	after := manager(t, storage, clock, nil)
	got, err := after.Check(kept.SessionID, kept.Token)
	got.LastUsed = session.LastUsed
	if err != nil || got != session {
		t.Errorf("%+v, %v, want %+v", got, err, session)
	}
	if _, err := after.Check(gone.SessionID, gone.Token); !errors.Is(err, ErrUnknown) {
		t.Errorf("a revoked session came back: %v", err)
	}
}

func TestTheSessionIdleLongestMakesRoom(t *testing.T) {
	clock, storage := newWatch(), &teststation.Bucket{}
	m := manager(t, storage, clock, func(o *Options) { o.MaxSessions = 3 })
	var all []Credentials
	for _, callsign := range []string{"A", "B", "C"} {
		credentials, _ := login(t, m, callsign)
		all = append(all, credentials)
		clock.Pass(time.Minute)
	}
	if _, err := m.Check(all[0].SessionID, all[0].Token); err != nil { // A is in use, so B is now idle longest
		t.Fatal(err)
	}
	clock.Pass(time.Minute)
	login(t, m, "D")
	var left []string
	for _, s := range m.List() {
		left = append(left, s.Callsign)
	}
	if fmt.Sprint(left) != "[A C D]" || len(storage.All()) != 3 {
		t.Errorf("left: %v, %d stored", left, len(storage.All()))
	}
	clock.Pass(24 * time.Hour)
	login(t, m, "E")
	if len(m.List()) != 1 || len(storage.All()) != 1 {
		t.Errorf("%d live, %d stored after a day", len(m.List()), len(storage.All()))
	}
}

func TestALoginThatCannotBeStoredDoesNotCount(t *testing.T) {
	storage, full := &teststation.Bucket{}, errors.New("the disk is full")
	storage.Break(full)
	m := manager(t, storage, newWatch(), nil)
	if _, _, err := m.Create(t.Context(), Identity{Via: ViaNAC}); !errors.Is(err, full) {
		t.Errorf("session: %v", err)
	}
	if _, err := m.PlayerConnect(t.Context(), 5, nil); !errors.Is(err, full) {
		t.Errorf("player: %v", err)
	}
	if len(m.List()) != 0 || len(m.Players()) != 0 {
		t.Error("it counts all the same")
	}
}

func TestBadIdentitiesAreNamed(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), nil)
	long := strings.Repeat("x", MaxField+1)
	for want, who := range map[string]Identity{
		"callsign": {Via: ViaNAC, Callsign: long},
		"nacId":    {Via: ViaNAC, NacID: long},
		"name":     {Via: ViaExternal, Name: long},
		"via":      {},
	} {
		if _, _, err := m.Create(t.Context(), who); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestPlayersHaveTokens(t *testing.T) {
	clock, storage := newWatch(), &teststation.Bucket{}
	m := manager(t, storage, clock, nil)
	connect := func(id int) string {
		t.Helper()
		token, err := m.PlayerConnect(t.Context(), id, json.RawMessage(fmt.Sprintf(`{"name":"Unit %d"}`, id)))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	old, second := connect(12), connect(13)
	twelve := connect(12)
	if id, ok := m.CheckPlayer(old); ok {
		t.Errorf("the older token of player %d still works", id)
	}
	if err := m.PlayerDrop(t.Context(), 13); err != nil {
		t.Fatal(err)
	}
	if err := m.PlayerDrop(t.Context(), 99); err != nil {
		t.Errorf("dropping a stranger: %v", err)
	}
	clock.Pass(48 * time.Hour)
	for round, m := range []*Manager{m, manager(t, storage, clock, nil)} {
		if id, ok := m.CheckPlayer(twelve); !ok || id != 12 {
			t.Errorf("round %d: player %d, %v", round, id, ok)
		}
		for _, token := range []string{old, second, "", master} {
			if id, ok := m.CheckPlayer(token); ok {
				t.Errorf("round %d: token %q is player %d", round, token, id)
			}
		}
		if players := m.Players(); len(players) != 1 || string(players[12]) != `{"name":"Unit 12"}` {
			t.Errorf("round %d: players %v", round, players)
		}
	}
	for key, value := range storage.All() {
		if strings.Contains(key+string(value), twelve) {
			t.Error("a player's token is kept in the clear")
		}
	}
}

func TestBadPlayersAreRefused(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), func(o *Options) { o.MaxPlayers = 2 })
	for name, c := range map[string]struct {
		id           int
		registration string
	}{
		"zero":         {0, "{}"},
		"a dispatcher": {-1, "{}"},
		"no JSON":      {1, "{"},
		"too long":     {1, `"` + strings.Repeat("x", MaxRegistration) + `"`},
	} {
		if _, err := m.PlayerConnect(t.Context(), c.id, json.RawMessage(c.registration)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for id, want := range []error{ErrInvalid, nil, nil, ErrFull} {
		if _, err := m.PlayerConnect(t.Context(), id, nil); !errors.Is(err, want) {
			t.Errorf("player %d: %v, want %v", id, err, want)
		}
	}
	if _, err := m.PlayerConnect(t.Context(), 2, nil); err != nil {
		t.Errorf("one who is known may come again: %v", err)
	}
}

func TestGarbledStorageIsNamed(t *testing.T) {
	hash := digestOf("x").String()
	for key, value := range map[string]string{
		"session." + hash: `{"v":2}`,
		"session.x":       `{"v":1,"token":"` + hash + `"}`,
		"session.":        `{`,
		"player.5":        `{"v":1,"serverId":6,"token":"` + hash + `"}`,
		"player.7":        `{"v":1,"serverId":7,"token":"y"}`,
	} {
		_, err := New(teststation.Holding(key, value), Options{})
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := New(teststation.Holding("somebody.else", "?"), Options{}); err != nil {
		t.Errorf("another's key: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	storage, clock := &teststation.Bucket{}, newWatch()
	m := manager(t, storage, clock, func(o *Options) { o.MaxSessions = 5 })
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for range 30 {
				credentials, session, err := m.Create(context.Background(), Identity{Via: ViaNAC})
				if err != nil {
					t.Error(err)
				}
				_, _ = m.Check(credentials.SessionID, credentials.Token) // it may have been ended already to make room
				if n%2 == 0 {
					if err := m.Revoke(context.Background(), session.Key); err != nil && !errors.Is(err, ErrUnknown) {
						t.Error(err)
					}
				}
				if _, err := m.PlayerConnect(context.Background(), n+1, nil); err != nil {
					t.Error(err)
				}
				if len(m.List()) > 5 {
					t.Error("more sessions than allowed")
				}
			}
		})
	}
	group.Wait()
	if stored := len(storage.All()); stored != len(m.List())+8 || len(m.tokens) != len(m.sessions) || len(m.owners) != 8 {
		t.Errorf("%d stored, %d sessions with %d tokens, %d players", stored, len(m.sessions), len(m.tokens), len(m.owners))
	}
}
