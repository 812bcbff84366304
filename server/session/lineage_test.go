package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"squelch/server/internal/teststation"
)

func reauth(t *testing.T, m *Manager, token, callsign string) (Credentials, Session) {
	t.Helper()
	credentials, s, err := m.Reauth(t.Context(), token, callsign)
	if err != nil {
		t.Fatal(err)
	}
	return credentials, s
}

// alive says which of these credentials are still valid.
func alive(m *Manager, all ...Credentials) (still []bool) {
	for _, c := range all {
		_, err := m.Check(c.SessionID, c.Token)
		still = append(still, err == nil)
	}
	return still
}

func TestANewSessionForATokenIsOfTheSameLineage(t *testing.T) {
	storage, clock := &teststation.Bucket{}, newWatch()
	m := manager(t, storage, clock, nil)
	first, login, err := m.Create(t.Context(), Identity{Callsign: "NORTH", Via: ViaExternal, Name: "Kim"})
	if err != nil {
		t.Fatal(err)
	}
	second, session := reauth(t, m, first.Token, "NORTH 2")
	third, _ := reauth(t, m, second.Token, "NORTH 3")
	if session.Callsign != "NORTH 2" || session.Name != "Kim" || session.Via != ViaExternal {
		t.Errorf("the new session is %+v", session)
	}
	stranger, _ := reauth(t, m, master, "EAST")
	for round, m := range []*Manager{m, manager(t, storage, clock, nil)} { // before and after a restart
		for _, id := range []Credentials{first, second, third} {
			for _, token := range []string{first.Token, second.Token, third.Token, master} {
				if s, err := m.Check(id.SessionID, token); err != nil || s.Lineage != login.Key || s.Key != digestOf(id.SessionID).String() {
					t.Errorf("round %d: %+v, %v", round, s, err)
				}
			}
			if _, err := m.Check(id.SessionID, stranger.Token); !errors.Is(err, ErrToken) {
				t.Errorf("round %d: another login's token: %v", round, err)
			}
			if s, err := m.CheckIn(login.Lineage, id.SessionID); err != nil || s.Lineage != login.Lineage {
				t.Errorf("round %d: without a token: %v", round, err)
			}
		}
		east, err := m.Check(stranger.SessionID, master)
		if err != nil || east.Callsign != "EAST" || east.Via != ViaNAC || east.Lineage != east.Key {
			t.Errorf("round %d: the master token begins %+v, %v; want a login of its own", round, east, err)
		}
		if _, err := m.CheckIn(login.Lineage, stranger.SessionID); !errors.Is(err, ErrUnknown) {
			t.Errorf("round %d: another login's session: %v", round, err)
		}
	}
	if _, _, err := m.Reauth(t.Context(), "guess", "EVE"); !errors.Is(err, ErrToken) {
		t.Errorf("with a guess: %v", err)
	}
	if _, _, err := m.Reauth(t.Context(), first.Token, strings.Repeat("x", MaxField+1)); !errors.Is(err, ErrInvalid) {
		t.Errorf("with a long callsign: %v", err)
	}
}

func TestATokenWhoseSessionIsOverOpensNoSiblings(t *testing.T) {
	clock := newWatch()
	m := manager(t, &teststation.Bucket{}, clock, nil)
	first, login := login(t, m, "NORTH")
	clock.Pass(time.Hour)
	second, _ := reauth(t, m, first.Token, "NORTH")
	clock.Pass(23 * time.Hour)
	if _, err := m.Check(second.SessionID, first.Token); !errors.Is(err, ErrToken) {
		t.Errorf("an outdated token: %v", err)
	}
	if _, err := m.Check(first.SessionID, second.Token); !errors.Is(err, ErrUnknown) {
		t.Errorf("an outdated session: %v", err)
	}
	if !m.Live(login.Lineage) {
		t.Error("the lineage ends with its first session")
	}
	clock.Pass(time.Hour)
	if m.Live(login.Lineage) {
		t.Error("the lineage does not end with its last session")
	}
}

// Sessions that were stored before there were lineages still work.
func TestAnOlderSessionIsItsOwnLineage(t *testing.T) {
	id, token := newSecret(), newSecret()
	key := digestOf(id).String()
	value, err := json.Marshal(map[string]any{"v": 1, "token": digestOf(token).String(), "via": "nac", "callsign": "NORTH",
		"created": 1_750_000_000_000, "expires": 1_750_000_000_000 + 86_400_000})
	if err != nil {
		t.Fatal(err)
	}
	m := manager(t, teststation.Holding("session."+key, string(value)), newWatch(), nil)
	s, err := m.Check(id, token)
	if err != nil || s.Key != key || s.Lineage != key {
		t.Errorf("%+v, %v", s, err)
	}
	next, _ := reauth(t, m, token, "NORTH")
	if s, err := m.Check(next.SessionID, token); err != nil || s.Lineage != key {
		t.Errorf("its child: %+v, %v", s, err)
	}
}

