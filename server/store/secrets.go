package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// readTries is how often the files are read anew when a service that runs has
// changed them meanwhile.
const readTries = 5

// ReadSecrets reads what [Store.Secrets] holds from the files of a data folder,
// while a service may be using it. It takes no lock and changes nothing.
func ReadSecrets(dir string) (values map[string][]byte, err error) {
	m, found, err := readMarker(dir)
	switch {
	case err != nil:
		return nil, err
	case !found || m.State != stateReady:
		return nil, foreign(dir, "holds no data yet: start the service once")
	}
	h := &host{folder: filepath.Join(dir, storeName), id: m.ID}
	for range readTries {
		if values, err = h.readBucket(streamSecrets); err == nil {
			return values, nil
		}
	}
	return nil, err
}

// readBucket reads a bucket from its files.
func (h *host) readBucket(stream int) (map[string][]byte, error) {
	slots, err := readMarks(filepath.Join(h.folder, marksName), h.id, len(streamNames))
	if err != nil {
		return nil, err
	}
	b := &Bucket{values: map[string][]byte{}}
	var wrong error
	apply := func(sequence uint64, message []byte) {
		var c change
		if sequence < slots[stream].floor {
			return
		}
		if err := json.Unmarshal(message, &c); err != nil || c.Version != 1 {
			wrong = fmt.Errorf("record %d of %s is not understood: %w", sequence, streamNames[stream], errors.Join(ErrForeign, err))
		}
		b.apply(c)
	}
	messages := filepath.Join(h.streamPath(stream), "msgs")
	numbers, err := blockNumbers(messages)
	if err != nil {
		return nil, err
	}
	var seen span
	for i, number := range numbers {
		path := filepath.Join(messages, strconv.Itoa(number)+".blk")
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, damaged(path, "cannot be read: %v", err)
		}
		offset, err := scanBlock(data, streamNames[stream], number, &seen, apply)
		if errors.Is(err, errTorn) && i == len(numbers)-1 && seen.last >= slots[stream].last {
			err = nil // the service is writing just now
		}
		if err != nil {
			return nil, damaged(path, "byte %d: %v", offset, err)
		}
	}
	return b.values, wrong
}
