package keep

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/store"
)

// desk is a keep on an embedded NATS of one node.
func desk(t *testing.T) (k *Keep, again func() *Keep) {
	t.Helper()
	ns, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true, MaxPayload: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	if !ns.ReadyForConnections(time.Minute) {
		t.Fatal("NATS does not start")
	}
	again = func() *Keep {
		c, err := nats.Connect("", nats.InProcessServer(ns))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		js, err := jetstream.New(c)
		if err != nil {
			t.Fatal(err)
		}
		k, err := Open(t.Context(), c, js, 1, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(k.Close)
		return k
	}
	return again(), again
}

// TestABucketIsTheSameEverywhere: what one node changes, another sees, and one that starts
// later has all of it.
func TestABucketIsTheSameEverywhere(t *testing.T) {
	a, again := desk(t)
	b := again()
	open := func(k *Keep) *Bucket {
		t.Helper()
		bucket, err := k.Bucket(t.Context(), "county one", "sessions")
		if err != nil {
			t.Fatal(err)
		}
		return bucket
	}
	one, two := open(a), open(b)
	told := make(chan string, 100)
	two.Watch(func(key string, value []byte, removed bool) {
		told <- fmt.Sprint(key, " ", string(value), " ", removed)
	})
	if err := one.Change(t.Context(), map[string][]byte{"s.1": []byte("x"), "s 2": []byte("y"), "*": []byte("z")}, nil); err != nil {
		t.Fatal(err)
	}
	if err := one.Change(t.Context(), map[string][]byte{"s.1": []byte("x2")}, []string{"s 2", "unknown"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"* z false", "s 2 y false", "s.1 x false", "s.1 x2 false", "s 2  true"} {
		if got := <-told; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	for name, bucket := range map[string]*Bucket{"where it was changed": one, "elsewhere": two, "later": open(again())} {
		all := bucket.All()
		if len(all) != 2 || string(all["s.1"]) != "x2" || string(all["*"]) != "z" {
			t.Errorf("%s: %q", name, all)
		}
	}
	v, created, err := two.Ensure(t.Context(), "token", func() ([]byte, error) { return []byte("two"), nil })
	if err != nil || !created || string(v) != "two" {
		t.Errorf("%q %v %v", v, created, err)
	}
	three := open(again())
	delete(three.values, "token") // as if it had not arrived yet
	if v, created, err = three.Ensure(t.Context(), "token", func() ([]byte, error) { return []byte("three"), nil }); err != nil || created || string(v) != "two" {
		t.Errorf("%q %v %v", v, created, err)
	}
	other, err := a.Bucket(t.Context(), "county", "sessions")
	if err != nil || len(other.All()) != 0 {
		t.Errorf("another radio has %q (%v)", other.All(), err)
	}
}

// TestLogsOfManyRadios lie between each other, and are read by number.
func TestLogsOfManyRadios(t *testing.T) {
	k, again := desk(t)
	var logs []*Log
	for r := range 3 {
		l, err := k.Log(t.Context(), fmt.Sprint("radio ", r), "audit", 0)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	for n := range 700 {
		for r, l := range logs {
			_, last := l.Bounds()
			if err := l.AppendAt(t.Context(), last+1, fmt.Append(nil, r, " ", 2*n+1), fmt.Append(nil, r, " ", 2*n+2)); err != nil {
				t.Fatal(err)
			}
		}
	}
	l, err := again().Log(t.Context(), "radio 1", "audit", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from  uint64
		limit int
	}{{1, 10}, {700, 600}, {0, 2000}, {1400, 5}, {1401, 5}} {
		first, records, err := l.Read(t.Context(), c.from, c.limit)
		want := min(c.limit, 1400-int(max(c.from, 1))+1)
		if err != nil || len(records) != want || want > 0 && first != max(c.from, 1) {
			t.Errorf("%+v: first %d, %d records, %v", c, first, len(records), err)
		}
		for i, r := range records {
			if string(r) != fmt.Sprint("1 ", int(first)+i) {
				t.Fatalf("%+v: record %d is %q", c, int(first)+i, r)
			}
		}
	}
	if err := logs[1].AppendAt(t.Context(), 1401, []byte("old owner")); err != nil {
		t.Fatal(err)
	}
	if err := l.AppendAt(t.Context(), 1401, []byte("new owner")); !errors.Is(err, ErrFenced) {
		t.Errorf("over what another has written: %v", err)
	}
	if err := l.AppendAt(t.Context(), 1402, []byte("new owner")); err != nil {
		t.Error(err)
	}
	if err := logs[1].AppendAt(t.Context(), 1402, []byte("late")); !errors.Is(err, ErrFenced) {
		t.Errorf("a deposed owner: %v", err)
	}
}

// TestSnapshotsAreFenced, and large ones are whole.
func TestSnapshotsAreFenced(t *testing.T) {
	k, again := desk(t)
	old, err := k.Snapshots(t.Context(), "county")
	if err != nil {
		t.Fatal(err)
	}
	large := bytes.Repeat([]byte("0123456789"), 350_000)
	for _, data := range [][]byte{[]byte("small"), large, nil, large[:100]} {
		if err := old.Save(t.Context(), store.Snapshot{Format: 1, Data: data, Owner: 5, Epoch: 4, Seq: 17}); err != nil {
			t.Fatal(err)
		}
		fresh, err := again().Snapshots(t.Context(), "county")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fresh.Latest(t.Context()); err != nil || got.Format != 1 || got.Owner != 5 || got.Epoch != 4 || got.Seq != 17 || !bytes.Equal(got.Data, data) {
			t.Errorf("%d bytes: %+v %v", len(data), got, err)
		}
	}
	next, err := again().Snapshots(t.Context(), "county")
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Save(t.Context(), store.Snapshot{Format: 1, Data: []byte("next"), Owner: 6}); err != nil {
		t.Fatal(err)
	}
	late := store.Snapshot{Format: 1, Data: []byte("late"), Owner: 5}
	for range 2 { // also when it has seen that it is late
		if err := old.Save(t.Context(), late); !errors.Is(err, ErrFenced) {
			t.Errorf("a deposed owner: %v", err)
		}
		if _, err := old.Latest(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestAClaimEndsTheOwnerBefore, which saves no snapshot any more, and changes nothing else.
func TestAClaimEndsTheOwnerBefore(t *testing.T) {
	k, again := desk(t)
	old, err := k.Snapshots(t.Context(), "county")
	if err != nil {
		t.Fatal(err)
	}
	next, err := again().Snapshots(t.Context(), "county")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := next.Claim(t.Context(), 4); err != nil || got.Data != nil {
		t.Errorf("nothing was saved: %+v, %v", got, err)
	}
	for owner, want := range map[uint64]error{3: ErrFenced, 5: nil} {
		if err := old.Save(t.Context(), store.Snapshot{Format: 1, Data: []byte("patch"), Owner: owner, Epoch: owner, Seq: 9}); !errors.Is(err, want) {
			t.Errorf("owner %d saves after the claim of 4: %v", owner, err)
		}
	}
	if got, err := next.Claim(t.Context(), 6); err != nil || string(got.Data) != "patch" || got.Epoch != 5 || got.Seq != 9 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := old.Save(t.Context(), store.Snapshot{Format: 1, Data: []byte("late"), Owner: 5}); !errors.Is(err, ErrFenced) {
		t.Errorf("a deposed owner: %v", err)
	}
	if _, err := old.Claim(t.Context(), 5); !errors.Is(err, ErrFenced) {
		t.Errorf("a late claim: %v", err)
	}
	if got, err := old.Latest(t.Context()); err != nil || string(got.Data) != "patch" || got.Owner != 6 {
		t.Errorf("%+v, %v", got, err)
	}
}
