package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
)

// marks.bin remembers, outside NATS, how far each stream must reach. Without
// it a stream cut off at a record boundary would look whole.
//
// The file is pages of 512 bytes (one disk sector, so a page is written whole
// or not at all): one header page, then two pages per stream that are written
// in turn, so that one of them is always valid.
//
// The last acknowledged sequence is written after NATS has synced the record
// and without a sync of its own: a killed process loses nothing of it, and
// after a loss of power it may lag behind but can never be ahead. The floor is
// synced before the records below it are removed.
const (
	marksName  = "marks.bin"
	marksPage  = 512
	marksMagic = "squelch marks 1\n"
)

// mark is how far a stream reaches: floor is the oldest sequence number that
// must be there, last the newest acknowledged one. An empty stream has floor 1
// and last 0.
type mark struct {
	floor, last uint64
}

type markSlot struct {
	mark
	turn uint64 // counts the writes; the higher of two valid pages counts
}

type marks struct {
	mu    sync.Mutex
	file  *os.File
	slots []markSlot
}

func marksSize(streams int) int64 { return int64(marksPage * (1 + 2*streams)) }

func encodeMark(stream int, slot markSlot) []byte {
	page := make([]byte, marksPage)
	binary.LittleEndian.PutUint64(page[0:], slot.turn)
	binary.LittleEndian.PutUint64(page[8:], slot.floor)
	binary.LittleEndian.PutUint64(page[16:], slot.last)
	binary.LittleEndian.PutUint64(page[24:], uint64(stream))
	binary.LittleEndian.PutUint32(page[marksPage-4:], crc32.ChecksumIEEE(page[:marksPage-4]))
	return page
}

func decodeMark(stream int, page []byte) (markSlot, bool) {
	sum := binary.LittleEndian.Uint32(page[marksPage-4:])
	slot := markSlot{
		turn: binary.LittleEndian.Uint64(page[0:]),
		mark: mark{
			floor: binary.LittleEndian.Uint64(page[8:]),
			last:  binary.LittleEndian.Uint64(page[16:]),
		},
	}
	valid := sum == crc32.ChecksumIEEE(page[:marksPage-4]) &&
		binary.LittleEndian.Uint64(page[24:]) == uint64(stream) && slot.turn > 0 && slot.floor > 0
	return slot, valid
}

func marksHeader(id string) []byte {
	page := make([]byte, marksPage)
	copy(page, marksMagic+id)
	binary.LittleEndian.PutUint32(page[marksPage-4:], crc32.ChecksumIEEE(page[:marksPage-4]))
	return page
}

// createMarks writes the marks of empty streams.
func createMarks(path, id string, streams int) error {
	data := marksHeader(id)
	for stream := range streams {
		empty := markSlot{mark: mark{floor: 1}}
		for turn := uint64(1); turn <= 2; turn++ {
			empty.turn = turn
			data = append(data, encodeMark(stream, empty)...)
		}
	}
	return writeFileDurably(path, data)
}

// readMarks reads the file without opening it for writing.
func readMarks(path, id string, streams int) ([]markSlot, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, damaged(path, "cannot be read: %v", err)
	}
	if int64(len(data)) != marksSize(streams) {
		return nil, damaged(path, "is %d bytes long instead of %d", len(data), marksSize(streams))
	}
	if string(data[:marksPage]) != string(marksHeader(id)) {
		return nil, damaged(path, "does not belong to the %s beside it", markerName)
	}
	slots := make([]markSlot, streams)
	for stream := range slots {
		page := data[marksPage*(1+2*stream):]
		even, evenOK := decodeMark(stream, page[:marksPage])
		odd, oddOK := decodeMark(stream, page[marksPage:2*marksPage])
		switch {
		case evenOK && (!oddOK || even.turn > odd.turn):
			slots[stream] = even
		case oddOK:
			slots[stream] = odd
		default:
			return nil, damaged(path, "both marks of stream %s are garbled", streamNames[stream])
		}
	}
	return slots, nil
}

func openMarks(path string, slots []markSlot) (*marks, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened for writing: %w", path, err)
	}
	return &marks{file: file, slots: slots}, nil
}

func (m *marks) get(stream int) mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slots[stream].mark
}

// reached notes that a stream's last acknowledged record is last.
func (m *marks) reached(stream int, last uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.slots[stream]
	next.last = max(next.last, last)
	return m.write(stream, next)
}

// raise notes, durably, that records below floor are about to be removed.
func (m *marks) raise(stream int, floor uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.slots[stream]
	next.floor = max(next.floor, floor)
	if err := m.write(stream, next); err != nil {
		return err
	}
	return m.file.Sync()
}

func (m *marks) write(stream int, next markSlot) error {
	next.turn++
	page := 1 + 2*stream + int(next.turn%2)
	if _, err := m.file.WriteAt(encodeMark(stream, next), int64(page*marksPage)); err != nil {
		return err
	}
	m.slots[stream] = next
	return nil
}

// close may be called more than once.
func (m *marks) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	file := m.file
	m.file = nil
	return errors.Join(file.Sync(), file.Close())
}