func TestALoginHasSixteenSessions(t *testing.T) {
	clock, storage := newWatch(), &teststation.Bucket{}
	m := manager(t, storage, clock, nil)
	first, s := login(t, m, "NORTH")
	all := []Credentials{first}
	for range 20 {
		clock.Pass(time.Second)
		next, _ := reauth(t, m, all[len(all)-1].Token, "NORTH")
		all = append(all, next)
	}
	still := alive(m, all...)
	for n, lives := range still {
		if lives != (n >= 5) {
			t.Errorf("session %d of 21 lives: %v", n+1, lives)
		}
	}
	if len(m.List()) != 16 || len(storage.All()) != 16 || !m.Live(s.Lineage) {
		t.Errorf("%d live, %d are stored", len(m.List()), len(storage.All()))
	}
}

// A client that never looks at its new tokens asks with the first one for ever.
func TestTheTokenThatAsksIsTheLastToEnd(t *testing.T) {
	clock := newWatch()
	m := manager(t, &teststation.Bucket{}, clock, nil)
	first, _ := login(t, m, "NORTH")
	var last Credentials
	for range 40 {
		clock.Pass(time.Second)
		last, _ = reauth(t, m, first.Token, "NORTH")
	}
	if still := alive(m, first, last); !still[0] || !still[1] || len(m.List()) != 16 {
		t.Errorf("the first and the last live: %v; %d in all", still, len(m.List()))
	}
}

func TestASessionWithAnOpenSocketMakesNoRoom(t *testing.T) {
	clock := newWatch()
	m := manager(t, &teststation.Bucket{}, clock, func(o *Options) { o.MaxPerLogin = 3 })
	first, s := login(t, m, "NORTH")
	clock.Pass(time.Second)
	second, other := reauth(t, m, first.Token, "NORTH")
	if !m.Hold(s.Key) {
		t.Fatal("a live session cannot be held")
	}
	clock.Pass(time.Second)
	third, thirdSession := reauth(t, m, second.Token, "NORTH")
	fourth, fourthSession := reauth(t, m, third.Token, "NORTH")
	if still := alive(m, first, second, third, fourth); fmt.Sprint(still) != "[true false true true]" {
		t.Errorf("they live: %v; want the oldest without a socket to end", still)
	}
	if m.Hold(other.Key) {
		t.Error("a socket is put on a session that has ended")
	}
	m.Hold(thirdSession.Key)
	m.Hold(thirdSession.Key, "a token's session that has ended")
	m.Hold(fourthSession.Key)
	if _, _, err := m.Reauth(t.Context(), first.Token, "NORTH"); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "3") {
		t.Errorf("a fourth with three open sockets: %v", err)
	}
	m.Release(false, thirdSession.Key) // it has two sockets
	if _, _, err := m.Reauth(t.Context(), first.Token, "NORTH"); !errors.Is(err, ErrBusy) {
		t.Errorf("while one of its sockets is open: %v", err)
	}
	m.Release(false, thirdSession.Key, "a token's session that has ended")
	reauth(t, m, first.Token, "NORTH")
	if still := alive(m, first, third, fourth); fmt.Sprint(still) != "[true false true]" {
		t.Errorf("they live: %v", still)
	}
}

// A client whose connection was cut comes back with the session that its socket was
// on, even if it has asked for many new ones meanwhile.
func TestASessionWhoseSocketWasCutEndsAfterTheIdleOnes(t *testing.T) {
	for _, cut := range []bool{true, false} {
		clock := newWatch()
		m := manager(t, &teststation.Bucket{}, clock, nil)
		first, s := login(t, m, "NORTH")
		last := first
		for range 15 {
			m.Hold(s.Key)
			m.Release(cut, s.Key)
			clock.Pass(time.Second)
			last, _ = reauth(t, m, last.Token, "NORTH")
		}
		m.Hold(s.Key)
		m.Release(cut, s.Key)
		for range 10 {
			last, _ = reauth(t, m, last.Token, "NORTH")
		}
		if alive(m, first)[0] != cut {
			t.Errorf("cut %v, but the socket's session lives: %v", cut, !cut)
		}
		clock.Pass(time.Minute)
		for range 16 {
			last, _ = reauth(t, m, last.Token, "NORTH")
		}
		if alive(m, first)[0] {
			t.Errorf("cut %v: the oldest session lives although nobody came back", cut)
		}
	}
}

