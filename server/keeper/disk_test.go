package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/engine"
	"squelch/server/keeper"
	"squelch/server/store"
)

// patience ends a wait that would otherwise last forever; nothing is measured with
// it.
const patience = 2 * time.Minute

// disk is a store and an audit log that fail as they are told.
type disk struct {
	mu      sync.Mutex
	looks   error // the error of a look at the disk
	writes  error // the error of a write
	keeps   int   // how many entries of a failing write are kept all the same
	hangs   chan struct{}
	entries []audit.Entry
	snaps   int
	bucket  map[string][]byte
}

func (d *disk) set(looks, writes error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.looks, d.writes = looks, writes
}

func (d *disk) Probe(context.Context, int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.looks
}

func (d *disk) SaveSnapshot(context.Context, store.Snapshot) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writes == nil {
		d.snaps++
	}
	return d.writes
}

func (d *disk) Append(_ context.Context, entries ...audit.Entry) error {
	if d.hangs != nil {
		<-d.hangs
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writes != nil {
		kept := min(d.keeps, len(entries))
		d.keeps -= kept
		d.entries = append(d.entries, entries[:kept]...)
		return fmt.Errorf("%w: %w", audit.ErrStream, d.writes)
	}
	d.entries = append(d.entries, entries...)
	return nil
}

func (d *disk) Read(_ context.Context, from uint64, limit int) ([]audit.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.entries[from-1 : min(len(d.entries), int(from)-1+limit)]), nil
}

func (d *disk) Last() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return uint64(len(d.entries))
}

func (d *disk) Get(key string) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, found := d.bucket[key]
	return v, found
}

func (d *disk) All() map[string][]byte { return d.bucket }

func (d *disk) Change(_ context.Context, put map[string][]byte, remove []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writes != nil {
		return d.writes
	}
	for key, value := range put {
		d.bucket[key] = value
	}
	for _, key := range remove {
		delete(d.bucket, key)
	}
	return nil
}

func (d *disk) actions() (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.entries {
		all = append(all, e.Action)
	}
	return all
}

// station is a radio whose disk can be broken, with a unit on a channel.
type station struct {
	*engine.Engine
	t      *testing.T
	disk   *disk
	keeper *keeper.Keeper
}

// keeping is a keeper without a timeline beside it.
func keeping(k *keeper.Keeper) engine.Keep {
	return func(ctx context.Context, snap *core.Data, log []core.Record, _ []core.Moment) error {
		if snap == nil {
			return k.Durable(ctx, nil, log)
		}
		return k.Durable(ctx, &keeper.State{Data: *snap}, log)
	}
}

func onAir(t *testing.T) *station {
	t.Helper()
	c := core.DefaultConfig()
	for _, f := range []string{"154.755", "460.25"} {
		at, _ := core.ParseFrequency(f)
		c.Zones = append(c.Zones, core.Zone{Name: f, Channels: []core.Channel{{Name: f, Type: core.Conventional, Frequency: at}}})
	}
	state, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{bucket: map[string][]byte{}}
	k := keeper.New(keeper.Options{Store: d, Log: d, Logf: t.Logf})
	e := engine.Start(state, engine.NewAlone(time.Now, keeping(k)), engine.Options{Probe: k.Probe, Logf: t.Logf})
	k.Tell(func(reason string) {
		if err := e.Apply(context.Background(), core.Actor{Surface: core.BySystem}, core.SetStorage{Reason: reason}); err != nil {
			t.Error(err)
		}
	})
	s := &station{e, t, d, k}
	t.Cleanup(func() {
		e.Close()
		k.Close()
	})
	s.must(core.Connect{Want: 12})
	s.must(core.JoinAsSpeaker{User: 12, Frequency: north})
	return s
}

var north, _ = core.ParseFrequency("154.755")
var tac, _ = core.ParseFrequency("460.25")

func (s *station) try(c core.Command) error {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	_, err := s.Do(ctx, core.Actor{Surface: core.ByLua, Name: "script"}, c)
	return err
}

func (s *station) must(c core.Command) {
	s.t.Helper()
	if err := s.try(c); err != nil {
		s.t.Fatalf("%T: %v", c, err)
	}
}

func (s *station) patches() (n int) {
	s.t.Helper()
	if err := s.View(s.t.Context(), func(v core.View) { n = len(v.Snapshot().Patches) }); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *station) recovers() {
	s.t.Helper()
	for until := time.Now().Add(patience); s.keeper.Reason() != ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			s.t.Fatalf("the disk is back: %s", s.keeper.Reason())
		}
	}
}

func unavailable(err error, says string) bool {
	var refused *core.Error
	return errors.As(err, &refused) && refused.Kind == core.Unavailable && strings.Contains(refused.Message, says)
}

var patch = core.CreatePatch{Frequencies: []core.Frequency{north, tac}}

// TestAFullDiskIsSeenBeforeAnythingChanges: and it is seen to be back.
func TestAFullDiskIsSeenBeforeAnythingChanges(t *testing.T) {
	s := onAir(t)
	s.disk.set(syscall.ENOSPC, syscall.ENOSPC)
	if err := s.try(patch); !unavailable(err, "Storage unavailable: the disk is full") || s.patches() != 0 {
		t.Fatalf("%v, %d patches", err, s.patches())
	}
	s.must(core.SetPanic{User: 12, Enabled: true})
	s.must(core.KeyUp{User: 12})
	s.disk.set(nil, nil)
	s.recovers()
	s.must(patch)
	want := []string{"storage.failed", "panic", "storage.restored", "patch"}
	if got := s.disk.actions(); !slices.Equal(got, want) {
		t.Errorf("audited %v, want %v", got, want)
	}
}

