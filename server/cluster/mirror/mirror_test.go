package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/server/audit"
	"squelch/server/cluster/keep"
	"squelch/server/cluster/mesh"
	"squelch/server/store"
)

const radioName = "county"

// shared is what nodes share, on a NATS in this process.
func shared(t *testing.T) *keep.Keep {
	t.Helper()
	m, err := mesh.Alone(t.TempDir(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return again(t, m)
}

// again is what another node sees of it.
func again(t *testing.T, m *mesh.Mesh) *keep.Keep {
	t.Helper()
	k, err := keep.Open(t.Context(), m.Log, m.Stream, 1, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

func radioOf(t *testing.T, k *keep.Keep, name string) *keep.Radio {
	t.Helper()
	r, err := k.Radio(t.Context(), name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func folder(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, store.Options{Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// used is a data folder with one of everything, and entries of its logs.
func used(t *testing.T, name string, entries int) *store.Store {
	t.Helper()
	s := folder(t, filepath.Join(t.TempDir(), name))
	ctx := t.Context()
	must(t, s.Secrets().Put(ctx, "authToken", []byte("secret of "+name)))
	must(t, s.Sessions().Change(ctx, map[string][]byte{"a": []byte("1"), strings.Repeat("long", 200): nil}, nil))
	must(t, s.Config().Put(ctx, "overlay", []byte(name)))
	must(t, s.SaveSnapshot(ctx, store.Snapshot{Format: 1, Number: 7, Data: bytes.Repeat([]byte(name), 300_000)}))
	var acts []audit.Entry
	var lines [][]byte
	for i := range entries {
		acts = append(acts, audit.Entry{Actor: audit.Actor{Name: name}, Action: fmt.Sprint("act ", i)})
		lines = append(lines, fmt.Appendf(nil, "%s %d", name, i))
	}
	must(t, audit.New(s.Audit(), time.Now).Append(ctx, acts...))
	must(t, s.Timeline().AppendAt(ctx, 1, lines...))
	return s
}

// equal compares all of two places.
func equal(t *testing.T, what string, a, b *Place) {
	t.Helper()
	ctx := t.Context()
	for name := range a.buckets {
		if !maps.EqualFunc(a.buckets[name].All(), b.buckets[name].All(), bytes.Equal) {
			t.Errorf("%s: %s: %d keys, %d keys", what, name, len(a.buckets[name].All()), len(b.buckets[name].All()))
		}
	}
	for name := range a.logs {
		first, records, err := a.logs[name].Read(ctx, 0, 1<<20)
		must(t, err)
		second, others, err := b.logs[name].Read(ctx, first, 1<<20)
		must(t, err)
		if first != second || len(records) != len(others) {
			t.Errorf("%s: %s from %d, %d records; from %d, %d records", what, name, first, len(records), second, len(others))
			continue
		}
		for i := range records {
			if !bytes.Equal(records[i], others[i]) {
				t.Errorf("%s: %s: record %d", what, name, first+uint64(i))
			}
		}
	}
	x, _, err := a.latest(ctx)
	must(t, err)
	y, _, err := b.latest(ctx)
	must(t, err)
	if x.Format != y.Format || !bytes.Equal(x.Data, y.Data) {
		t.Errorf("%s: snapshots of %d and %d bytes", what, len(x.Data), len(y.Data))
	}
}

func verify(t *testing.T, s *store.Store, last uint64) {
	t.Helper()
	report, err := audit.New(s.Audit(), time.Now).Verify(t.Context())
	if err != nil || report.Last != last {
		t.Errorf("audit: %+v %v, want up to %d", report, err, last)
	}
}

func joinOf(k *keep.Keep, node string, s *store.Store, logf func(string, ...any)) JoinOptions {
	return JoinOptions{Keep: k, Radio: radioName, Node: node, Local: OnStore(s), Expect: 1, Wait: time.Minute, Logf: logf, Alive: func() []string { return nil },
		Open: func(ctx context.Context) (*keep.Radio, error) { return k.Radio(ctx, radioName, 0) }}
}

// TestFromOneMachineToACluster: and everything goes on there, and comes back into each node's
// data folder.
func TestFromOneMachineToACluster(t *testing.T) {
	ctx := t.Context()
	k, s := shared(t), used(t, "seed", 30)
	r, err := Join(ctx, joinOf(k, "n1", s, t.Logf))
	must(t, err)
	equal(t, "taken over", OnStore(s), OnKeep(r))
	if r, err = Join(ctx, joinOf(k, "n2", used(t, "other", 99), t.Logf)); err != nil {
		t.Fatal(err)
	}
	equal(t, "after a node with more", OnStore(s), OnKeep(r))

	fresh := folder(t, t.TempDir())
	for name, to := range map[string]*store.Store{"the seed's own": s, "an empty one": fresh} {
		begins, err := Beginning(ctx, OnKeep(r), OnStore(to))
		if err != nil || !begins {
			t.Errorf("%s: %v %v", name, begins, err)
		}
	}
	m := Start(Options{From: OnKeep(r), To: OnStore(fresh), Every: time.Hour, Logf: t.Logf})
	log := audit.New(r.Audit, time.Now)
	must(t, log.Append(ctx, audit.Entry{Actor: audit.Actor{Name: "x"}, Action: "in the cluster"}))
	must(t, r.Timeline.AppendAt(ctx, 31, []byte("in the cluster")))
	must(t, r.Sessions.Change(ctx, map[string][]byte{"b": []byte("2")}, []string{"a"}))
	must(t, r.SaveSnapshot(ctx, store.Snapshot{Format: 1, Data: []byte("later")}))
	m.Close() // copies what is left
	m.Close()
	if copied, wrong := m.State(); copied.IsZero() || wrong != nil {
		t.Errorf("%v %v", copied, wrong)
	}
	equal(t, "copied", OnKeep(r), OnStore(fresh))
	verify(t, fresh, 31)
	if _, there := fresh.Sessions().Get("a"); there {
		t.Error("a session that was ended is there")
	}
	_, before := fresh.Sessions().Get("b")
	Start(Options{From: OnKeep(r), To: OnStore(s), Logf: t.Logf}).Close()
	equal(t, "copied to the seed", OnKeep(r), OnStore(s))
	verify(t, s, 31)
	if !before {
		t.Error("a session is missing")
	}
}

// TestOnlyWhatHasChangedIsWritten to the disk.
func TestOnlyWhatHasChangedIsWritten(t *testing.T) {
	ctx := t.Context()
	k := shared(t)
	r, err := Join(ctx, joinOf(k, "n1", used(t, "seed", 3), t.Logf))
	must(t, err)
	to := OnStore(folder(t, t.TempDir()))
	writes := 0
	for name, b := range to.buckets {
		to.buckets[name] = counted{b, &writes}
	}
	save := to.save
	to.save = func(ctx context.Context, s store.Snapshot) error { writes++; return save(ctx, s) }
	c := copier{from: OnKeep(r), to: to, versions: map[string]uint64{}}
	for _, step := range []struct {
		name string
		do   func() error
		want int
	}{
		{"everything", func() error { return nil }, 4},
		{"nothing", func() error { return nil }, 0},
		{"one bucket", func() error { return r.Sessions.Put(ctx, "z", []byte("1")) }, 1},
		{"the state", func() error { return r.SaveSnapshot(ctx, store.Snapshot{Format: 1, Data: []byte("2")}) }, 1},
		{"nothing again", func() error { return nil }, 0},
	} {
		must(t, step.do())
		writes = 0
		must(t, c.copy(ctx))
		if writes != step.want {
			t.Errorf("%s: %d writes, want %d", step.name, writes, step.want)
		}
	}
	c.versions, c.snapshot, writes = map[string]uint64{}, 0, 0 // another process
	if must(t, c.copy(ctx)); writes != 0 {
		t.Errorf("after a restart: %d writes", writes)
	}
}

type counted struct {
	bucket
	writes *int
}

func (c counted) Change(ctx context.Context, put map[string][]byte, remove []string) error {
	*c.writes++
	return c.bucket.Change(ctx, put, remove)
}

// TestLogsThatBeginAboveOne go to a cluster and back with their numbers; a copy that is so old
// that the next records are gone begins anew.
func TestLogsThatBeginAboveOne(t *testing.T) {
	ctx := t.Context()
	k := shared(t)
	s := folder(t, t.TempDir())
	must(t, s.Audit().BeginAt(ctx, 1000))
	must(t, s.Audit().AppendAt(ctx, 1000, []byte("a"), []byte("b")))
	must(t, s.Timeline().BeginAt(ctx, 5000))
	must(t, s.Timeline().AppendAt(ctx, 5000, []byte("x")))
	r, err := Join(ctx, joinOf(k, "n1", s, t.Logf))
	must(t, err)
	equal(t, "taken over", OnStore(s), OnKeep(r))
	must(t, r.Timeline.AppendAt(ctx, 5001, []byte("y")))
	to := folder(t, t.TempDir())
	Start(Options{From: OnKeep(r), To: OnStore(to), Logf: t.Logf}).Close()
	equal(t, "copied", OnKeep(r), OnStore(to))

	must(t, r.Timeline.BeginAt(ctx, 9000)) // as if most of it had been removed meanwhile
	must(t, r.Timeline.AppendAt(ctx, 9000, []byte("z")))
	begins, err := Beginning(ctx, OnKeep(r), OnStore(to))
	if err != nil || !begins {
		t.Errorf("an old copy: %v %v", begins, err)
	}
	Start(Options{From: OnKeep(r), To: OnStore(to), Logf: t.Logf}).Close()
	equal(t, "copied anew", OnKeep(r), OnStore(to))
}

// TestAHistoryThatHasPartedIsNotWrittenOver, in either direction.
func TestAHistoryThatHasPartedIsNotWrittenOver(t *testing.T) {
	ctx := t.Context()
	k := shared(t)
	r, err := Join(ctx, joinOf(k, "n1", used(t, "seed", 5), t.Logf))
	must(t, err)
	copied := folder(t, t.TempDir())
	Start(Options{From: OnKeep(r), To: OnStore(copied), Logf: t.Logf}).Close()
	must(t, audit.New(copied.Audit(), time.Now).Append(ctx, audit.Entry{Actor: audit.Actor{Name: "x"}, Action: "alone"})) // it was served alone
	for name, s := range map[string]*store.Store{"it was served alone": copied, "another radio": used(t, "other", 2), "a longer one": used(t, "longer", 9)} {
		if begins, err := Beginning(ctx, OnKeep(r), OnStore(s)); err != nil || begins {
			t.Errorf("%s: %v %v", name, begins, err)
		}
		before, err := OnStore(s).Amount(ctx)
		must(t, err)
		m := Start(Options{From: OnKeep(r), To: OnStore(s), Logf: t.Logf})
		m.Close()
		if _, wrong := m.State(); !errors.Is(wrong, ErrOther) {
			t.Errorf("%s: %v", name, wrong)
		}
		if after, err := OnStore(s).Amount(ctx); err != nil || after != before {
			t.Errorf("%s: %+v, before %+v (%v)", name, after, before, err)
		}
	}
}

// TestTheLongestHistoryIsTakenOver, by exactly one node, however they come.
func TestTheLongestHistoryIsTakenOver(t *testing.T) {
	m, err := mesh.Alone(t.TempDir(), t.Logf)
	must(t, err)
	defer m.Close()
	seed := used(t, "seed", 20)
	stores := map[string]*store.Store{"n1": folder(t, t.TempDir()), "n2": used(t, "stale", 3), "n3": seed}
	var work sync.WaitGroup
	var mu sync.Mutex
	took := 0
	for node, s := range stores {
		o := joinOf(again(t, m), node, s, nil)
		o.Expect, o.Alive = 3, func() []string { return []string{"n1", "n2", "n3"} }
		o.Logf = func(format string, args ...any) {
			t.Logf(node+": "+format, args...)
			if strings.HasPrefix(format, "the cluster has taken over") {
				mu.Lock()
				took++
				mu.Unlock()
			}
		}
		work.Go(func() {
			if node == "n3" {
				time.Sleep(300 * time.Millisecond) // the others are there already
			}
			r, err := Join(t.Context(), o)
			if err != nil {
				t.Errorf("%s: %v", node, err)
				return
			}
			equal(t, node, OnStore(seed), OnKeep(r))
		})
	}
	work.Wait()
	if took != 1 {
		t.Errorf("%d nodes took over", took)
	}
}

// TestNobodyWaitsForeverForANodeThatIsNotThere, and one that told of more and died is waited
// for first.
func TestNobodyWaitsForeverForANodeThatIsNotThere(t *testing.T) {
	k := shared(t)
	b, err := k.Bucket(t.Context(), radioName, joinBucket)
	must(t, err)
	must(t, b.Put(t.Context(), offerPrefix+"dead", []byte(`{"audit":99,"timeline":1,"at":"2026-11-27T00:00:00Z"}`)))
	s := used(t, "alive", 2)
	o := joinOf(k, "n1", s, t.Logf)
	o.Expect, o.Wait = 2, time.Second
	begun := time.Now()
	r, err := Join(t.Context(), o)
	must(t, err)
	if time.Since(begun) < o.Wait {
		t.Error("it did not wait")
	}
	equal(t, "taken over", OnStore(s), OnKeep(r))
}

// TestAnInterruptedTakeoverGoesOn with the same node, the others wait; it never continues
// with another folder.
func TestAnInterruptedTakeoverGoesOn(t *testing.T) {
	s := used(t, "seed", 700)
	for after := 0; after < 6; after += 2 { // writes that succeed
		m, err := mesh.Alone(t.TempDir(), t.Logf)
		must(t, err)
		k := again(t, m)
		ctx, cancel := context.WithCancel(t.Context())
		o := joinOf(k, "n1", s, func(string, ...any) {})
		o.Local = dying(s, after, cancel)
		if _, err := Join(ctx, o); err == nil {
			t.Fatal("it did not die")
		}
		k = again(t, m) // another process
		waiting, stop := context.WithTimeout(t.Context(), time.Second)
		if _, err := Join(waiting, joinOf(k, "n2", folder(t, t.TempDir()), t.Logf)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %d: another node does not wait: %v", after, err)
		}
		stop()
		if after > 2 {
			if _, err := Join(t.Context(), joinOf(k, "n1", used(t, "other", 5), t.Logf)); !errors.Is(err, ErrOther) {
				t.Errorf("after %d: with another folder: %v", after, err)
			}
		}
		r, err := Join(t.Context(), joinOf(k, "n1", s, t.Logf))
		must(t, err)
		equal(t, fmt.Sprint("after ", after), OnStore(s), OnKeep(r))
		m.Close()
	}
}

// dying is a place of which so much can be read.
func dying(s *store.Store, reads int, cancel func()) *Place {
	p := OnStore(s)
	for name, l := range p.logs {
		p.logs[name] = dyingLog{l, &reads, cancel}
	}
	latest := p.latest
	taken := false
	p.latest = func(ctx context.Context) (store.Snapshot, bool, error) {
		if taken {
			return store.Snapshot{}, false, errors.New("killed")
		}
		taken = true // when it tells what it has
		return latest(ctx)
	}
	return p
}

type dyingLog struct {
	log
	reads  *int
	cancel func()
}

func (d dyingLog) Read(ctx context.Context, from uint64, limit int) (uint64, [][]byte, error) {
	if *d.reads--; *d.reads < 0 {
		d.cancel()
		return 0, nil, errors.New("killed")
	}
	return d.log.Read(ctx, from, min(limit, 300))
}

// TestTwoRadios of a cluster do not mix.
func TestTwoRadios(t *testing.T) {
	k := shared(t)
	stores := map[string]*store.Store{"county": used(t, "one", 4), "city": used(t, "two", 6)}
	for name, s := range stores {
		o := joinOf(k, "n1", s, t.Logf)
		o.Radio, o.Open = name, func(ctx context.Context) (*keep.Radio, error) { return k.Radio(ctx, name, 0) }
		_, err := Join(t.Context(), o)
		must(t, err)
	}
	for name, s := range stores {
		to := folder(t, t.TempDir())
		Start(Options{From: OnKeep(radioOf(t, k, name)), To: OnStore(to), Logf: t.Logf}).Close()
		equal(t, name, OnStore(s), OnStore(to))
	}
}

// TestAClusterThatKnewOfNoOrigin keeps what it has.
func TestAClusterThatKnewOfNoOrigin(t *testing.T) {
	k := shared(t)
	r := radioOf(t, k, radioName)
	must(t, r.Secrets.Put(t.Context(), "authToken", []byte("of the cluster")))
	r, err := Join(t.Context(), joinOf(k, "n1", used(t, "late", 9), t.Logf))
	must(t, err)
	if v, _ := r.Secrets.Get("authToken"); string(v) != "of the cluster" {
		t.Errorf("%q", v)
	}
	if a, err := OnKeep(r).Amount(t.Context()); err != nil || a.Keys != 1 || a.Audit != 0 {
		t.Errorf("%+v %v", a, err)
	}
}

// TestADiskThatIsFullOnlyWarns, and the copy is made up for later.
func TestADiskThatIsFullOnlyWarns(t *testing.T) {
	k := shared(t)
	s := used(t, "seed", 3)
	r, err := Join(t.Context(), joinOf(k, "n1", s, t.Logf))
	must(t, err)
	to := OnStore(folder(t, t.TempDir()))
	var mu sync.Mutex
	full, warned, well := true, 0, 0
	probe := to.probe
	to.probe = func(ctx context.Context, n int) error {
		mu.Lock()
		defer mu.Unlock()
		if full {
			return errors.New("no space left on device")
		}
		return probe(ctx, n)
	}
	m := Start(Options{From: OnKeep(r), To: to, Every: 10 * time.Millisecond,
		Warnf: func(string, ...any) { mu.Lock(); warned++; mu.Unlock() }, Logf: func(string, ...any) { mu.Lock(); well++; mu.Unlock() }})
	time.Sleep(100 * time.Millisecond)
	mu.Lock()
	full = false
	mu.Unlock()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if copied, _ := m.State(); !copied.IsZero() {
			break
		}
	}
	m.Close()
	equal(t, "copied", OnStore(s), to)
	if warned != 1 || well != 1 {
		t.Errorf("warned %d times, %d times said that it is well", warned, well)
	}
}

// TestALargeLogIsTakenOver, with word of how far it has come.
func TestALargeLogIsTakenOver(t *testing.T) {
	k, s := shared(t), folder(t, t.TempDir())
	const records = 6_000
	record := bytes.Repeat([]byte("x"), 400)
	for n := uint64(1); n <= records; n += 500 {
		part := make([][]byte, 500)
		for i := range part {
			part[i] = record
		}
		must(t, s.Timeline().AppendAt(t.Context(), n, part...))
	}
	told := 0
	c := copier{from: OnStore(s), to: OnKeep(radioOf(t, k, radioName)), versions: map[string]uint64{}, progress: func(log string, done, all uint64) {
		if log == "timeline" && all == records {
			told++
		}
	}}
	begun := time.Now()
	must(t, c.copy(t.Context()))
	t.Logf("%d records of %d bytes in %v", records, len(record), time.Since(begun))
	if told < 5 {
		t.Errorf("told %d times", told)
	}
	if first, last := c.to.logs["timeline"].Bounds(); first != 1 || last != records {
		t.Errorf("%d to %d", first, last)
	}
}