// A client that keeps its first handshake for ever names the newest session on each
// connection, and is cut again and again.
func TestTheFirstHandshakeComesBackAfterManyCuts(t *testing.T) {
	clock := newWatch()
	m := manager(t, &teststation.Bucket{}, clock, nil)
	first, s := login(t, m, "NORTH")
	last, on := first, s
	for n := range 40 {
		if !m.Hold(s.Key) { // the handshake
			t.Fatalf("after %d cuts the first session is over", n)
		}
		m.Hold(on.Key, s.Key) // setDispatchSession
		m.Release(false, s.Key)
		clock.Pass(time.Second)
		m.Release(true, on.Key, s.Key)
		last, on = reauth(t, m, last.Token, "NORTH")
	}
}

// The attack: a chain of new sessions, many more than may live at once.
func TestAChainOfReauthsEndsNobodyElsesSession(t *testing.T) {
	clock := newWatch()
	m := manager(t, &teststation.Bucket{}, clock, nil)
	idle, _ := login(t, m, "IDLE")
	busy, s := login(t, m, "BUSY")
	m.Hold(s.Key)
	chain, _ := login(t, m, "CHAIN")
	for range 4300 {
		clock.Pass(time.Millisecond)
		chain, _ = reauth(t, m, chain.Token, "CHAIN")
	}
	if still := alive(m, idle, busy, chain); fmt.Sprint(still) != "[true true true]" {
		t.Errorf("who is idle, who has a console, the chain's last live: %v", still)
	}
	if len(m.List()) != 18 {
		t.Errorf("%d sessions live", len(m.List()))
	}
}

// When there is no room left, a login ends the session that was idle longest, and a
// session that asks for another pays with one of its own login.
func TestWhereAllRoomIsTakenWhoAsksForMorePays(t *testing.T) {
	clock := newWatch()
	m := manager(t, &teststation.Bucket{}, clock, func(o *Options) { o.MaxSessions = 4 })
	idle, _ := login(t, m, "IDLE")
	clock.Pass(time.Minute)
	busy, s := login(t, m, "BUSY")
	m.Hold(s.Key)
	clock.Pass(time.Minute)
	chain, _ := login(t, m, "CHAIN")
	next, _ := reauth(t, m, chain.Token, "CHAIN")
	last, _ := reauth(t, m, next.Token, "CHAIN")
	if still := alive(m, idle, busy, chain, next, last); fmt.Sprint(still) != "[true true false true true]" {
		t.Errorf("they live: %v", still)
	}
	clock.Pass(time.Minute)
	alive(m, next, last)
	login(t, m, "LATE")
	if still := alive(m, idle, busy); fmt.Sprint(still) != "[false true]" {
		t.Errorf("who is idle and who has a console live: %v", still)
	}
	for _, s := range m.List() {
		m.Hold(s.Key)
	}
	if _, _, err := m.Create(t.Context(), Identity{Via: ViaNAC}); !errors.Is(err, ErrBusy) {
		t.Errorf("a login where all have an open socket: %v", err)
	}
	if _, _, err := m.Reauth(t.Context(), last.Token, "CHAIN"); !errors.Is(err, ErrBusy) {
		t.Errorf("one more where all have an open socket: %v", err)
	}
	clock.Pass(24 * time.Hour)
	login(t, m, "TOMORROW") // open sockets do not keep a session beyond its time
}

func TestAReleasedSessionWasInUseUntilNow(t *testing.T) {
	clock := newWatch()
	m := manager(t, &teststation.Bucket{}, clock, func(o *Options) { o.MaxSessions = 2 })
	console, s := login(t, m, "CONSOLE")
	m.Hold(s.Key)
	clock.Pass(time.Hour)
	bot, _ := login(t, m, "BOT")
	clock.Pass(time.Hour)
	m.Release(true, s.Key)
	login(t, m, "LATE")
	if still := alive(m, console, bot); fmt.Sprint(still) != "[true false]" {
		t.Errorf("the console and the idle bot live: %v", still)
	}
}

// A session that is chosen to make room accepts no new socket, and is spared if the
// disk does not take the new session.
func TestNoSocketComesWhileItsSessionEnds(t *testing.T) {
	clock := newWatch()
	disk := &slowDisk{Bucket: &teststation.Bucket{}}
	m := manager(t, disk, clock, func(o *Options) { o.MaxSessions = 1 })
	first, s := login(t, m, "FIRST")
	held := true
	disk.during = func() { held = m.Hold(s.Key) }
	disk.Break(errors.New("the disk is full"))
	if _, _, err := m.Create(t.Context(), Identity{Via: ViaNAC}); err == nil {
		t.Fatal("it could be stored")
	}
	if held {
		t.Error("a socket was put on a session that was to end")
	}
	disk.during = func() {}
	if still := alive(m, first); !still[0] || !m.Hold(s.Key) {
		t.Error("the session is not spared")
	}
}

