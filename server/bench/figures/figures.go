// Package figures lets a benchmark ask a process for what only the process itself knows.
// The question is a line on its standard input, the answer a line of JSON on its standard
// output.
package figures

import (
	"bufio"
	"encoding/json"
	"io"
	"runtime"
	"runtime/debug"
)

// Question is the line that asks.
const Question = "figures"

// Figures are what a process says of itself. Memory that is free is given back to the
// system first, so that the system's figure for the process is what it needs.
type Figures struct {
	Goroutines int    `json:"goroutines"`
	Mallocs    uint64 `json:"mallocs"` // since the start
	Heap       uint64 `json:"heap"`    // bytes of live objects
	Stacks     uint64 `json:"stacks"`  // bytes
}

// Answer answers every question until the input ends.
func Answer(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	answers := json.NewEncoder(out)
	for lines.Scan() {
		if lines.Text() != Question {
			continue
		}
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if answers.Encode(Figures{runtime.NumGoroutine(), m.Mallocs, m.HeapAlloc, m.StackInuse}) != nil {
			return
		}
	}
}
