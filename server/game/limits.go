package game

import "time"

// Limits of this package, all of this project.
const (
	// ringSize is how many changes are kept: eight seconds of a radio with 200 players at
	// 1,000 changes a second. Who falls further behind gets the whole state.
	ringSize = 8192
	// maxPollers is how many calls may wait for changes at once: one game server, the
	// calls that it has given up and whose end is not known here yet, and a test beside
	// it.
	maxPollers = 4
	// idleTime is how long the mirror goes on after the last call: twice the longest
	// wait, and the longest pause of a game server that backs off.
	idleTime = time.Minute
	// maxSteps is how many steps of the radio may wait for the mirror: half a second of a
	// busy radio. Then it starts anew.
	maxSteps = 4096
	// maxVerdicts bounds the verdicts that are remembered, which are one for each
	// combination of NAC id and grants. Each takes some hundred bytes.
	maxVerdicts = 4096
	// maxClasses bounds the classes of the mirror; beyond them it starts anew, without
	// those that nobody is in any more.
	maxClasses = 2048
	// smallState is the size in bytes below which changes are sent, however small the
	// whole state is.
	smallState = 16 << 10

	// keepAnswers is how long a request's answer is kept for its repetition.
	keepAnswers = time.Minute
	// maxAnswers is how many answers are kept for one caller; the oldest ones go first.
	// Repetitions come within seconds.
	maxAnswers = 16384
	// maxCallers is how many callers have answers: each API key that there may be, and
	// the master token.
	maxCallers = 257
)
