package logs

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Line is a line of the log as the administration sees it.
type Line struct {
	Seq     uint64 // from 1 on, without gaps
	At      time.Time
	Level   int
	Message string
	Fields  []Field
}

// Field is a value of a line.
type Field struct{ Name, Value string }

// kept are the newest lines.
type kept struct {
	counted [Verbose + 1]atomic.Uint64

	most  uint64 // lines
	mu    sync.Mutex
	lines []Line // a ring: the line Seq is at (Seq-1) % most
	last  uint64
}

func (k *kept) count(level int) { k.counted[level].Add(1) }

func (k *kept) counts() (n [Verbose + 1]uint64) {
	for level := range n {
		n[level] = k.counted[level].Load()
	}
	return n
}

func (k *kept) keep(r slog.Record, with []slog.Attr) {
	line := Line{At: r.Time, Level: of(r.Level), Message: cut(r.Message, keptMessage)}
	k.count(line.Level)
	add := func(a slog.Attr) bool {
		line.Fields = append(line.Fields, Field{a.Key, cut(a.Value.String(), maxValue)})
		return true
	}
	for _, a := range with {
		add(a)
	}
	r.Attrs(add)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	line.Seq = k.last
	if uint64(len(k.lines)) < k.most {
		k.lines = append(k.lines, line)
	} else {
		k.lines[(k.last-1)%k.most] = line
	}
}

// Recent returns the newest lines behind after and up to a level, at most limit of them,
// oldest first, and the number of the newest line of all. A limit of 0 or less: all that
// are kept.
func (l *Log) Recent(after uint64, level, limit int) (lines []Line, last uint64) {
	k := l.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	first := uint64(1)
	if k.last > k.most {
		first = k.last - k.most + 1
	}
	if after > k.last { // of an earlier start of the service
		after = 0
	}
	for seq := k.last; seq >= first && seq > after && (limit <= 0 || len(lines) < limit); seq-- {
		if line := k.lines[(seq-1)%k.most]; line.Level <= level {
			lines = append(lines, line)
		}
	}
	slices.Reverse(lines)
	return lines, k.last
}
