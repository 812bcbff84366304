package recordings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// Burst is a recording that is being made. Its files are made when the first voice comes.
// One goroutine writes it. After an error it takes no more voice; Done keeps what there is.
type Burst struct {
	shelf *Shelf
	key   key

	mu    sync.Mutex
	e     Entry
	ogg   *ogg.Writer
	files [len(kinds)]*part
	err   error // of the disk
	over  bool
	asked time.Time // when the disk was last asked for its room

	seen atomic.Pointer[Entry] // what somebody was last told of it
}

// part is a file that knows how much of it is sound.
type part struct {
	file *os.File
	size int64
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if err != nil {
		if p.file.Truncate(p.size) == nil {
			_, _ = p.file.Seek(p.size, io.SeekStart)
		}
		return n, err
	}
	p.size += int64(n)
	return n, nil
}

// Create begins a recording: ID and what is known of the burst. Nothing is on the disk
// before voice comes. *DiskError: the disk cannot take it.
func (s *Shelf) Create(e Entry) (*Burst, error) {
	k, ok := parseID(e.ID)
	if !ok {
		return nil, fmt.Errorf("recordings: %q is not the id of a transmission, such as \"tx-7-1700000000000\"", e.ID)
	}
	if err := s.room(); err != nil {
		return nil, err
	}
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if err := s.index.write(nil, true); err != nil { // lines that are owed
		return nil, s.note(indexing, err)
	}
	b := &Burst{shelf: s, key: k, asked: time.Now()}
	b.describe(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, taken := s.find(k)
	if _, doomed := s.doomed[k]; taken || doomed || s.live[k] != nil {
		return nil, fmt.Errorf("recordings: there is a recording %s already", e.ID)
	}
	s.live[k] = b
	return b, nil
}

// room says whether there is more room on the disk than is to be kept free.
func (s *Shelf) room() error {
	return s.nearlyFull(s.o.KeepFree)
}

// Describe changes what is known of the burst. What is known when the first voice comes
// is written into the file.
func (b *Burst) Describe(e Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.describe(e)
}

// describe takes what the burst does not count itself.
func (b *Burst) describe(e Entry) {
	e.ID, e.Number, e.Start = b.key.id(), b.key.number, b.key.start
	e.Format, e.Bytes, e.IMBEBytes, e.Packets = b.e.Format, b.e.Bytes, b.e.IMBEBytes, b.e.Packets
	e.clip()
	b.e = e
	e.End = 0
	b.seen.Store(&e)
}

// entry is what there is so far or, while the disk takes longer than entryWait to write,
// what was there when somebody last asked: who asks does not wait for a disk that does not
// answer.
func (b *Burst) entry() Entry {
	for began := time.Now(); !b.mu.TryLock(); time.Sleep(time.Millisecond) {
		if time.Since(began) > entryWait {
			return *b.seen.Load()
		}
	}
	defer b.mu.Unlock()
	e := b.e
	e.End = 0
	b.measure(&e)
	b.seen.Store(&e)
	return e
}

// measure counts what the files have.
func (b *Burst) measure(e *Entry) {
	size := func(kind int) int64 {
		if b.files[kind] == nil {
			return 0
		}
		return b.files[kind].size
	}
	switch e.Format {
	case Ogg:
		e.Bytes, e.IMBEBytes = size(0), size(1)
		e.VoiceMs = int64(b.ogg.Granule()) * 1000 / packet.Rate
	case WebM:
		e.Bytes, e.IMBEBytes = size(2), size(1)
	case IMBE:
		e.Bytes, e.IMBEBytes = size(1), 0
		e.Packets = int(e.Bytes / frameBytes)
		e.VoiceMs = int64(e.Packets) * frameMs
	}
}

// WriteOpus appends one Opus packet, as it is, after a pause of this many samples at
// 48 kHz. An error that is no *DiskError concerns this packet alone.
func (b *Burst) WriteOpus(p []byte, pause uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.ready(); err != nil {
		return err
	}
	info, err := packet.Inspect(p)
	if err != nil {
		return fmt.Errorf("recordings: %w", err)
	}
	if b.ogg == nil {
		if b.e.Format == WebM {
			return ErrForm
		}
		file, err := b.open(0)
		if err != nil {
			return err
		}
		w, err := ogg.NewWriter(file, uint32(b.key.number), ogg.Head{Channels: info.Channels, InputRate: packet.Rate}, tagsOf(&b.e))
		if err != nil {
			return b.fail(err)
		}
		w.PageSamples(pageSamples)
		b.ogg, b.e.Format = w, Ogg
	}
	if pause > 0 {
		if err := b.ogg.Gap(pause); err != nil {
			return b.fail(err)
		}
	}
	if err := b.ogg.WritePacket(p); err != nil {
		return b.fail(err)
	}
	if !ogg.IsGap(p) {
		b.e.Packets++
	}
	return nil
}

// WriteIMBE appends raw IMBE frames of 11 bytes.
func (b *Burst) WriteIMBE(frames []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(frames)%frameBytes != 0 {
		return fmt.Errorf("recordings: %d bytes are no IMBE frames, which have %d each", len(frames), frameBytes)
	}
	return b.append(1, IMBE, frames)
}

// WriteWebM appends a payload that is no Opus packet, as received.
func (b *Burst) WriteWebM(payload []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ogg != nil {
		return ErrForm
	}
	err := b.append(2, WebM, payload)
	if err == nil {
		b.e.Packets++
	}
	return err
}

func (b *Burst) append(kind int, form string, data []byte) error {
	if err := b.ready(); err != nil || len(data) == 0 {
		return err
	}
	file, err := b.open(kind)
	if err != nil {
		return err
	}
	if b.e.Format == "" || b.e.Format == IMBE {
		b.e.Format = form
	}
	if _, err := file.Write(data); err != nil {
		return b.fail(err)
	}
	return nil
}

func (b *Burst) ready() error {
	if b.over {
		return ErrClosed
	}
	if now := time.Now(); b.err == nil && now.Sub(b.asked) >= roomEvery {
		b.asked, b.err = now, b.shelf.room()
	}
	return b.err
}

// fail notes that the disk has failed.
func (b *Burst) fail(err error) error {
	b.err = diskError(filepath.Join(b.shelf.dir, filepath.FromSlash(b.key.folder()), b.key.id()), err)
	return b.err
}

// open makes a file, and before the first one a line in the index.
func (b *Burst) open(kind int) (*part, error) {
	if b.files[kind] != nil {
		return b.files[kind], nil
	}
	if b.files == [len(kinds)]*part{} {
		if err := b.shelf.begin(b.key, b.e, kinds[kind]); err != nil {
			return nil, b.fail(err)
		}
	}
	file, err := b.shelf.makeFile(b.key, kinds[kind])
	if err != nil {
		return nil, b.fail(err)
	}
	b.files[kind] = &part{file: file}
	return b.files[kind], nil
}

// begin notes in the index that a burst has files.
func (s *Shelf) begin(k key, e Entry, form string) error {
	e.Format = form
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := s.note(indexing, s.index.write(appendLine(nil, entryLine{Op: opBegin, Entry: &e}), false)); err != nil {
		return err
	}
	s.mu.Lock()
	s.begun[k] = e
	s.mu.Unlock()
	return nil
}

func (s *Shelf) makeFile(k key, kind string) (*os.File, error) {
	s.folders.Lock()
	defer s.folders.Unlock()
	if err := s.root.MkdirAll(k.folder(), 0o700); err != nil {
		_ = s.root.Remove(path.Dir(k.folder()))
		return nil, err
	}
	file, err := s.root.OpenFile(k.file(kind), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		s.removeFolders(k)
	}
	return file, err
}

// removeFolders removes those of a recording that are empty now.
func (s *Shelf) removeFolders(k key) {
	if s.root.Remove(k.folder()) == nil {
		_ = s.root.Remove(path.Dir(k.folder()))
	}
}

// Done ends the recording and enters it: e has what is known of the burst now, and the
// shelf adds what it has counted itself. A burst without voice leaves nothing. After a
// *DiskError the recording has what could be written, and is entered as soon as the disk
// allows it.
func (b *Burst) Done(e Entry) error {
	b.mu.Lock()
	if b.over {
		b.mu.Unlock()
		return ErrClosed
	}
	b.describe(e)
	if b.e.Format == "" {
		b.mu.Unlock()
		return b.Discard()
	}
	b.finish()
	b.over = true
	e = b.e
	err := b.err
	b.mu.Unlock()
	return errors.Join(err, b.shelf.enter(b.key, e))
}

// finish ends the files.
func (b *Burst) finish() {
	if b.ogg != nil && b.err == nil {
		if err := b.ogg.Close(); err != nil {
			_ = b.fail(err)
		}
	}
	b.measure(&b.e)
	if b.err != nil {
		b.e.Cut = true
		if b.ogg != nil { // what has been written is less than what was to be
			m, _ := ogg.Mend(b.files[0].file)
			b.e.Packets, b.e.VoiceMs = m.Packets, int64(m.Samples)*1000/packet.Rate
			if info, err := b.files[0].file.Stat(); err == nil {
				b.e.Bytes = info.Size()
			}
		}
	}
	if b.e.VoiceMs == 0 {
		b.e.VoiceMs = max(0, b.e.End-b.e.Start)
	}
	if b.e.End < b.e.Start { // it is not known, or the clock was put back meanwhile
		b.e.End = b.e.Start + b.e.VoiceMs
	}
	b.close()
}

func (b *Burst) close() {
	for _, p := range b.files {
		if p != nil {
			if err := p.file.Close(); err != nil && b.err == nil {
				_ = b.fail(err)
			}
		}
	}
}

// enter puts a finished burst into the index.
func (s *Shelf) enter(k key, e Entry) error {
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.closed {
		return ErrClosed
	}
	dated := s.dated(e.Start)
	err := s.note(indexing, s.index.write(appendLine(nil, entryLine{opAdd, &e, dated}), true))
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, k)
	delete(s.begun, k)
	s.put(recordOf(k, &e, dated))
	if s.o.Quota > 0 && s.bytes > s.o.Quota || len(s.list) > s.most {
		s.hurry()
	}
	return err
}

// Discard ends the recording and leaves nothing of it.
func (b *Burst) Discard() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return ErrClosed
	}
	b.over = true
	b.close()
	s := b.shelf
	var err error
	for i, p := range b.files {
		if p == nil {
			continue
		}
		if gone := s.unlink(b.key.file(kinds[i])); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, diskError(p.file.Name(), gone))
		}
	}
	s.folders.Lock()
	s.removeFolders(b.key)
	s.folders.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, b.key)
	delete(s.begun, b.key)
	return err
}

// abandon closes the files as a kill would.
func (b *Burst) abandon() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		b.over = true
		b.close()
	}
}
