package timeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/store"
	"squelch/server/timeline"
)

var base, _ = core.ParseFrequency("856")

// evening is a timeline of some things that happened, and what was recorded of them.
func evening(t *testing.T) *timeline.Timeline {
	working, _ := core.ParseFrequency("856.0125")
	tl := opened(t, &disk{}, timeline.Options{Recording: func(id string) (*wire.RecordingInfo, string) {
		if id != "tx-2-2000" {
			return nil, ""
		}
		return &wire.RecordingInfo{Format: "ogg", DurationMs: 500, Peaks: []int{}}, "Shots fired at the pier"
	}})
	patched := said(3)
	patched.Patch, patched.Frequencies = 1, []core.Frequency{north, tac}
	trunked := said(4)
	trunked.Frequency, trunked.Control, trunked.User, trunked.Name, trunked.Unit = working, base, 7, "Ann Burke", "2-ADAM-7"
	tl.Add(keyed(1), said(1), said(2),
		core.Moment{Kind: core.MomentPatchOn, At: 2600, Patch: 1, Detail: "Joint", Frequencies: []core.Frequency{north, tac}, By: -1, ByName: "KING-1"},
		patched, trunked,
		core.Moment{Kind: core.MomentAlert, At: 5000, Frequency: north, Detail: "SIGNAL 100", By: -1, ByName: "KING-1"},
		core.Moment{Kind: core.MomentMoved, At: 6000, Frequency: north, Frequencies: []core.Frequency{tac}, User: 7, Name: "Ann Burke", By: -2, ByName: "Desk 2"},
		core.Moment{Kind: core.MomentLeft, At: 7000, User: 17, Name: "Bo", Reason: "lost"})
	return tl
}

func ids(p wire.TimelinePage) string {
	var all []string
	for _, e := range p.Entries {
		if e.Kind == core.MomentTransmission {
			all = append(all, e.ID)
		} else {
			all = append(all, e.Kind)
		}
	}
	return strings.Join(all, " ")
}

func TestWhatIsLookedForIsFound(t *testing.T) {
	tl := evening(t)
	for _, c := range []struct {
		says string
		q    timeline.Query
		want string
	}{
		{"everything", timeline.Query{}, "left moved alert tx-4-4000 tx-3-3000 patchOn tx-2-2000 tx-1-1000"},
		{"kinds", timeline.Query{Kinds: []string{"alert", "left"}}, "left alert"},
		{"a beginning is never shown", timeline.Query{Kinds: []string{"keyed"}}, ""},
		{"a channel, its patches, who left it", timeline.Query{Frequency: tac}, "moved tx-3-3000 patchOn"},
		{"several channels", timeline.Query{Among: []core.Frequency{tac, base}}, "moved tx-4-4000 tx-3-3000 patchOn"},
		{"a talkgroup has its working frequencies", timeline.Query{Frequency: base}, "tx-4-4000"},
		{"a server id is whole", timeline.Query{Unit: "7"}, "moved tx-4-4000"},
		{"a part of a unit's id", timeline.Query{Unit: "adam"}, "tx-4-4000"},
		{"a part of a name", timeline.Query{Unit: " bUrK "}, "moved tx-4-4000"},
		{"who did it", timeline.Query{Unit: "king"}, "alert patchOn"},
		{"the id of who did it", timeline.Query{Unit: "-2"}, "moved"},
		{"all words", timeline.Query{Text: "signal NORTH"}, ""},
		{"words of different fields", timeline.Query{Text: "signal king"}, "alert"},
		{"a transcript", timeline.Query{Text: "pier shots"}, "tx-2-2000"},
		{"not for those without voice", timeline.Query{Text: "pier shots", NoVoice: true}, ""},
		{"from", timeline.Query{From: 4500}, "left moved alert tx-4-4000"},
		{"to", timeline.Query{To: 2000}, "tx-2-2000 tx-1-1000"},
		{"between", timeline.Query{From: 2200, To: 2600}, "patchOn tx-2-2000"},
		{"before", timeline.Query{Before: 3}, "tx-1-1000"},
	} {
		p, err := tl.Page(t.Context(), c.q)
		if got := ids(p); err != nil || got != c.want || p.Next != nil || p.From != c.q.From {
			t.Errorf("%s: %q, next %v, from %d, %v; want %q", c.says, got, p.Next, p.From, err, c.want)
		}
	}
}

func TestOnlyWhoMaySeesWhatWasRecorded(t *testing.T) {
	tl := evening(t)
	for _, hidden := range []bool{false, true} {
		p, err := tl.Page(t.Context(), timeline.Query{To: 2000, Limit: 1, NoVoice: hidden})
		if err != nil || len(p.Entries) != 1 {
			t.Fatal(p, err)
		}
		if e := p.Entries[0]; (e.Recording == nil) != hidden || (e.Transcript == "") != hidden {
			t.Errorf("without voice %t: %+v", hidden, e)
		}
	}
}

