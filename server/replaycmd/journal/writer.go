package journal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/engine"
)

// Version of the format.
const Version = 1

// maxSteps bounds the steps that wait for the disk, about 200 bytes each. A busy
// radio makes some thousand a second, so a full queue is many seconds: the disk is
// broken.
const maxSteps = 100_000

// Reasons why a journal ends before the service does.
var (
	errBehind = errors.New("the disk cannot keep up")
	errNumber = errors.New("a command has a number that cannot be written")
	errEnded  = errors.New("it has been closed")
	errResync = errors.New("the radio was restored from a snapshot, which a journal cannot record")
)

type head struct {
	Squelch string     `json:"squelch"`
	Version int        `json:"version"`
	Build   string     `json:"build,omitempty"`
	Start   wire.Start `json:"start"`
}

// End is the last line of a complete journal.
type End struct {
	End    bool `json:"end"`
	Orders int  `json:"orders"`
	// Hashes of the radio at its end, without the dispatch login.
	State  string `json:"state"`  // wire.Hash
	Config string `json:"config"` // wire.HashConfig
}

// Writer writes a journal. A write that fails, or a disk that does not keep up,
// ends the journal, never the radio.
type Writer struct {
	file  *os.File
	out   *bufio.Writer
	alias *alias
	logf  func(string, ...any)

	taken atomic.Int64 // steps taken from the engine

	mu      sync.Mutex
	failure error
	orders  int // written
}

// Step is an order, and whether the core refused it.
type Step struct {
	Order   wire.Order
	Refused bool
	anew    bool // the radio was replaced
}

// Create begins a journal in a new file, which only its owner may read. Nothing is
// ever overwritten: the journal of an earlier run is renamed to FILE.1, FILE.2 and so
// on, any other file is an error. The dispatch login is not written: another name
// takes its place. Later problems go to logf, once.
func Create(path, build string, start wire.Start, logf func(string, ...any)) (*Writer, error) {
	hidden := newAlias(start.Config.DispatchNac)
	line, err := json.Marshal(head{"journal", Version, build, without(hidden, start)})
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be started: %w", err)
	}
	file, aside, err := create(path)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be written: %w", err)
	}
	if aside != "" {
		logf("the journal of the previous run is now %s", aside)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("the journal cannot be written: %w", err), file.Close())
	}
	return newWriter(file, hidden, logf), nil
}

func newWriter(file *os.File, alias *alias, logf func(string, ...any)) *Writer {
	return &Writer{file: file, out: bufio.NewWriter(file), logf: logf, alias: alias}
}

// Follower returns the follower that writes every order of a radio, including refused
// ones and ticks. When its queue is full the journal ends; it is correct up to there.
func (w *Writer) Follower() engine.Follower { return w.follower(maxSteps) }

func (w *Writer) follower(most int) *engine.Queue[Step] {
	return &engine.Queue[Step]{Name: "journal", Most: most,
		Prepare: func(s *engine.Step) (Step, bool) {
			w.taken.Add(1)
			return Step{s.Order, s.Refusal != nil, s.Snapshot != nil}, true
		},
		Deliver: func(_ context.Context, steps []Step) error {
			w.Write(steps...)
			return nil
		},
		Lost: func(context.Context, int) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.end(errBehind)
		},
	}
}

// Write adds steps. After a failure it does nothing. It flushes, so that a killed
// service loses only the last moments.
func (w *Writer) Write(steps ...Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range steps {
		if w.failure != nil {
			return
		}
		if err := w.write(s); err != nil {
			w.end(errors.Join(err, w.out.Flush()))
		}
	}
	if w.failure != nil {
		return
	}
	if err := w.out.Flush(); err != nil {
		w.end(err)
	}
}

func (w *Writer) write(s Step) error {
	if s.anew {
		return errResync
	}
	order := without(w.alias, s.Order)
	line, err := json.Marshal(order)
	if err != nil && s.Refused {
		// Numbers that JSON cannot represent are always refused, and a refused command
		// only lets time pass.
		line, err = json.Marshal(wire.Order{At: order.At})
	}
	if err != nil {
		return errors.Join(errNumber, err)
	}
	_, err = w.out.Write(append(line, '\n'))
	w.orders++
	return err
}

// end ends the journal before the service does.
func (w *Writer) end(err error) {
	if w.failure == nil {
		w.failure = err
		w.logf("the journal %s ended after %d steps (the radio goes on): %v", w.file.Name(), w.orders, err)
	}
}

// Close writes the last line; state is the radio after the engine has stopped. The
// error is the reason why the journal is incomplete.
func (w *Writer) Close(state *core.State) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == nil && int64(w.orders) < w.taken.Load() { // the engine has given up waiting
		w.end(errBehind)
	}
	err := w.failure
	if err == nil {
		err, w.failure = w.last(state), errEnded
	}
	return errors.Join(err, w.file.Close())
}

func (w *Writer) last(state *core.State) error {
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
