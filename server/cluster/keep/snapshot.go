package keep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"squelch/server/store"
)

// Snapshots keeps the newest state of a radio. One node at a time writes it; another that
// has taken the radio over ends that (ErrFenced).
type Snapshots struct {
	keep   *Keep
	prefix string

	mu    sync.Mutex
	seq   uint64 // of the head's record
	owner uint64 // the epoch in it
}

// head is the record that makes a snapshot count: it is written in one batch with the parts.
type head struct {
	Version int    `json:"v"`               // 1
	Owner   uint64 `json:"owner,omitempty"` // the epoch of the owner that wrote it
	Epoch   uint64 `json:"epoch,omitempty"` // of the order after which the radio was so
	Seq     uint64 `json:"seq,omitempty"`   // the number of that order
	Format  int    `json:"format"`
	Parts   int    `json:"parts"`
	SHA256  string `json:"sha256"`
}

// Snapshots opens the snapshots of a radio.
func (k *Keep) Snapshots(ctx context.Context, radio string) (*Snapshots, error) {
	s := &Snapshots{keep: k, prefix: StatePrefix + token(radio) + ".snapshot."}
	_, err := s.Latest(ctx)
	return s, err
}

// Save stores a snapshot. It writes over those of owners before, and not over one of an owner
// after.
func (s *Snapshots) Save(ctx context.Context, snapshot store.Snapshot) error {
	data := snapshot.Data
	if len(data) > store.MaxSnapshot {
		return fmt.Errorf("%w: a snapshot of %d bytes, the limit is %d", store.ErrTooLarge, len(data), store.MaxSnapshot)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if snapshot.Owner < s.owner {
		return ErrFenced
	}
	sum := sha256.Sum256(data)
	h := head{Version: 1, Owner: snapshot.Owner, Epoch: snapshot.Epoch, Seq: snapshot.Seq, Format: snapshot.Format, SHA256: hex.EncodeToString(sum[:])}
	var parts []*nats.Msg
	for rest := data; len(rest) > 0; h.Parts++ {
		m := nats.NewMsg(s.prefix + strconv.Itoa(h.Parts))
		m.Data = rest[:min(snapshotPart, len(rest))]
		rest = rest[len(m.Data):]
		parts = append(parts, m)
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	first := nats.NewMsg(s.prefix + "head")
	first.Data = line
	for {
		first.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(s.seq, 10))
		last, err := s.keep.publish(ctx, append([]*nats.Msg{first}, parts...))
		if err == nil {
			s.seq, s.owner = last-uint64(len(parts)), h.Owner
			return nil
		}
		if !wrongSequence(err) {
			return err
		}
		// An owner before, who did not know that it is none any more, may have been faster;
		// or an attempt of this node, whose answer was lost, has succeeded.
		m, there, err := s.head(ctx)
		switch {
		case err != nil:
			return err
		case m == nil || m.seq == s.seq || there.Owner > h.Owner || h.Owner == 0:
			return ErrFenced
		}
		s.seq, s.owner = m.seq, there.Owner
	}
}

// head is the newest head; nil: there is none.
func (s *Snapshots) head(ctx context.Context) (m *record, h head, err error) {
	m, err = s.keep.newest(ctx, StateStream, s.prefix+"head")
	if m == nil || err != nil {
		return nil, h, err
	}
	if err := json.Unmarshal(m.data, &h); err != nil || h.Version != 1 {
		return nil, h, fmt.Errorf("the newest snapshot is not understood (version %d): %w", h.Version, err)
	}
	return m, h, nil
}

// Latest returns the newest snapshot; without Data: there is none.
func (s *Snapshots) Latest(ctx context.Context) (store.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	snapshot, _, err := s.latest(ctx)
	return snapshot, err
}

func (s *Snapshots) latest(ctx context.Context) (snapshot store.Snapshot, h head, err error) {
	for before := uint64(0); ; {
		m, h, err := s.head(ctx)
		if m == nil {
			return snapshot, h, err
		}
		data, err := s.parts(ctx, h)
		if err == nil {
			s.seq, s.owner = m.seq, h.Owner
			return store.Snapshot{Format: h.Format, Data: data, Owner: h.Owner, Epoch: h.Epoch, Seq: h.Seq}, h, nil
		}
		// Its owner may have saved another one while the parts were read.
		if m.seq == before {
			return snapshot, h, err
		}
		before = m.seq
	}
}

// Claim returns the newest snapshot, and sees to it that no owner before saves another one
// from then on. ErrFenced: an owner after has saved or claimed one.
func (s *Snapshots) Claim(ctx context.Context, owner uint64) (store.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	for {
		snapshot, h, err := s.latest(ctx)
		if err != nil {
			return snapshot, err
		}
		if h.Owner > owner {
			return snapshot, ErrFenced
		}
		if h.Version == 0 { // nothing was ever saved
			sum := sha256.Sum256(nil)
			h = head{Version: 1, SHA256: hex.EncodeToString(sum[:])}
		}
		h.Owner = owner
		line, err := json.Marshal(h)
		if err != nil {
			return snapshot, err
		}
		m := nats.NewMsg(s.prefix + "head")
		m.Data = line
		m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(s.seq, 10))
		last, err := s.keep.publish(ctx, []*nats.Msg{m})
		if err == nil {
			s.seq, s.owner = last, owner
			return snapshot, nil
		}
		if !wrongSequence(err) {
			return snapshot, err
		}
	}
}

func (s *Snapshots) parts(ctx context.Context, h head) ([]byte, error) {
	var all bytes.Buffer
	for n := range h.Parts {
		part, err := s.keep.newest(ctx, StateStream, s.prefix+strconv.Itoa(n))
		if err == nil && part == nil {
			err = jetstream.ErrMsgNotFound
		}
		if err != nil {
			return nil, fmt.Errorf("part %d of the newest snapshot: %w", n, err)
		}
		all.Write(part.data)
	}
	if sum := sha256.Sum256(all.Bytes()); hex.EncodeToString(sum[:]) != h.SHA256 {
		return nil, errors.New("the newest snapshot does not match its checksum")
	}
	return all.Bytes(), nil
}

// Version changes whenever a snapshot is saved or claimed; 0: none was.
func (s *Snapshots) Version(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	m, err := s.keep.newest(ctx, StateStream, s.prefix+"head")
	if m == nil {
		return 0, err
	}
	return m.seq, nil
}
