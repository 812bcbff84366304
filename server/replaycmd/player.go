package replaycmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/wasm/host"
)

// player is a radio that plays steps.
type player interface {
	do(o wire.Order) (refused bool, err error)
	hashes() (state, config string, err error)
	close()
}

func newPlayer(ctx context.Context, module string, start wire.Start) (player, error) {
	if module == "" {
		state, err := core.Restore(start.Config, start.Data)
		return native{state}, err
	}
	return newForeign(ctx, module, start)
}

// native is the core of this program.
type native struct{ state *core.State }

func (n native) do(o wire.Order) (bool, error) {
	if o.Command == nil {
		n.state.Tick(time.UnixMilli(o.At))
		return false, nil
	}
	_, refused := n.state.Step(time.UnixMilli(o.At), o.By, o.Command)
	return refused != nil, nil
}

func (n native) hashes() (state, config string, err error) {
	if state, err = wire.Hash(n.state.Snapshot()); err != nil {
		return "", "", err
	}
	config, err = wire.HashConfig(*n.state.View().Config())
	return state, config, err
}

func (native) close() {}

// foreign is core.wasm under wazero.
type foreign struct {
	ctx      context.Context
	core     *host.Core
	instance *host.Instance
}

func newForeign(ctx context.Context, path string, start wire.Start) (player, error) {
	module, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(`%s does not exist: build it with "just wasm", or give its path with --wasm=FILE`, path)
	}
	if err != nil {
		return nil, err
	}
	f := &foreign{ctx: ctx}
	if f.core, err = host.Compile(ctx, module, host.Options{Cache: cacheFolder()}); err != nil {
		return nil, err
	}
	if f.instance, err = f.core.Open(ctx); err == nil {
		err = f.instance.New(ctx, start, false)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// cacheFolder is where machine code is kept between runs; "" if there is no such
// folder.
func cacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "squelch", "wasm")
}

func (f *foreign) do(o wire.Order) (bool, error) {
	a, err := f.instance.Do(f.ctx, o)
	return a.Error != nil, err
}

func (f *foreign) hashes() (state, config string, err error) {
	h, err := f.instance.Hashes(f.ctx)
	return h.State, h.Config, err
}

func (f *foreign) close() { _ = f.core.Close(context.WithoutCancel(f.ctx)) }
