package radios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

// Look opens what is kept of the radios in a data folder whose service is stopped, or in a
// copy of it.
func Look(ctx context.Context, data string, logf func(format string, args ...any)) (open func(name string) (*radio.Storage, error), done func(), err error) {
	k := &kept{folder: filepath.Join(data, Folder, storeFolder), logf: logf}
	if _, err := os.Stat(k.folder); err != nil {
		return nil, nil, fmt.Errorf("there are no radios but the default one in %s", data)
	}
	return func(name string) (*radio.Storage, error) { return k.of(ctx, name, 0) }, k.close, nil
}
