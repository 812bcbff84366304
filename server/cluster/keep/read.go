package keep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// record is one of a stream.
type record struct {
	subject string
	header  nats.Header
	data    []byte
	seq     uint64
}

// fetch reads up to most of the next records of a subject from a number of the stream on
// (batched direct get); more says that there are others behind them.
func (k *Keep) fetch(ctx context.Context, stream, subject string, seq uint64, most int) (all []record, more bool, err error) {
	err = patient(ctx, func(ctx context.Context) error {
		all, more, err = k.ask(ctx, stream, subject, seq, most)
		return err
	})
	return all, more, err
}

// patient reads until readTime is over, while nobody leads a stream: an election takes a
// second or two, and a stream that was just made has no leader yet.
func patient(ctx context.Context, read func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	for {
		try, end := context.WithTimeout(ctx, readTime/3) // a question may get lost
		err := read(try)
		end()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			continue
		}
		refused, is := errors.AsType[*jetstream.APIError](err)
		if !errors.Is(err, nats.ErrNoResponders) && !(is && refused.Code == 503) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no majority of the nodes reads anything: %w", err)
		case <-time.After(againAfter):
		}
	}
}

// newest is the newest record of a subject, as the stream's leader has it; nil: there is none.
func (k *Keep) newest(ctx context.Context, stream, subject string) (*record, error) {
	return k.one(ctx, stream, map[string]any{"last_by_subj": subject})
}

// next is the first record of a subject from a number of the stream on; nil: there is none.
func (k *Keep) next(ctx context.Context, stream, subject string, seq uint64) (*record, error) {
	return k.one(ctx, stream, map[string]any{"seq": seq, "next_by_subj": subject})
}

// one asks the leader of a stream for a record. Other nodes, which answer a direct get, may
// not have the newest yet.
func (k *Keep) one(ctx context.Context, stream string, what map[string]any) (r *record, err error) {
	ask, err := json.Marshal(what)
	if err != nil {
		return nil, err
	}
	err = patient(ctx, func(ctx context.Context) error {
		try, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		answer, err := k.conn.RequestWithContext(try, "$JS.API.STREAM.MSG.GET."+stream, ask)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return nats.ErrNoResponders // only a leader answers, and there was none
		}
		if err != nil {
			return err
		}
		var got struct {
			Message struct {
				Subject string `json:"subject"`
				Seq     uint64 `json:"seq"`
				Header  []byte `json:"hdrs"`
				Data    []byte `json:"data"`
			} `json:"message"`
			Error *jetstream.APIError `json:"error"`
		}
		if err := json.Unmarshal(answer.Data, &got); err != nil {
			return err
		}
		if got.Error != nil && got.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
			return nil
		}
		if got.Error != nil {
			return got.Error
		}
		r = &record{subject: got.Message.Subject, data: got.Message.Data, seq: got.Message.Seq}
		if len(got.Message.Header) > 0 {
			r.header, err = nats.DecodeHeadersMsg(got.Message.Header)
		}
		return err
	})
	return r, err
}

func (k *Keep) ask(ctx context.Context, stream, subject string, seq uint64, most int) (all []record, more bool, err error) {
	ask, err := json.Marshal(map[string]any{"seq": seq, "next_by_subj": subject, "batch": most, "max_bytes": readBytes})
	if err != nil {
		return nil, false, err
	}
	inbox := k.conn.NewRespInbox()
	sub, err := k.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := k.conn.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, ask); err != nil {
		return nil, false, err
	}
	pending := 0
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil, false, err
		}
		switch status := m.Header.Get("Status"); {
		case status == "204", status == "404":
			return all, pending > 0, nil
		case status != "":
			return nil, false, fmt.Errorf("reading %s: %s %s", stream, status, m.Header.Get("Description"))
		}
		r := record{subject: m.Header.Get("Nats-Subject"), header: m.Header, data: m.Data}
		if r.seq, err = strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64); err != nil {
			return nil, false, errors.New("a record has no number")
		}
		pending, _ = strconv.Atoi(m.Header.Get("Nats-Num-Pending"))
		all = append(all, r)
	}
}
