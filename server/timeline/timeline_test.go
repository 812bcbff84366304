package timeline_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/timeline"
)

func TestMain(m *testing.M) {
	child()
	goleak.VerifyTestMain(m)
}

// TestWhatIsAddedIsSeenAtOnce, before and after it is on the disk, and by a timeline that
// is opened later.
func TestWhatIsAddedIsSeenAtOnce(t *testing.T) {
	d := &disk{hangs: make(chan struct{})}
	tl := open(t, d, timeline.Options{})
	changed := tl.Changed()
	last := tl.Add(keyed(1), said(1), core.Moment{Kind: core.MomentAlert, Detail: "SIGNAL 100"})
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	got, err := tl.Read(t.Context(), 0, 10)
	if err != nil || last != 3 || !slices.Equal(seqs(got), []uint64{1, 2, 3}) || tl.Durable() != 0 {
		t.Fatalf("%+v %v, %d on the disk", got, err, tl.Durable())
	}
	if at := got[2].Moment.At; time.Since(time.UnixMilli(at)).Abs() > time.Hour {
		t.Errorf("a moment without a time has %d", at)
	}
	close(d.hangs)
	written(t, tl, last)
	if tl.Durable() != 3 {
		t.Errorf("%d on the disk", tl.Durable())
	}
	tl.Close()
	again, err := opened(t, d, timeline.Options{}).Read(t.Context(), 1, 1)
	if err != nil || len(again) != 1 || again[0].Seq != 2 || again[0].Moment.ID() != "tx-1-1000" || again[0].Cut {
		t.Errorf("%+v %v", again, err)
	}
}

// TestReadingGoesOnAcrossDiskAndMemory: whoever reads forwards gets every entry once, in
// order, whether it is in memory or not; what retention has removed is left out.
func TestReadingGoesOnAcrossDiskAndMemory(t *testing.T) {
	d := &disk{}
	tl := opened(t, d, timeline.Options{})
	const entries = 10_000
	for n := 1; n <= entries; n++ {
		if last := tl.Add(said(n)); n%1000 == 0 {
			written(t, tl, last)
		}
	}
	d.remove(100)
	next := uint64(101)
	for next <= entries {
		got, err := tl.Read(t.Context(), next-1, 333)
		if next == 101 {
			got, err = tl.Read(t.Context(), 0, 333)
		}
		if err != nil || len(got) == 0 {
			t.Fatalf("after %d: %v", next-1, err)
		}
		for _, e := range got {
			if e.Seq != next || e.Moment.Number != int(next) {
				t.Fatalf("entry %d is %+v", next, e)
			}
			next++
		}
	}
	for _, after := range []uint64{entries, entries + 1, 1 << 60} {
		if got, err := tl.Read(t.Context(), after, 10); len(got) != 0 || err != nil {
			t.Errorf("after %d: %+v %v", after, got, err)
		}
	}
	if d.writes > entries/10 {
		t.Errorf("%d writes for %d entries", d.writes, entries)
	}
}

