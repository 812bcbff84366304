// Package host runs the WebAssembly build of the core (package wasm) under
// wazero, in pure Go: for parity tests, replay, and whoever needs a simulated
// radio that is fenced off. A command costs some ten times what it costs
// natively, so the service itself never runs this.
package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// memoryPages bounds the memory of one instance, in pages of 64 KiB: 512 MiB.
// A full radio (4096 users) needs less than 100 MiB.
const memoryPages = 8192

// Core is the compiled module. Instances of it share the machine code. It may
// be used by several goroutines.
type Core struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	module  wazero.CompiledModule
}

// Options of Compile.
type Options struct {
	// Cache is a folder where machine code is kept for the next Compile of the
	// same bytes: seconds become milliseconds. "": nothing is kept.
	Cache string
	// Interruptible lets the end of a call's context stop the call, for code
	// that is not trusted. Every command then costs twice as much.
	Interruptible bool
}

// Compile makes machine code of core.wasm.
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

// Open starts an instance: a memory of its own with no radio in it yet. Its
// clock and its randomness are wazero's fixed ones, so that every run is the
// same.
func (c *Core) Open(ctx context.Context) (*Instance, error) {
	m, err := c.runtime.InstantiateModule(ctx, c.module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("core.wasm does not start: %w", err)
	}
	return newInstance(m), nil
}
