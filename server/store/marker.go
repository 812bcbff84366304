package store

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"squelch/server/filelock"
)

const (
	markerName = "squelch.json"
	lockName   = "squelch.lock"
	storeName  = "store"
	nextName   = "store.next"   // a checked copy in the making
	beforeName = "store.before" // what the checked copy replaces
	sourceName = "store.source" // what is read while a folder of an earlier format is rewritten
	lookName   = "store.look-"  // begins the name of what ReadSecrets reads
	markerNote = "Data folder of Squelch. Do not edit or remove this file."
)

// States of the marker. A folder whose creation was interrupted says creating;
// it holds nothing yet, so the next start begins anew.
const (
	stateCreating = "creating"
	stateReady    = "ready"
)

type marker struct {
	Note   string `json:"note"`
	Format int    `json:"format"`
	ID     string `json:"id"`
	State  string `json:"state"`
}

// current tells whether the folder is of this program's format.
func (m marker) current() bool { return m.Format == formatVersion }

// readMarker reads the marker of the data folder dir. found is false when dir is
// missing or empty and may be made into one. It writes nothing.
func readMarker(dir string) (m marker, found bool, err error) {
	path := filepath.Join(dir, markerName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return marker{}, false, checkEmpty(dir)
	}
	if err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return marker{}, false, foreign(dir, "is a file; it must be a folder")
		}
		return marker{}, false, damaged(path, "cannot be read: %v", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return marker{}, false, damaged(path, "is not valid JSON: %v", err)
	}
	switch {
	case m.Format > formatVersion:
		return marker{}, false, foreign(path, "has format %d; this program knows formats up to %d: use a newer Squelch", m.Format, formatVersion)
	case m.Format < 1:
		return marker{}, false, damaged(path, "has format %d, which does not exist", m.Format)
	case len(m.ID) != 26:
		return marker{}, false, damaged(path, "has no valid id")
	case m.State != stateCreating && m.State != stateReady:
		return marker{}, false, damaged(path, "has the unknown state %q", m.State)
	case !bytes.Equal(data, m.encode()):
		return marker{}, false, damaged(path, "was changed by hand or garbled")
	}
	return m, true, nil
}

// lostAndFound is at the root of an ext4 file system; only the system reads it.
const lostAndFound = "lost+found"

// checkEmpty accepts a missing folder and one that holds nothing but what an
// interrupted first start or a file system leaves there.
func checkEmpty(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data folder %s cannot be read: %w", dir, err)
	}
	if !info.IsDir() {
		return foreign(dir, "is a file; it must be a folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("data folder %s cannot be read: %w", dir, err)
	}
	for _, entry := range entries {
		switch entry.Name() {
		case lockName, markerName + ".tmp", lostAndFound:
		default:
			return foreign(dir, "is not empty (it holds %q) and has no %s: choose an empty folder", entry.Name(), markerName)
		}
	}
	return nil
}

func newMarker() marker {
	return marker{Note: markerNote, Format: formatVersion, ID: rand.Text(), State: stateCreating}
}

func (m marker) encode() []byte {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // strings and a number always encode
	}
	return append(data, '\n')
}

func writeMarker(dir string, m marker) error {
	return writeFileDurably(filepath.Join(dir, markerName), m.encode())
}

// writeFileDurably replaces a file. After a crash it has either the old or the new
// contents, and the new ones once writeFileDurably has returned nil.
func writeFileDurably(path string, data []byte) error {
	temporary := path + ".tmp"
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return filelock.SyncFolder(filepath.Dir(path))
}
