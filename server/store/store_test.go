package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("SQUELCH_STORE_WRITER"); dir != "" {
		writeUntilKilled(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	return openWith(t, dir, Options{})
}

func openWith(t *testing.T, dir string, options Options) *Store {
	t.Helper()
	options.Logf = t.Logf
	s, err := Open(t.Context(), dir, options)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEverythingSurvivesARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	ctx := t.Context()
	s := open(t, dir)
	id := s.ID()
	if _, found, err := s.LatestSnapshot(ctx); found || err != nil {
		t.Fatalf("a fresh folder has a snapshot (%v) or fails (%v)", found, err)
	}
	must(t, s.SaveSnapshot(ctx, Snapshot{Format: 3, Number: 7, Data: []byte("patch p-1 joins 154.755 and 155.01")}))
	must(t, s.Sessions().Put(ctx, "kiel", []byte("dispatcher")))
	must(t, s.Sessions().Put(ctx, "gone", []byte("dispatcher")))
	must(t, s.Sessions().Delete(ctx, "gone"))
	must(t, s.Config().Change(ctx, map[string][]byte{"zones": []byte("[]"), "tones": nil}, nil))
	for i := range 3 {
		if _, err := s.Audit().Append(ctx, fmt.Appendf(nil, "entry %d", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)

	s = open(t, dir)
	if s.ID() != id {
		t.Errorf("the folder's id changed from %s to %s", id, s.ID())
	}
	got, found, err := s.LatestSnapshot(ctx)
	if err != nil || !found || got.Format != 3 || got.Number != 7 || string(got.Data) != "patch p-1 joins 154.755 and 155.01" {
		t.Errorf("snapshot = %+v, %v, %v", got, found, err)
	}
	if all := s.Sessions().All(); len(all) != 1 || string(all["kiel"]) != "dispatcher" {
		t.Errorf("sessions = %q", all)
	}
	if all := s.Config().All(); len(all) != 2 {
		t.Errorf("config = %q", all)
	}
	first, records, err := s.Audit().Read(ctx, 2, 100)
	if err != nil || first != 2 || len(records) != 2 || string(records[1]) != "entry 3" {
		t.Errorf("audit from 2 = %d %q %v", first, records, err)
	}
	first, records, err = s.Audit().Tail(ctx, 1)
	if err != nil || first != 3 || len(records) != 1 || string(records[0]) != "entry 3" {
		t.Errorf("audit tail = %d %q %v", first, records, err)
	}
}

func TestALargeSnapshotIsKeptInParts(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	s := open(t, dir)
	large := bytes.Repeat([]byte("squelch "), (9<<20)/8+1) // above NATS's largest message
	must(t, s.SaveSnapshot(ctx, Snapshot{Number: 1, Data: []byte("small")}))
	must(t, s.SaveSnapshot(ctx, Snapshot{Number: 2, Data: large[1:]}))
	must(t, s.SaveSnapshot(ctx, Snapshot{Number: 1, Data: []byte("late, and already covered")}))
	check := func() {
		t.Helper()
		got, found, err := s.LatestSnapshot(ctx)
		if err != nil || !found || got.Number != 2 || !bytes.Equal(got.Data, large[1:]) {
			t.Fatalf("snapshot %d of %d bytes, found %v, %v", got.Number, len(got.Data), found, err)
		}
	}
	check()
	closeStore(t, s)
	s = open(t, dir)
	check()

	// A newer one that was cut off between its parts does not count.
	records, err := splitSnapshot(Snapshot{Number: 3, Data: large})
	must(t, err)
	if _, err := s.snapshots.log.Append(ctx, records[:4]...); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = open(t, dir)
	check()
	if err := s.SaveSnapshot(ctx, Snapshot{Data: make([]byte, MaxSnapshot+1)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a snapshot over the limit: %v", err)
	}
}

func TestOldSnapshotsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 3 * keepSnapshots {
		must(t, s.SaveSnapshot(t.Context(), Snapshot{Number: uint64(i + 1), Data: []byte("state")}))
	}
	if first, last := s.snapshots.log.Bounds(); last-first > keepSnapshots {
		t.Errorf("%d snapshots are kept", last-first+1)
	}
	closeStore(t, s)
	s = open(t, dir)
	if got, _, err := s.LatestSnapshot(t.Context()); err != nil || got.Number != 3*keepSnapshots {
		t.Errorf("newest snapshot = %d, %v", got.Number, err)
	}
}

func TestABucketThatChangesOftenStaysSmall(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	s := open(t, dir)
	for i := range 3 * compactSlack {
		must(t, s.Sessions().Put(ctx, fmt.Sprintf("session-%d", i%5), fmt.Appendf(nil, "%d", i)))
	}
	if first, last := s.sessions.log.Bounds(); last-first > 2*compactSlack {
		t.Errorf("%d records for five keys", last-first+1)
	}
	want := s.Sessions().All()
	closeStore(t, s)
	s = open(t, dir)
	if got := s.Sessions().All(); fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 5 {
		t.Errorf("after a restart %q, before %q", got, want)
	}
}

func TestBucketLimits(t *testing.T) {
	s := open(t, t.TempDir())
	for name, err := range map[string]error{
		"empty key": s.Config().Put(t.Context(), "", nil),
		"long key":  s.Config().Put(t.Context(), string(make([]byte, 1025)), nil),
		"value":     s.Config().Put(t.Context(), "zones", make([]byte, MaxRecord)),
	} {
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all := s.Config().All(); len(all) != 0 {
		t.Errorf("a refused value was kept: %d keys", len(all))
	}
	// Values near the limit survive being rewritten together.
	big := make([]byte, compactPart-100)
	for i := range 20 {
		must(t, s.Config().Put(t.Context(), "version", fmt.Append(nil, i)))
		if i < 3 {
			must(t, s.Config().Put(t.Context(), fmt.Sprintf("big-%d", i), big))
		}
	}
	must(t, s.config.compact(t.Context()))
	if first, last := s.config.log.Bounds(); last-first > 4 {
		t.Errorf("rewritten into %d records", last-first+1)
	}
}

func TestSecretsAreMadeOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	made := 0
	var mu sync.Mutex
	secret := func() ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		made++
		return fmt.Appendf(nil, "token-%d", made), nil
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if value, _, err := s.Secrets().Ensure(context.Background(), "authToken", secret); err != nil || string(value) != "token-1" {
				t.Errorf("token %q, %v", value, err)
			}
		})
	}
	group.Wait()
	closeStore(t, s)
	s = open(t, dir)
	value, created, err := s.Secrets().Ensure(t.Context(), "authToken", secret)
	if err != nil || created || string(value) != "token-1" || made != 1 {
		t.Errorf("second start: %q, made %d times, created %v, %v", value, made, created, err)
	}
}

