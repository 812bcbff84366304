// Package sandbox runs an operator's Lua (config files, small scripts) so that the
// worst it can do is fail: no files, no processes, no code loading, a deadline, and
// no operation that takes more than a bounded amount of memory at once. It also reads
// those Lua 5.4 spellings that game servers understand and gopher-lua (Lua 5.1) does
// not, if that is safe; otherwise it says what to write instead.
package sandbox

import (
	"fmt"
	"time"
)

// Bounds of the sandbox. Sizes are bytes unless said otherwise.
const (
	// MaxSource: the largest config file. Origin: 160 channels with comments are
	// about 60 KiB.
	MaxSource = 1 << 20
	// maxString: the longest string that an expression may make.
	maxString = 1 << 20
	// maxBrackets: open brackets at one place; real files have fewer than ten.
	maxBrackets = 200
	// maxDepth: nesting of the syntax tree, so that compiling cannot exhaust the
	// Go stack, which nothing can recover from.
	maxDepth = 1000
	// maxMatchDepth: nesting of one pattern match (Lua 5.1's own MAXCCALLS is 200).
	maxMatchDepth = 200
	// maxMatchSteps: steps of one pattern match, about a tenth of a second.
	maxMatchSteps = 10_000_000
	// maxArray: array indices from here on live in the hash part. gopher-lua
	// fills the gap below a new index with nils: t[60000000] = 1 would be 1 GB.
	maxArray = 1 << 16
	// maxWalk: tokens that are passed while += and the like are translated; with
	// functions inside functions, or long chains of operators, these could be the square
	// of the file's size.
	maxWalk = 4_000_000
	// maxDistinct: different names, numbers and texts of one file; the compiler's time is
	// the square of them. Real files have fewer than 3,000.
	maxDistinct = 20_000
	// callStack: Lua calls inside each other (gopher-lua's default is 256). Tail
	// calls count: see plainCalls.
	callStack = 200
	// maxCoroutines that one call may make: each takes 5 KB, and what it calls.
	maxCoroutines = 200
	// firstRegistry, registryStep, maxRegistry: values on the stack of one coroutine
	// (16 bytes each) at first, more each time, and at most (gopher-lua's default size).
	firstRegistry, registryStep, maxRegistry = 256, 256, 256 * 20
	// heapGrowth: what the process's heap may grow while a file is loaded, and
	// while one of its functions is called.
	heapGrowth = 256 << 20
	// heapPoll: how often the heap is measured, in milliseconds.
	heapPoll = 5
)

// Bounds of one call. Zero means the default: no time limit but the context's, and
// heapGrowth.
type Bounds struct {
	Time time.Duration
	Heap uint64 // what the process's heap may grow, bytes
}

// Error is a mistake in a Lua file. Line is 0 when it is not known.
type Error struct {
	File string
	Line int
	Msg  string
}

func (e *Error) Error() string {
	if e.Line <= 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}
