package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// host runs NATS on a checked folder, and restarts it after a failed write: NATS then
// refuses every further write, and its numbers are ahead of what is on the disk. Only
// the files can tell what was kept.
type host struct {
	folder, id string // <data>/store and the id of the data folder
	logf       func(string, ...any)
	watermark  *watermark

	// mu is held for reading while NATS is used, for writing while it is restarted.
	mu       sync.RWMutex
	embedded *embedded // nil after a failed restart
	streams  map[string]jetstream.Stream
	closed   bool
	resume   time.Time // no write before this time, after the disk failed
	pause    time.Duration
}

// open runs NATS on a folder that Store.prepare has checked.
func (h *host) open(ctx context.Context) error {
	path := filepath.Join(h.folder, watermarkName)
	marks, err := readWatermark(path, h.id)
	if err != nil {
		return err
	}
	if err := breakSeal(h.folder); err != nil {
		return fmt.Errorf("%s cannot be removed: %w", filepath.Join(h.folder, sealName), err)
	}
	if h.watermark, err = openWatermark(path, marks); err != nil {
		return err
	}
	if h.embedded, err = startEmbedded(h.folder, true, h.logf); err != nil {
		return err
	}
	h.streams = map[string]jetstream.Stream{}
	for _, m := range marks {
		// The files are as NATS left them, so it finds what it had.
		stream, last, err := h.embedded.bounds(ctx, m.stream, m.mark)
		if err == nil && last != m.last {
			err = &flaw{m.stream, m.last + 1, "was not there when the folder was last checked or closed"}
		}
		if err != nil {
			return fmt.Errorf("%s: the streams are not as they were last checked: %w", h.folder, err)
		}
		h.streams[m.stream] = stream
	}
	return h.addStreams(ctx, path, marks)
}

// addStreams creates the streams that the folder does not have yet. Nothing is
// written to them before the watermark lists them.
func (h *host) addStreams(ctx context.Context, path string, marks []streamMark) (err error) {
	known := len(marks)
	for _, name := range streamNames {
		if h.streams[name] != nil {
			continue
		}
		if h.streams[name], err = h.embedded.createStream(ctx, name, 0); err != nil {
			return err
		}
		if last := h.streams[name].CachedInfo().State.LastSeq; last != 0 {
			return fmt.Errorf("%w: %s: does not know the stream %s, which holds %d records (restore the folder from a backup, or move it away to start anew)",
				ErrDamaged, path, name, last)
		}
		marks = append(marks, newMark(name))
	}
	if len(marks) == known {
		return nil
	}
	if err := syncTree(h.folder); err != nil { // NATS does not sync the folders that it makes
		return err
	}
	if err := h.watermark.close(); err != nil {
		return err
	}
	if err := writeWatermark(path, h.id, marks); err != nil {
		return err
	}
	h.watermark, err = openWatermark(path, marks) // both pages of a stream are the same, so either may be written next
	return err
}

// restart runs NATS again on the folder that it was just stopped on. Every record is
// read in place, because there may be no room for a copy: often a full disk is what
// stopped it.
func (h *host) restart(ctx context.Context) (err error) {
	if h.embedded, err = startEmbedded(h.folder, true, h.logf); err != nil {
		return err
	}
	for name := range h.streams {
		stream, last, err := h.embedded.bounds(ctx, name, h.watermark.get(name))
		if err == nil {
			_, err = h.embedded.check(ctx, origin{h.id, name}, h.watermark.get(name))
		}
		var wrong *flaw
		if errors.As(err, &wrong) {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if err != nil {
			return err
		}
		if err := syncTree(streamFolder(h.folder, name)); err != nil { // what was found counts from now on
			return err
		}
		if err := h.watermark.reached(name, last); err != nil {
			return err
		}
		h.streams[name] = stream
	}
	return nil
}

// use calls do; NATS keeps running meanwhile.
func (h *host) use(stream string, do func(e *embedded, s jetstream.Stream) error) error {
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

// ready checks that NATS can be written to, and starts it if it is not running.
func (h *host) ready(ctx context.Context) error {
	h.mu.RLock()
	running, closed, pause := h.embedded != nil, h.closed, time.Until(h.resume)
	h.mu.RUnlock()
	switch {
	case closed:
		return ErrClosed
	case pause > 0:
		return fmt.Errorf("the disk has just failed; the next attempt is in %v", pause.Round(time.Millisecond))
	case running:
		return nil
	}
	return h.exchange(ctx, nil)
}

// exchange stops NATS, reads from the files what was kept, and starts it again,
// unless another caller has done so since failed was in use. Cancelling ctx has no
// effect: it belongs to one caller, but all of them need NATS.
func (h *host) exchange(ctx context.Context, failed *embedded) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restartTimeout)
	defer cancel()
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
	if err := h.restart(ctx); err != nil {
		h.stopQuietly()
		return fmt.Errorf("%w: %w", errNotRunning, err)
	}
	h.logf("store: running again after a failed write")
	return nil
}

// stopQuietly stops NATS if it is running.
func (h *host) stopQuietly() {
	if h.embedded != nil {
		h.embedded.stop()
		h.embedded = nil
	}
}

// stop closes the host. It waits for running calls.
func (h *host) stop() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	healthy := h.embedded != nil && h.embedded.log.diskFailed() == nil
	h.stopQuietly()
	err := h.watermark.close()
	if healthy && err == nil {
		err = writeSeal(h.folder, h.id)
	}
	return err
}

// mark is how far a stream reaches.
func (h *host) mark(stream string) mark {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.watermark.get(stream)
}
