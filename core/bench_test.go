package core

import (
	"testing"
	"time"
)

// fullHouse is 500 users (20 consoles that scan everything, 480 units) on 160
// channels, with one talker on each of `talking` channels.
func fullHouse(b *testing.B, talking int) (*State, time.Time) {
	const channels, consoles, units = 160, 20, 480
	cfg := DefaultConfig()
	z := Zone{Name: "All"}
	for i := range channels {
		z.Channels = append(z.Channels, Channel{Name: "Ch " + itoa(i), Type: Conventional, Frequency: Frequency(100_000_000 + i*12_500)})
	}
	cfg.Zones = []Zone{z}
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	now := time.UnixMilli(1_000)
	do := func(u UserID, c Command) {
		if _, err := s.Step(now, Actor{User: u, Surface: BySocket}, c); err != nil {
			b.Fatal(err)
		}
	}
	at := func(i int) Frequency { return z.Channels[i%channels].Frequency }
	for i := range consoles {
		u := UserID(-1 - i)
		do(u, Connect{Want: u})
		do(u, JoinAsSpeaker{u, at(i)})
		for c := range channels {
			do(u, StartScan{u, at(c)})
		}
	}
	for i := range units {
		u := UserID(1 + i)
		do(u, Connect{Want: u})
		do(u, JoinAsSpeaker{u, at(i)})
		for c := 1; c <= 4; c++ {
			do(u, StartScan{u, at(i + c*7)})
		}
	}
	for i := range talking {
		do(UserID(1+i), KeyUp{User: UserID(1 + i)})
	}
	return s, now
}

func benchKey(b *testing.B, talking int) {
	s, now := fullHouse(b, talking)
	by := Actor{User: 480, Surface: BySocket} // its channel is the last one, free
	b.ReportAllocs()
	for b.Loop() {
		out, err := s.Step(now, by, KeyUp{User: 480})
		if err != nil || out.Routes == nil {
			b.Fatal("no floor", err)
		}
		if out, err = s.Step(now, by, KeyDown{User: 480}); err != nil || out.Routes == nil {
			b.Fatal("no release", err)
		}
	}
}

// BenchmarkKey is a key-up and its release beside other talkers.
func BenchmarkKey(b *testing.B) {
	b.Run("alone", func(b *testing.B) { benchKey(b, 0) })
	b.Run("beside100", func(b *testing.B) { benchKey(b, 100) })
}

// BenchmarkRoutes is a whole table, as after a change of membership.
func BenchmarkRoutes(b *testing.B) {
	s, _ := fullHouse(b, 100)
	b.ReportAllocs()
	legs := 0
	for b.Loop() {
		legs = 0
		for _, r := range s.buildRoutes().All() {
			legs += len(r.Legs)
		}
	}
	b.ReportMetric(float64(legs), "legs")
}

// BenchmarkMove is a unit that changes channel while 100 others talk.
func BenchmarkMove(b *testing.B) {
	s, now := fullHouse(b, 100)
	by := Actor{Surface: ByLua}
	to := [2]Frequency{100_000_000, 100_000_000 + 12_500}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, err := s.Step(now, by, MoveUser{480, to[n%2]}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkConsoleJoins is a console that comes to a full radio and goes.
func BenchmarkConsoleJoins(b *testing.B) {
	s, now := fullHouse(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Step(now, Actor{}, Connect{Want: -400}); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Step(now, Actor{}, Unlink{-400, true}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOverheard is a key-up and its release while every unit has registered
// for the 3D voice of the channel, and none is near a radio that plays it.
func BenchmarkOverheard(b *testing.B) {
	s, now := fullHouse(b, 0)
	var places []PlayerPosition
	for id := UserID(1); id <= 480; id++ {
		places = append(places, PlayerPosition{id, Position{X: 1000 * float64(id)}})
		if _, err := s.Step(now, Actor{User: id, Surface: BySocket}, Start3D{id, s.user(480).Current}); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := s.Step(now, Actor{Surface: ByLua}, SetPositions{places}); err != nil {
		b.Fatal(err)
	}
	by := Actor{User: 480, Surface: BySocket}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Step(now, by, KeyUp{User: 480}); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Step(now, by, KeyDown{User: 480}); err != nil {
			b.Fatal(err)
		}
	}
}
