package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// readTries is how often the files are read again if a running service has changed
// them meanwhile.
const readTries = 5

// ReadSecrets reads what [Store.Secrets] holds from the files of a data folder, even
// while a service is using it. It takes no lock. It makes a copy in the folder or,
// where that is not writable, in the folder for temporary files, and removes it
// again.
func ReadSecrets(dir string) (values map[string][]byte, err error) {
	return readBeside(dir, dir, streamSecrets)
}

// ReadConfig reads what [Store.Config] holds, as ReadSecrets does.
func ReadConfig(dir string) (values map[string][]byte, err error) {
	return readBeside(dir, dir, streamConfig)
}

// readBeside reads a bucket, and first tries the folder beside for its copy.
func readBeside(dir, beside, stream string) (values map[string][]byte, err error) {
	m, found, err := readMarker(dir)
	switch {
	case err != nil:
		return nil, err
	case !found || m.State != stateReady:
		return nil, errNoData(dir)
	}
	for range readTries {
		values, err = readBucket(dir, m, beside, lookName, stream)
		if err != nil && !errors.Is(err, ErrDamaged) { // the disk may be full or read-only
			values, err = readBucket(dir, m, os.TempDir(), temporaryName(m.ID)+"-", stream)
		}
		if err == nil {
			return values, nil
		}
	}
	return nil, err
}

// readBucket copies only the one stream, because NATS needs write access to what it
// reads. The watermark is read first: what it knows is in the copy. The copy is made
// in the folder beside, for its owner only (0700); name begins its name.
func readBucket(dir string, m marker, beside, name, stream string) (values map[string][]byte, err error) {
	folder := filepath.Join(dir, storeName)
	old := isFormat1(folder, m)
	var marks []streamMark
	if old {
		marks, err = readMarks1(filepath.Join(folder, marks1Name), m.ID)
	} else {
		marks, err = readWatermark(filepath.Join(folder, watermarkName), m.ID)
	}
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(marks, func(mark streamMark) bool { return mark.stream == stream })
	if at < 0 {
		return map[string][]byte{}, nil
	}
	copied, err := os.MkdirTemp(beside, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copied)) }()
	others := func(entry fs.DirEntry) bool {
		return isIndex(entry) || entry.IsDir() && entry.Name() != stream && slices.Contains(streamNames, entry.Name())
	}
	if err := copyTree(folder, filepath.Join(copied, storeName), others); err != nil {
		return nil, err
	}
	nats, err := startEmbedded(filepath.Join(copied, storeName), false, func(string, ...any) {})
	if err != nil {
		return nil, err
	}
	defer nats.stop()
	b := &Bucket{values: map[string][]byte{}}
	from := origin{m.ID, stream}
	_, err = nats.readAll(context.Background(), stream, marks[at].mark, func(found message) error {
		record := found.data
		if !old {
			if record, _, err = from.unpack(found.number, found.data); err != nil {
				return err
			}
		}
		c, err := readChange(record)
		if err == nil {
			b.apply(c)
		}
		return err
	})
	if err != nil {
		return nil, refusal(err, folder, filepath.Join(copied, storeName), nats.log.complaints())
	}
	return b.values, nil
}
