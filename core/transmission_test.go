package core

import (
	"testing"
	"time"
)

// The log keeps the last 50 talks however many there were. The end of one that is still on
// the air when 260 later ones have ended is told like any other.
func TestTheLogKeepsTheLastFifty(t *testing.T) {
	s, now := tenPerChannel(t, 20)
	key := func(u UserID, c Command) {
		t.Helper()
		now = now.Add(100 * time.Millisecond) // the time-out timer is a minute
		if _, err := s.Step(now, Actor{User: u, Surface: BySocket}, c); err != nil {
			t.Fatal(err)
		}
	}
	key(1, KeyUp{User: 1})
	for n := 2; n <= 261; n++ {
		key(11, KeyUp{User: 11})
		key(11, KeyDown{User: 11})
		all := s.View().Transmissions()
		if want := min(n, 50); len(all) != want || all[0].Number != n || all[0].EndedAt != now.UnixMilli() || all[want-1].Number != n-want+1 {
			t.Fatalf("after %d talks: %d entries from %+v to %+v", n, len(all), all[0], all[len(all)-1])
		}
	}
	out, err := s.Step(now, Actor{User: 1, Surface: BySocket}, KeyDown{User: 1})
	if err != nil || len(out.Transmissions) != 1 || out.Transmissions[0].Number != 1 || out.Transmissions[0].EndedAt != now.UnixMilli() {
		t.Errorf("the end of the first is told as %+v, %v", out.Transmissions, err)
	}
	if d := s.Durable(); len(d.Transmissions) > 0 || d.LastTransmission > 0 {
		t.Errorf("%d entries are stored", len(d.Transmissions))
	}
}

// TestAllocLog: an entry costs no memory of its own, once there have been a hundred, but
// for the Output that tells of it.
func TestAllocLog(t *testing.T) {
	s, now := tenPerChannel(t, 10)
	st := s.begin(now)
	talk := Talk{User: 1, Frequency: tenth(0)}
	for range 3 * ShownTransmissions {
		st.logTalk(&talk)
	}
	if n := testing.AllocsPerRun(1000, func() {
		st.out.Transmissions = st.out.Transmissions[:0]
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
		st.out = Output{}
		talk.Entry = st.logTalk(&talk)
		st.out = Output{}
		st.logTalkEnd(&talk)
	}
}
