// Package transcribe gives finished recordings to a program or a web service of the
// operator, and keeps the text that it answers. The queue is bounded, nothing waits for
// it, and whatever an engine does, its own texts are all that is lost.
package transcribe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"
	"unicode"

	"squelch/core"
)

// Engine turns audio into text.
type Engine interface {
	// Transcribe gives what is said in a file. ctx bounds it. An error that is a *Refusal
	// is final for this file.
	Transcribe(ctx context.Context, file File) (text string, err error)
}

// File is a recording in the form that an engine takes.
type File struct {
	Name string // "tx-7-1700000000000.wav" or ".ogg"
	Type string // media type
	Data []byte
}

// Refusal is an engine's answer that another try would not change.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// Recording is what is known of a finished recording.
type Recording struct {
	ID                 string
	Frequency, Control core.Frequency // Control: base of its talkgroup, if Frequency is a working frequency
	Voice              time.Duration
	Opus               bool // it can be played; what older clients record cannot
}

// Options of New. Engine, Open and Keep are required.
type Options struct {
	Engine   Engine
	WAV      bool          // what the engine gets: WAV of 16 kHz, or Ogg Opus as recorded
	AtOnce   int           // 0: 1
	Timeout  time.Duration // of one try; 0: a minute
	MinVoice time.Duration // shorter recordings are passed over
	Channels []core.Frequency
	// Open opens the Ogg file of a recording; fs.ErrNotExist: it was deleted.
	Open func(id string) (io.ReadCloser, error)
	// Keep stores the text of a recording; fs.ErrNotExist: it was deleted.
	Keep func(id, text string) error
	// Tell reports a text that is stored. Nil: nobody listens.
	Tell func(id, text string)
	Logf func(format string, args ...any) // nil: dropped
}

// State counts what became of recordings since the start.
type State struct {
	Waiting, Running int
	Done             int    // with a text
	Silent           int    // the engine heard nothing
	Failed           int    // given up
	Dropped          int    // given up because too many waited
	Problem          string // of the last try; "": it went well
}

// Transcriber is the queue of recordings in front of an engine.
type Transcriber struct {
	o       Options
	pauses  []time.Duration
	cancel  context.CancelFunc
	workers sync.WaitGroup
	wake    chan struct{} // has something while a worker should look

	mu    sync.Mutex
	jobs  []*job // the oldest first
	state State
}

type job struct {
	Recording
	tries int
	due   time.Time
	text  string // got, but not kept yet
}

// New starts a transcriber.
func New(o Options) *Transcriber { return begin(o, pauses) }

func begin(o Options, pauses []time.Duration) *Transcriber {
	if o.AtOnce <= 0 {
		o.AtOnce = 1
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Tell == nil {
		o.Tell = func(string, string) {}
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &Transcriber{o: o, pauses: pauses, cancel: cancel, wake: make(chan struct{}, 1)}
	for range o.AtOnce {
		t.workers.Go(func() { t.work(ctx) })
	}
	return t
}

// Add enters a recording, unless it is none that the operator wants as text. It never
// waits.
func (t *Transcriber) Add(r Recording) {
	if !r.Opus || r.Voice < t.o.MinVoice || !t.wants(r) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.jobs) >= maxWaiting {
		t.jobs = append(t.jobs[:0], t.jobs[1:]...)
		t.state.Dropped++
	}
	t.jobs = append(t.jobs, &job{Recording: r})
	t.signal()
}

func (t *Transcriber) wants(r Recording) bool {
	if t.o.Channels == nil {
		return true
	}
	for _, f := range t.o.Channels {
		if f == r.Frequency || f == r.Control {
			return true
		}
	}
	return false
}

// State returns what became of recordings so far.
func (t *Transcriber) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.state
	s.Waiting = len(t.jobs)
	return s
}

// Close ends what runs, and waits. Recordings that wait are left without text.
func (t *Transcriber) Close() {
	t.cancel()
	t.workers.Wait()
}