// TestPagesAreOneAfterTheOther: together they have every entry once, although each looks
// at only so many; also while older entries are removed.
func TestPagesAreOneAfterTheOther(t *testing.T) {
	d := &disk{}
	tl := opened(t, d, timeline.Options{})
	const entries = 25_000
	for n := 1; n <= entries; n++ {
		m := said(n)
		if n%1000 == 7 {
			m.Unit = "2-ADAM-7"
		}
		if last := tl.Add(m); n%1000 == 0 {
			written(t, tl, last)
		}
	}
	walk := func(q timeline.Query) (found []int, pages, empty int) {
		for {
			p, err := tl.Page(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range p.Entries {
				found = append(found, int(e.At/1000))
			}
			if pages++; len(p.Entries) == 0 {
				empty++
			}
			if p.Next == nil {
				return found, pages, empty
			}
			if p.From > 1000*int64(*p.Next)+500 || p.From < 1000*int64(*p.Next) {
				t.Fatalf("searched up to %d, which is not entry %d", p.From, *p.Next)
			}
			q.Before = *p.Next
		}
	}
	all, pages, _ := walk(timeline.Query{Limit: 500})
	if len(all) != entries || pages < entries/500 || !slices.IsSortedFunc(all, func(a, b int) int { return b - a }) || all[0] != entries || all[entries-1] != 1 {
		t.Errorf("%d entries on %d pages", len(all), pages)
	}
	if found, pages, _ := walk(timeline.Query{Unit: "adam"}); len(found) != 25 || pages != 3 {
		t.Errorf("%d entries of the unit on %d pages", len(found), pages)
	}
	if found, pages, empty := walk(timeline.Query{Text: "nowhere"}); len(found) != 0 || pages != 3 || empty != 3 {
		t.Errorf("%d entries of nobody on %d pages", len(found), pages)
	}
	d.remove(20_000)
	if all, _, _ := walk(timeline.Query{Limit: 500}); len(all) != entries-20_000 || all[len(all)-1] != 20_001 {
		t.Errorf("%d entries are left, from %d", len(all), all[len(all)-1])
	}
}

// TestASpanFarBackIsFoundAtOnce: its first page has it, however many entries came after
// it, and nothing before it is looked at. A clock that was set back by an hour hides none
// of it.
func TestASpanFarBackIsFoundAtOnce(t *testing.T) {
	d := &disk{}
	tl := opened(t, d, timeline.Options{})
	const entries, hour = 40_000, 3_600_000
	for n := 1; n <= entries; n++ {
		m := said(n)
		if n > 3000 && n <= 3100 {
			m.At, m.EndedAt = m.At-hour, m.EndedAt-hour
		}
		if last := tl.Add(m); n%1000 == 0 {
			written(t, tl, last)
		}
	}
	p, err := tl.Page(t.Context(), timeline.Query{From: 2_950_000, To: 3_150_000, Limit: 500})
	if err != nil || p.Next != nil || len(p.Entries) != 101 || p.Entries[0].ID != "tx-3150-3150000" || p.Entries[100].ID != "tx-2950-2950000" {
		t.Errorf("%d entries, next %v, %v", len(p.Entries), p.Next, err)
	}
}

// full is a timeline of many entries in a real store.
func full(b *testing.B, entries int) *timeline.Timeline {
	s, err := store.Open(b.Context(), b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	tl, err := timeline.Open(b.Context(), s.Timeline(), timeline.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		tl.Close()
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	for n := 1; n <= entries; n++ {
		m := said(n)
		m.Unit = fmt.Sprintf("2-ADAM-%d", n%200)
		if last := tl.Add(m); n%5000 == 0 || n == entries {
			written(b, tl, last)
		}
	}
	return tl
}

// BenchmarkAdd is 500 entries, until they are on the disk; BenchmarkAddOne is one.
func BenchmarkAdd(b *testing.B) {
	tl := full(b, 0)
	for b.Loop() {
		var last uint64
		for n := range 500 {
			last = tl.Add(said(n + 1))
		}
		written(b, tl, last)
	}
}

func BenchmarkAddOne(b *testing.B) {
	tl := full(b, 0)
	for n := 1; b.Loop(); n++ {
		written(b, tl, tl.Add(said(n)))
	}
}

// BenchmarkPast is a timeline of 100 000 entries. page is its last 30 minutes, one
// transmission every 2 s and so 900: what a console reads when it is loaded. span is as
// much from its middle; search looks through all of it for what is nowhere.
func BenchmarkPast(b *testing.B) {
	tl := full(b, 100_000)
	for name, q := range map[string]timeline.Query{
		"page": {From: 99_100_000, Limit: 500}, "span": {From: 50_000_000, To: 50_900_000, Limit: 500}, "search": {Text: "nowhere to be found"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if n := all(b, tl, q); (n == 901) != (q.Text == "") {
					b.Fatal(n)
				}
			}
		})
	}
}

// all reads all pages, and says how many entries they have.
func all(b *testing.B, tl *timeline.Timeline, q timeline.Query) (n int) {
	for {
		p, err := tl.Page(b.Context(), q)
		if err != nil {
			b.Fatal(err)
		}
		if n += len(p.Entries); p.Next == nil {
			return n
		}
		q.Before = *p.Next
	}
}
