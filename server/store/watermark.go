package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"time"
)

// The watermark remembers, outside NATS, how far each stream must reach. A
// record at or below it that is missing is damage; one above it was being
// written when the process ended, and counts if it is whole. Without the
// watermark a stream that lost its end would look whole.
//
// The file is pages of 512 bytes (one disk sector, so a page is written whole
// or not at all): a header with the number of streams, then two pages per stream
// that are written in turn, so that one of them is always valid. A page names
// its stream: a stream that a later program adds gets pages of its own.
//
// A page is written after NATS has synced the record and before the writer is told.
// It is itself synced within watermarkSync, not for each record: a killed process
// loses nothing of it, and after a loss of power it may lag behind the records but
// can never be ahead. The floor is synced before the records below it are removed.
const (
	watermarkName  = "watermark.bin"
	watermarkPage  = 512
	watermarkMagic = "squelch watermark 1\n"
	watermarkNamed = 64 // offset of the stream's name in its page
	maxStreamName  = watermarkPage - watermarkNamed - 4
)

// mark is how far a stream reaches: floor is the oldest record that must be
// there, last the newest acknowledged one. An empty stream has floor 1 and
// last 0.
type mark struct {
	floor, last uint64
}

// streamMark is the newer page of a stream.
type streamMark struct {
	mark
	stream string
	turn   uint64 // counts the writes; the higher of two valid pages counts
}

// newMark is the mark of an empty stream.
func newMark(stream string) streamMark {
	return streamMark{stream: stream, mark: mark{floor: 1}, turn: 1}
}

func (m streamMark) encode() []byte {
	page := make([]byte, watermarkPage)
	binary.LittleEndian.PutUint64(page[0:], m.turn)
	binary.LittleEndian.PutUint64(page[8:], m.floor)
	binary.LittleEndian.PutUint64(page[16:], m.last)
	binary.LittleEndian.PutUint32(page[24:], uint32(len(m.stream)))
	copy(page[watermarkNamed:watermarkNamed+maxStreamName], m.stream)
	return signPage(page)
}

func decodeMark(page []byte) (m streamMark, valid bool) {
	length := binary.LittleEndian.Uint32(page[24:])
	if !pageSigned(page) || length > maxStreamName {
		return streamMark{}, false
	}
	return streamMark{
		turn:   binary.LittleEndian.Uint64(page[0:]),
		mark:   mark{floor: binary.LittleEndian.Uint64(page[8:]), last: binary.LittleEndian.Uint64(page[16:])},
		stream: string(page[watermarkNamed : watermarkNamed+length]),
	}, true
}

// signPage puts the checksum of a page into its last four bytes.
func signPage(page []byte) []byte {
	binary.LittleEndian.PutUint32(page[watermarkPage-4:], crc32.ChecksumIEEE(page[:watermarkPage-4]))
	return page
}

func pageSigned(page []byte) bool {
	return binary.LittleEndian.Uint32(page[watermarkPage-4:]) == crc32.ChecksumIEEE(page[:watermarkPage-4])
}

func watermarkHeader(id string, streams int) []byte {
	page := make([]byte, watermarkPage)
	copy(page, watermarkMagic+id)
	binary.LittleEndian.PutUint32(page[watermarkNamed:], uint32(streams))
	return signPage(page)
}

// writeWatermark replaces the file; it survives a crash.
func writeWatermark(path, id string, marks []streamMark) error {
	data := watermarkHeader(id, len(marks))
	for _, m := range marks {
		first, second := m, m
		first.turn, second.turn = 1, 2
		// The page of an even turn is the first of the two; see write.
		data = append(append(data, second.encode()...), first.encode()...)
	}
	return writeFileDurably(path, data)
}

