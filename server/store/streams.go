package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// The streams of this program. A folder of an earlier program that lacks some of them
// gets these when it is opened.
const (
	streamSnapshot      = "snapshot"
	streamSessions      = "sessions"
	streamSecrets       = "secrets"
	streamConfig        = "config"
	streamAudit         = "audit"
	streamTransmissions = "transmissions"
	streamWebhooks      = "webhooks"
	streamDeadLetters   = "deadletters"
	streamAccounts      = "accounts"
)

var streamNames = []string{streamSnapshot, streamSessions, streamSecrets, streamConfig, streamAudit, streamTransmissions,
	streamWebhooks, streamDeadLetters, streamAccounts}

func subjectOf(stream string) string { return "squelch." + stream }

// createStream makes a stream whose first record has the number first. It has
// no limits of its own: only the store removes records, so that it knows which
// must be there.
func (e *embedded) createStream(ctx context.Context, name string, first uint64) (jetstream.Stream, error) {
	stream, err := e.stream.CreateStream(ctx, jetstream.StreamConfig{
		Name:        name,
		Subjects:    []string{subjectOf(name)},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		AllowDirect: true,
		FirstSeq:    first, // 1 and 0 are the same
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s cannot be created: %w", name, err)
	}
	return stream, nil
}

// flaw is what is wrong with a stream.
type flaw struct {
	stream  string
	number  uint64 // of the record; 0: the stream as a whole
	problem string
}

func (f *flaw) Error() string {
	if f.number == 0 {
		return fmt.Sprintf("stream %s %s", f.stream, f.problem)
	}
	return fmt.Sprintf("record %d of stream %s %s", f.number, f.stream, f.problem)
}

// bounds opens a stream and returns it with the number of its last record. It is a
// flaw if NATS does not have the records that the mark asks for.
func (e *embedded) bounds(ctx context.Context, name string, want mark) (stream jetstream.Stream, last uint64, err error) {
	stream, err = e.stream.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, 0, &flaw{name, 0, "is missing"}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("stream %s cannot be opened: %w", name, err)
	}
	if empty := want.last+1 == want.floor; empty && stream.CachedInfo().State.LastSeq < want.last { // BeginAt was interrupted
		if err := stream.Purge(ctx, jetstream.WithPurgeSequence(want.floor)); err != nil {
			return nil, 0, fmt.Errorf("stream %s cannot be emptied: %w", name, err)
		}
		if _, err := stream.Info(ctx); err != nil {
			return nil, 0, fmt.Errorf("stream %s cannot be opened: %w", name, err)
		}
	}
	switch kept := stream.CachedInfo().State; {
	case kept.LastSeq < want.last:
		return nil, 0, &flaw{name, max(kept.LastSeq+1, want.floor), fmt.Sprintf("is missing, but records up to %d were acknowledged", want.last)}
	case kept.FirstSeq > want.floor:
		return nil, 0, &flaw{name, want.floor, fmt.Sprintf("is missing: the stream begins at record %d", kept.FirstSeq)}
	default:
		return stream, kept.LastSeq, nil
	}
}

// readAll reads a stream from its floor on and returns the number of its last record.
// It calls visit for each message; an error of visit says what is wrong with the
// message. A missing or wrong record is a *flaw; a cancelled start or a slow disk is
// not.
func (e *embedded) readAll(ctx context.Context, name string, want mark, visit func(message) error) (last uint64, err error) {
	if _, last, err = e.bounds(ctx, name, want); err != nil {
		return 0, err
	}
	for next := want.floor; next <= last; {
		batch, err := fetch(ctx, e.conn, name, next, int(min(readBatch, last-next+1)))
		if errors.Is(err, errMissing) {
			return 0, &flaw{name, next + uint64(len(batch)), err.Error()}
		}
		if err != nil {
			return 0, fmt.Errorf("stream %s cannot be read: %w", name, err)
		}
		for _, m := range batch {
			if err := visit(m); err != nil {
				return 0, &flaw{name, m.number, err.Error()}
			}
		}
		next += uint64(len(batch))
	}
	return last, nil
}

// check reads every record of a stream.
func (e *embedded) check(ctx context.Context, from origin, want mark) (last uint64, err error) {
	return e.readAll(ctx, from.stream, want, func(m message) error {
		_, _, err := from.unpack(m.number, m.data)
		return err
	})
}
