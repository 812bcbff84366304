// Package script runs the operator's scripts inside the service: Config.scripts. Each is
// a resource of its own, with its own Lua state and goroutine (server/lua/cfx), and sees
// the radio as scripts of a game server do: through exports['radio'], whose functions
// are those of the game's resource over another source, and through events.
//
// Whatever a script does, it harms only itself: the radio does not wait for it, and a
// script that exceeds a limit is stopped and started again, later each time.
package script

import "time"

// Limits, all of this project. Those of the Lua state are package cfx's.
const (
	// maxScripts in one service.
	maxScripts = 64
	// maxFiles of one script, imports included; maxEntries: what globs look at.
	maxFiles, maxEntries = 256, 10_000
	// maxResourceFile: bytes that LoadResourceFile reads.
	maxResourceFile = 1 << 20
	// manifestTime: running a fxmanifest.lua, which only names things.
	manifestTime = time.Second
	// firstPause, longestPause: before a script that was stopped starts again; the pause
	// doubles each time, and begins anew after a run of calmTime.
	firstPause, longestPause, calmTime = time.Second, 2 * time.Minute, 5 * time.Minute
	// startTime: how long a script's start keeps those after it waiting. It is more than
	// cfx lets a file run, its pauses included, while no other script runs on and on.
	startTime = 15 * time.Second
	// stopTime: how long a script may take to handle onResourceStop.
	stopTime = 2 * time.Second
	// actsPerSecond, actBurst: changes that one script may make. More wait.
	actsPerSecond, actBurst = 200, 400
	// actTime: one change, the disk included.
	actTime = 10 * time.Second
	// viewTime: one look at the radio, which takes microseconds.
	viewTime = 5 * time.Second
	// sendsPerSecond, sendBurst: TriggerClientEvent of one script; more are errors.
	sendsPerSecond, sendBurst = 100, 500
	// maxPayload: bytes of JSON of one client event.
	maxPayload = 64 << 10
	// linesPerSecond, lineBurst: printed lines of one script; more are counted only.
	linesPerSecond, lineBurst = 20, 100
	// maxLine: bytes of one printed line.
	maxLine = 2000
	// maxReports: different errors of one script that are logged, each once.
	maxReports = 100
	// maxSteps: steps of the radio that wait to become events.
	maxSteps = 4096
	// maxCommands that one script may register.
	maxCommands = 500
)
