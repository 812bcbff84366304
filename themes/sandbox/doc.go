// Package sandbox runs a theme's script without a browser: the panel's own state,
// actions, push-to-talk and theme API on a simulated radio (core.wasm), in a JavaScript
// engine in Go with a small DOM, in time that does not pass by itself. The same theme
// gives the same transcript each time, and the same one in a browser.
//
// A script may run for ever, and eat memory, in ways that the engine cannot stop. So it
// runs in a process of its own (Serve), which Run starts, watches and ends.
package sandbox

import (
	"embed"
	"errors"
	"io/fs"
	"time"
)

// Limits of a run.
const (
	// DefaultTime is ten times what the standard scenario takes on a slow machine.
	DefaultTime = 20 * time.Second
	// MaxTime is the longest limit that can be asked for.
	MaxTime = 10 * time.Minute

	// startTime is how long the process may take until the radio is there: the first
	// time, core.wasm is compiled, which takes seconds.
	startTime = 2 * time.Minute
	// softTime is the part of the time after which the engine is asked to stop, so that
	// it can say where it was. What does not stop is killed at the end of the time.
	softTime = 0.9

	maxMemory    = 512 << 20             // bytes of the whole process; the standard scenario needs 150 MB
	watchEvery   = 10 * time.Millisecond // how often that is looked at
	maxDepth     = 2_000                 // JavaScript calls in each other; browsers allow about 10,000
	maxLine      = 256 << 10             // bytes of one line of the process
	maxOutput    = 16 << 20              // bytes of all of them: three times the largest transcript
	maxComplaint = 4 << 10               // bytes that are kept of what it writes to stderr
)

// dist is what the panel's build has made. Only the placeholder is committed, so that a
// fresh clone builds without Node.
//
//go:embed all:dist
var dist embed.FS

// errNotBuilt is for a program that was built without the panel.
var errNotBuilt = errors.New(`this program was built without the sandbox of themes: run "just panel", then build it again`)

// bundle is the script that runs themes.
func bundle() (string, error) {
	b, err := dist.ReadFile("dist/sandbox.js")
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNotBuilt
	}
	return string(b), err
}
