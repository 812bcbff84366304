package sandbox

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/dop251/goja"

	"squelch/wasm/host"
)

// engine is the JavaScript engine with the sandbox's script in it, and the radio.
type engine struct {
	vm    *goja.Runtime
	radio *host.Instance
	later []goja.Callable
	// rejected are promises that were rejected, and that nobody has taken yet.
	rejected []*goja.Promise
	note     func(entry json.RawMessage)
}

// outcome is what the sandbox's script says at the end.
type outcome struct {
	OK    bool   `json:"ok"`
	Why   string `json:"why"`
	Tests []Test `json:"tests"`
}

// newEngine loads the sandbox's script. note is told each entry of the transcript.
func newEngine(radio *host.Instance, script string, note func(json.RawMessage)) (*engine, error) {
	e := &engine{vm: goja.New(), radio: radio, note: note}
	e.vm.SetMaxCallStackSize(maxDepth)
	e.vm.SetPromiseRejectionTracker(e.track)
	if err := e.vm.Set("atob", atob); err != nil {
		return nil, err
	}
	program, err := goja.Compile("sandbox.js", script, false)
	if err == nil {
		_, err = e.vm.RunProgram(program)
	}
	if err != nil {
		return nil, fmt.Errorf("the sandbox's own script does not run: %w", err)
	}
	return e, nil
}

// atob is the browser's: base64 to one character for each byte.
func atob(text string) (string, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out), nil
}

func (e *engine) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		e.rejected = append(e.rejected, p)
		return
	}
	for i, o := range e.rejected {
		if o == p {
			e.rejected = append(e.rejected[:i], e.rejected[i+1:]...)
			return
		}
	}
}

// run runs a theme, until its end or until the engine is interrupted.
func (e *engine) run(ctx context.Context, j job) (outcome, error) {
	start, ok := goja.AssertFunction(e.vm.Get("squelchSandbox"))
	if !ok {
		return outcome{}, errors.New("the sandbox's own script has no squelchSandbox")
	}
	result, err := start(goja.Undefined(), e.host(ctx), e.vm.ToValue(map[string]any{
		"slug": j.Slug, "build": j.Build, "script": j.Script, "test": j.Test,
	}))
	for err == nil && len(e.later) > 0 {
		next := e.later[0]
		e.later = e.later[1:]
		_, err = next(goja.Undefined())
	}
	if err != nil {
		return outcome{}, err
	}
	p, ok := result.Export().(*goja.Promise)
	if !ok || p.State() == goja.PromiseStatePending {
		return outcome{}, errors.New("the run stands still: it waits for something that does not happen")
	}
	if p.State() == goja.PromiseStateRejected {
		return outcome{}, errors.New(e.describe(p.Result()))
	}
	text, err := json.Marshal(p.Result())
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	return o, json.Unmarshal(text, &o)
}

// describe is a thrown value with where it comes from.
func (e *engine) describe(v goja.Value) (text string) {
	if ex := e.vm.Try(func() {
		text = v.String()
		if o, ok := v.(*goja.Object); ok {
			if stack := o.Get("stack"); stack != nil && !goja.IsUndefined(stack) {
				text = stack.String()
			}
		}
	}); ex != nil {
		return "it throws something that cannot be read"
	}
	return text
}

// host is what the sandbox's script asks for: see Host in panel/src/theme/sandbox.
func (e *engine) host(ctx context.Context) *goja.Object {
	return e.vm.ToValue(map[string]any{
		"core":  func(name, in string) (string, error) { return e.core(ctx, name, in) },
		"later": func(f goja.Callable) { e.later = append(e.later, f) },
		"note":  func(entry string) { e.note(json.RawMessage(entry)) },
		"script": func(name, source string) (goja.Value, error) {
			return e.vm.RunScript(name, source)
		},
		"unhandled": func() []goja.Value {
			reasons := make([]goja.Value, len(e.rejected))
			for i, p := range e.rejected {
				reasons[i] = p.Result()
			}
			e.rejected = nil
			return reasons
		},
	}).(*goja.Object)
}

// core calls a function of core.wasm.
func (e *engine) core(ctx context.Context, name, in string) (string, error) {
	if name != "tick" {
		out, err := e.radio.Call(ctx, name, []byte(in))
		return string(out), err
	}
	now, err := strconv.ParseFloat(in, 64)
	if err != nil {
		return "", err
	}
	out, err := e.radio.TickJSON(ctx, now)
	return string(out), err
}