func TestManyWritersAtOnceLoseNothing(t *testing.T) {
	s := open(t, t.TempDir())
	const writers, each = 8, 40
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				if _, err := s.Audit().Append(context.Background(), fmt.Appendf(nil, "%d/%d", w, i), []byte("-")); err != nil {
					t.Error(err)
				}
				if err := s.Sessions().Put(context.Background(), fmt.Sprint(w), fmt.Append(nil, i)); err != nil {
					t.Error(err)
				}
				if _, _, err := s.Audit().Tail(context.Background(), 3); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	_, records, err := s.Audit().Read(t.Context(), 1, 10_000)
	if err != nil || len(records) != 2*writers*each {
		t.Fatalf("%d records, %v", len(records), err)
	}
	next := map[int]int{}
	for i := 0; i < len(records); i += 2 {
		var w, n int
		if _, err := fmt.Sscanf(string(records[i]), "%d/%d", &w, &n); err != nil || string(records[i+1]) != "-" {
			t.Fatalf("records of one append were torn apart: %q %q", records[i], records[i+1])
		}
		if next[w] != n {
			t.Fatalf("writer %d: record %d came where %d was due", w, n, next[w])
		}
		next[w]++
	}
}

func TestOldAuditRecordsAreRemovedBySize(t *testing.T) {
	dir := t.TempDir()
	options := Options{AuditMaxBytes: 100_000}
	s := openWith(t, dir, options)
	record := make([]byte, 1000)
	for range 4 {
		batch := make([][]byte, retentionEvery/2)
		for i := range batch {
			batch[i] = record
		}
		if _, err := s.Audit().Append(t.Context(), batch...); err != nil {
			t.Fatal(err)
		}
	}
	first, last := s.Audit().Bounds()
	if last != 2*retentionEvery || last-first > 110 || last-first < 50 {
		t.Errorf("records %d to %d are kept of about 95 that fit", first, last)
	}
	closeStore(t, s)
	s = openWith(t, dir, options)
	from, records, err := s.Audit().Read(t.Context(), 1, 10_000)
	if err != nil || from < first || from+uint64(len(records)) != last+1 {
		t.Errorf("read %d records from %d: %v", len(records), from, err)
	}
}

