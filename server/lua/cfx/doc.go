// Package cfx runs scripts as a game server runs its resources: threads that Wait,
// timers, promises, events, exports, json and vectors, in a bounded Lua state. The
// language is Lua 5.1 with the game's common spellings translated; the differences
// that a script can notice are in handbook/scripts.md.
//
// A Script is one resource: one Lua state, owned by one goroutine. Run owns it on the
// real clock; a test or a host with a loop of its own calls Tick and Serve instead.
// What a script may reach besides Lua is what its host gives it: Global, Builtin, and
// the functions of Options.
//
// Everything that leaves a script is copied, as the game's packer does it.
package cfx

import "time"

// Limits of one script. Those of a single operation (the longest string, the steps of
// a pattern) are package sandbox's. A script that exceeds loadTime, resumeTime,
// heapGrowth or maxHeld cannot go on: Run returns the error.
const (
	// loadTime: running a file for the first time. Real ones need about 5 ms.
	loadTime = 3 * time.Second
	// resumeTime: one run of a thread, handler or export, from Wait to Wait. The game
	// warns from 150 ms on, but its scripts share a thread; here only the script itself
	// waits.
	resumeTime = time.Second
	// heapGrowth: bytes that the process may grow in one run.
	heapGrowth = 256 << 20
	// maxHeld: bytes that a script may keep.
	maxHeld = 256 << 20
	// weighGrowth: bytes that the process's live heap must have grown by before scripts
	// are weighed again: weighing takes about a millisecond per megabyte.
	weighGrowth = 32 << 20
	// weighEvery: the shortest time between two looks at the heap.
	weighEvery = 2 * time.Second
	// guardPoll: how often a run's time and memory are looked at.
	guardPoll = 5 * time.Millisecond
	// longRun: a run that takes longer leaves the processors to others. It pauses after each
	// guardPoll, so that it takes 1/longShare of a processor, and all such runs of the process
	// together 1/longShare of all processors.
	longRun   = 4 * guardPoll
	longShare = 4
	// tick is the least time that Wait takes, as on a game server (50 frames a second).
	tick = 20 * time.Millisecond
	// share and credit: a script may be busy for this part of the time, and up to credit
	// at once; then it has to pause. Other scripts and the radio go on.
	share  = 0.5
	credit = 2 * time.Second
	// maxThreads that have begun and not ended. A framework has some hundreds.
	maxThreads = 2000
	// maxTimers: threads that wait, and SetTimeout.
	maxTimers = 10_000
	// maxHandlers of all events together.
	maxHandlers = 2000
	// maxNested: handlers and exports inside each other, also across scripts: each takes
	// some KB of Go's stack.
	maxNested = 50
	// maxPcalls: pcall inside pcall; Lua's own limit is 200 (LUAI_MAXCCALLS).
	maxPcalls = 150
	// maxQueue: jobs from outside (events, calls) that wait for the script.
	maxQueue = 4096
	// maxQueued: bytes of their arguments.
	maxQueued = 64 << 20
	// MaxName: bytes of the name of an event, export or command.
	MaxName = 256
	// callTime: how long a caller waits for another script's export to begin.
	callTime = 5 * time.Second
	// maxValues and maxBytes of one packed list of values.
	maxValues = 100_000
	maxBytes  = 4 << 20
	// maxDeep: tables inside tables when packed, and in JSON.
	maxDeep = 100
)
