package store

import (
	"context"
	"testing"
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
