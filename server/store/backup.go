package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"squelch/server/filelock"
)

// Copy makes the new folder to from the data folder dir, with everything of this package in
// it, even while a service uses dir. Nothing is written to dir. Every record that was
// acknowledged before the call is in the copy: they are read and checked, and the copy is
// left as by a clean stop. Its last step is the marker, without which it is no data folder.
// Other packages' files are not copied.
func Copy(ctx context.Context, dir, to string) error {
	m, found, err := readMarker(dir)
	switch {
	case err != nil:
		return err
	case !found || m.State != stateReady:
		return errNoData(dir)
	case !m.current() || isFormat1(filepath.Join(dir, storeName), m):
		return foreign(dir, "is of an earlier format: start the service once, which brings it up to date")
	}
	size, err := treeSize(filepath.Join(dir, storeName))
	if err != nil && !errors.Is(err, ErrDamaged) { // a file may have gone meanwhile
		return err
	}
	parent := filepath.Dir(to)
	if have, err := filelock.FreeBytes(parent); err == nil && have < size+copySlack {
		return fmt.Errorf("%w: %s has %s free, and a copy of %s needs %s", ErrNoRoom, parent, megabytes(have), dir, megabytes(size+copySlack))
	}
	for range readTries { // a running service may remove old records meanwhile
		if err = copyChecked(ctx, dir, to, m); err == nil || !errors.Is(err, ErrDamaged) {
			return err
		}
	}
	return err
}

func copyChecked(ctx context.Context, dir, to string, m marker) (err error) {
	if err := os.Mkdir(to, folderMode); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(to))
		}
	}()
	// The watermark is read first: what it knows is in the copy.
	marks, err := readWatermark(filepath.Join(dir, storeName, watermarkName), m.ID)
	if err != nil {
		return err
	}
	for _, mark := range marks {
		if !slices.Contains(streamNames, mark.stream) {
			return foreign(dir, "holds the stream %q, which this program does not know: use a newer Squelch", mark.stream)
		}
	}
	copied := filepath.Join(to, storeName)
	left := func(entry fs.DirEntry) bool {
		return isIndex(entry) || entry.Name() == sealName || strings.HasSuffix(entry.Name(), ".tmp")
	}
	if err := copyTree(filepath.Join(dir, storeName), copied, left); err != nil {
		return err
	}
	s := &Store{dir: dir, logf: func(string, ...any) {}}
	if marks, err = s.checkCopy(ctx, copied, m.ID, marks); err != nil {
		return err
	}
	if err := writeWatermark(filepath.Join(copied, watermarkName), m.ID, marks); err != nil {
		return err
	}
	if err := writeSeal(copied, m.ID); err != nil {
		return err
	}
	if err := syncTree(to); err != nil {
		return err
	}
	return writeMarker(to, m)
}

// MarkerFile is the name of the file in a data folder without which it is none.
const MarkerFile = markerName

// Own says whether a file or folder at the top of a data folder is this package's, or a
// lock: Copy copies it, or it is of no use to anybody else.
func Own(name string) bool {
	return strings.HasPrefix(name, storeName) || strings.HasPrefix(name, "squelch.") || name == lostAndFound
}

// Vacant returns an error if something is in a folder, so that no data folder can be made
// of it. A folder that is missing is vacant.
func Vacant(dir string) error {
	_, found, err := readMarker(dir)
	if found {
		return foreign(dir, "is a data folder already: choose a folder that is empty, or move this one away")
	}
	return err
}

// Sealed returns an error if the store of a data folder is not as it was when it was
// sealed, by a clean stop or by Copy.
func Sealed(dir string) error {
	m, found, err := readMarker(dir)
	if err != nil {
		return err
	}
	if !found {
		return errNoData(dir)
	}
	clean, err := checkSeal(filepath.Join(dir, storeName), m.ID)
	if err == nil && !clean {
		err = damaged(filepath.Join(dir, storeName, sealName), "is missing")
	}
	return err
}