// slowDisk runs a function while it works.
type slowDisk struct {
	*teststation.Bucket
	during func()
}

func (d *slowDisk) Change(ctx context.Context, put map[string][]byte, remove []string) error {
	if d.during != nil {
		d.during()
	}
	return d.Bucket.Change(ctx, put, remove)
}

func TestRevokeEndsTheWholeLogin(t *testing.T) {
	for name, key := range map[string]func(first, next Session) string{
		"the first session":  func(first, _ Session) string { return first.Key },
		"the newest session": func(_, next Session) string { return next.Key },
	} {
		storage := &teststation.Bucket{}
		m := manager(t, storage, newWatch(), nil)
		first, s := login(t, m, "NORTH")
		second, next := reauth(t, m, first.Token, "NORTH")
		south, _ := login(t, m, "SOUTH")
		if err := m.Revoke(t.Context(), key(s, next)); err != nil {
			t.Fatal(err)
		}
		if still := alive(m, first, second, south); fmt.Sprint(still) != "[false false true]" || m.Live(s.Lineage) || len(storage.All()) != 1 {
			t.Errorf("%s: both and the stranger live: %v, %d are stored", name, still, len(storage.All()))
		}
		if _, _, err := m.Reauth(t.Context(), second.Token, "NORTH"); !errors.Is(err, ErrToken) {
			t.Errorf("%s: a sibling's token begins another: %v", name, err)
		}
	}
}

func TestALoginIsRevokedByItsNameWhenItsFirstSessionHasEnded(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), func(o *Options) { o.MaxPerLogin = 1 })
	first, s := login(t, m, "NORTH")
	second, _ := reauth(t, m, first.Token, "NORTH")
	if still := alive(m, first, second); fmt.Sprint(still) != "[false true]" {
		t.Fatalf("they live: %v", still)
	}
	if err := m.Revoke(t.Context(), s.Lineage); err != nil {
		t.Fatal(err)
	}
	if alive(m, second)[0] {
		t.Error("it lives on")
	}
}

func TestADiscardedSessionLeavesItsSiblings(t *testing.T) {
	m := manager(t, &teststation.Bucket{}, newWatch(), nil)
	first, _ := login(t, m, "NORTH")
	second, next := reauth(t, m, first.Token, "NORTH")
	if err := m.Discard(t.Context(), next.Key); err != nil {
		t.Fatal(err)
	}
	if still := alive(m, first, second); fmt.Sprint(still) != "[true false]" {
		t.Errorf("they live: %v", still)
	}
}

// What a broken disk could not delete, it deletes at the next sweep.
func TestARevocationThatCannotBeStored(t *testing.T) {
	storage, full := &teststation.Bucket{}, errors.New("the disk is full")
	m := manager(t, storage, newWatch(), nil)
	credentials, session := login(t, m, "NORTH")
	for _, key := range []string{"", "x", digestOf("nobody").String(), credentials.SessionID} {
		if err := m.Revoke(t.Context(), key); !errors.Is(err, ErrUnknown) {
			t.Errorf("revoke %q: %v", key, err)
		}
	}
	storage.Break(full)
	if err := m.Revoke(t.Context(), session.Key); !errors.Is(err, full) {
		t.Errorf("the error is kept back: %v", err)
	}
	if _, err := m.Check(credentials.SessionID, credentials.Token); !errors.Is(err, ErrUnknown) {
		t.Errorf("a revoked session is let in: %v", err)
	}
	if len(storage.All()) != 1 {
		t.Fatal("it was stored all the same")
	}
	storage.Break(nil)
	if _, err := m.Sweep(t.Context()); err != nil || len(storage.All()) != 0 {
		t.Errorf("after a sweep: %v, %d are stored", err, len(storage.All()))
	}
}

// A new session that waits for the disk does not outlive a revocation.
func TestARevocationIsNotOutrunByAReauth(t *testing.T) {
	disk := &slowDisk{Bucket: &teststation.Bucket{}}
	m := manager(t, disk, newWatch(), nil)
	first, s := login(t, m, "NORTH")
	begun, asked := make(chan struct{}), make(chan error)
	disk.during = func() {
		disk.during = nil
		go func() {
			close(begun)
			_, _, err := m.Reauth(context.Background(), first.Token, "NORTH")
			asked <- err
		}()
		<-begun
	}
	if err := m.Revoke(t.Context(), s.Key); err != nil {
		t.Fatal(err)
	}
	if err := <-asked; !errors.Is(err, ErrToken) || m.Live(s.Lineage) {
		t.Errorf("asked for while it was revoked: %v", err)
	}
}
