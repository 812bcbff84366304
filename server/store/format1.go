package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folders of format 1 have the same streams, but the records are bare, and marks.bin
// takes the place of the watermark: a header, then two pages for each of six streams,
// in a fixed order. Such a folder is rewritten once, when it is opened: NATS reads a
// copy, and every record goes with its number and its time into a new folder, which
// is checked and takes the place of the store.
const (
	marks1Name  = "marks.bin"
	marks1Magic = "squelch marks 1\n"
)

var streamNames1 = []string{"snapshot", "sessions", "secrets", "config", "audit", "transmissions"}

// isFormat1 says whether the store still is of format 1. The marker alone does not
// tell: it is rewritten just before the store is exchanged.
func isFormat1(folder string, m marker) bool {
	if !m.current() {
		return true
	}
	_, err := os.Lstat(filepath.Join(folder, watermarkName))
	_, oldErr := os.Lstat(filepath.Join(folder, marks1Name))
	return errors.Is(err, fs.ErrNotExist) && oldErr == nil
}

func decodeMark1(stream int, page []byte) (m streamMark, valid bool) {
	m = streamMark{
		stream: streamNames1[stream],
		turn:   binary.LittleEndian.Uint64(page[0:]),
		mark:   mark{floor: binary.LittleEndian.Uint64(page[8:]), last: binary.LittleEndian.Uint64(page[16:])},
	}
	valid = pageSigned(page) && binary.LittleEndian.Uint64(page[24:]) == uint64(stream) && m.turn > 0 && m.floor > 0
	return m, valid
}

func marks1Header(id string) []byte {
	page := make([]byte, watermarkPage)
	copy(page, marks1Magic+id)
	return signPage(page)
}

// readMarks1 reads the marks of a folder of format 1.
func readMarks1(path, id string) ([]streamMark, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, damaged(path, "cannot be read: %v", err)
	}
	if want := watermarkPage * (1 + 2*len(streamNames1)); len(data) != want {
		return nil, damaged(path, "is %d bytes long instead of %d", len(data), want)
	}
	if string(data[:watermarkPage]) != string(marks1Header(id)) {
		return nil, damaged(path, "does not belong to the %s beside it", markerName)
	}
	marks := make([]streamMark, len(streamNames1))
	for stream := range marks {
		mark, ok := newerMark(data[watermarkPage*(1+2*stream):], func(page []byte) (streamMark, bool) { return decodeMark1(stream, page) })
		if !ok {
			return nil, damaged(path, "both marks of stream %s are garbled", streamNames1[stream])
		}
		marks[stream] = mark
	}
	return marks, nil
}

// migrate rewrites a store of format 1 and puts the result in its place.
func (s *Store) migrate(ctx context.Context, m marker) (err error) {
	marks, err := readMarks1(s.path(marks1Name), m.ID)
	if err != nil {
		return err
	}
	if _, err := checkSeal(s.path(), m.ID); err != nil {
		return err
	}
	const why = "has an earlier format and is rewritten on the same disk"
	need, err := s.room(3, why) // two copies, and headers that records of format 1 did not have
	if err != nil {
		return err
	}
	source, next := s.beside(sourceName), s.beside(nextName)
	defer func() { err = errors.Join(err, os.RemoveAll(source), os.RemoveAll(next)) }()
	if err := copyTree(s.path(), source, isIndex); err != nil {
		return s.outOfRoom(err, need, why)
	}
	if err := os.Mkdir(next, folderMode); err != nil {
		return err
	}
	if marks, err = s.rewrite(ctx, source, next, m.ID, marks); err != nil {
		return s.outOfRoom(err, need, why)
	}
	if marks, err = s.checkCopy(ctx, next, m.ID, marks); err != nil {
		return s.outOfRoom(err, need, why)
	}
	if err := s.finish(next, m, marks); err != nil {
		return s.outOfRoom(err, need, why)
	}
	s.logf("store: the data folder was converted from format 1 to format %d; every acknowledged record is intact", formatVersion)
	return nil
}

// rewrite copies the records of all streams from source to next, and returns
// how far they reach.
func (s *Store) rewrite(ctx context.Context, source, next, id string, marks []streamMark) ([]streamMark, error) {
	from, err := startEmbedded(source, false, s.logf)
	if err != nil {
		return nil, err
	}
	defer from.stop()
	to, err := startEmbedded(next, false, s.logf)
	if err != nil {
		return nil, err
	}
	defer to.stop()
	found := make([]streamMark, len(marks))
	for i, m := range marks {
		if _, err := to.createStream(ctx, m.stream, m.floor); err != nil {
			return nil, err
		}
		found[i] = m
		w := rewriter{to: to, origin: origin{id, m.stream}, first: m.floor}
		found[i].last, err = from.readAll(ctx, m.stream, m.mark, func(msg message) error { return w.add(ctx, msg) })
		if w.err == nil && err == nil {
			err = w.flush(ctx)
		}
		if w.err != nil {
			return nil, fmt.Errorf("stream %s cannot be rewritten: %w", m.stream, w.err)
		}
		if err != nil {
			return nil, refusal(err, s.path(), source, from.log.complaints())
		}
	}
	return found, nil
}

// rewriter packs records of format 1 and publishes them in batches.
type rewriter struct {
	to     *embedded
	origin origin
	first  uint64 // number of batch[0]
	batch  [][]byte
	bytes  int
	err    error // of the writing
}

func (w *rewriter) add(ctx context.Context, m message) error {
	w.batch = append(w.batch, w.origin.pack(m.number, m.at, m.data))
	w.bytes += len(m.data)
	if len(w.batch) < readBatch && w.bytes < readBatchBytes {
		return nil
	}
	return w.flush(ctx)
}

func (w *rewriter) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	w.err = publish(ctx, w.to, subjectOf(w.origin.stream), w.first, w.batch)
	w.first += uint64(len(w.batch))
	w.batch, w.bytes = nil, 0
	return w.err
}
