package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Snapshot is the state of the radio at one moment.
type Snapshot struct {
	// Format is the version of Data's encoding; its owner decides.
	Format int
	// Number orders snapshots: saving one whose number is not above that of the last
	// saved one does nothing, because that one covers it. So several goroutines may
	// save snapshots in any order. Zero: always save.
	Number uint64
	// Data is at most MaxSnapshot bytes.
	Data []byte

	// Of a radio that several nodes share: the epoch of the owner that saves it, and the
	// order after which the radio was so. A data folder does not keep them.
	Owner, Epoch, Seq uint64
}

// snapshotHead is the first line of every stored part; the part's bytes follow.
type snapshotHead struct {
	Version int    `json:"v"` // of this head: 1
	Format  int    `json:"format"`
	Number  uint64 `json:"number"`
	Part    int    `json:"part"` // from 0
	Parts   int    `json:"parts"`
	SHA256  string `json:"sha256"` // of the whole snapshot, hex
}

// snapshots keeps a snapshot as a run of parts in a log. It counts once its
// last part is there, so a large one is replaced as a whole or not at all.
type snapshots struct {
	log *Log

	saving sync.Mutex
	number uint64 // of the last snapshot saved
	first  uint64 // record of its first part; 0: none
	size   int    // bytes in the log
}

func (s *snapshots) save(ctx context.Context, snapshot Snapshot) error {
	if len(snapshot.Data) > MaxSnapshot {
		return fmt.Errorf("%w: a snapshot of %d bytes, the limit is %d", ErrTooLarge, len(snapshot.Data), MaxSnapshot)
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	if snapshot.Number > 0 && s.first > 0 && snapshot.Number <= s.number {
		return nil
	}
	records, err := splitSnapshot(snapshot)
	if err != nil {
		return err
	}
	first, err := s.log.Append(ctx, records...)
	if err != nil {
		return err
	}
	s.first, s.number = first, max(s.number, snapshot.Number)
	s.size += len(snapshot.Data)
	floor, last := s.log.Bounds()
	if last-floor < keepSnapshots && s.size < keepSnapshotBytes {
		return nil
	}
	s.size = len(snapshot.Data)
	if err := s.log.dropBefore(context.WithoutCancel(ctx), first); err != nil && !errors.Is(err, ErrClosed) {
		s.log.logf("store: old snapshots could not be removed: %v", err)
	}
	return nil
}

func splitSnapshot(snapshot Snapshot) ([][]byte, error) {
	sum := sha256.Sum256(snapshot.Data)
	head := snapshotHead{
		Version: 1, Format: snapshot.Format, Number: snapshot.Number,
		Parts: max(1, (len(snapshot.Data)+snapshotPart-1)/snapshotPart), SHA256: hex.EncodeToString(sum[:]),
	}
	records := make([][]byte, 0, head.Parts)
	rest := snapshot.Data
	for ; head.Part < head.Parts; head.Part++ {
		line, err := json.Marshal(head)
		if err != nil {
			return nil, err
		}
		size := min(snapshotPart, len(rest))
		record := append(append(line, '\n'), rest[:size]...)
		records = append(records, record)
		rest = rest[size:]
	}
	return records, nil
}

func readPart(record []byte) (snapshotHead, []byte, error) {
	line, data, found := bytes.Cut(record, []byte{'\n'})
	if !found {
		return snapshotHead{}, nil, errors.New("a part has no head")
	}
	var head snapshotHead
	if err := json.Unmarshal(line, &head); err != nil {
		return snapshotHead{}, nil, fmt.Errorf("the head of a part is garbled: %w", err)
	}
	if head.Version != 1 || head.Part < 0 || head.Part >= head.Parts {
		return snapshotHead{}, nil, fmt.Errorf("the head of a part is not understood (version %d, part %d of %d)", head.Version, head.Part, head.Parts)
	}
	return head, data, nil
}

// load finds the newest whole snapshot, from the newest record backwards: only a part
// with number parts-1 ends one.
func (s *snapshots) load(ctx context.Context) error {
	floor, last := s.log.Bounds()
	for number := last; number >= floor && number > 0; number-- {
		_, records, err := s.log.Read(ctx, number, 1)
		if err != nil {
			return err
		}
		head, data, err := readPart(records[0])
		if err != nil {
			return fmt.Errorf("record %d of the snapshots: %w", number, err)
		}
		s.size += len(data)
		if s.first == 0 && head.Part == head.Parts-1 && number+1 >= floor+uint64(head.Parts) {
			s.first, s.number = number-uint64(head.Part), head.Number
		}
	}
	return nil
}

func (s *snapshots) latest(ctx context.Context) (Snapshot, bool, error) {
	s.saving.Lock()
	defer s.saving.Unlock()
	if s.first == 0 {
		return Snapshot{}, false, nil
	}
	_, records, err := s.log.Read(ctx, s.first, 1)
	if err != nil {
		return Snapshot{}, false, err
	}
	head, _, err := readPart(records[0])
	if err != nil {
		return Snapshot{}, false, err
	}
	_, records, err = s.log.Read(ctx, s.first, head.Parts)
	if err != nil {
		return Snapshot{}, false, err
	}
	snapshot := Snapshot{Format: head.Format, Number: head.Number}
	for _, record := range records {
		_, data, err := readPart(record)
		if err != nil {
			return Snapshot{}, false, err
		}
		snapshot.Data = append(snapshot.Data, data...)
	}
	if sum := sha256.Sum256(snapshot.Data); hex.EncodeToString(sum[:]) != head.SHA256 {
		return Snapshot{}, false, fmt.Errorf("%w: the newest snapshot does not match its checksum", ErrDamaged)
	}
	return snapshot, true, nil
}
