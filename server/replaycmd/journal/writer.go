package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// Version of the format.
const Version = 1

// Limits of a Writer.
const (
	// maxWaiting bounds the steps that wait for the disk. A busy radio makes
	// some thousand a second, so a full queue is many seconds: the disk is
	// broken. A step waits in about 200 bytes.
	maxWaiting = 100_000
	// bufferBytes is how much is written at once.
	bufferBytes = 64 << 10
)

// Reasons why a journal ends before the service does.
var (
	errBehind = errors.New("the disk does not keep up")
	errNumber = errors.New("a command has a number that cannot be written")
)

type head struct {
	Squelch string     `json:"squelch"`
	Version int        `json:"version"`
	Build   string     `json:"build,omitempty"`
	Start   wire.Start `json:"start"`
}

// End is the last line of a whole journal.
type End struct {
	End    bool `json:"end"`
	Orders int  `json:"orders"`
	// Hashes of what the radio was in the end, without the dispatch login.
	State  string `json:"state"`  // wire.Hash
	Config string `json:"config"` // wire.HashConfig
}

// Writer writes a journal on a goroutine of its own. A write that fails, or
// a disk that does not keep up, ends the journal, never the radio.
type Writer struct {
	file  *os.File
	alias *alias
	logf  func(string, ...any)
	limit int

	mu      sync.Mutex
	waiting []step
	closed  bool
	failure error
	wake    chan struct{}
	gone    chan struct{}

	orders int // written; touched by the goroutine, and by Close after it
}

type step struct {
	order   wire.Order
	refused bool
}

// Create begins a journal in a new file, which only its owner may read. Nothing
// is ever written over: the journal of an earlier run is renamed to FILE.1, FILE.2
// and so on, any other file is an error. The dispatch login is not written:
// another name stands in its place. Problems later on go to logf, once.
func Create(path, build string, start wire.Start, logf func(string, ...any)) (*Writer, error) {
	hidden := newAlias(start.Config.DispatchNac)
	line, err := json.Marshal(head{"journal", Version, build, without(hidden, start)})
	if err != nil {
		return nil, fmt.Errorf("the journal cannot begin: %w", err)
	}
	file, aside, err := create(path)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be written: %w", err)
	}
	if aside != "" {
		logf("the journal of the run before is now %s", aside)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("the journal cannot be written: %w", err), file.Close())
	}
	return launch(file, hidden, logf, maxWaiting), nil
}

func launch(file *os.File, alias *alias, logf func(string, ...any), limit int) *Writer {
	w := &Writer{file: file, logf: logf, limit: limit, alias: alias, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	go w.run()
	return w
}

// Log takes one step; it is the engine's Log sink and never blocks. A tick has
// no command.
func (w *Writer) Log(now time.Time, by core.Actor, cmd core.Command, refused bool) {
	w.mu.Lock()
	switch {
	case w.failure != nil || w.closed:
	case len(w.waiting) >= w.limit:
		w.failure = errBehind
	default:
		w.waiting = append(w.waiting, step{wire.Order{At: now.UnixMilli(), By: by, Command: cmd}, refused})
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *Writer) run() {
	defer close(w.gone)
	out := bufio.NewWriterSize(w.file, bufferBytes)
	for {
		w.mu.Lock()
		batch, closed, failure := w.waiting, w.closed, w.failure
		w.waiting = nil
		w.mu.Unlock()
		// What came before a full queue is written still: up to there the
		// journal is true.
		if err := w.write(out, batch); err != nil {
			failure = err
		}
		if failure != nil {
			w.fail(failure)
			return
		}
		if len(batch) > 0 {
			continue
		}
		if closed {
			return
		}
		<-w.wake
	}
}

// write flushes what it wrote, so that a killed service leaves all but the
// last moments.
func (w *Writer) write(out *bufio.Writer, batch []step) error {
	for _, s := range batch {
		order := without(w.alias, s.order)
		line, err := json.Marshal(order)
		if err != nil && s.refused {
			// Numbers that JSON cannot carry are always refused, and what is
			// refused has only let time pass.
			line, err = json.Marshal(wire.Order{At: order.At})
		}
		if err != nil {
			return errors.Join(errNumber, err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		w.orders++
	}
	return out.Flush()
}

func (w *Writer) fail(err error) {
	w.mu.Lock()
	w.failure, w.waiting = err, nil
	w.mu.Unlock()
	w.logf("the journal %s has ended after %d steps, the radio goes on: %v", w.file.Name(), w.orders, err)
}

// Close writes what waits and the last line. state is the radio after the
// engine has stopped.
func (w *Writer) Close(state *core.State) error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	<-w.gone
	w.mu.Lock()
	err := w.failure
	w.mu.Unlock()
	if err == nil {
		err = w.end(state)
	}
	return errors.Join(err, w.file.Close())
}

func (w *Writer) end(state *core.State) error {
	e := End{End: true, Orders: w.orders}
	var err error
	if e.State, err = wire.Hash(without(w.alias, state.Snapshot())); err != nil {
		return err
	}
	if e.Config, err = wire.HashConfig(without(w.alias, *state.View().Config())); err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = w.file.Write(append(line, '\n'))
	return err
}
