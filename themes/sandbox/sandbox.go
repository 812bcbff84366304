package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"squelch/themes"
)

// Options of Run.
type Options struct {
	// Process is the command line of a program that calls Serve.
	Process []string
	// Time is the limit of the run, without the start of the process; 0: DefaultTime.
	Time time.Duration
	// Cache is the folder of compiled WebAssembly, "": none.
	Cache string
	// Ready is called when the radio is there and the theme begins; may be nil.
	Ready func()
}

// Run runs a theme with its own test, or with the standard scenario if it has none. The
// error is about the sandbox; what is wrong with the theme is in the report.
func Run(ctx context.Context, p *themes.Package, o Options) (*Report, error) {
	limit := o.Time
	if limit == 0 {
		limit = DefaultTime
	}
	if _, err := bundle(); err != nil {
		return nil, err
	}
	r := &Report{Slug: p.Manifest.Slug, Version: p.Manifest.Version, Tests: []Test{}, Transcript: []json.RawMessage{}}
	in, err := json.Marshal(job{
		Slug: p.Manifest.Slug, Build: p.Build(), Script: string(p.Script), Test: string(p.Test),
		Cache: o.Cache, Soft: int64(softTime * float64(limit/time.Millisecond)),
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	starting := time.AfterFunc(startTime, func() { stop(errStart) })
	defer starting.Stop()

	cmd := exec.CommandContext(ctx, o.Process[0], o.Process[1:]...)
	cmd.Env = []string{"TZ=UTC"} // and nothing of this process
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(in)
	cmd.WaitDelay = time.Second
	complaint := &head{most: maxComplaint}
	cmd.Stderr = complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the theme's process does not start: %w", err)
	}
	began := time.Time{}
	ready := func() {
		starting.Stop()
		began = time.Now()
		time.AfterFunc(limit, func() { stop(errSlow) })
		if o.Ready != nil {
			o.Ready()
		}
	}
	ended, readErr := read(out, r, ready)
	if readErr != nil {
		stop(readErr)
	}
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	if !began.IsZero() {
		r.Took = time.Since(began).Milliseconds()
	}
	switch cause := context.Cause(ctx); {
	case ended:
		return r, nil
	case errors.Is(cause, errSlow):
		r.Verdict, r.Why = Slow, fmt.Sprintf("it did not end within %s, and could not be interrupted: a regular expression or a built-in function runs without end", limit)
	case errors.Is(cause, errVerbose):
		r.Verdict, r.Why = Verbose, fmt.Sprintf("it says more than %d MB", maxOutput>>20)
	case cause != nil:
		return nil, cause
	case strings.Contains(complaint.String(), "stack exceeds"):
		r.Verdict, r.Why = Failed, "it calls itself without end"
	case strings.Contains(complaint.String(), "out of memory") || strings.Contains(complaint.String(), "cannot allocate memory"):
		r.Verdict, r.Why = Large, fmt.Sprintf("it needs more than %d MB of memory", maxMemory>>20)
	case began.IsZero():
		return nil, fmt.Errorf("the theme's process has ended before it began: %w\n%s", errors.Join(err, readErr), complaint.String())
	default:
		first, _, _ := strings.Cut(complaint.String(), "\n")
		r.Verdict, r.Why = Failed, fmt.Sprintf("it broke the sandbox (%v): %s", err, first)
	}
	return r, nil
}

var (
	errStart   = fmt.Errorf("the simulated radio did not start within %s", startTime)
	errVerbose = errors.New("too much output")
)

// read reads what the process says until its end, and says whether there was one.
func read(from io.Reader, r *Report, ready func()) (bool, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	total := 0
	for lines.Scan() {
		if total += len(lines.Bytes()); total > maxOutput {
			return false, errVerbose
		}
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return false, fmt.Errorf("the theme's process says something that is not a message: %w", err)
		}
		switch {
		case m.Ready:
			ready()
		case m.Entry != nil:
			r.Transcript = append(r.Transcript, m.Entry)
		case m.End != nil:
			r.Verdict, r.Why, r.Memory = m.End.Verdict, m.End.Why, m.End.Memory
			if m.End.Tests != nil {
				r.Tests = m.End.Tests
			}
			return true, nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return false, errVerbose
	}
	return false, lines.Err()
}

// head keeps the first bytes that are written.
type head struct {
	bytes.Buffer
	most int
}

func (h *head) Write(p []byte) (int, error) {
	if left := h.most - h.Len(); left > 0 {
		h.Buffer.Write(p[:min(left, len(p))])
	}
	return len(p), nil
}
