package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"squelch/server/engine"
)

// fetch gets a snapshot from the owner. Orders that come meanwhile are held.
func (s *Source) fetch(node string) {
	if s.fetching || node == s.o.Node {
		return
	}
	s.fetching = true
	s.soon()
	s.work.start(func() {
		ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
		defer cancel()
		c, err := s.askSnapshot(ctx, node)
		s.do(func() {
			if s.owner {
				return
			}
			held := s.held
			s.fetching, s.held = false, nil
			if err != nil {
				s.o.Logf("warning: radio %s: node %s gives no snapshot: %v", s.o.Radio, node, err)
				return // what comes next shows the gap again
			}
			s.adopt(c)
			for _, d := range held {
				s.follow(d)
			}
		})
	})
}

// adopt goes on from a snapshot, unless this replica is as far.
func (s *Source) adopt(c *carried) bool {
	s.unsure = false
	if c.Place.Before(s.at) || c.Place == s.at && !s.differs {
		return false
	}
	if s.at.Epoch != 0 && c.Epoch != s.at.Epoch {
		s.stored.lose(c.Epoch)
	}
	s.resyncs.Add(1)
	s.at, s.last, s.lastSeen = c.Place, c.At, s.o.Wall()
	s.mine, s.theirs, s.recent, s.differs, s.compared = nil, nil, nil, false, hashAt{}
	clear(s.ordered)
	maps.Copy(s.ordered, c.Ordered)
	clear(s.pending) // the engine tells their callers that it does not know
	s.adopted.set(c.Place)
	s.push(engine.Ordered{Epoch: c.Epoch, Seq: c.Seq, Snapshot: &c.Start, Anew: true})
	s.begun()
	s.answerHave()
	return true
}

// askSnapshot gets the whole radio from another node.
func (s *Source) askSnapshot(ctx context.Context, node string) (*carried, error) {
	return askSnapshot(ctx, s.o.Mesh.Log, s.subject("snap")+"."+node)
}

// partHeader says how many parts of a snapshot there are.
const partHeader = "Squelch-Parts"

func askSnapshot(ctx context.Context, conn *nats.Conn, subject string) (*carried, error) {
	inbox := conn.NewRespInbox()
	got := make(chan *nats.Msg, 64)
	sub, err := conn.ChanSubscribe(inbox, got)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := conn.PublishRequest(subject, inbox, nil); err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	for n := 1; ; n++ {
		var m *nats.Msg
		select {
		case m = <-got:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		parts, err := strconv.Atoi(m.Header.Get(partHeader))
		if err != nil {
			return nil, errors.New("nobody answers")
		}
		if packed.Len()+len(m.Data) > maxSnapshot {
			return nil, errors.New("the snapshot is too large")
		}
		packed.Write(m.Data)
		if n >= parts {
			break
		}
	}
	z, err := gzip.NewReader(&packed)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxSnapshot))
	if err != nil {
		return nil, err
	}
	c := &carried{}
	return c, json.Unmarshal(text, c)
}

// giveSnapshot answers a node that wants the whole radio.
func (s *Source) giveSnapshot(m *nats.Msg) {
	ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
	defer cancel()
	type known struct {
		at      Place
		last    int64
		ordered map[uint64]uint64
	}
	got := make(chan known, 1)
	s.do(func() { got <- known{s.at, s.last, maps.Clone(s.ordered)} })
	var k known
	select {
	case k = <-got:
	case <-s.quit:
		return
	}
	// The engine may be some orders behind.
	for s.applied.get().Before(k.at) {
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return
		case <-s.quit:
			return
		}
	}
	place, start, err := s.o.Snapshot(ctx)
	if err != nil || place.Before(k.at) {
		return
	}
	// The proposals that were ordered are those of the very state that is sent.
	done := make(chan struct{})
	s.do(func() {
		for _, o := range s.recent {
			if k.at.Before(o.Place) && !place.Before(o.Place) {
				k.ordered[o.origin] = max(k.ordered[o.origin], o.number)
			}
		}
		close(done)
	})
	select {
	case <-done:
	case <-s.quit:
		return
	}
	if err := respondInParts(m, carried{Place: place, At: max(k.last, start.Data.Now), Ordered: k.ordered, Start: start}); err != nil {
		s.o.Logf("warning: radio %s: a snapshot could not be sent: %v", s.o.Radio, err)
	}
}

func respondInParts(m *nats.Msg, c carried) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err = z.Write(text); err == nil {
		err = z.Close()
	}
	if err != nil {
		return err
	}
	all := packed.Bytes()
	parts := (len(all) + snapshotPart - 1) / snapshotPart
	for n := range parts {
		part := all[n*snapshotPart : min((n+1)*snapshotPart, len(all))]
		if err := m.RespondMsg(&nats.Msg{Data: part, Header: nats.Header{partHeader: {strconv.Itoa(parts)}}}); err != nil {
			return fmt.Errorf("part %d of %d: %w", n+1, parts, err)
		}
	}
	return nil
}