// TestWhatACrashCutOffEnds: a transmission that was on the air gets its end at the next
// start, marked as cut, once; and one that began long ago too.
func TestWhatACrashCutOffEnds(t *testing.T) {
	d := &disk{}
	tl := open(t, d, timeline.Options{})
	long := keyed(1)
	long.Frequencies = []core.Frequency{north, tac}
	tl.Add(long, keyed(2), said(2))
	for n := 3; n < 20_000; n++ {
		if last := tl.Add(said(n)); n%1000 == 0 {
			written(t, tl, last)
		}
	}
	written(t, tl, tl.Add(keyed(20_000)))
	killed := &disk{records: slices.Clone(d.records)}
	tl.Close()

	again := open(t, killed, timeline.Options{})
	page, err := again.Page(t.Context(), timeline.Query{Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(page.Entries[0].ID, page.Entries[0].Cut, " ", page.Entries[1].ID, page.Entries[1].Cut, " ", page.Entries[2].ID, page.Entries[2].Cut)
	if want := "tx-20000-20000000true tx-1-1000true tx-19999-19999000false"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if page.Entries[0].EndedAt < page.Entries[0].At || page.Entries[1].EndedAt < 19_999_000 {
		t.Errorf("%+v", page.Entries[:2])
	}
	again.Close()
	count := func(d *disk, id string) (n int) {
		for _, r := range d.records {
			if strings.Contains(string(r), `"transmission"`) && strings.Contains(string(r), id) {
				n++
			}
		}
		return n
	}
	open(t, killed, timeline.Options{}).Close()
	if n := count(killed, `"number":20000`); n != 1 {
		t.Errorf("it ended %d times", n)
	}
	if page, err = open1(t, killed).Page(t.Context(), timeline.Query{Frequency: tac, Limit: 1}); err != nil || len(page.Entries) != 1 || page.Entries[0].ID != "tx-1-1000" {
		t.Errorf("the patched channel has %+v, %v", page.Entries, err)
	}
	if page, err = open1(t, d).Page(t.Context(), timeline.Query{Limit: 2}); err != nil || page.Entries[0].Cut || page.Entries[1].Cut || page.Entries[0].ID != "tx-20000-20000000" {
		t.Errorf("a clean stop leaves %+v, %v", page.Entries, err)
	}
}

// TestWhatWasCutOffIsAsLongAsItsVoice: on a quiet radio its key-up is the newest entry, so
// only the shelf knows how long it was. A shelf that comes later corrects what is read.
func TestWhatWasCutOffIsAsLongAsItsVoice(t *testing.T) {
	d := &disk{}
	tl := open(t, d, timeline.Options{})
	written(t, tl, tl.Add(keyed(1), said(1), keyed(2)))
	killed := &disk{records: slices.Clone(d.records)}
	tl.Close()
	voice := func(id string) (*wire.RecordingInfo, string) {
		if id != "tx-2-2000" && id != "tx-1-1000" {
			return nil, ""
		}
		return &wire.RecordingInfo{DurationMs: 4200, Cut: true}, "shots fired"
	}
	for late, o := range map[bool]timeline.Options{false: {Recording: voice}, true: {}} {
		disk := &disk{records: slices.Clone(killed.records)}
		tl := open(t, disk, o)
		if late {
			tl.Close()
			tl = open(t, disk, timeline.Options{Recording: voice})
		}
		for _, silent := range []bool{false, true} {
			page, err := tl.Page(t.Context(), timeline.Query{NoVoice: silent})
			if err != nil || len(page.Entries) != 2 {
				t.Fatalf("%+v, %v", page.Entries, err)
			}
			if e := page.Entries[0]; !e.Cut || e.DurationMs != 4200 || e.EndedAt != e.At+4200 || (e.Recording == nil) != silent || (e.Transcript == "") != silent {
				t.Errorf("late %t, without voice %t: %+v", late, silent, e)
			}
			if e := page.Entries[1]; e.Cut || e.DurationMs != said(1).EndedAt-said(1).At {
				t.Errorf("one that ended is changed: %+v", e)
			}
		}
		if all, _, err := tl.Latest(t.Context(), 1); err != nil || !late && all[0].EndedAt != all[0].StartedAt+4200 {
			t.Errorf("the log of transmissions has %+v, %v", all, err)
		}
		tl.Close()
	}
}

func open1(t *testing.T, d *disk) *timeline.Timeline { return opened(t, d, timeline.Options{}) }

// TestWhatFails: the newest entry of each decides, also after a restart.
func TestWhatFails(t *testing.T) {
	d := &disk{}
	tl := open(t, d, timeline.Options{})
	tl.Note("storage", "the disk is full")
	tl.Note("recorder", "the disk is full")
	tl.Note("storage", "")
	tl.Note("a thing", "it is broken")
	written(t, tl, tl.Add(said(1)))
	tl.Close()
	again := open(t, d, timeline.Options{})
	defer again.Close()
	if got := again.Failing(); !slices.Equal(got, []string{"a thing", "recorder"}) {
		t.Errorf("%q fail", got)
	}
	again.Note("recorder", "")
	if got := again.Failing(); !slices.Equal(got, []string{"a thing"}) {
		t.Errorf("then %q fail", got)
	}
}

// TestAFullDisk: nobody waits, everything is seen, and when the disk is back all of it is
// written, in order and once, even if a part of a failed write was kept.
func TestAFullDisk(t *testing.T) {
	for _, keeps := range []int{0, 1} {
		t.Run(fmt.Sprint(keeps), func(t *testing.T) {
			d := &disk{err: syscall.ENOSPC, keeps: keeps}
			tl := open(t, d, timeline.Options{})
			first := tl.Add(said(1), said(2))
			if err := <-tl.Written(first); !unavailable(err) {
				t.Errorf("who waits is told %v", err)
			}
			tl.Note("storage", "the disk is full")
			tl.Add(keyed(3))
			last := tl.Add(said(4))
			if err := <-tl.Written(last); !unavailable(err) {
				t.Errorf("who waits later is told %v", err)
			}
			if got, err := tl.Read(t.Context(), 0, 10); err != nil || len(got) != 4 {
				t.Errorf("seen %+v, %v", got, err)
			}
			d.fail(nil)
			written(t, tl, tl.Add(said(5))) // who waits now need not wait for the next attempt
			if tl.Durable() < last {
				t.Errorf("%d of %d are on the disk", tl.Durable(), last)
			}
			// The transmission on the air is entered when the disk is back: a crash would lose it.
			written(t, tl, 6)
			want := "tx-1-1000 tx-2-2000 health tx-4-4000 tx-5-5000 keyed"
			if got := told(t, tl); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			tl.Close()
			if again := told(t, open1(t, d)); again != want+" tx-3-3000" {
				t.Errorf("then %s", again)
			}
		})
	}
}

// TestABrokenDiskIsAskedFirst: a failed write is expensive, so there is one.
func TestABrokenDiskIsAskedFirst(t *testing.T) {
	d := &disk{err: syscall.ENOSPC}
	var asked atomic.Int32
	tl := opened(t, d, timeline.Options{Probe: func(context.Context, int) error {
		asked.Add(1)
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.err
	}})
	for n := range 20 {
		if err := <-tl.Written(tl.Add(said(n + 1))); !unavailable(err) {
			t.Fatalf("who waits is told %v", err)
		}
	}
	d.mu.Lock()
	writes := d.writes
	d.mu.Unlock()
	if writes != 1 || asked.Load() < 1 {
		t.Errorf("%d writes, asked %d times", writes, asked.Load())
	}
	d.fail(nil)
	written(t, tl, tl.Add(said(21)))
}

func told(t *testing.T, tl *timeline.Timeline) string {
	t.Helper()
	all, err := tl.Read(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, e := range all {
		if w := e.Moment.Kind; w == core.MomentTransmission {
			words = append(words, e.Moment.ID())
		} else {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// TestADiskThatHangsKeepsNobodyWaiting.
func TestADiskThatHangsKeepsNobodyWaiting(t *testing.T) {
	d := &disk{hangs: make(chan struct{})}
	tl := opened(t, d, timeline.Options{})
	if err := <-tl.Written(tl.Add(said(1))); !unavailable(err) {
		t.Errorf("who waits is told %v", err)
	}
	close(d.hangs)
	until(t, "the disk is well", func() bool { return <-tl.Written(tl.Add(said(2))) == nil })
}

// TestALongNightWithoutADisk: memory is bounded. Transmissions are turned away first, so
// there is room for alerts; what is missing is said, and no number is given twice.
func TestALongNightWithoutADisk(t *testing.T) {
	d := &disk{err: syscall.EIO}
	tl := open(t, d, timeline.Options{})
	<-tl.Written(tl.Add(said(1)))
	for n := 2; n <= 15_000; n++ {
		tl.Add(said(n))
	}
	if last := tl.Add(core.Moment{Kind: core.MomentAlert, Detail: "SIGNAL 100"}); last != 10_001 {
		t.Errorf("the alert is entry %d", last)
	}
	if tl.Add(said(15_001)) != 10_001 {
		t.Error("a transmission found room")
	}
	d.fail(nil)
	until(t, "it is written", func() bool { return tl.Durable() >= 10_002 })
	got, err := tl.Read(t.Context(), 9_999, 10)
	if err != nil || len(got) != 3 || got[0].Moment.Number != 10_000 || got[1].Moment.Kind != core.MomentAlert ||
		got[2].Moment.Kind != core.MomentHealth || !strings.Contains(got[2].Moment.Reason, "5001 entries are missing") {
		t.Errorf("%+v %v", got, err)
	}
	tl.Close()
}

// TestTheLastTransmissions: by number, with the highest number that any has, also when
// many other entries follow them.
func TestTheLastTransmissions(t *testing.T) {
	d := &disk{}
	tl := open(t, d, timeline.Options{})
	if all, highest, err := tl.Latest(t.Context(), 50); len(all) != 0 || highest != 0 || err != nil {
		t.Fatalf("an empty one has %v, %d, %v", all, highest, err)
	}
	for n := 1; n < 80; n += 2 {
		tl.Add(keyed(n), keyed(n+1), said(n+1), said(n))
	}
	for n := range 6000 {
		tl.Add(core.Moment{Kind: core.MomentConnected, At: int64(n + 1)})
	}
	tl.Close()
	all, highest, err := open1(t, d).Latest(t.Context(), 50)
	if err != nil || len(all) != 50 || all[0].Number != 31 || all[49].Number != 80 || highest != 80 {
		t.Errorf("%+v, %d, %v", all, highest, err)
	}
	if all[49] != (core.Transmission{Number: 80, User: 12, Name: "Unit 12", Frequency: north, StartedAt: 80_000, EndedAt: 80_500}) {
		t.Errorf("%+v", all[49])
	}
}

// TestOneEntryIsDamaged: it is named.
func TestOneEntryIsDamaged(t *testing.T) {
	_, err := timeline.Open(t.Context(), &disk{records: [][]byte{[]byte(`{"kind":"alert"}`), []byte(`{"kind`)}}, timeline.Options{})
	if err == nil || !strings.Contains(err.Error(), "entry 2 of the timeline cannot be read") {
		t.Error(err)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"kind":"transmission","at":1000,"endedAt":1500,"user":12,"frequency":"154.755","number":7}`), []byte(`{"kind":"keyed","at":1}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		tl, err := timeline.Open(t.Context(), &disk{records: [][]byte{a, b}}, timeline.Options{})
		if err != nil {
			return
		}
		defer tl.Close()
		if _, err := tl.Page(t.Context(), timeline.Query{Text: "x", Unit: "7", Kinds: []string{"transmission"}}); err != nil {
			t.Error(err)
		}
		if all, highest, err := tl.Latest(t.Context(), 50); err != nil || highest < 0 && len(all) > 2 {
			t.Error(all, highest, err)
		}
	})
}
