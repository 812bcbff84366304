package core

import (
	"testing"
	"time"
)

// The log keeps the last 50 talks however many there were, and one that is still on the
// air when 50 later ones have ended ends without harm.
func TestTheLogKeepsTheLastFifty(t *testing.T) {
	s, now := tenPerChannel(t, 20)
	key := func(u UserID, c Command) {
		t.Helper()
		now = now.Add(time.Second)
		if _, err := s.Step(now, Actor{User: u, Surface: BySocket}, c); err != nil {
			t.Fatal(err)
		}
	}
	key(1, KeyUp{User: 1})
	for n := 2; n <= 261; n++ {
		if n%20 == 0 {
			key(1, Heard{User: 1}) // the time-out timer is a minute
		}
		key(11, KeyUp{User: 11})
		key(11, KeyDown{User: 11})
		all := s.View().Transmissions()
		if want := min(n, 50); len(all) != want || all[0].Number != n || all[0].EndedAt != now.UnixMilli() || all[want-1].Number != n-want+1 {
			t.Fatalf("after %d talks: %d entries from %+v to %+v", n, len(all), all[0], all[len(all)-1])
		}
	}
	key(1, KeyDown{User: 1})
	if d := s.Durable(); len(d.Transmissions) > 0 || d.LastTransmission > 0 {
		t.Errorf("%d entries are stored", len(d.Transmissions))
	}
}

// TestAllocLog: an entry costs no memory of its own, once there have been a hundred.
func TestAllocLog(t *testing.T) {
	s, now := tenPerChannel(t, 10)
	st := s.begin(now)
	talk := Talk{User: 1, Frequency: tenth(0)}
	for range 3 * ShownTransmissions {
		st.logTalk(&talk)
	}
	if n := testing.AllocsPerRun(1000, func() {
		talk.Entry = st.logTalk(&talk)
		st.logTalkEnd(&talk)
	}); n != 0 {
		t.Errorf("%v allocations for an entry", n)
	}
}

func BenchmarkLog(b *testing.B) {
	s, now := tenPerChannel(b, 2000)
	st := s.begin(now)
	talk := Talk{User: 1, Frequency: tenth(0)}
	for b.Loop() {
		talk.Entry = st.logTalk(&talk)
		st.logTalkEnd(&talk)
	}
}
