package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"

	"squelch/wasm/host"
)

// job is what the process reads from its standard input.
type job struct {
	Slug   string `json:"slug"`
	Build  string `json:"build"`
	Script string `json:"script"`
	Test   string `json:"test"`
	// Cache is the folder of compiled WebAssembly, "": none.
	Cache string `json:"cache"`
	// Soft is when the engine is asked to stop, in ms after the start.
	Soft int64 `json:"soft"`
}

// message is a line that the process writes: one of its fields is set.
type message struct {
	Ready bool            `json:"ready,omitempty"` // the radio is there; the time begins
	Entry json.RawMessage `json:"entry,omitempty"`
	End   *end            `json:"end,omitempty"` // the last one
}

// end is how a run has ended.
type end struct {
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
	Tests   []Test  `json:"tests"`
	Memory  uint64  `json:"memory"`
}

// Serve is the process in which a theme runs: it reads a job and writes messages, a
// line each. core returns core.wasm.
func Serve(ctx context.Context, in io.Reader, out io.Writer, core func() ([]byte, error)) error {
	var j job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return fmt.Errorf("this is the process in which %q runs a theme; it reads its job from there: %w", "squelch theme test", err)
	}
	w := &writer{out: bufio.NewWriterSize(out, maxLine)}
	e, closed, err := open(ctx, j, core, func(entry json.RawMessage) { w.say(message{Entry: entry}, false) })
	if err != nil {
		return err
	}
	defer closed()
	time.Sleep(time.Nanosecond) // Go opens the file behind its timers with the first one
	if err := confine(); err != nil {
		return fmt.Errorf("the theme's process cannot be confined: %w", err)
	}
	done := make(chan struct{})
	defer close(done)
	go watch(done, func(used uint64) {
		w.say(message{End: &end{Verdict: Large, Why: fmt.Sprintf("it needs more than %d MB of memory", maxMemory>>20), Memory: used}}, true)
		os.Exit(0) // what is allocating cannot be interrupted
	})
	w.say(message{Ready: true}, true)
	soft := time.AfterFunc(time.Duration(j.Soft)*time.Millisecond, func() { e.vm.Interrupt(errSlow) })
	defer soft.Stop()
	last := verdict(e, ctx, j, w)
	last.Memory = used()
	w.say(message{End: &last}, true)
	return nil
}

// open makes an engine with a radio.
func open(ctx context.Context, j job, core func() ([]byte, error), note func(json.RawMessage)) (*engine, func(), error) {
	script, err := bundle()
	if err != nil {
		return nil, nil, err
	}
	module, err := core()
	if err != nil {
		return nil, nil, err
	}
	compiled, err := host.Compile(ctx, module, host.Options{Cache: j.Cache})
	if err != nil {
		return nil, nil, err
	}
	closed := func() { _ = compiled.Close(context.WithoutCancel(ctx)) }
	radio, err := compiled.Open(ctx)
	var e *engine
	if err == nil {
		e, err = newEngine(radio, script, note)
	}
	if err != nil {
		closed()
		return nil, nil, err
	}
	return e, closed, nil
}

var errSlow = errors.New("the time is over")

// verdict runs the theme and says how that has ended.
func verdict(e *engine, ctx context.Context, j job, w *writer) end {
	for _, f := range []struct{ name, source string }{{"theme.js", j.Script}, {"theme.test.js", j.Test}} {
		if v, why := checkSyntax(f.name, f.source); v != OK {
			return end{Verdict: v, Why: why}
		}
	}
	o, err := e.run(ctx, j)
	var stopped *goja.InterruptedError
	var deep *goja.StackOverflowError
	switch {
	case errors.As(err, &stopped):
		return end{Verdict: Slow, Why: "it does not come to an end" + at(stopped.Stack())}
	case errors.As(err, &deep):
		return end{Verdict: Failed, Why: fmt.Sprintf("it calls itself without end (%d calls in each other)%s", maxDepth, at(deep.Stack()))}
	case err != nil:
		return end{Verdict: Failed, Why: err.Error()}
	case o.OK:
		return end{Verdict: OK, Tests: o.Tests}
	}
	if name, ok := lacks(w.error); ok {
		return end{Verdict: Offline, Why: fmt.Sprintf("it uses %s, which browsers have and the sandbox lacks", name), Tests: o.Tests}
	}
	return end{Verdict: Failed, Why: o.Why, Tests: o.Tests}
}

// at says which line of the theme was running.
func at(stack []goja.StackFrame) string {
	for _, f := range stack {
		if name := f.SrcName(); strings.HasPrefix(name, "theme.") {
			return fmt.Sprintf(": %s line %d", name, max(1, f.Position().Line-wrapperLines))
		}
	}
	return ""
}

// writer writes messages. It keeps the first error of the theme.
type writer struct {
	mu    sync.Mutex
	out   *bufio.Writer
	error string
}

// say writes a message; it is flushed at the end, and when much has come together.
func (w *writer) say(m message, flush bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.error == "" && m.Entry != nil {
		var e Entry
		if json.Unmarshal(m.Entry, &e) == nil && e.Kind == "error" {
			w.error = e.Text
		}
	}
	line := json.NewEncoder(w.out)
	line.SetEscapeHTML(false) // the entries stay as they are
	err := line.Encode(m)
	if err == nil && (flush || m.Entry != nil) {
		err = w.out.Flush() // the process may be killed at any time
	}
	if err != nil {
		os.Exit(1) // nobody reads any more
	}
}

// watch calls over once if too much memory is used.
func watch(done <-chan struct{}, over func(used uint64)) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if n := used(); n > maxMemory {
				over(n)
				return
			}
		}
	}
}

// used is the memory that the process has from the system and has not given back.
func used() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
