package recordings

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
)

// Everything happens at once. What is left agrees with the files, and the sums with the
// recordings.
func TestEverythingAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{Quota: 100_000})
	quit := make(chan struct{})
	var writers, others sync.WaitGroup
	var number atomic.Int64
	for range 4 {
		writers.Go(func() {
			for range 30 {
				n := number.Add(1)
				e := entry(int(n), noon+n*100_000)
				b, err := s.Create(e)
				if err != nil {
					t.Error(err)
					return
				}
				for _, p := range voice {
					err = errors.Join(err, b.WriteOpus(p, 0), b.WriteIMBE(make([]byte, frameBytes)))
				}
				if n%7 == 0 {
					err = errors.Join(err, b.Discard())
				} else {
					err = errors.Join(err, b.Done(e))
				}
				if err != nil {
					t.Error(err)
				}
				if err := s.SetText(e.ID, "text"); err != nil && !errors.Is(err, ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	others.Go(func() { s.Watch(quit) })
	forever := func(do func() error) {
		others.Go(func() {
			for {
				select {
				case <-quit:
					return
				default:
				}
				if err := do(); err != nil && !errors.Is(err, ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	newest := func() string { return key{noon + number.Load()*100_000, int(number.Load())}.id() }
	forever(s.compact)
	forever(func() error {
		s.State()
		s.Get(newest())
		s.hurry()
		_, _ = s.List(Query{Text: "text jane"})
		return nil
	})
	forever(func() error {
		f, err := s.Open(newest(), Ogg)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		return errors.Join(err, f.Close())
	})
	forever(func() error {
		all := s.Match(Query{})
		if len(all) < 5 {
			return nil
		}
		_, _, err := s.Delete(context.Background(), all[len(all)/2])
		return err
	})
	writers.Wait()
	close(quit)
	others.Wait()
	must(t, s.retain())
	before := s.State()
	if before.Recordings == 0 || before.OnAir != 0 || before.Bytes > 100_000 || before.Problem != "" {
		t.Errorf("the state is %+v", before)
	}
	list := s.Match(Query{})
	must(t, s.Close())
	s = openAt(t, dir, Options{})
	if after := s.State(); after.Bytes != before.Bytes || after.Recordings != before.Recordings || len(list) != before.Recordings {
		t.Errorf("the state was %+v and is %+v", before, after)
	}
	if err := s.SetText(list[0], "x"); err != nil {
		t.Error(err)
	}
	must(t, s.Close())
	must(t, s.Close())
	if _, err := s.Create(entry(1, noon)); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