func (t *Transcriber) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *Transcriber) work(ctx context.Context) {
	for {
		j := t.take(ctx)
		if j == nil {
			return
		}
		heard := j.text != ""
		err := t.try(ctx, j)
		if ctx.Err() != nil {
			return
		}
		t.done(j, heard, err)
	}
}

// take waits for a recording whose time has come; nil: the transcriber closes.
func (t *Transcriber) take(ctx context.Context) *job {
	for {
		j, pause := t.next()
		if j != nil {
			return j
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-t.wake:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return nil
		}
	}
}

// next takes the first recording whose time has come, or says how long none is due.
func (t *Transcriber) next() (*job, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pause, now := time.Hour, time.Now()
	for i, j := range t.jobs {
		if wait := j.due.Sub(now); wait > 0 {
			pause = min(pause, wait)
			continue
		}
		t.jobs = append(t.jobs[:i], t.jobs[i+1:]...)
		t.state.Running++
		if len(t.jobs) > 0 {
			t.signal() // for another worker
		}
		return j, 0
	}
	return nil, pause
}

// try gets the text of a recording, if it is not there already, and keeps it.
func (t *Transcriber) try(ctx context.Context, j *job) error {
	if j.text == "" {
		file, err := t.file(j)
		if err != nil {
			return err
		}
		limited, stop := context.WithTimeout(ctx, t.o.Timeout)
		defer stop()
		text, err := t.o.Engine.Transcribe(limited, file)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("there was no answer within %s", t.o.Timeout)
		}
		if err != nil {
			return err
		}
		if j.text = Clean(text); j.text == "" {
			return nil
		}
	}
	if err := t.o.Keep(j.ID, j.text); err != nil {
		return err
	}
	t.o.Tell(j.ID, j.text)
	return nil
}

// file reads a recording in the form that the engine takes.
func (t *Transcriber) file(j *job) (File, error) {
	r, err := t.o.Open(j.ID)
	if err != nil {
		return File{}, err
	}
	defer r.Close()
	if t.o.WAV {
		data, err := wave(io.LimitReader(r, maxAudio), maxVoice)
		return File{j.ID + ".wav", "audio/wav", data}, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxAudio+1))
	if err == nil && len(data) > maxAudio {
		err = errLong
	}
	return File{j.ID + ".ogg", "audio/ogg", data}, err
}

var errLong = &Refusal{"it is longer than ten minutes"}

// done counts the result of a try, and puts what failed back into the queue.
func (t *Transcriber) done(j *job, heard bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Running--
	final := (*Refusal)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was deleted meanwhile
		return
	case err == nil && j.text == "":
		t.state.Silent++
		t.well()
		return
	case err == nil:
		t.state.Done++
		t.well()
		return
	}
	reason := err.Error()
	if len(reason) > maxReason {
		reason = reason[:maxReason] + "…"
	}
	if reason = Clean(reason); t.state.Problem == "" {
		t.o.Logf("warning: a recording cannot be turned into text: %s: %s (reported once, until it works again)", j.ID, reason)
	}
	t.state.Problem = reason
	if !heard && j.text != "" {
		j.tries = 0 // the engine did its part: what fails now is the disk
	}
	if errors.As(err, &final) || j.tries >= len(t.pauses) {
		t.state.Failed++
		return
	}
	j.due = time.Now().Add(t.pauses[j.tries])
	j.tries++
	if len(t.jobs) >= maxWaiting { // it is older than those that wait
		t.state.Dropped++
		return
	}
	t.jobs = append([]*job{j}, t.jobs...)
	t.signal()
}

// well: a try has succeeded.
func (t *Transcriber) well() {
	if t.state.Problem != "" {
		t.o.Logf("recordings are turned into text again")
	}
	t.state.Problem = ""
}

// Clean makes a line of what an engine has said, by the rules for messages: without
// control characters and controls of text direction, at most 2000 characters.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text, err := core.Prose("text", text, len(text))
	if err != nil {
		return "" // there is nothing to be drawn in it
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxText {
		text = strings.TrimSpace(string(r[:maxText-1])) + "…"
	}
	return text
}

// after waits until done is closed, at most so long, and says whether it is.
func after(done <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
