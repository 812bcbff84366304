package radios_test

import (
	"slices"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/sio/client"
)

// turns is how often the neighbours come and go in a run of the benchmark.
const turns = 12

// BenchmarkBesideBadNeighbours compares key-ups on a radio, over its Socket.IO link, while it
// has a neighbour with key-ups while it has none, in turns: a neighbour without users, for
// the noise of the machine, one whose script never ends, and one that a client floods. ratio
// is p99 over p99.
func BenchmarkBesideBadNeighbours(b *testing.B) {
	for _, c := range []struct {
		name, more string
		flooded    bool
	}{
		{"quiet", "", false},
		{"endless", `Config.scripts = { "endless-script.lua" }`, false},
		{"flooded", "", true},
	} {
		b.Run(c.name, func(b *testing.B) {
			f, s := host(b, `Config.radios = { good = "good.lua" }`, "good")
			f.write("endless-script.lua", "while true do end")
			f.write("bad.lua", radioFile("bad")+c.more)
			beside(b, s.URL, c.flooded, func(radios string) {
				f.write("config.lua", radioFile("default")+radios)
				if _, err := s.Radios.Default().Reload(b.Context(), core.Actor{Surface: core.BySystem}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func beside(b *testing.B, url string, flooded bool, follow func(radios string)) {
	u, err := join(b, url+"/r/good", token("good"), -2)
	if err != nil {
		b.Fatal(err)
	}
	u.does(b, "setSpeakerChannel", "154.755")
	keyUps := func() (all []time.Duration) {
		for range 100 {
			began := time.Now()
			u.does(b, "setTalking", true)
			all = append(all, time.Since(began))
			u.does(b, "setTalking", false)
			time.Sleep(15 * time.Millisecond) // below the limit of events
		}
		return all
	}
	var without, with []time.Duration
	for b.Loop() {
		for range turns {
			without = append(without, keyUps()...)
			follow(`Config.radios = { good = "good.lua", bad = "bad.lua" }`)
			enough, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				if flooded {
					flood(b, url+"/r/bad", enough)
				}
			}()
			with = append(with, keyUps()...)
			close(enough)
			<-ended
			follow(`Config.radios = { good = "good.lua" }`)
		}
	}
	p := func(all []time.Duration, q float64) float64 {
		slices.Sort(all)
		return float64(all[int(q*float64(len(all)-1))].Microseconds())
	}
	b.ReportMetric(p(without, .5), "µs-p50-without")
	b.ReportMetric(p(with, .5), "µs-p50-with")
	b.ReportMetric(p(without, .99), "µs-p99-without")
	b.ReportMetric(p(with, .99), "µs-p99-with")
	b.ReportMetric(p(with, .99)/p(without, .99), "ratio")
}

// flood sends events to a radio, 2000 a second, ten times what one socket may.
func flood(b *testing.B, address string, enough <-chan struct{}) {
	server, path := client.At(address)
	c, err := client.New(client.Options{URL: server, Path: path, Auth: func() any { return map[string]any{"authToken": token("bad"), "serverId": -5} }})
	if err != nil {
		b.Error(err)
		return
	}
	defer c.Close()
	every := time.NewTicker(10 * time.Millisecond)
	defer every.Stop()
	for {
		select {
		case <-enough:
			return
		case <-every.C:
			for range 20 {
				_ = c.Emit("setTalking", true)
			}
		}
	}
}
