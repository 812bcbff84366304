package radios_test

import (
	"slices"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/sio/client"
)

// turns is how often the neighbours come and go in a run of the benchmark.
const turns = 6

// BenchmarkBesideBadNeighbours compares key-ups on a radio, over its Socket.IO link, beside
// a radio whose script never ends and one that a client floods, with key-ups while they are
// not there, in turns. ratio is p99 over p99.
func BenchmarkBesideBadNeighbours(b *testing.B) {
	const good = `Config.radios = { good = "good.lua" }`
	f, s := host(b, good, "good")
	f.write("endless.lua", radioFile("endless")+`Config.scripts = { "endless-script.lua" }`)
	f.write("endless-script.lua", "while true do end")
	f.write("flooded.lua", radioFile("flooded"))
	follow := func(radios string) {
		f.write("config.lua", radioFile("default")+radios)
		if _, err := s.Radios.Default().Reload(b.Context(), core.Actor{Surface: core.BySystem}); err != nil {
			b.Fatal(err)
		}
	}
	u, err := join(b, s.URL+"/r/good", token("good"), -2)
	if err != nil {
		b.Fatal(err)
	}
	u.does(b, "setSpeakerChannel", "154.755")
	keyUp := func() time.Duration {
		began := time.Now()
		u.does(b, "setTalking", true)
		took := time.Since(began)
		u.does(b, "setTalking", false)
		time.Sleep(15 * time.Millisecond) // below the limit of events
		return took
	}
	var without, with []time.Duration
	for b.Loop() {
		for range turns {
			for range 100 {
				without = append(without, keyUp())
			}
			follow(`Config.radios = { good = "good.lua", endless = "endless.lua", flooded = "flooded.lua" }`)
			enough := make(chan struct{})
			ended := make(chan struct{})
			go func() { flood(b, s.URL+"/r/flooded", enough); close(ended) }()
			for range 100 {
				with = append(with, keyUp())
			}
			close(enough)
			<-ended
			follow(good)
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
	c, err := client.New(client.Options{URL: server, Path: path, Auth: func() any { return map[string]any{"authToken": token("flooded"), "serverId": -5} }})
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