// readWatermark reads the file without opening it for writing.
func readWatermark(path, id string) ([]streamMark, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, damaged(path, "cannot be read: %v", err)
	}
	if len(data) < watermarkPage || !pageSigned(data[:watermarkPage]) {
		return nil, damaged(path, "its header is garbled")
	}
	streams := binary.LittleEndian.Uint32(data[watermarkNamed:])
	if string(data[:watermarkPage]) != string(watermarkHeader(id, int(streams))) {
		return nil, damaged(path, "does not belong to the %s beside it", markerName)
	}
	if want := watermarkPage * (1 + 2*int64(streams)); int64(len(data)) != want {
		return nil, damaged(path, "is %d bytes long instead of %d", len(data), want)
	}
	marks := make([]streamMark, streams)
	for i := range marks {
		mark, ok := newerMark(data[watermarkPage*(1+2*i):], decodeMark)
		if !ok {
			return nil, damaged(path, "both marks of stream %d of %d are garbled", i+1, streams)
		}
		marks[i] = mark
	}
	return marks, nil
}

// newerMark reads the two pages of a stream and returns the one written last; false:
// both are garbled.
func newerMark(pages []byte, decode func(page []byte) (streamMark, bool)) (streamMark, bool) {
	even, evenOK := decode(pages[:watermarkPage])
	odd, oddOK := decode(pages[watermarkPage : 2*watermarkPage])
	if evenOK && (!oddOK || even.turn > odd.turn) {
		return even, true
	}
	return odd, oddOK
}

// watermark is the file in use. All methods may be called from any goroutine.
type watermark struct {
	mu    sync.Mutex
	file  *os.File // nil: closed
	path  string
	marks []streamMark // in the order of the file
	due   *time.Timer  // of the next sync; nil: everything is synced
}

// openWatermark opens the file for writing; marks is what was read from it.
func openWatermark(path string, marks []streamMark) (*watermark, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened for writing: %w", path, err)
	}
	return &watermark{file: file, path: path, marks: marks}, nil
}

// index is the place of a stream in the file; -1: it has none.
func (w *watermark) index(stream string) int {
	for i, m := range w.marks {
		if m.stream == stream {
			return i
		}
	}
	return -1
}

func (w *watermark) get(stream string) mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.marks[w.index(stream)].mark
}

// reached notes that a stream's last acknowledged record is last.
func (w *watermark) reached(stream string, last uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.marks[w.index(stream)]
	next.last = max(next.last, last)
	if err := w.write(next); err != nil {
		return err
	}
	if w.due == nil {
		w.due = time.AfterFunc(watermarkSync, w.sync)
	}
	return nil
}

// raise notes, durably, that records below floor are about to be removed.
func (w *watermark) raise(stream string, floor uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.marks[w.index(stream)]
	next.floor = max(next.floor, floor)
	if err := w.write(next); err != nil {
		return err
	}
	return w.file.Sync()
}

// jump notes, durably, that a stream is empty and its next record is number floor.
func (w *watermark) jump(stream string, floor uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.marks[w.index(stream)]
	next.mark = mark{floor: floor, last: floor - 1}
	if err := w.write(next); err != nil {
		return err
	}
	return w.file.Sync()
}

func (w *watermark) write(next streamMark) error {
	if w.file == nil {
		return ErrClosed
	}
	next.turn++
	i := w.index(next.stream)
	page := 1 + 2*i + int(next.turn%2)
	if _, err := w.file.WriteAt(next.encode(), int64(page*watermarkPage)); err != nil {
		return err
	}
	w.marks[i] = next
	return nil
}

// sync flushes the file to the disk. Nobody waits for it: if it fails, a killed
// process still loses nothing, and the next write tries again.
func (w *watermark) sync() {
	w.mu.Lock()
	file := w.file
	w.due = nil
	w.mu.Unlock()
	if file != nil {
		_ = file.Sync()
	}
}

// close may be called more than once.
func (w *watermark) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	if w.due != nil {
		w.due.Stop()
	}
	file := w.file
	w.file = nil
	return errors.Join(file.Sync(), file.Close())
}
