package recordings

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"squelch/core"
)

// shelved makes a folder of n recordings as they are after a month: 50 units on 20
// channels, each with a waveform and a transcript of 80 bytes. The files are sparse.
func shelved(b *testing.B, n int) (dir string) {
	b.Helper()
	dir = b.TempDir()
	index := appendLine(nil, plainLine{Op: opHead, Format: format})
	made := ""
	for i := range n {
		k := key{noon + int64(i)*25_000, i + 1}
		e := entry(k.number, k.start)
		e.Name, e.Unit, e.User = fmt.Sprint("Unit of the name ", i%50), fmt.Sprint("1-Adam-", i%50), core.UserID(i%50)
		e.Frequency = core.Frequency(150_000_000 + i%20*12_500)
		e.End, e.Format, e.Bytes, e.VoiceMs, e.Packets = k.start+5000, Ogg, 15_000, 5000, 250
		e.Peaks, e.Text = bytes.Repeat([]byte{byte(i)}, MaxPeaks), fmt.Sprintf("%-80d", i)
		index = appendLine(index, entryLine{Op: opAdd, Entry: &e})
		if f := k.folder(); f != made {
			made = f
			must(b, os.MkdirAll(filepath.Join(dir, f), 0o700))
		}
		f, err := os.Create(filepath.Join(dir, k.file(Ogg)))
		must(b, err)
		must(b, f.Truncate(e.Bytes))
		must(b, f.Close())
	}
	must(b, os.WriteFile(filepath.Join(dir, indexName), index, 0o600))
	return dir
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkOpen100k is what a start costs with 100,000 recordings, and what they take in
// memory and in the index.
func BenchmarkOpen100k(b *testing.B) {
	const n = 100_000
	dir := shelved(b, n)
	info, err := os.Stat(filepath.Join(dir, indexName))
	must(b, err)
	before := heap()
	var s *Shelf
	for b.Loop() {
		if s != nil {
			b.StopTimer()
			must(b, s.Close())
			b.StartTimer()
		}
		s, err = Open(dir, Options{})
		must(b, err)
	}
	b.ReportMetric(float64(heap()-before)/n, "memory-B/entry")
	b.ReportMetric(float64(info.Size())/n, "index-B/entry")
	if st := s.State(); st.Recordings != n {
		b.Fatalf("%+v", st)
	}
	must(b, s.Close())
}

// BenchmarkList100k is a page of 100, a search through all transcripts that finds nothing, a
// look for what is too old, and rewriting the index, each with 100,000 recordings.
func BenchmarkList100k(b *testing.B) {
	s, err := Open(shelved(b, 100_000), Options{Limits: func(core.Frequency) Limits { return Limits{Age: 1 << 60, Bytes: 1 << 60} }})
	must(b, err)
	defer s.Close()
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if page, _ := s.List(Query{}); len(page) != 100 {
				b.Fatal(len(page))
			}
		}
	})
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			if page, _ := s.List(Query{Text: "elephant unit"}); len(page) != 0 {
				b.Fatal(len(page))
			}
		}
	})
	b.Run("retain", func(b *testing.B) {
		for b.Loop() {
			must(b, s.retain())
		}
	})
	b.Run("compact", func(b *testing.B) {
		for b.Loop() {
			must(b, s.compact())
		}
	})
}

// BenchmarkBurst is what a burst of 5 s costs the writer: 250 packets in 21 pages.
func BenchmarkBurst(b *testing.B) {
	s, err := Open(b.TempDir(), Options{})
	must(b, err)
	defer s.Close()
	for n := 0; b.Loop(); n++ {
		burst, err := s.Create(entry(n, noon))
		must(b, err)
		for i := range 250 {
			must(b, burst.WriteOpus(voice[i%len(voice)], 0))
		}
		must(b, burst.Done(entry(n, noon)))
	}
}