// TestAChangeUnderWayStays: the disk takes the look but not the change. The caller is
// told what became of it, and it is audited once, even when a part of the failed
// write was kept.
func TestAChangeUnderWayStays(t *testing.T) {
	for kept := range 2 {
		t.Run(fmt.Sprint(kept), func(t *testing.T) {
			s := onAir(t)
			s.disk.keeps = kept
			s.disk.set(nil, syscall.EIO)
			err := s.try(patch)
			if !unavailable(err, "the disk reports errors. The change is in effect and will be stored when the disk is back") || s.patches() != 1 {
				t.Fatalf("%v, %d patches", err, s.patches())
			}
			if err := s.try(core.RemovePatch{ID: "p-1"}); !unavailable(err, "Storage unavailable") || s.patches() != 1 {
				t.Fatalf("%v, %d patches", err, s.patches())
			}
			s.disk.set(nil, nil)
			s.recovers()
			want := []string{"patch", "storage.failed", "storage.restored"}
			if got := s.disk.actions(); !slices.Equal(got, want) || s.disk.snaps != 1 {
				t.Errorf("audited %v, want %v; %d snapshots", got, want, s.disk.snaps)
			}
		})
	}
}

// TestADiskThatHangsKeepsNobodyWaiting.
func TestADiskThatHangsKeepsNobodyWaiting(t *testing.T) {
	s := onAir(t)
	s.disk.hangs = make(chan struct{})
	s.must(core.SetPanic{User: 12, Enabled: true})
	if err := s.try(patch); !unavailable(err, "the disk does not answer") || s.patches() != 0 {
		t.Errorf("%v, %d patches", err, s.patches())
	}
	close(s.disk.hangs)
	s.recovers()
	want := []string{"panic", "storage.failed", "storage.restored"}
	if got := s.disk.actions(); !slices.Equal(got, want) {
		t.Errorf("audited %v, want %v", got, want)
	}
}

// TestALongNightWithoutADisk: memory is bounded, what is merged says how often it
// happened, and the newest entry is there word for word.
func TestALongNightWithoutADisk(t *testing.T) {
	s := onAir(t)
	s.disk.set(syscall.ENOSPC, syscall.ENOSPC)
	if err := s.try(patch); err == nil {
		t.Fatal("a full disk took a patch")
	}
	const bursts = 15_000 // of two entries each
	for range bursts {
		s.must(core.SetPanic{User: 12, Enabled: true})
		s.must(core.SetPanic{User: 12})
	}
	s.disk.set(nil, nil)
	s.recovers()
	var panics, singles, last int
	for _, e := range s.disk.entries {
		if e.Action == "panic" {
			n, merged := e.Detail["merged"].(int)
			if !merged {
				n, singles = 1, singles+1
			}
			panics += n
			last = int(e.Time)
		}
	}
	if len(s.disk.entries) > 10_003 || singles < 1000 || panics != bursts || last == 0 {
		t.Errorf("%d entries tell of %d panics, %d of them word for word", len(s.disk.entries), panics, singles)
	}
	if all := s.disk.actions(); all[0] != "storage.failed" || all[len(all)-1] != "storage.restored" {
		t.Errorf("from %s to %s", all[0], all[len(all)-1])
	}
}

// TestALoginWaitsForTheDiskALogoutDoesNot.
func TestALoginWaitsForTheDiskALogoutDoesNot(t *testing.T) {
	s := onAir(t)
	sessions := s.keeper.Guard(s.disk)
	one := map[string][]byte{"session.1": []byte("Desk")}
	if err := sessions.Change(t.Context(), one, nil); err != nil {
		t.Fatal(err)
	}
	s.disk.set(syscall.EROFS, syscall.EROFS)
	if err := sessions.Put(t.Context(), "session.2", []byte("CAD")); !unavailable(err, "the file system is read-only") {
		t.Errorf("a login: %v", err)
	}
	if err := sessions.Change(t.Context(), nil, []string{"session.1", "session.9"}); err != nil {
		t.Errorf("a logout: %v", err)
	}
	log := s.keeper.Audit(nil)
	log.Note(t.Context(), audit.Entry{Action: "logout"})
	if err := log.Append(t.Context(), audit.Entry{Action: "login"}); !unavailable(err, "read-only") {
		t.Errorf("a login that cannot be audited: %v", err)
	}
	s.disk.set(nil, nil)
	s.recovers()
	if _, there := sessions.Get("session.1"); there || len(s.disk.bucket) != 0 {
		t.Errorf("after the trouble %v", s.disk.bucket)
	}
	if got := s.disk.actions(); !slices.Equal(got, []string{"storage.failed", "logout", "storage.restored"}) {
		t.Errorf("audited %v", got)
	}
}

// TestReasonsAreWords: NATS passes on the system's errors as text.
func TestReasonsAreWords(t *testing.T) {
	s := onAir(t)
	s.disk.set(errors.New("JetStream: critical write error: write /var/secret/1.blk: no space left on device"), nil)
	if err := s.try(patch); !unavailable(err, "the disk is full") || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	s.disk.set(errors.New("something else at /var/secret"), nil)
	if err := s.try(patch); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	s.disk.set(nil, nil)
	s.recovers()
}
