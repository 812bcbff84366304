package mirror

import "time"

// Limits. The origin is this project.
const (
	// Every is how often a node copies what has changed into its data folder: so much is
	// missing there at most when all nodes are lost at once.
	Every = time.Minute
	// passTime bounds one copying, endTime the one at a clean stop.
	passTime = 30 * time.Minute
	endTime  = 5 * time.Second
	// SeedTime is how long the first nodes of a new cluster wait for the others, so that the
	// one whose data folder has the radio is among them.
	SeedTime = 20 * time.Second
	// openTime is how long a start tries again while the other nodes are not there.
	openTime = 5 * time.Minute
	// lookEvery is how often is looked at what the others say, and sayEvery how often is
	// logged what is waited for or how far a copy has come.
	lookEvery = 200 * time.Millisecond
	sayEvery  = 5 * time.Second
	// readRecords is how many records of a log are read at once, writeRecords and writeBytes
	// how much of them is written at once.
	readRecords  = 1024
	writeRecords = 800
	writeBytes   = 1 << 20
	// probeBytes must be free on the disk before anything is copied: a write that fails costs
	// a check of everything (server/store).
	probeBytes = 8 << 20
)
