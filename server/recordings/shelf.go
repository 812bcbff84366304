package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"squelch/core"
	"squelch/server/filelock"
)

// Limits are those of a channel. Zero: no limit.
type Limits struct {
	Age   time.Duration
	Bytes int64
}

// Options are what the operator has configured, and what the shelf needs of the radio.
type Options struct {
	Quota    int64                       // bytes of all recordings together; 0: no limit
	KeepFree int64                       // bytes that must be free on the disk for a new recording
	Limits   func(core.Frequency) Limits // of a channel; nil: none. Called from any goroutine
	Label    func(core.Frequency) string // a channel's name, to find text in; nil: none
	Logf     func(format string, args ...any)
}

// Shelf has the recordings. Every method may be called from any goroutine.
type Shelf struct {
	dir   string
	root  *os.Root
	lock  *os.File
	o     Options
	clock *clock
	// unlink removes a file, and inUse says of its error that somebody reads the file; tests
	// make them as on Windows.
	unlink func(name string) error
	inUse  func(error) bool
	most   int // MaxEntries, but in tests

	compacting sync.Mutex // held while the index is rewritten; taken before disk
	disk       sync.Mutex // guards index and closed; taken before mu
	index      index
	closed     bool
	folders    sync.Mutex // held while folders are made or removed

	mu      sync.RWMutex
	list    []*record // by key
	live    map[key]*Burst
	begun   map[key]Entry // of the live ones, those that have files
	bytes   int64
	channel map[core.Frequency]int64
	longest int64            // ms from the start to the end of any recording
	doomed  map[key]struct{} // they are gone, but for files that somebody reads
	trouble [2]error         // of the index, and of removing

	full chan struct{} // there may be more than is allowed
}

// Open opens the folder, and makes it if the one above exists. Bursts that were cut off
// by the end of the process are made whole and entered.
func Open(dir string, o Options) (*Shelf, error) {
	return open(dir, o, realHands())
}

func open(dir string, o Options, h hands) (_ *Shelf, err error) {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("the folder for recordings: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("the folder for recordings %s cannot be made: %w", dir, err)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("the folder for recordings: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is a file; name a folder", ErrForeign, dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder for recordings: %w", err)
	}
	s := &Shelf{
		dir: dir, root: root, o: o, unlink: root.Remove, inUse: systemInUse, most: MaxEntries, index: index{root: root},
		live: map[key]*Burst{}, begun: map[key]Entry{}, channel: map[core.Frequency]int64{}, doomed: map[key]struct{}{},
		full: make(chan struct{}, 1),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	if s.lock, err = lockFolder(root); err != nil {
		return nil, err
	}
	return s, s.recover(h)
}

// release lets go of the folder.
func (s *Shelf) release() (err error) {
	if s.index.file != nil {
		err = s.index.file.Close()
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return errors.Join(err, s.root.Close())
}

// Close ends the use of the folder. Bursts that are not done are entered when the folder
// is next opened.
func (s *Shelf) Close() error {
	s.mu.Lock()
	live := s.live
	s.live = map[key]*Burst{}
	s.mu.Unlock()
	for _, b := range live {
		b.abandon()
	}
	s.compacting.Lock()
	defer s.compacting.Unlock()
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.closed {
		return nil
	}
	err := s.index.write(appendLine(nil, plainLine{Op: opTime, Time: s.clock.now()}), false)
	err = errors.Join(err, s.index.flush())
	s.closed = true
	return errors.Join(err, s.release())
}

// State is what an operator wants to know.
type State struct {
	Recordings int
	OnAir      int    // bursts that are being recorded
	Bytes      int64  // of all recordings
	Quota      int64  // bytes; 0: no limit
	FreeBytes  int64  // on the disk; -1: not known
	Oldest     int64  // start of the oldest recording, ms since the epoch; 0: there is none
	Problem    string // why the index cannot be kept, or old recordings not be removed; "": all is well
}

// State looks at the shelf and the disk.
func (s *Shelf) State() State {
	free := s.free()
	s.mu.RLock()
	defer s.mu.RUnlock()
	st := State{Recordings: len(s.list), OnAir: len(s.live), Bytes: s.bytes, Quota: s.o.Quota, FreeBytes: free}
	if len(s.list) > 0 {
		st.Oldest = s.list[0].start
	}
	if err := cmp.Or(s.trouble[0], s.trouble[1]); err != nil {
		st.Problem = err.Error()
	}
	return st
}

func (s *Shelf) free() int64 {
	free, err := filelock.FreeBytes(s.dir)
	if err != nil {
		return -1
	}
	return free
}

// Get returns a recording. Of a burst that is on the air it returns what there is so far.
func (s *Shelf) Get(id string) (Entry, bool) {
	k, ok := parseID(id)
	if !ok {
		return Entry{}, false
	}
	s.mu.RLock()
	i, ok := s.find(k)
	b := s.live[k]
	var r *record
	if ok {
		r = s.list[i]
	}
	s.mu.RUnlock()
	switch {
	case r != nil:
		return r.entry(), true
	case b != nil:
		return b.entry(), true
	}
	return Entry{}, false
}

// SetText gives a recording its transcript, of at most MaxText bytes.
func (s *Shelf) SetText(id, text string) error {
	if len(text) > MaxText {
		return fmt.Errorf("recordings: the transcript of %s has %d bytes; %d is the most", id, len(text), MaxText)
	}
	return s.change(id, textLine{Op: opText, ID: id, Text: text}, func(r *record) { r.text = text })
}

// SetPeaks gives a recording its waveform, of at most MaxPeaks peaks.
func (s *Shelf) SetPeaks(id string, peaks []byte) error {
	if len(peaks) > MaxPeaks {
		return fmt.Errorf("recordings: the waveform of %s has %d peaks; %d is the most", id, len(peaks), MaxPeaks)
	}
	return s.change(id, textLine{Op: opPeaks, ID: id, Peaks: peaks}, func(r *record) { r.peaks = string(peaks) })
}

func (s *Shelf) change(id string, l textLine, do func(*record)) error {
	k, ok := parseID(id)
	if !ok {
		return ErrNotFound
	}
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.closed {
		return ErrClosed
	}
	// Whoever changes the list has the lock "disk".
	i, ok := s.find(k)
	if !ok {
		return ErrNotFound
	}
	if err := s.note(indexing, s.index.write(appendLine(nil, l), false)); err != nil {
		return err
	}
	next := *s.list[i]
	do(&next)
	s.mu.Lock()
	s.list[i] = &next
	s.mu.Unlock()
	return nil
}

// The two things that may not work, see Shelf.trouble.
const (
	indexing = iota
	removing
)

// note keeps the reason why something does not work, for State, and returns it.
func (s *Shelf) note(what int, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble[what] = err
	return err
}

// find says where a recording is, or belongs.
func (s *Shelf) find(k key) (int, bool) {
	return slices.BinarySearchFunc(s.list, k, func(r *record, k key) int { return r.key().compare(k) })
}

// put enters a recording in memory, or all of it again.
func (s *Shelf) put(r *record) {
	i, ok := s.find(r.key())
	if ok {
		s.count(s.list[i], -1)
		s.list[i] = r
	} else {
		s.list = slices.Insert(s.list, i, r)
	}
	s.count(r, 1)
}

func (s *Shelf) count(r *record, sign int64) {
	s.bytes += sign * r.size()
	s.channel[r.frequency] += sign * r.size()
	if s.channel[r.frequency] == 0 {
		delete(s.channel, r.frequency)
	}
	if sign > 0 {
		s.longest = max(s.longest, min(r.end-r.start, math.MaxInt32))
	}
}
