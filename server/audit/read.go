package audit

import (
	"context"
	"fmt"
)

// Read returns up to limit entries from number from on, or from the oldest one
// kept, in order.
func (l *Log) Read(ctx context.Context, from uint64, limit int) ([]Entry, error) {
	first, records, err := l.stream.Read(ctx, from, limit)
	if err != nil {
		return nil, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	entries := make([]Entry, 0, len(records))
	for i, data := range records {
		entry, _, _, err := decode(data, first+uint64(i))
		if err != nil {
			return nil, &BrokenError{Seq: first + uint64(i), Reason: err.Error()}
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// Last returns the number of the newest entry; 0: there is none.
func (l *Log) Last() uint64 {
	_, last := l.stream.Bounds()
	return last
}

// Tail returns the newest limit entries, in order.
func (l *Log) Tail(ctx context.Context, limit int) ([]Entry, error) {
	first, last := l.stream.Bounds()
	count := last + 1 - first
	limit = max(0, limit)
	return l.Read(ctx, last+1-min(uint64(limit), count), limit)
}

// Report is the result of a verification.
type Report struct {
	// First and Last number the entries that were checked. Older ones have
	// been removed by age or size.
	First, Last uint64
	// Head is the hash of the last entry, hex; "" for an empty log.
	Head string
}

// BrokenError names the first entry that does not fit the chain.
type BrokenError struct {
	Seq    uint64
	Reason string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("the audit log is broken: entry %d %s", e.Seq, e.Reason)
}

// Verify reads the whole log, up to its end at the beginning of the call, and returns
// a [*BrokenError] for the first entry that was changed, removed or inserted.
func (l *Log) Verify(ctx context.Context) (Report, error) {
	first, last := l.stream.Bounds()
	report := Report{First: first, Last: last}
	var before digest // what the next record must name as its predecessor
	for next := first; next <= last; {
		if err := ctx.Err(); err != nil {
			return report, err
		}
		got, records, err := l.stream.Read(ctx, next, int(min(verifyBatch, last-next+1)))
		if err != nil {
			return report, fmt.Errorf("the audit log cannot be read: %w", err)
		}
		if len(records) == 0 || got != next && next > first {
			return report, &BrokenError{Seq: next, Reason: "is missing"}
		}
		if next == first {
			report.First = got // the oldest may have been removed just now
		}
		for i, data := range records {
			number := got + uint64(i)
			_, prev, hash, err := decode(data, number)
			if err != nil {
				return report, &BrokenError{Seq: number, Reason: err.Error()}
			}
			if (number > report.First || number == 1) && prev != before {
				return report, &BrokenError{Seq: number, Reason: "does not follow the entry before it"}
			}
			before = hash
		}
		next = got + uint64(len(records))
		report.Head = fmt.Sprintf("%x", before)
	}
	return report, nil
}
