package logs

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

// The six levels of Config.logLevel. A line is written if its level is at most the
// configured one.
const (
	Error   = iota // something that the radio promised does not work
	Warn           // something will not work, or looks wrong: what an operator should see to
	Notice         // works again, starts, stops: rare, and worth a look
	Info           // the default: what happens to the service, such as a reload or a backup
	Debug          // who comes and goes: connects, logins, wrong logins, lock-outs, joins
	Verbose        // what they do: key-ups, commands
)

// Default is the level of a configuration that has none.
const Default = Info

var names = [...]string{"error", "warn", "notice", "info", "debug", "verbose"}

// levels are the same in slog, whose own four have the places that it gives them.
var levels = [...]slog.Level{slog.LevelError, slog.LevelWarn, slog.LevelInfo + 2, slog.LevelInfo, slog.LevelDebug, slog.LevelDebug - 4}

// Slog is a level of the configuration as slog knows it.
func Slog(level int) slog.Level { return levels[max(Error, min(level, Verbose))] }

// of is the level of the configuration of a level of slog.
func of(l slog.Level) int {
	for level, at := range levels {
		if l >= at {
			return level
		}
	}
	return Verbose
}

// Name is a level's name, in the log and in the administration.
func Name(level int) string { return names[max(Error, min(level, Verbose))] }

// ParseLevel reads a level as a number from 0 to 5 or by its name.
func ParseLevel(text string) (int, error) {
	for level, name := range names {
		if strings.EqualFold(text, name) || text == strconv.Itoa(level) {
			return level, nil
		}
	}
	return 0, fmt.Errorf("%q is no level of the log: it is a number from 0 to 5, or %s", text, strings.Join(names[:], ", "))
}
