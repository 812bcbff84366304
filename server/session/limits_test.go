package session

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"testing"
	"time"

	"squelch/server/internal/teststation"
)

func TestManyAddressesTakeBoundedRoom(t *testing.T) {
	lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
	limiter := NewLimiter(0, 0, newWatch().Now)
	logins := newLogins(t, newWatch())
	for n := range 2*maxAddresses + 1 {
		lockout.Wrong(fmt.Sprintf("%d.%d.%d.1", 1+n>>16, n>>8&255, n&255))
		limiter.Wait(fmt.Sprint(n))
		if login := logins.Begin(); n < 2*usedLogins+1 {
			if _, err := logins.Finish(login.State, login.Cookie); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, size := range map[string]int{
		"lockout": len(lockout.addresses.entries), "limiter": len(limiter.callers.entries), "logins": maxAddresses / usedLogins * len(logins.used.entries),
	} {
		if size != maxAddresses {
			t.Errorf("%s holds %d", name, size)
		}
	}
	long := NewLockout(LockoutOptions{})
	long.Wrong(string(make([]byte, 1<<20)))
	for key := range long.addresses.entries {
		if len(key) > 64 {
			t.Errorf("a key of %d bytes", len(key))
		}
	}
}

func TestRequestsAreLimitedPerSession(t *testing.T) {
	clock := newWatch()
	limiter := NewLimiter(0, 0, clock.Now)
	for n := range DefaultBurst {
		if limiter.Wait("north") != 0 {
			t.Fatalf("request %d of a burst is refused", n+1)
		}
	}
	wait := limiter.Wait("north")
	if wait <= 0 || wait > time.Second/DefaultRate {
		t.Errorf("after a burst: wait %v", wait)
	}
	if again := limiter.Wait("north"); again != wait {
		t.Errorf("a refused request costs something: wait %v, then %v", wait, again)
	}
	if limiter.Wait("south") != 0 {
		t.Error("another session is refused")
	}
	clock.Pass(time.Second)
	allowed := 0
	for range DefaultBurst {
		if limiter.Wait("north") == 0 {
			allowed++
		}
	}
	if allowed != DefaultRate {
		t.Errorf("%d requests in the second after", allowed)
	}
}

func newLogins(t *testing.T, clock *teststation.Clock) *Logins {
	t.Helper()
	logins, err := NewLogins(clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	return logins
}

func TestAnExternalLoginIsFinishedOnce(t *testing.T) {
	clock := newWatch()
	logins := newLogins(t, clock)
	first, other := logins.Begin(), logins.Begin()
	if len(first.Verifier) != 43 || first.State == other.State || first.State == first.Verifier || first.Cookie == other.Cookie {
		t.Errorf("%+v, %+v", first, other)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(first.Cookie)
	if err != nil || bytes.Contains(sealed, []byte(first.Verifier)) || bytes.Contains(sealed, []byte(first.State)) {
		t.Errorf("the cookie can be read: %q, %v", sealed, err)
	}
	if got, err := logins.Finish(first.State, first.Cookie); err != nil || got != first.Verifier {
		t.Errorf("finish: %q, %v", got, err)
	}
	if _, err := logins.Finish(first.State, first.Cookie); !errors.Is(err, ErrOldLogin) {
		t.Errorf("a second time: %v", err)
	}
	if !logins.Belongs(first.State, first.Cookie) {
		t.Error("a login that is over is no more its browser's")
	}
	clock.Pass(LoginTime)
	if _, err := logins.Finish(other.State, other.Cookie); !errors.Is(err, ErrOldLogin) {
		t.Errorf("after its time: %v", err)
	}
}

func TestALoginsCookieCannotBeMade(t *testing.T) {
	logins, elsewhere := newLogins(t, newWatch()), newLogins(t, newWatch())
	login, other, foreign := logins.Begin(), logins.Begin(), elsewhere.Begin()
	for name, c := range map[string]struct{ state, cookie string }{
		"nothing":               {"", ""},
		"no cookie":             {login.State, ""},
		"the state as a cookie": {login.State, login.State},
		"another login's":       {login.State, other.Cookie},
		"another start's":       {foreign.State, foreign.Cookie},
		"no state":              {"", login.Cookie},
		"cut off":               {login.State, login.Cookie[:len(login.Cookie)-4]},
		"longer":                {login.State, login.Cookie + "AAAA"},
		"no base64":             {login.State, "%" + login.Cookie[1:]},
	} {
		if _, err := logins.Finish(c.state, c.cookie); !errors.Is(err, ErrForeignLogin) {
			t.Errorf("%s: %v", name, err)
		}
		if logins.Belongs(c.state, c.cookie) {
			t.Errorf("%s belongs to the browser", name)
		}
	}
	for i := range login.Cookie { // any letter changed
		changed := []byte(login.Cookie)
		if changed[i] == 'A' {
			changed[i] = 'Z'
		} else {
			changed[i] = 'A'
		}
		if i == len(changed)-1 {
			break // the last letter has unused bits
		}
		if _, err := logins.Finish(login.State, string(changed)); !errors.Is(err, ErrForeignLogin) {
			t.Fatalf("with letter %d changed: %v", i, err)
		}
	}
	if _, err := logins.Finish(login.State, login.Cookie); err != nil {
		t.Errorf("the real one afterwards: %v", err)
	}
}
