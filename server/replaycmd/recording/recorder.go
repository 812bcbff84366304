package recording

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

// Limits of a Recorder.
const (
	// maxWaiting bounds the steps that wait for the disk. A busy radio makes
	// some thousand a second, so a full queue is many seconds: the disk is
	// broken. A step waits in about 200 bytes.
	maxWaiting = 100_000
	// bufferBytes is how much is written at once.
	bufferBytes = 64 << 10
)

// Reasons why a recording ends before the service does.
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

// End is the last line of a whole recording.
type End struct {
	End    bool   `json:"end"`
	Orders int    `json:"orders"`
	State  string `json:"state"`  // wire.Hash
	Config string `json:"config"` // wire.HashConfig
}

// Recorder writes a recording on a goroutine of its own. A write that fails, or
// a disk that does not keep up, ends the recording, never the radio.
type Recorder struct {
	file  *os.File
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

// Create begins a recording in a new file, which only its owner may read. A
// file that exists is never written over. Problems later on go to logf, once.
func Create(path, build string, start wire.Start, logf func(string, ...any)) (*Recorder, error) {
	line, err := json.Marshal(head{"recording", Version, build, start})
	if err != nil {
		return nil, fmt.Errorf("the recording cannot begin: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the recording cannot be written: %w", err)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("the recording cannot be written: %w", err), file.Close())
	}
	return launch(file, logf, maxWaiting), nil
}

func launch(file *os.File, logf func(string, ...any), limit int) *Recorder {
	r := &Recorder{file: file, logf: logf, limit: limit, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	go r.run()
	return r
}

// Log takes one step; it is the engine's Log sink and never blocks. A tick has
// no command.
func (r *Recorder) Log(now time.Time, by core.Actor, cmd core.Command, refused bool) {
	r.mu.Lock()
	switch {
	case r.failure != nil || r.closed:
	case len(r.waiting) >= r.limit:
		r.failure = errBehind
	default:
		r.waiting = append(r.waiting, step{wire.Order{At: now.UnixMilli(), By: by, Command: cmd}, refused})
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Recorder) run() {
	defer close(r.gone)
	out := bufio.NewWriterSize(r.file, bufferBytes)
	for {
		r.mu.Lock()
		batch, closed, failure := r.waiting, r.closed, r.failure
		r.waiting = nil
		r.mu.Unlock()
		// What came before a full queue is written still: up to there the
		// recording is true.
		if err := r.write(out, batch); err != nil {
			failure = err
		}
		if failure != nil {
			r.fail(failure)
			return
		}
		if len(batch) > 0 {
			continue
		}
		if closed {
			return
		}
		<-r.wake
	}
}

// write flushes what it wrote, so that a killed service leaves all but the
// last moments.
func (r *Recorder) write(out *bufio.Writer, batch []step) error {
	for _, s := range batch {
		line, err := json.Marshal(s.order)
		if err != nil && s.refused {
			// Numbers that JSON cannot carry are always refused, and what is
			// refused has only let time pass.
			line, err = json.Marshal(wire.Order{At: s.order.At})
		}
		if err != nil {
			return errors.Join(errNumber, err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		r.orders++
	}
	return out.Flush()
}

func (r *Recorder) fail(err error) {
	r.mu.Lock()
	r.failure, r.waiting = err, nil
	r.mu.Unlock()
	r.logf("the recording %s has ended after %d steps, the radio goes on: %v", r.file.Name(), r.orders, err)
}

// Close writes what waits and the last line. state is the radio after the
// engine has stopped.
func (r *Recorder) Close(state *core.State) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
	<-r.gone
	r.mu.Lock()
	err := r.failure
	r.mu.Unlock()
	if err == nil {
		err = r.end(state)
	}
	return errors.Join(err, r.file.Close())
}

func (r *Recorder) end(state *core.State) error {
	e := End{End: true, Orders: r.orders}
	var err error
	if e.State, err = wire.Hash(state.Snapshot()); err != nil {
		return err
	}
	if e.Config, err = wire.HashConfig(*state.View().Config()); err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}
