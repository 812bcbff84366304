package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// host runs NATS on a checked folder, and runs it anew after a failed write:
// after one NATS refuses every further write, and its numbers are ahead of what
// is on the disk. Only the files can tell then what was kept.
type host struct {
	folder, id string // <data>/store and the id of the data folder
	logf       func(string, ...any)
	marks      *marks

	// mu is held for reading while NATS is used, for writing while it is
	// exchanged.
	mu       sync.RWMutex
	embedded *embedded // nil after a failed exchange
	streams  []jetstream.Stream
	closed   bool
	resume   time.Time // after the disk failed: no write before
	pause    time.Duration
}

func (h *host) streamPath(stream int) string {
	return filepath.Join(h.folder, "jetstream", "$G", "streams", streamNames[stream])
}

// check reads everything and changes nothing. It leaves in h.marks how far each
// stream reaches.
func (h *host) check() (clean bool, err error) {
	if info, err := os.Stat(h.folder); err != nil || !info.IsDir() {
		return false, damaged(h.folder, "is missing or no folder")
	}
	slots, err := readMarks(filepath.Join(h.folder, marksName), h.id, len(streamNames))
	if err != nil {
		return false, err
	}
	if clean, err = checkSeal(h.folder, h.id); err != nil {
		return false, err
	}
	for stream, name := range streamNames {
		found, err := checkStream(h.streamPath(stream), name, slots[stream].mark)
		if err != nil {
			return false, err
		}
		slots[stream].last = max(slots[stream].last, found.last)
	}
	h.marks = &marks{slots: slots}
	return clean, nil
}

// start runs NATS on the folder as check found it.
func (h *host) start(ctx context.Context) error {
	opened, err := openMarks(filepath.Join(h.folder, marksName), h.marks.slots)
	if err != nil {
		return err
	}
	h.marks = opened
	if err := h.syncFound(); err != nil {
		return err
	}
	if err := breakSeal(h.folder); err != nil {
		return fmt.Errorf("%s cannot be removed: %w", filepath.Join(h.folder, sealName), err)
	}
	if h.embedded, err = startEmbedded(h.folder, h.logf); err != nil {
		return err
	}
	h.streams = make([]jetstream.Stream, len(streamNames))
	for stream := range streamNames {
		if err := h.openStream(ctx, stream); err != nil {
			return err
		}
	}
	return nil
}

// syncFound flushes what a killed process had written but not synced, because
// from now on it counts.
func (h *host) syncFound() error {
	for stream := range streamNames {
		messages := filepath.Join(h.streamPath(stream), "msgs")
		numbers, err := blockNumbers(messages)
		if err != nil {
			return err
		}
		for _, number := range numbers[max(0, len(numbers)-2):] {
			if err := syncFile(filepath.Join(messages, strconv.Itoa(number)+".blk")); err != nil {
				return err
			}
		}
	}
	return nil
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func (h *host) openStream(ctx context.Context, stream int) error {
	name := streamNames[stream]
	opened, err := h.embedded.stream.Stream(ctx, name)
	if err != nil {
		return fmt.Errorf("stream %s cannot be opened: %w", name, err)
	}
	// The files were checked before NATS opened them, so this can only differ
	// when NATS understands them in another way than the check does.
	reached := h.marks.get(stream)
	kept := opened.CachedInfo().State
	if kept.LastSeq != reached.last || kept.Msgs > 0 && kept.FirstSeq > reached.floor {
		return damaged(name, "NATS found records %d to %d instead of %d to %d",
			kept.FirstSeq, kept.LastSeq, reached.floor, reached.last)
	}
	h.streams[stream] = opened
	return h.marks.reached(stream, reached.last)
}

// use calls do while NATS cannot go away.
func (h *host) use(stream int, do func(e *embedded, s jetstream.Stream) error) error {
	h.mu.RLock()
	defer h.mu.RUnlock()
	switch {
	case h.closed:
		return ErrClosed
	case h.embedded == nil:
		return errNotRunning
	}
	return do(h.embedded, h.streams[stream])
}

var errNotRunning = errors.New("the store could not be restarted after a failed write")

// ready makes NATS usable for a write, if it can be.
func (h *host) ready(ctx context.Context) error {
	h.mu.RLock()
	running, closed, pause := h.embedded != nil, h.closed, time.Until(h.resume)
	h.mu.RUnlock()
	switch {
	case closed:
		return ErrClosed
	case pause > 0:
		return fmt.Errorf("the disk failed just now; writing is tried again in %v", pause.Round(time.Millisecond))
	case running:
		return nil
	}
	return h.exchange(ctx, nil)
}

// exchange stops NATS, reads from the files what was kept, and starts it again,
// unless somebody else has done so since failed was in use.
func (h *host) exchange(ctx context.Context, failed *embedded) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return ErrClosed
	case h.embedded != failed:
		return nil
	case failed != nil:
		if failed.log.diskFailed() != nil {
			h.resume = time.Now().Add(h.pause)
		}
		h.embedded.stop()
		h.embedded = nil
	}
	err := h.marks.close()
	if err == nil {
		_, err = h.check()
	}
	if err == nil {
		err = h.start(ctx)
	}
	if err != nil {
		h.stopQuietly()
		return fmt.Errorf("%w: %w", errNotRunning, err)
	}
	h.logf("store: went on after a failed write")
	return nil
}

// stopQuietly ends what a failed start has begun.
func (h *host) stopQuietly() {
	if h.embedded != nil {
		h.embedded.stop()
		h.embedded = nil
	}
}

// stop ends all use. It waits for running calls.
func (h *host) stop() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	healthy := h.embedded != nil && h.embedded.log.diskFailed() == nil
	h.stopQuietly()
	err := h.marks.close()
	if healthy && err == nil {
		err = writeSeal(h.folder, h.id)
	}
	return err
}

// mark is how far a stream reaches.
func (h *host) mark(stream int) mark {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.marks.get(stream)
}
