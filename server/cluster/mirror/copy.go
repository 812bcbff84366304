package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrOther: two places hold different radios, or histories of one that have parted.
var ErrOther = errors.New("the history there is another one")

// relation is what one log has to do with another.
type relation int

const (
	unknown relation = iota // they have no record in common
	same                    // one is the other's beginning
	other                   // they differ
)

// compare says whether all that log to holds is also in log from, as far as it can be seen.
// One record is enough: entries of the audit log each seal all before them, and those of the
// timeline have a time and an id.
func compare(ctx context.Context, from, to log) (relation, error) {
	oldest, newest := from.Bounds()
	first, last := to.Bounds()
	switch {
	case last+1 == first || last < oldest:
		return unknown, nil
	case last > newest:
		return other, nil
	}
	_, theirs, err := from.Read(ctx, last, 1)
	if err != nil {
		return unknown, err
	}
	_, ours, err := to.Read(ctx, last, 1)
	if err != nil {
		return unknown, err
	}
	if len(theirs) == 1 && len(ours) == 1 && bytes.Equal(theirs[0], ours[0]) {
		return same, nil
	}
	return other, nil
}

// Beginning says whether what a place holds is an earlier state of what another holds, or
// nothing that anybody would miss.
func Beginning(ctx context.Context, from, to *Place) (bool, error) {
	if from.catchUp != nil {
		if err := from.catchUp(ctx); err != nil {
			return false, err
		}
	}
	found, empty := unknown, true
	for name, l := range to.logs {
		is, err := compare(ctx, from.logs[name], l)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		first, last := l.Bounds()
		empty = empty && last+1 == first
		found = max(found, is)
	}
	return found == same || empty, nil
}

// copier copies what has changed.
type copier struct {
	from, to *Place
	// progress is told how many records of a log are copied of how many; nil: nobody is.
	progress func(log string, done, all uint64)

	versions map[string]uint64 // of buckets, as they were copied
	snapshot uint64            // of the snapshot
}

// copy makes to the same as from. What was copied before is not read again. After an error
// the next one goes on.
func (c *copier) copy(ctx context.Context) error {
	if c.from.catchUp != nil {
		if err := c.from.catchUp(ctx); err != nil {
			return err
		}
	}
	// The logs come first: state that they do not tell of yet would puzzle more than the
	// other way round.
	for _, name := range slices.Sorted(maps.Keys(c.from.logs)) {
		if err := c.log(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.from.buckets)) {
		if err := c.bucket(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := c.state(ctx); err != nil {
		return fmt.Errorf("the radio's state: %w", err)
	}
	return nil
}

func (c *copier) log(ctx context.Context, name string) error {
	from, to := c.from.logs[name], c.to.logs[name]
	oldest, newest := from.Bounds()
	if newest+1 == oldest {
		return nil
	}
	is, err := compare(ctx, from, to)
	if err != nil {
		return err
	}
	first, last := to.Bounds()
	switch {
	case is == other:
		return fmt.Errorf("%w: records %d to %d are to follow %d to %d", ErrOther, oldest, newest, first, last)
	case is == unknown && last+1 != oldest: // empty, or so old that the next ones are gone
		if err := to.BeginAt(ctx, oldest); err != nil {
			return err
		}
		last = oldest - 1
	}
	for last < newest {
		start, records, err := from.Read(ctx, last+1, readRecords)
		if err != nil {
			return err
		}
		if start != last+1 || len(records) == 0 { // its oldest ones were removed meanwhile
			return fmt.Errorf("record %d is gone", last+1)
		}
		for _, part := range parts(records) {
			if err := to.AppendAt(ctx, last+1, part...); err != nil {
				return err
			}
			last += uint64(len(part))
		}
		if c.progress != nil {
			c.progress(name, last+1-oldest, newest+1-oldest)
		}
	}
	return nil
}

// parts cuts records into writes.
func parts(records [][]byte) (all [][][]byte) {
	begin, size := 0, 0
	for i, r := range records {
		if i > begin && (i-begin >= writeRecords || size+len(r) > writeBytes) {
			all = append(all, records[begin:i])
			begin, size = i, 0
		}
		size += len(r)
	}
	return append(all, records[begin:])
}

func (c *copier) bucket(ctx context.Context, name string) error {
	from, to := c.from.buckets[name], c.to.buckets[name]
	counted, is := from.(interface{ Version() uint64 })
	var version uint64
	if is {
		if version = counted.Version(); c.versions[name] == version+1 {
			return nil
		}
	}
	want, have := from.All(), to.All()
	var gone []string
	for key := range have {
		if _, stays := want[key]; !stays {
			gone = append(gone, key)
		}
	}
	slices.Sort(gone)
	put, size := map[string][]byte{}, 0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if old, there := have[key]; there && bytes.Equal(old, want[key]) {
			continue
		}
		if len(put) > 0 && (len(put) >= writeRecords || size+len(want[key]) > writeBytes) {
			if err := to.Change(ctx, put, nil); err != nil {
				return err
			}
			put, size = map[string][]byte{}, 0
		}
		put[key] = want[key]
		size += len(want[key])
	}
	// What is removed goes in one change with what is put, if that is not much, because a key
	// may replace another.
	for len(gone) > 0 && len(put)+len(gone) > writeRecords {
		n := min(len(gone), writeRecords)
		if err := to.Change(ctx, nil, gone[:n]); err != nil {
			return err
		}
		gone = gone[n:]
	}
	if len(put)+len(gone) > 0 {
		if err := to.Change(ctx, put, gone); err != nil {
			return err
		}
	}
	if is {
		c.versions[name] = version + 1
	}
	return nil
}

// state copies the snapshot.
func (c *copier) state(ctx context.Context) (err error) {
	var version uint64
	if c.from.version != nil {
		if version, err = c.from.version(ctx); err != nil || version == 0 || version == c.snapshot {
			return err
		}
	}
	want, found, err := c.from.latest(ctx)
	if err != nil || !found {
		return err
	}
	have, found, err := c.to.latest(ctx)
	if err != nil {
		return err
	}
	if !found || have.Format != want.Format || !bytes.Equal(have.Data, want.Data) {
		want.Number = 0
		if err := c.to.save(ctx, want); err != nil {
			return err
		}
	}
	c.snapshot = version
	return nil
}
