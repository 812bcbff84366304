package recordings

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"squelch/server/filelock"
)

const (
	indexName = "index"
	indexNext = "index.next"
)

// What a line of the index says.
const (
	opHead  = "shelf" // first line: the format
	opBegin = "begin" // files of a burst are made; for recovery
	opAdd   = "add"   // a recording, or all of it again
	opText  = "text"  // its transcript
	opPeaks = "peaks" // its waveform
	opDel   = "del"   // it is gone
	opTime  = "time"  // by which ages are measured
)

type line struct {
	Op string `json:"op"`
	Entry
	Format int   `json:"version,omitempty"` // opHead
	Time   int64 `json:"at,omitempty"`      // opTime: ms since the epoch
	Dated  int64 `json:"dated,omitempty"`
}

var table = crc32.MakeTable(crc32.Castagnoli)

func crcOf(b []byte) uint32 { return crc32.Checksum(b, table) }

// appendLine appends a line to b.
func appendLine(b []byte, l any) []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings and numbers
	}
	return append(append(fmt.Appendf(b, "%08x ", crcOf(text)), text...), '\n')
}

// entryLine has an entry; textLine only what it changes.
type entryLine struct {
	Op string `json:"op"`
	*Entry
	Dated int64 `json:"dated,omitempty"` // from when its age counts; 0: from its start
}

type textLine struct {
	Op    string `json:"op"`
	ID    string `json:"id"`
	Text  string `json:"text,omitempty"`
	Peaks []byte `json:"peaks,omitempty"`
}

type plainLine struct {
	Op     string `json:"op"`
	Format int    `json:"version,omitempty"`
	Time   int64  `json:"at,omitempty"`
}

// readLine reads what appendLine has made, without its end.
func readLine(b []byte) (l line, ok bool) {
	if len(b) < 9 || b[8] != ' ' {
		return l, false
	}
	sum, err := strconv.ParseUint(string(b[:8]), 16, 32)
	if err != nil || uint32(sum) != crcOf(b[9:]) {
		return l, false
	}
	return l, json.Unmarshal(b[9:], &l) == nil
}

// lines calls do for each whole line, and returns where the last one ends that is sound,
// how many there are, and how many are not sound and are followed by one that is.
func lines(r io.Reader, do func(line)) (end int64, count, bad int, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	at, unsound := int64(0), 0
	var long []byte
	for {
		b, err := in.ReadSlice('\n')
		at += int64(len(b))
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(long) <= maxLine { // a longer one is unsound, and need not be kept
				long = append(long, b...)
			}
			continue
		}
		if errors.Is(err, io.EOF) {
			return end, count, bad, nil // what is left has no end: it is torn
		}
		if err != nil {
			return end, count, bad, err
		}
		if len(long) > 0 {
			b = append(long, b...)
			long = long[:0]
		}
		l, ok := readLine(bytes.TrimSuffix(b, []byte("\n")))
		if !ok || len(b) > maxLine {
			unsound++
			continue
		}
		bad += unsound
		unsound = 0
		end = at
		count++
		do(l)
	}
}

// index is the file. The shelf's lock "disk" guards it.
type index struct {
	root  *os.Root
	file  *os.File // nil: it could not be opened again
	size  int64    // of what is sound
	lines int
	owed  []byte // lines that the disk has not taken yet
	dirty bool   // not flushed yet

	rewriting bool
	side      []byte // lines since rewriting began, also those that are owed
}

// write appends lines, after those that are owed. If the disk does not take them, they
// are owed, or with owe false forgotten.
func (x *index) write(b []byte, owe bool) error {
	all := b
	if len(x.owed) > 0 {
		all = append(x.owed[:len(x.owed):len(x.owed)], b...)
	}
	if len(all) == 0 {
		return nil
	}
	err := x.reopen()
	if err == nil {
		if _, err = x.file.WriteAt(all, x.size); err != nil {
			_ = x.file.Truncate(x.size) // else the next line is written over it
		}
	}
	if x.rewriting && (err == nil || owe) {
		x.side = append(x.side, b...)
	}
	if err != nil {
		if owe && len(all) <= maxOwed {
			x.owed = all
		}
		return diskError(filepath.Join(x.root.Name(), indexName), err)
	}
	x.size += int64(len(all))
	x.lines += bytes.Count(all, []byte("\n"))
	x.owed = nil
	x.dirty = true
	return nil
}