// TestTheTimelineKeepsSoManyRecords: as many as it was told, and then its size may be
// larger than by default.
func TestTheTimelineKeepsSoManyRecords(t *testing.T) {
	s := openWith(t, t.TempDir(), Options{TimelineMax: 300})
	for range 3 {
		batch := make([][]byte, retentionEvery)
		for i := range batch {
			batch[i] = []byte("said")
		}
		if _, err := s.Timeline().Append(t.Context(), batch...); err != nil {
			t.Fatal(err)
		}
	}
	if first, last := s.Timeline().Bounds(); last != 3*retentionEvery || last+1-first != 300 {
		t.Errorf("records %d to %d are kept", first, last)
	}
	for most, want := range map[int]int64{0: DefaultTimelineMaxBytes, 50: DefaultTimelineMaxBytes, 1 << 20: 1 << 30, 100_000_000: maxTimeline} {
		if got := (Options{TimelineMax: most}).withDefaults().TimelineMaxBytes; got != want {
			t.Errorf("%d records: %d bytes, want %d", most, got, want)
		}
	}
}

func TestOldAuditRecordsAreRemovedByAge(t *testing.T) {
	dir := t.TempDir()
	s := openWith(t, dir, Options{})
	for range 5 {
		_, err := s.Audit().Append(t.Context(), []byte("last year"))
		must(t, err)
	}
	closeStore(t, s)
	later := func() time.Time { return time.Now().Add(time.Hour) }
	s = openWith(t, dir, Options{Now: later, AuditMaxAge: time.Minute})
	if first, last := s.Audit().Bounds(); first != 5 || last != 5 {
		t.Errorf("records %d to %d are left; the newest always stays", first, last)
	}
	closeStore(t, s)
	s = openWith(t, dir, Options{})
	if n, err := s.Audit().Append(t.Context(), []byte("today")); err != nil || n != 6 {
		t.Errorf("the next record got number %d, %v", n, err)
	}
}

func TestAfterCloseEverythingIsRefused(t *testing.T) {
	s := open(t, t.TempDir())
	closeStore(t, s)
	closeStore(t, s)
	if _, err := s.Audit().Append(t.Context(), []byte("x")); !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if err := s.Sessions().Put(t.Context(), "k", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("put: %v", err)
	}
	if err := s.SaveSnapshot(t.Context(), Snapshot{}); !errors.Is(err, ErrClosed) {
		t.Errorf("snapshot: %v", err)
	}
	if _, _, err := s.Audit().Read(t.Context(), 1, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("read: %v", err)
	}
}

func TestACancelledWriteIsNotBegun(t *testing.T) {
	s := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Audit().Append(ctx, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v", err)
	}
	if first, last := s.Audit().Bounds(); first != 1 || last != 0 {
		t.Errorf("records %d to %d", first, last)
	}
}

// After a failed append it is open what NATS kept; the next one finds out.
func TestAfterAFailedAppendTheNumbersStillFit(t *testing.T) {
	s := open(t, t.TempDir())
	log := s.Audit()
	_, err := log.Append(t.Context(), []byte("one"))
	must(t, err)
	// A record from outside, as a late one would be.
	if _, err := s.host.embedded.stream.Publish(t.Context(), subjectOf(streamAudit), log.origin().pack(2, time.Now(), []byte("two"))); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), []byte("three")); err == nil {
		t.Fatal("an append on a false premise succeeded")
	}
	if err := log.AppendAt(t.Context(), 2, []byte("three")); err == nil {
		t.Fatal("a record got another number than it carries")
	}
	if n, err := log.Append(t.Context(), []byte("three")); err != nil || n != 3 {
		t.Fatalf("record %d, %v", n, err)
	}
	if _, records, err := log.Read(t.Context(), 1, 9); err != nil || fmt.Sprintf("%s", records) != "[one two three]" {
		t.Errorf("%s, %v", records, err)
	}
}
