package recordings

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"squelch/server/filelock"
)

// Delete removes recordings, and what the index says of them. It returns how many there
// were and their bytes. Bursts on the air are left alone. Who reads a recording reads on.
func (s *Shelf) Delete(ctx context.Context, ids ...string) (n int, bytes int64, err error) {
	var list []*record
	s.mu.RLock()
	for _, id := range ids {
		if k, ok := parseID(id); ok {
			if i, ok := s.find(k); ok {
				list = append(list, s.list[i])
			}
		}
	}
	s.mu.RUnlock()
	n, bytes, err = s.remove(ctx, list)
	if n > 0 {
		err = errors.Join(err, s.flushFolders(list), s.compact())
	}
	return n, bytes, err
}

// flushFolders makes the removal of these recordings' files survive the loss of power.
func (s *Shelf) flushFolders(list []*record) error {
	folders := map[string]bool{".": true}
	for _, r := range list {
		hour := r.key().folder()
		folders[hour], folders[path.Dir(hour)] = true, true
	}
	for name := range folders {
		folder := filepath.Join(s.dir, filepath.FromSlash(name))
		if err := filelock.SyncFolder(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return diskError(folder, err)
		}
	}
	return nil
}

// remove removes recordings; the index still has the lines that are outdated by that.
func (s *Shelf) remove(ctx context.Context, list []*record) (n int, bytes int64, err error) {
	for part := range slices.Chunk(list, pageOfWork) {
		if err := ctx.Err(); err != nil {
			return n, bytes, err
		}
		some, size, err := s.removeSome(part)
		n, bytes = n+some, bytes+size
		if err != nil {
			return n, bytes, err
		}
	}
	return n, bytes, nil
}

// removeSome removes the files first: a line without a file is dropped at the next start,
// but a file without a line would be entered again.
func (s *Shelf) removeSome(list []*record) (n int, bytes int64, err error) {
	gone, doomed := map[key]bool{}, map[key]bool{}
	for _, r := range list {
		busy, failed := s.removeFiles(r.key())
		if failed != nil {
			err = failed
			break
		}
		gone[r.key()] = true
		if busy {
			doomed[r.key()] = true
		}
	}
	s.disk.Lock()
	defer s.disk.Unlock()
	if s.closed {
		return 0, 0, ErrClosed
	}
	var text []byte
	out := func(r *record) bool {
		if !gone[r.key()] {
			return false
		}
		text = appendLine(text, textLine{Op: opDel, ID: r.key().id()})
		s.count(r, -1)
		n, bytes = n+1, bytes+r.size()
		return true
	}
	s.mu.Lock()
	for len(s.list) > 0 && out(s.list[0]) { // most often the oldest
		s.list[0] = nil
		s.list = s.list[1:]
	}
	if n < len(gone) {
		s.list = slices.DeleteFunc(s.list, out)
	}
	for k := range doomed {
		s.doomed[k] = struct{}{}
	}
	s.mu.Unlock()
	return n, bytes, errors.Join(err, s.note(indexing, s.index.write(text, true)))
}

// removeFiles removes what there is of a recording. Busy: somebody reads it, where that
// hinders removing.
func (s *Shelf) removeFiles(k key) (busy bool, err error) {
	for _, kind := range kinds {
		err := s.unlink(k.file(kind))
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist):
		case s.inUse(err):
			busy = true
		default:
			return busy, diskError(filepath.Join(s.dir, filepath.FromSlash(k.file(kind))), err)
		}
	}
	s.folders.Lock()
	s.removeFolders(k)
	s.folders.Unlock()
	return busy, nil
}

// finishDoomed removes the files that somebody has read until now.
func (s *Shelf) finishDoomed() {
	s.mu.RLock()
	list := make([]key, 0, len(s.doomed))
	for k := range s.doomed {
		list = append(list, k)
	}
	s.mu.RUnlock()
	for _, k := range list {
		if busy, err := s.removeFiles(k); !busy && err == nil {
			s.mu.Lock()
			delete(s.doomed, k)
			s.mu.Unlock()
		}
	}
}
