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
	by := Actor{User: 480, Surface: BySocket} // on a channel where nobody talks
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

// BenchmarkKey is a key-up and its release while others talk.
func BenchmarkKey(b *testing.B) {
	b.Run("alone", func(b *testing.B) { benchKey(b, 0) })
	b.Run("beside100", func(b *testing.B) { benchKey(b, 100) })
}

// BenchmarkRoutes builds a whole route table, as after a change of configuration.
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

// BenchmarkMove moves a unit to another channel while 100 others talk.
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

// BenchmarkConsoleJoins connects a console to a busy radio and closes it.
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

// sizes are numbers of users. The benchmarks below show that a command costs what it
// touches: their figures must not grow with the size.
var sizes = []int{100, 2000, 8000}

// tenPerChannel is a radio with that many units, ten on each channel; user 1 is on
// the first.
func tenPerChannel(tb testing.TB, users int) (*State, time.Time) {
	cfg := DefaultConfig()
	cfg.Limits.Users = users + 1
	z := Zone{Name: "All"}
	for i := range users / 10 {
		z.Channels = append(z.Channels, Channel{Name: "Ch " + itoa(i), Type: Conventional, Frequency: tenth(i)})
	}
	cfg.Zones, cfg.Tones = []Zone{z}, []Tone{{"BEEP", "b.wav"}}
	s, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	now := time.UnixMilli(1_000)
	for i := range users {
		u := UserID(1 + i)
		by := Actor{User: u, Surface: BySocket}
		for _, c := range []Command{Connect{Want: u}, JoinAsSpeaker{u, tenth(i / 10)}} {
			if _, err := s.Step(now, by, c); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return s, now
}

// tenth is the nth channel of tenPerChannel, counted from 0.
func tenth(n int) Frequency { return Frequency(100_000_000 + n*12_500) }

// bySize runs a pair of commands, of which the second undoes the first.
func bySize(b *testing.B, by Actor, there, back Command) {
	for _, users := range sizes {
		b.Run(itoa(users), func(b *testing.B) {
			s, now := tenPerChannel(b, users)
			b.ReportAllocs()
			for b.Loop() {
				for _, c := range []Command{there, back} {
					if _, err := s.Step(now, by, c); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkKeyBySize is a key-up and its release.
func BenchmarkKeyBySize(b *testing.B) {
	bySize(b, Actor{User: 1, Surface: BySocket}, KeyUp{User: 1}, KeyDown{User: 1})
}

// BenchmarkMoveBySize moves a unit to the next channel and back.
func BenchmarkMoveBySize(b *testing.B) {
	bySize(b, Actor{Surface: ByLua}, MoveUser{1, tenth(1)}, MoveUser{1, tenth(0)})
}

// BenchmarkComesBySize connects a unit and closes it.
func BenchmarkComesBySize(b *testing.B) {
	bySize(b, Actor{}, Connect{Want: 9999}, Unlink{9999, true})
}

// BenchmarkLostBySize breaks a link and recovers it.
func BenchmarkLostBySize(b *testing.B) {
	bySize(b, Actor{}, Unlink{User: 1}, Recover{User: 1})
}

// BenchmarkConsoleScans connects a console to a busy radio, scans its 160 channels
// one by one, and closes the console: 162 commands.
func BenchmarkConsoleScans(b *testing.B) {
	s, now := fullHouse(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Step(now, Actor{}, Connect{Want: -400}); err != nil {
			b.Fatal(err)
		}
		for c := range 160 {
			if _, err := s.Step(now, Actor{}, StartScan{-400, Frequency(100_000_000 + c*12_500)}); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Step(now, Actor{}, Unlink{-400, true}); err != nil {
			b.Fatal(err)
		}
	}
}
