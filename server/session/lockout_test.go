package session

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestTenWrongGuessesLockAnAddressOut(t *testing.T) {
	clock := newWatch()
	lockout := NewLockout(LockoutOptions{Now: clock.Now})
	const eve, kim = "192.0.2.7:50123", "192.0.2.8"
	for n := range 9 {
		if guess := lockout.Wrong(eve); guess != (Verdict{Judged: true}) {
			t.Fatalf("guess %d: %+v", n+1, guess)
		}
		clock.Pass(time.Second)
	}
	if lockout.Wait(eve) != 0 {
		t.Error("locked out after nine guesses")
	}
	if guess := lockout.Wrong("192.0.2.7:999"); guess != (Verdict{Judged: true, Locked: 5 * time.Minute}) { // the port does not matter
		t.Errorf("the tenth guess: %+v", guess)
	}
	clock.Pass(4 * time.Minute)
	looked := false
	if guess := lockout.Judge(eve, func() bool { looked = true; return true }); guess != (Verdict{Locked: time.Minute}) || looked {
		t.Errorf("a right guess during the lock: %+v, looked at: %v", guess, looked)
	}
	if lockout.Wait("::ffff:192.0.2.7") != time.Minute {
		t.Error("the same address written as IPv6 is let in")
	}
	if lockout.Wait(kim) != 0 {
		t.Error("somebody else is locked out too")
	}
	clock.Pass(time.Minute)
	if lockout.Wait(eve) != 0 || lockout.Judge(eve, func() bool { return true }) != (Verdict{Judged: true, Right: true}) {
		t.Error("the lock does not end")
	}
}

func TestGuessesAreForgottenAfterTwoMinutes(t *testing.T) {
	clock := newWatch()
	lockout := NewLockout(LockoutOptions{Now: clock.Now})
	for n := range 40 {
		if lockout.Wrong("192.0.2.7").Locked != 0 {
			t.Fatalf("a guess every 13.5 seconds locks out after %d", n+1)
		}
		clock.Pass(13_500 * time.Millisecond)
	}
}

func TestAWholeIPv6CustomerCountsAsOne(t *testing.T) {
	lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
	logins := NewLimiter(1, 1, newWatch().Now)
	for n := range 10 {
		lockout.Wrong(fmt.Sprintf("[2001:db8:0:1::%x]:4000", n+1))
		if allowed := logins.WaitAddress(fmt.Sprintf("[2001:db8:0:1::%x]:4000", n+1)) == 0; allowed != (n == 0) {
			t.Errorf("login %d of the same customer: allowed %v", n+1, allowed)
		}
	}
	if lockout.Wait("2001:db8:0:1:ffff::1") == 0 {
		t.Error("the tenth address of the same customer is let in")
	}
	if lockout.Wait("2001:db8:0:2::1") != 0 || logins.WaitAddress("2001:db8:0:2::1") != 0 {
		t.Error("the neighbour is locked out")
	}
}

// A guess is looked at only when the verdict on the one before has been counted, so
// the eleventh never is, however many arrive at once.
func TestGuessesThatArriveAtOnceAreJudgedOneAfterTheOther(t *testing.T) {
	for _, n := range []int{40, 120} {
		lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
		var inside, judged atomic.Int64
		all := atOnce(n, func(n int) Verdict {
			return lockout.Judge(fmt.Sprintf("192.0.2.7:%d", n), func() bool {
				if inside.Add(1) > 1 {
					t.Error("two guesses of one address are judged at the same time")
				}
				judged.Add(1)
				time.Sleep(time.Millisecond) // lets the others arrive
				inside.Add(-1)
				return false
			})
		})
		refused := 0
		for _, v := range all {
			if !v.Judged && v.Locked == 5*time.Minute {
				refused++
			}
		}
		if judged.Load() != 10 || refused != n-10 {
			t.Errorf("of %d guesses at once %d were judged and %d refused", n, judged.Load(), refused)
		}
		if len(lockout.turns) != 0 {
			t.Errorf("%d addresses are kept waiting for ever", len(lockout.turns))
		}
	}
}

// A whole shift logs in from behind one address.
func TestRightLoginsAtOnceAreAllJudged(t *testing.T) {
	lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
	for _, v := range atOnce(100, func(int) Verdict { return lockout.Judge("192.0.2.7", func() bool { return true }) }) {
		if v != (Verdict{Judged: true, Right: true}) {
			t.Fatalf("%+v", v)
		}
	}
}

func TestASlowJudgeKeepsNobodyElseWaiting(t *testing.T) {
	lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		lockout.Judge("192.0.2.7", func() bool { close(begun); <-end; return false })
	}()
	<-begun
	for range 11 {
		lockout.Wrong("192.0.2.8")
	}
	if lockout.Wait("192.0.2.8") == 0 || lockout.Wait("192.0.2.7") != 0 {
		t.Error("the neighbour was not judged meanwhile")
	}
	close(end)
	<-ended
}

func TestAJudgeThatPanicsHoldsNoTurn(t *testing.T) {
	lockout := NewLockout(LockoutOptions{Now: newWatch().Now})
	func() {
		defer func() { _ = recover() }()
		lockout.Judge("192.0.2.7", func() bool { panic("broken") })
	}()
	if guess := lockout.Wrong("192.0.2.7"); !guess.Judged {
		t.Errorf("%+v", guess)
	}
}

// atOnce makes n guesses in the same moment.
func atOnce(n int, guess func(n int) Verdict) []Verdict {
	all := make([]Verdict, n)
	var guesses sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		guesses.Go(func() { <-begin; all[i] = guess(i) })
	}
	close(begin)
	guesses.Wait()
	return all
}

func TestTheFormOfATokenIsToldFromAGuess(t *testing.T) {
	for text, is := range map[string]bool{
		newSecret(): true,
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": true, // a generated master token
		"":      false,
		"guess": false,
		"0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef": false,
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde":  false,
		newSecret() + "x":                              false,
		newSecret()[:42]:                               false,
		newSecret()[:42] + " ":                         false,
		newSecret()[:20] + "/" + newSecret()[:22]:      false,
		"my secret token that is forty-three signs lo": false,
	} {
		if IsTokenForm(text) != is {
			t.Errorf("%q: of a token's form %v, want %v", text, !is, is)
		}
	}
}
