package radio

import (
	"context"
	"log/slog"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/engine"
	"squelch/server/logs"
)

// maxLogged is how many steps may wait for the log, whose own queue never blocks.
const maxLogged = 4096

// lockOuts are the actions of the audit log that end an address's guesses. Each is a
// warning: an address that goes on is refused without another line.
var lockOuts = map[string]bool{"login.lockedOut": true, "token.lockedOut": true, "admin.login.lockedOut": true}

// said is a line about somebody on the radio.
type said struct {
	level int
	text  string
	about []any // of slog
}

// activity logs who comes and goes, and at the finest level who talks.
func (r *Radio) activity() engine.Follower {
	return &engine.Queue[[]said]{Name: "log", Most: maxLogged,
		Prepare: func(s *engine.Step) ([]said, bool) {
			if !r.logs(logs.Debug) {
				return nil, false
			}
			var lines []said
			for _, e := range s.Output.Events {
				if line, is := activityOf(e, s.View); is && r.logs(line.level) {
					lines = append(lines, line)
				}
			}
			return lines, len(lines) > 0
		},
		Deliver: func(ctx context.Context, steps [][]said) error {
			for _, lines := range steps {
				for _, l := range lines {
					r.log.Log(ctx, logs.Slog(l.level), l.text, l.about...)
				}
			}
			return nil
		}}
}

func (r *Radio) logs(level int) bool { return r.log.Enabled(context.Background(), logs.Slog(level)) }

// activityOf is the line about an event, if there is one.
func activityOf(e core.Event, v core.View) (said, bool) {
	about := func(level int, text string, id core.UserID, more ...any) (said, bool) {
		line := []any{"user", id.String()}
		if u, on := v.User(id); on {
			line = append(line, "name", u.Name)
		}
		return said{level, text, append(line, more...)}, true
	}
	at := func(f core.Frequency) []any { return []any{"frequency", f.String()} }
	switch f := e.Fact.(type) {
	case core.UserConnected:
		return about(logs.Debug, "on the radio", f.User, "resumed", f.Resumed, "surface", string(e.By.Surface))
	case core.UserLeft:
		return said{logs.Debug, "off the radio", []any{"user", f.User.String(), "name", f.Name, "reason", f.Reason}}, true
	case core.LinkLost:
		return about(logs.Debug, "link lost", f.User)
	case core.SpeakerJoined:
		return about(logs.Debug, "joins", f.User, at(f.Frequency)...)
	case core.SpeakerLeft:
		return about(logs.Debug, "leaves", f.User, at(f.Frequency)...)
	case core.ListenerJoined:
		return about(logs.Debug, "listens", f.User, at(f.Frequency)...)
	case core.ListenerLeft:
		return about(logs.Debug, "no longer listens", f.User, at(f.Frequency)...)
	case core.FloorTaken:
		return about(logs.Verbose, "takes the floor", f.User, "frequency", f.Frequency.String(), "keyed", f.Keyed.String(), "override", f.Override)
	case core.FloorReleased:
		return about(logs.Verbose, "releases the floor", f.User, "frequency", f.Frequency.String(), "reason", f.Reason)
	case core.FloorDenied:
		return about(logs.Verbose, "is denied the floor", f.User, "frequency", f.Frequency.String(), "holder", f.Holder.String())
	}
	return said{}, false
}

// logEntry logs what the audit log is told by REST and the administration: logins, wrong
// logins, lock-outs and changes. The details may be long, so only some are in it.
func logEntry(log *slog.Logger, e audit.Entry) {
	level := logs.Debug
	if lockOuts[e.Action] {
		level = logs.Warn
	}
	line := []any{"surface", string(e.Surface)}
	if e.Actor.Name != "" {
		line = append(line, "by", e.Actor.Name)
	}
	if e.Frequency != "" {
		line = append(line, "frequency", e.Frequency)
	}
	if e.Target != "" {
		line = append(line, "target", e.Target)
	}
	for _, key := range []string{"address", "via"} {
		if text, is := e.Detail[key].(string); is {
			line = append(line, key, text)
		}
	}
	log.Log(context.Background(), logs.Slog(level), e.Action, line...)
}
