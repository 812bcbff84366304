package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"squelch/server/filelock"
)

// A folder that was not closed cleanly is never opened as it is: NATS heals
// what it cannot read by dropping it. It is copied to store.next, NATS opens the
// copy, and every record in it is read and held against the watermark. If
// all are there, the copy is sealed as by a clean stop and takes the place of
// the store by two renames:
//
//	store → store.before, store.next → store, remove store.before
//
// Else the copy is removed, and the store was never written to.

// natsIndex is the name of NATS's index of a stream's files. When it is missing, NATS
// rebuilds it: it then reads every record and checks it. With an index NATS trusts
// what it reads, and a flipped bit in a sequence number makes it fill a gap of
// billions. So the index is not copied. If NATS ever renames it, copies are only less
// well guarded against that.
const natsIndex = "index.db"

func isIndex(entry fs.DirEntry) bool { return entry.Name() == natsIndex }

// settle removes what an interrupted start has left beside the store. Between the two
// renames there is no store; then store.before is put back.
func (s *Store) settle() error {
	_, err := os.Lstat(s.path())
	_, beforeErr := os.Lstat(s.beside(beforeName))
	if errors.Is(err, fs.ErrNotExist) && beforeErr == nil {
		if err := os.Rename(s.beside(beforeName), s.path()); err != nil {
			return fmt.Errorf("an interrupted start cannot be undone: %w", err)
		}
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == nextName, name == beforeName, name == sourceName, strings.HasPrefix(name, lookName):
			if err := os.RemoveAll(s.beside(name)); err != nil {
				return fmt.Errorf("the leftovers of an interrupted start cannot be removed: %w", err)
			}
		}
	}
	s.settleTemporary()
	return nil
}

// temporaryName is the name, or its beginning, of a copy of the data folder id in the
// folder for temporary files. The copy has secrets in it: the name lets the next
// start find what a killed process has left.
func temporaryName(id string) string { return "squelch-check-" + id }

// settleTemporary removes such copies. One that cannot be removed, because it belongs
// to another user, is no reason to keep a radio off the air.
func (s *Store) settleTemporary() {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return // nothing can have been left where nothing can be read
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), temporaryName(s.host.id)) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(os.TempDir(), entry.Name())); err != nil {
			s.logf("warning: an interrupted check has left a copy of the data folder, which cannot be removed: %v", err)
		}
	}
}

// recover checks the store on a copy and puts the copy in its place.
func (s *Store) recover(ctx context.Context, m marker, marks []streamMark) (err error) {
	const why = "was not closed cleanly and is checked on a copy, on the same disk or in the folder for temporary files"
	need, err := s.room(1, why)
	if errors.Is(err, ErrNoRoom) {
		return s.recoverInPlace(ctx, m, marks, need, err)
	}
	if err != nil {
		return err
	}
	next := s.beside(nextName)
	defer func() { err = errors.Join(err, os.RemoveAll(next)) }()
	if err := copyTree(s.path(), next, isIndex); err != nil {
		return s.outOfRoom(err, need, why)
	}
	if marks, err = s.checkCopy(ctx, next, m.ID, marks); err != nil {
		return s.outOfRoom(err, need, why)
	}
	if err := s.finish(next, m, marks); err != nil {
		return s.outOfRoom(err, need, why)
	}
	s.logf("store: the last stop was not clean; every acknowledged record is intact")
	return nil
}

// recoverInPlace is for a full disk, which must not keep the radio off the air: the
// copy goes to the folder for temporary files, and when NATS has shown on it that
// nothing is lost, the store is opened where it is. tooFull is the error if there is
// no room for that either.
func (s *Store) recoverInPlace(ctx context.Context, m marker, marks []streamMark, need int64, tooFull error) (err error) {
	if askRoom(os.TempDir(), need, "", s.free) != nil {
		return tooFull
	}
	folder := filepath.Join(os.TempDir(), temporaryName(m.ID)) // settle has removed an earlier one
	if err := os.Mkdir(folder, folderMode); err != nil {
		return errors.Join(tooFull, err)
	}
	defer func() {
		if isFull(err) { // no room for the copy after all
			err = errors.Join(tooFull, err)
		}
		err = errors.Join(err, os.RemoveAll(folder))
	}()
	copied := filepath.Join(folder, storeName)
	if err := copyTree(s.path(), copied, isIndex); err != nil {
		return err
	}
	found, err := s.checkCopy(ctx, copied, m.ID, marks)
	if err != nil {
		return err
	}
	for _, file := range filesBelow(s.path()) { // so that NATS finds here what it found in the copy
		if filepath.Base(file) == natsIndex {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	if err := syncTree(s.path()); err != nil {
		return err
	}
	w, err := openWatermark(s.path(watermarkName), marks)
	if err != nil {
		return err
	}
	for _, m := range found {
		err = errors.Join(err, w.reached(m.stream, m.last))
	}
	if err := errors.Join(err, w.close()); err != nil {
		return err
	}
	s.logf("store: the last stop was not clean, and the disk has no room for a copy, so a copy in %s was checked; every acknowledged record is intact", os.TempDir())
	return nil
}

// checkCopy reads every record of the copy and returns how far the streams
// reach; that may be further than the marks say.
func (s *Store) checkCopy(ctx context.Context, copied, id string, marks []streamMark) ([]streamMark, error) {
	nats, err := startEmbedded(copied, false, s.logf)
	if err != nil {
		return nil, err
	}
	defer nats.stop()
	found := make([]streamMark, len(marks))
	for i, m := range marks {
		last, err := nats.check(ctx, origin{id, m.stream}, m.mark)
		if err != nil {
			return nil, refusal(err, s.path(), copied, nats.log.complaints())
		}
		found[i] = m
		found[i].last = last
	}
	return found, nil
}

// finish seals a checked folder and makes it the store.
func (s *Store) finish(next string, m marker, marks []streamMark) error {
	if err := writeWatermark(filepath.Join(next, watermarkName), m.ID, marks); err != nil {
		return err
	}
	if err := writeSeal(next, m.ID); err != nil {
		return err
	}
	if err := syncTree(next); err != nil {
		return err
	}
	if !m.current() { // from here on earlier programs cannot read it
		m.Format = formatVersion
		if err := writeMarker(s.dir, m); err != nil {
			return err
		}
	}
	if err := os.Rename(s.path(), s.beside(beforeName)); err != nil {
		return fmt.Errorf("the checked copy cannot take the place of the store: %w", err)
	}
	if err := os.Rename(next, s.path()); err != nil {
		return errors.Join(fmt.Errorf("the checked copy cannot take the place of the store: %w", err),
			os.Rename(s.beside(beforeName), s.path()))
	}
	if err := filelock.SyncFolder(s.dir); err != nil {
		return err
	}
	return os.RemoveAll(s.beside(beforeName))
}

// room returns how many bytes copies of the store need, and an error if there is no
// room for them.
func (s *Store) room(copies int64, why string) (need int64, err error) {
	size, err := treeSize(s.path())
	if err != nil {
		return 0, err
	}
	need = copies*size + copySlack
	return need, askRoom(s.dir, need, why, s.free)
}

// outOfRoom adds what to do to the error of a disk that has become full meanwhile.
func (s *Store) outOfRoom(err error, need int64, why string) error {
	if isFull(err) {
		return errors.Join(noRoom(s.dir, need, "less is free", why), err)
	}
	return err
}

// isFull says whether an error means that a disk takes no more.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// beside is the path of a file or folder of the data folder.
func (s *Store) beside(name string) string { return filepath.Join(s.dir, name) }
