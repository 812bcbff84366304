package session

import (
	"fmt"
	"testing"
	"time"
)

func TestTenFailuresLockAnAddressOut(t *testing.T) {
	clock := newWatch()
	lockout := NewLockout(LockoutOptions{Now: clock.Now})
	const eve, kim = "192.0.2.7:50123", "192.0.2.8"
	for n := range 9 {
		if wait := lockout.Failed(eve); wait != 0 {
			t.Fatalf("locked out after %d failures", n+1)
		}
		clock.Pass(time.Second)
	}
	if lockout.Wait(eve) != 0 {
		t.Error("locked out after nine failures")
	}
	if wait := lockout.Failed("192.0.2.7:999"); wait != 5*time.Minute { // the port does not matter
		t.Errorf("the tenth failure locks for %v", wait)
	}
	clock.Pass(4 * time.Minute)
	if wait := lockout.Failed(eve); wait != time.Minute {
		t.Errorf("a failure during the lock: %v left, want a minute", wait)
	}
	if lockout.Wait("::ffff:192.0.2.7") != time.Minute {
		t.Error("the same address written as IPv6 is let in")
	}
	if lockout.Wait(kim) != 0 {
		t.Error("somebody else is locked out too")
	}
	clock.Pass(time.Minute)
	if lockout.Wait(eve) != 0 || lockout.Failed(eve) != 0 {
		t.Error("the lock does not end")
	}
}

func TestFailuresAreForgottenAfterTwoMinutes(t *testing.T) {
	clock := newWatch()
	lockout := NewLockout(LockoutOptions{Now: clock.Now})
	for n := range 40 {
		if lockout.Failed("192.0.2.7") != 0 {
			t.Fatalf("a failure every 13.5 seconds locks out after %d", n+1)
		}
		clock.Pass(13_500 * time.Millisecond)
	}
}

func TestAWholeIPv6CustomerCountsAsOne(t *testing.T) {
	lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
	for n := range 10 {
		lockout.Failed(fmt.Sprintf("[2001:db8:0:1::%x]:4000", n+1))
	}
	if lockout.Wait("2001:db8:0:1:ffff::1") == 0 {
		t.Error("the tenth address of the same customer is let in")
	}
	if lockout.Wait("2001:db8:0:2::1") != 0 {
		t.Error("the neighbour is locked out")
	}
}

func TestManyAddressesTakeBoundedRoom(t *testing.T) {
	lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
	limiter := NewLimiter(0, 0, newWatch().Now)
	logins := NewLogins(newWatch().Now)
	for n := range 2*maxAddresses + 1 {
		lockout.Failed(fmt.Sprintf("%d.%d.%d.1", 1+n>>16, n>>8&255, n&255))
		limiter.Wait(fmt.Sprint(n))
		logins.Begin()
	}
	for name, size := range map[string]int{
		"lockout": len(lockout.addresses.entries), "limiter": len(limiter.callers.entries), "logins": 10 * len(logins.pending.entries),
	} {
		if size != maxAddresses {
			t.Errorf("%s holds %d", name, size)
		}
	}
	long := NewLockout(LockoutOptions{})
	long.Failed(string(make([]byte, 1<<20)))
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

func TestAnExternalLoginIsFinishedOnce(t *testing.T) {
	clock := newWatch()
	logins := NewLogins(clock.Now)
	state, verifier := logins.Begin()
	other, _ := logins.Begin()
	if len(verifier) != 43 || state == other || state == verifier {
		t.Errorf("state %q, verifier %q", state, verifier)
	}
	if got, ok := logins.Finish(state); !ok || got != verifier {
		t.Errorf("finish: %q, %v", got, ok)
	}
	if _, ok := logins.Finish(state); ok {
		t.Error("a state works twice")
	}
	if _, ok := logins.Finish(""); ok {
		t.Error("an empty state works")
	}
	clock.Pass(LoginTime)
	if _, ok := logins.Finish(other); ok {
		t.Error("a state works after its time")
	}
}
