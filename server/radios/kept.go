package radios

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"squelch/server/cluster/keep"
	"squelch/server/cluster/mesh"
	"squelch/server/radio"
)

// storeFolder is where what is kept of the other radios is. No radio can have this name.
const storeFolder = "_store"

// kept is what is kept of all radios but the default one: by one NATS that starts with the
// first of them, or by the cluster of the host.
type kept struct {
	folder string
	logf   func(format string, args ...any)

	mu   sync.Mutex
	nats *mesh.Mesh
	keep *keep.Keep
}

// of is the storage of a radio.
func (k *kept) of(ctx context.Context, name string, timeline int) (*radio.Storage, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keep == nil {
		if err := k.open(ctx); err != nil {
			return nil, fmt.Errorf("what is kept of the radios of this host cannot be opened: %w", err)
		}
	}
	one, err := k.keep.Radio(ctx, name, timeline)
	if err != nil {
		return nil, fmt.Errorf("what is kept of the radio cannot be read: %w", err)
	}
	return radio.OnKeep(one), nil
}

func (k *kept) open(ctx context.Context) (err error) {
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return err
	}
	if k.nats, err = mesh.Alone(k.folder, k.logf); err != nil {
		return err
	}
	if k.keep, err = keep.Open(ctx, k.nats.Log, k.nats.Stream, 1, k.logf); err != nil {
		k.nats.Close()
		k.nats = nil
	}
	return err
}

func (k *kept) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.nats != nil { // what a cluster keeps is the cluster's
		k.keep.Close()
		k.nats.Close()
		k.keep, k.nats = nil, nil
	}
}

// Look opens what is kept of a radio in a data folder whose service is stopped and whose lock
// the caller has.
func Look(ctx context.Context, data, name string, logf func(format string, args ...any)) (s *radio.Storage, done func(), err error) {
	if err := known(data, name); err != nil {
		return nil, nil, err
	}
	k := &kept{folder: filepath.Join(data, Folder, storeFolder), logf: logf}
	if s, err = k.of(ctx, name, 0); err != nil {
		k.close()
		return nil, nil, err
	}
	return s, k.close, nil
}

// known says which radios a data folder has, if it has not the one of a name.
func known(data, name string) error {
	entries, err := os.ReadDir(filepath.Join(data, Folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.Name() == name && name != storeFolder {
			return nil
		}
		if e.IsDir() && e.Name() != storeFolder {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("--radio: %s has no radios but the default one", data)
	}
	return fmt.Errorf("--radio: there is no radio %s in %s; there are %s", name, data, strings.Join(names, ", "))
}

// copyTries is how often the files are copied to read the secrets, if a copy cannot be read,
// because the service has written meanwhile.
const copyTries = 5

// ReadSecrets reads the generated secrets of a radio on a copy, because the service may be
// running.
func ReadSecrets(ctx context.Context, data, name string) (values map[string][]byte, err error) {
	if err := known(data, name); err != nil {
		return nil, err
	}
	for range copyTries {
		if values, err = readCopy(ctx, data, name); err == nil {
			break
		}
	}
	return values, err
}

func readCopy(ctx context.Context, data, name string) (values map[string][]byte, err error) {
	folder, err := os.MkdirTemp("", "squelch-look-") // 0700
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	k := &kept{folder: filepath.Join(folder, storeFolder), logf: func(string, ...any) {}}
	if err := os.CopyFS(k.folder, os.DirFS(filepath.Join(data, Folder, storeFolder))); err != nil {
		return nil, err
	}
	defer k.close()
	s, err := k.of(ctx, name, 0)
	if err != nil {
		return nil, err
	}
	return s.Secrets.All(), nil
}
