// Package logs writes the service's log: one line for each thing that happened, as text
// or JSON, at one of six levels. Whoever logs never waits: lines go through a bounded
// queue to a goroutine that writes them, so that a pipe that nobody reads stops nothing.
// The newest lines are also kept in memory, for the administration.
package logs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
)

// Limits of the log.
const (
	// maxMessage is how many bytes of a message are written: the stack of a panic.
	maxMessage = 16 << 10
	// maxValue is how many bytes of a value are written: three times the longest name.
	maxValue = 512
	// perSecond and burst bound the lines: whoever floods the service floods neither the
	// disk nor the page. What is left out is counted and said. 500 players who come at
	// once make 1500 lines.
	perSecond, burst = 500, 3000
	// waiting is how many lines may wait for whoever reads them.
	waiting = 2048
	// keptLines is how many lines the administration can see, in at most 2 MB;
	// keptMessage how many bytes of each message.
	keptLines, keptMessage = 1000, 1024
	// radioLines is how many lines of one radio its own administration can see, where a host
	// has several.
	radioLines = 250
	// closeTime is how long the last lines may take when the service ends.
	closeTime = time.Second
)

// Format is the form of the lines.
type Format string

const (
	Text Format = "text" // key=value, for people and for logfmt
	JSON Format = "json" // an object per line, for programs
)

// ParseFormat reads a format.
func ParseFormat(text string) (Format, error) {
	switch f := Format(text); f {
	case Text, JSON:
		return f, nil
	}
	return "", fmt.Errorf("%q is no form of the log: it is text or json", text)
}

// Options of New.
type Options struct {
	Level  int    // Error … Verbose
	Format Format // "": Text
	Out    io.Writer
	// Timeless leaves the time out, because whoever reads the lines notes it: systemd's
	// journal does.
	Timeless bool
	Now      func() time.Time // nil: time.Now
}

// Log is the log of a service. Its methods may be called from any goroutine.
type Log struct {
	*slog.Logger
	level *slog.LevelVar
	out   *queue
	kept  *kept
	of    *Log // the host's, of which this is a radio's part; nil: it is the host's
}

// New starts a log. Close ends it.
func New(o Options) *Log {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Log{kept: &kept{most: keptLines}, level: &slog.LevelVar{}}
	l.SetLevel(o.Level)
	form := func(out io.Writer) slog.Handler {
		options := &slog.HandlerOptions{Level: l.level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr { return shape(groups, a, o.Timeless) }}
		if o.Format == JSON {
			return slog.NewJSONHandler(out, options)
		}
		return slog.NewTextHandler(out, options)
	}
	direct := slog.New(form(o.Out))
	l.out = newQueue(o.Out, func(lost uint64) {
		direct.Error("lines of the log were left out, because there were too many in a second or nobody read them", "lines", lost, "mostPerSecond", perSecond)
	}, o.Now)
	l.Logger = slog.New(&handler{writes: form(l.out), log: l})
	return l
}

// Of is the part of one radio of the host: its lines name the radio, and only they are kept
// for its administration. They are among the host's too. Closing it closes nothing.
func (l *Log) Of(radio string) *Log {
	part := &Log{level: l.level, out: l.out, kept: &kept{most: radioLines}, of: l}
	name := []slog.Attr{slog.String("radio", radio)}
	part.Logger = slog.New(&handler{writes: l.Logger.Handler().(*handler).writes.WithAttrs(name), log: part, with: name})
	return part
}

// SetLevel changes from which level on lines are written.
func (l *Log) SetLevel(level int) { l.level.Set(Slog(level)) }

// Level is the level up to which lines are written.
func (l *Log) Level() int { return of(l.level.Level()) }

// Counts returns how many lines of each level there were since the start, and how many
// of all were not written.
func (l *Log) Counts() (byLevel [Verbose + 1]uint64, lost uint64) {
	return l.kept.counts(), l.out.lost.Load()
}

// Close writes what waits, for at most a second.
func (l *Log) Close() {
	if l.of == nil {
		l.out.close(closeTime)
	}
}

// shape gives levels their names and bounds what a client can make long.
func shape(groups []string, a slog.Attr, timeless bool) slog.Attr {
	if len(groups) == 0 {
		switch a.Key {
		case slog.TimeKey:
			if timeless {
				return slog.Attr{}
			}
			return slog.String(slog.TimeKey, a.Value.Time().Format("2006-01-02T15:04:05.000Z07:00"))
		case slog.LevelKey:
			if level, ok := a.Value.Any().(slog.Level); ok {
				return slog.String(slog.LevelKey, names[of(level)])
			}
		case slog.MessageKey:
			return slog.String(slog.MessageKey, cut(a.Value.String(), maxMessage))
		}
	}
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(cut(a.Value.String(), maxValue))
	}
	return a
}

// cut shortens a text to some bytes, at the start of a letter.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// handler writes a line and keeps it.
type handler struct {
	writes slog.Handler
	log    *Log
	with   []slog.Attr
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.log.level.Level() }

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if !h.log.out.allow() {
		for l := h.log; l != nil; l = l.of {
			l.kept.count(of(r.Level))
		}
		return nil
	}
	for l := h.log; l != nil; l = l.of {
		l.kept.keep(r, h.with)
	}
	return h.writes.Handle(ctx, r)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{writes: h.writes.WithAttrs(attrs), log: h.log, with: append(h.with[:len(h.with):len(h.with)], attrs...)}
}

// WithGroup writes groups; what is kept for the administration has none.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{writes: h.writes.WithGroup(name), log: h.log, with: h.with}
}

// Printf is for packages that have something to say now and then, as a sentence. One
// that begins with "warning: " is a warning, whatever the level.
func Printf(l *slog.Logger, level int) func(format string, args ...any) {
	return func(format string, args ...any) {
		at, text := level, fmt.Sprintf(format, args...)
		if rest, ok := strings.CutPrefix(text, "warning: "); ok {
			at, text = Warn, rest
		}
		l.Log(context.Background(), Slog(at), text)
	}
}
