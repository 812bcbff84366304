package keeper

import (
	"fmt"
	"slices"

	"squelch/server/audit"
)

// backlog is what is not on the disk yet, in order. It is bounded: when it is full,
// the oldest records of the same kind become one.
type backlog struct {
	records []record
	bytes   int
	snap    *State // the newest state; nil: it is stored
	removed []removal
	merged  int // how many records have become part of others
}

// record is one entry, or several of the same kind that were merged.
type record struct {
	entry       audit.Entry
	count       int
	first, last int64 // ms since the epoch
}

// removal is a value that has ended and is to be removed from a bucket.
type removal struct {
	from Bucket
	keys []string
}

func (b *backlog) empty() bool { return len(b.records) == 0 && b.snap == nil && len(b.removed) == 0 }

func size(e *audit.Entry) int {
	n := 200 + len(e.Actor.Name) + len(e.Target)
	for key, value := range e.Detail {
		n += len(key) + len(fmt.Sprint(value))
	}
	return n
}

// add takes entries whose time is set.
func (b *backlog) add(entries ...audit.Entry) {
	for _, e := range entries {
		b.records = append(b.records, record{e, 1, e.Time, e.Time})
		b.bytes += size(&e)
	}
	b.bound()
}

// then appends what came after b.
func (b *backlog) then(later backlog) {
	b.records, b.bytes = append(b.records, later.records...), b.bytes+later.bytes
	b.removed, b.merged = append(b.removed, later.removed...), b.merged+later.merged
	if later.snap != nil {
		b.snap = later.snap
	}
	b.bound()
}

func (b *backlog) bound() {
	for _, alike := range []func(audit.Entry) audit.Entry{same, sameAction} {
		if len(b.records) > maxRecords || b.bytes > maxBytes {
			b.merge(alike)
		}
	}
}

// same is what entries have in common if they differ only in time and words.
func same(e audit.Entry) audit.Entry {
	return audit.Entry{Actor: e.Actor, Surface: e.Surface, Action: e.Action, Frequency: e.Frequency, Target: e.Target}
}

// sameAction is what they have in common if same merges too little.
func sameAction(e audit.Entry) audit.Entry {
	return audit.Entry{Action: e.Action, Surface: e.Surface}
}

// merge makes one record of those in the older three quarters that are alike, at the
// place of the first of them. That leaves room for a while until the next merge.
func (b *backlog) merge(alike func(audit.Entry) audit.Entry) {
	type kind struct {
		actor                     audit.Actor
		surface                   audit.Surface
		action, frequency, target string
	}
	old := len(b.records) * 3 / 4
	at := map[kind]int{}
	kept := make([]record, 0, len(b.records)-old)
	for i, r := range b.records {
		common := alike(r.entry)
		k := kind{common.Actor, common.Surface, common.Action, common.Frequency, common.Target}
		n, known := at[k]
		switch {
		case i >= old:
			kept = append(kept, r)
		case known:
			first := &kept[n]
			first.count, first.first, first.last = first.count+r.count, min(first.first, r.first), max(first.last, r.last)
			common.Time = first.first
			common.Detail = map[string]any{"merged": first.count, "first": first.first, "last": first.last}
			first.entry = common
			b.merged += r.count
		default:
			at[k] = len(kept)
			kept = append(kept, r)
		}
	}
	b.records, b.bytes = kept, 0
	for i := range b.records {
		b.bytes += size(&b.records[i].entry)
	}
}

// entries returns the first records as they are written, at most that many.
func (b *backlog) entries(most int) []audit.Entry {
	var out []audit.Entry
	for _, r := range b.records[:min(most, len(b.records))] {
		out = append(out, r.entry)
	}
	return out
}

// stored drops the first records.
func (b *backlog) stored(count int) {
	for i := range b.records[:count] {
		b.bytes -= size(&b.records[i].entry)
	}
	b.records = slices.Delete(b.records, 0, count)
}