func (x *index) reopen() (err error) {
	if x.file == nil {
		x.file, err = x.root.OpenFile(indexName, os.O_RDWR, 0)
	}
	return err
}

func (x *index) flush() error {
	if !x.dirty || x.file == nil {
		return nil
	}
	x.dirty = false
	return diskError(x.file.Name(), x.file.Sync())
}

// newIndex writes an index without recordings.
func newIndex(root *os.Root) error {
	file, err := root.OpenFile(indexNext, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(appendLine(nil, plainLine{Op: opHead, Format: format}))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := root.Rename(indexNext, indexName); err != nil {
		return err
	}
	return filelock.SyncFolder(root.Name())
}

// compact writes the index anew, with nothing in it but what there is. Meanwhile lines
// can be written; they go into both files.
func (s *Shelf) compact() error {
	s.compacting.Lock()
	defer s.compacting.Unlock()
	s.disk.Lock()
	if s.closed {
		s.disk.Unlock()
		return ErrClosed
	}
	s.mu.RLock()
	list := slices.Clone(s.list)
	head := appendLine(nil, plainLine{Op: opHead, Format: format})
	count := 2 + len(list) + len(s.begun) + len(s.doomed)
	for _, e := range s.begun {
		head = appendLine(head, entryLine{Op: opBegin, Entry: &e})
	}
	for k := range s.doomed {
		head = appendLine(head, textLine{Op: opDel, ID: k.id()})
	}
	s.mu.RUnlock()
	head = appendLine(head, plainLine{Op: opTime, Time: s.clock.now()})
	s.index.rewriting, s.index.side = true, nil
	s.disk.Unlock()

	next, err := s.rewrite(head, list)

	s.disk.Lock()
	defer s.disk.Unlock()
	x := &s.index
	side := x.side
	x.rewriting, x.side = false, nil
	if err == nil && len(side) > 0 {
		_, err = next.Write(side)
		err = errors.Join(err, next.Sync())
	}
	var size int64
	if next != nil {
		size, _ = next.Seek(0, io.SeekCurrent)
		err = errors.Join(err, next.Close())
	}
	if err != nil {
		_ = s.root.Remove(indexNext)
		return diskError(filepath.Join(s.dir, indexNext), err)
	}
	// Windows renames no open file.
	if x.file != nil {
		err = x.file.Close()
		x.file = nil
	}
	if err := errors.Join(err, s.root.Rename(indexNext, indexName)); err != nil {
		return diskError(filepath.Join(s.dir, indexName), err)
	}
	x.size, x.lines, x.owed, x.dirty = size, count+bytes.Count(side, []byte("\n")), nil, false
	return diskError(filepath.Join(s.dir, indexName), errors.Join(x.reopen(), filelock.SyncFolder(s.dir)))
}

// rewrite writes the next index, down to the disk.
func (s *Shelf) rewrite(head []byte, list []*record) (*os.File, error) {
	file, err := s.root.OpenFile(indexNext, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(file, 256<<10)
	_, err = out.Write(head)
	var b []byte
	for _, r := range list {
		if err != nil {
			break
		}
		e := r.entry()
		b = appendLine(b[:0], entryLine{opAdd, &e, r.dated})
		_, err = out.Write(b)
	}
	return file, errors.Join(err, out.Flush(), file.Sync())
}

// compactIfWorn rewrites the index if most of it is outdated.
func (s *Shelf) compactIfWorn() error {
	s.disk.Lock()
	s.mu.RLock()
	worn := s.index.lines > 2*len(s.list)+compactSlack
	s.mu.RUnlock()
	s.disk.Unlock()
	if !worn {
		return nil
	}
	return s.compact()
}
