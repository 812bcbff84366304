package panel

import (
	"errors"
	"io/fs"
)

// Core is the core as WebAssembly, of the panel's simulation, for programs that need a
// simulated radio.
func Core() ([]byte, error) {
	names, err := fs.Glob(dist, "dist/assets/core-*.wasm")
	if err != nil {
		return nil, err
	}
	if len(names) != 1 {
		return nil, errors.New(`this program was built without the panel and its core.wasm: run "just panel", then build it again`)
	}
	return dist.ReadFile(names[0])
}
