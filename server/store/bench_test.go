package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func benchmarkStore(b *testing.B) *Store {
	b.Helper()
	s, err := Open(b.Context(), b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func BenchmarkAppend(b *testing.B) {
	s := benchmarkStore(b)
	for b.Loop() {
		if _, err := s.Audit().Append(context.Background(), make([]byte, 400)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead512(b *testing.B) {
	s := benchmarkStore(b)
	for range 8 {
		records := make([][]byte, 64)
		for i := range records {
			records[i] = make([]byte, 400)
		}
		if _, err := s.Audit().Append(context.Background(), records...); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, records, err := s.Audit().Read(context.Background(), 1, 512); err != nil || len(records) != 512 {
			b.Fatal(err)
		}
	}
}

func BenchmarkSaveSnapshot100K(b *testing.B) {
	s := benchmarkStore(b)
	b.SetBytes(100_000)
	for b.Loop() {
		if err := s.SaveSnapshot(context.Background(), Snapshot{Data: make([]byte, 100_000)}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen100MB is what a start costs with 250,000 records of the audit log
// (100 MB), after a clean stop and after a kill.
func BenchmarkOpen100MB(b *testing.B) {
	for name, killed := range map[string]bool{"stopped": false, "killed": true} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			fill(b, dir, 250_000)
			s, err := Open(b.Context(), dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			if killed {
				if err := os.Remove(filepath.Join(dir, storeName, sealName)); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				s, err := Open(b.Context(), dir, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				if killed {
					if err := os.Remove(filepath.Join(dir, storeName, sealName)); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
			}
		})
	}
}

// fill writes records to the audit log without waiting for the disk, and leaves
// the folder as a kill does.
func fill(b *testing.B, dir string, records int) {
	b.Helper()
	s, err := Open(b.Context(), dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	id := s.ID()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	folder := filepath.Join(dir, storeName)
	if err := os.Remove(filepath.Join(folder, sealName)); err != nil {
		b.Fatal(err)
	}
	nats, err := startEmbedded(folder, false, b.Logf)
	if err != nil {
		b.Fatal(err)
	}
	defer nats.stop()
	w := rewriter{to: nats, origin: origin{id, streamAudit}, first: 1}
	for i := range records {
		if err := w.add(b.Context(), message{number: uint64(i + 1), at: time.Now(), data: make([]byte, 300)}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.flush(b.Context()); err != nil {
		b.Fatal(err)
	}
}
