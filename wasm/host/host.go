// Package host runs the WebAssembly build of the core (package wasm) under wazero, in
// pure Go: for parity tests, replay, and programs that need a simulated radio in a
// sandbox. A command costs about ten times what it costs natively, so the service does
// not run its radio this way.
package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// memoryPages is the most memory of one instance, in pages of 64 KiB: 512 MiB. A full
// radio (4096 users) needs less than 100 MiB.
const memoryPages = 8192

// Core is the compiled module. Its instances share the machine code. Several goroutines
// may use it at once.
type Core struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	module  wazero.CompiledModule
}

// Options of Compile.
type Options struct {
	// Cache is a folder where machine code is kept for the next Compile of the
	// same bytes, which then takes milliseconds instead of seconds. "": none is
	// kept.
	Cache string
	// Interruptible makes a call stop when its context ends, for code that is not
	// trusted. Every command then costs twice as much.
	Interruptible bool
}

// Compile compiles core.wasm to machine code.
func Compile(ctx context.Context, wasm []byte, o Options) (_ *Core, err error) {
	c := &Core{}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("core.wasm cannot be used: %w", err), c.Close(ctx))
		}
	}()
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPages).WithCloseOnContextDone(o.Interruptible)
	if o.Cache != "" {
		if c.cache, err = wazero.NewCompilationCacheWithDir(o.Cache); err != nil {
			return c, err
		}
		config = config.WithCompilationCache(c.cache)
	}
	c.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, c.runtime); err != nil {
		return c, err
	}
	if c.module, err = c.runtime.CompileModule(ctx, wasm); err != nil {
		return c, err
	}
	for _, name := range []string{"_initialize", "room", "answer", "new", "apply", "command", "tick", "view", "snapshot", "hash"} {
		if _, there := c.module.ExportedFunctions()[name]; !there {
			return c, fmt.Errorf("it has no function %q", name)
		}
	}
	return c, nil
}

// Close ends all instances and frees the machine code.
func (c *Core) Close(ctx context.Context) error {
	var err error
	if c.runtime != nil {
		err = c.runtime.Close(ctx)
	}
	if c.cache != nil {
		err = errors.Join(err, c.cache.Close(ctx))
	}
	return err
}

// Open starts an instance: a memory of its own, without a radio yet. Its clock and
// random numbers are wazero's fixed ones, so that every run is the same.
func (c *Core) Open(ctx context.Context) (*Instance, error) {
	m, err := c.runtime.InstantiateModule(ctx, c.module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("core.wasm does not start: %w", err)
	}
	return newInstance(m), nil
}
