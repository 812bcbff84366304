package keep

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/server/store"
)

// TestRecordsOfAllSizesAreReadByNumber: many small ones in a message, large ones alone, and
// what nodes with copies and earlier builds write, one in each.
func TestRecordsOfAllSizesAreReadByNumber(t *testing.T) {
	for _, packs := range []bool{true, false} {
		t.Run(fmt.Sprint("packed ", packs), func(t *testing.T) { readByNumber(t, packs) })
	}
}

func readByNumber(t *testing.T, packs bool) {
	k, again := desk(t)
	k.packs = packs
	l, err := k.Log(t.Context(), "county", "timeline", 0)
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	for n := range 5 { // as earlier builds did
		m := nats.NewMsg(l.subject)
		m.Header.Set(numberHeader, strconv.Itoa(n+1))
		m.Data = fmt.Append(nil, "old ", n)
		if _, err := k.conn.RequestMsgWithContext(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		want = append(want, m.Data)
	}
	if err := l.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	watched := make(chan uint64, 4*MaxBatch)
	l.Watch(func(number uint64, _ []byte) { watched <- number })
	for _, sizes := range [][]int{{1}, slices.Repeat([]int{10}, 2*MaxBatch+1), {0, 0}, {groupBytes, 1, groupBytes - 1, 1}, {store.MaxRecord, 0, store.MaxRecord}} {
		var records [][]byte
		for i, size := range sizes {
			records = append(records, bytes.Repeat([]byte{byte('a' + i%26)}, size))
		}
		_, last := l.Bounds()
		if err := l.AppendAt(t.Context(), last+1, records...); err != nil {
			t.Fatal(err)
		}
		want = append(want, records...)
	}
	for number := uint64(6); number <= uint64(len(want)); number++ {
		select {
		case got := <-watched:
			if got != number {
				t.Fatalf("the watcher got record %d, want %d", got, number)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("the watcher did not get record %d", number)
		}
	}
	l, err = again().Log(t.Context(), "county", "timeline", 0)
	if err != nil {
		t.Fatal(err)
	}
	if first, last := l.Bounds(); first != 1 || last != uint64(len(want)) {
		t.Fatalf("records %d to %d, want 1 to %d", first, last, len(want))
	}
	for from := uint64(1); from <= uint64(len(want)); from += 307 {
		for _, limit := range []int{1, 3, 1000, 10_000} {
			first, got, err := l.Read(t.Context(), from, limit)
			if end := min(int(from)-1+limit, len(want)); err != nil || first != from || !slices.EqualFunc(got, want[from-1:end], bytes.Equal) {
				t.Fatalf("from %d, %d: %d records from %d on, %v", from, limit, len(got), first, err)
			}
		}
	}
}

// TestTooLargeARecordLeavesNothing of those before it.
func TestTooLargeARecordLeavesNothing(t *testing.T) {
	k, _ := desk(t)
	l, err := k.Log(t.Context(), "county", "timeline", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.AppendAt(t.Context(), 1, make([]byte, groupBytes), make([]byte, store.MaxRecord+1)); err == nil {
		t.Error("it was taken")
	}
	if _, last := l.Bounds(); last != 0 {
		t.Errorf("%d records are there", last)
	}
}

// TestOldRecordsAreRemoved, but none of the newest, in whatever groups they came.
func TestOldRecordsAreRemoved(t *testing.T) {
	k, again := desk(t)
	const most = 100
	l, err := k.Log(t.Context(), "county", "timeline", most)
	if err != nil {
		t.Fatal(err)
	}
	other, err := k.Log(t.Context(), "city", "timeline", most)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.AppendAt(t.Context(), 1, []byte("stays")); err != nil {
		t.Fatal(err)
	}
	number := uint64(1)
	for size := 1; number < 4*retainEvery; size = size%7 + 1 {
		var group [][]byte
		for i := range size {
			group = append(group, fmt.Append(nil, number+uint64(i)))
		}
		if err := l.AppendAt(t.Context(), number, group...); err != nil {
			t.Fatal(err)
		}
		number += uint64(size)
	}
	for _, l := range []*Log{l, func() *Log { l, _ := again().Log(t.Context(), "county", "timeline", most); return l }()} {
		first, last := l.Bounds()
		if last != number-1 || first > last-most+1 || first+most+retainEvery+14 < last {
			t.Errorf("records %d to %d are left of %d", first, last, number-1)
		}
		_, records, err := l.Read(t.Context(), first, int(number))
		if err != nil || len(records) != int(last-first+1) {
			t.Fatalf("%d records, %v", len(records), err)
		}
		for i, r := range records {
			if string(r) != fmt.Sprint(first+uint64(i)) {
				t.Fatalf("record %d is %q", first+uint64(i), r)
			}
		}
	}
	if _, records, err := other.Read(t.Context(), 1, 10); err != nil || len(records) != 1 {
		t.Errorf("another radio has %q, %v", records, err)
	}
}

// TestALogWhoseBeginningIsGoneKeepsTheRest: it has fewer records than their numbers say.
func TestALogWhoseBeginningIsGoneKeepsTheRest(t *testing.T) {
	k, _ := desk(t)
	l, err := k.Log(t.Context(), "county", "timeline", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.BeginAt(t.Context(), 50_000); err != nil {
		t.Fatal(err)
	}
	for n := uint64(50_000); n < 50_000+2*retainEvery; n += 64 {
		if err := l.AppendAt(t.Context(), n, slices.Repeat([][]byte{[]byte("moment")}, 64)...); err != nil {
			t.Fatal(err)
		}
	}
	if first, records, err := l.Read(t.Context(), 0, 10_000); first != 50_000 || len(records) != 2*retainEvery || err != nil {
		t.Errorf("%d records from %d on, %v", len(records), first, err)
	}
}

// FuzzUnpack: whatever a stream holds, a message is either records with numbers or an error.
func FuzzUnpack(f *testing.F) {
	two := pack("s", 7, [][]byte{[]byte("key-up"), {}})
	f.Add(two.Header.Get(numberHeader), two.Header.Get(countHeader), two.Data)
	f.Add("1", "", []byte("one"))
	f.Add("3", "900", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, number, count string, data []byte) {
		h := nats.Header{}
		h.Set(numberHeader, number)
		if count != "" {
			h.Set(countHeader, count)
		}
		first, records, err := unpack(h, data)
		if err != nil {
			return
		}
		if len(records) == 0 || first == 0 {
			t.Fatalf("%d records from %d on", len(records), first)
		}
		m := pack("s", first+uint64(len(records))-1, records)
		again, same, err := unpack(m.Header, m.Data)
		if err != nil || again != first || !slices.EqualFunc(records, same, bytes.Equal) {
			t.Fatalf("%q from %d on came back as %q from %d on, %v", records, first, same, again, err)
		}
	})
}
