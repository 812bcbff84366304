package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"squelch/core/wire"
	"squelch/wasm/sim"
)

// errMemory: the module gave an address outside its memory.
var errMemory = errors.New("core.wasm gave an address outside its memory")

// Instance is one running module with at most one radio in it. Only one goroutine at a
// time may use it. After a call has returned an error, the module may have trapped or
// been stopped: close the instance.
type Instance struct {
	module api.Module
	room   api.Function
	answer api.Function
	tick   api.Function
	calls  map[string]api.Function
}

func newInstance(m api.Module) *Instance {
	i := &Instance{module: m, room: m.ExportedFunction("room"), answer: m.ExportedFunction("answer"),
		tick: m.ExportedFunction("tick"), calls: map[string]api.Function{}}
	for _, name := range []string{"new", "apply", "command", "view", "snapshot", "hash"} {
		i.calls[name] = m.ExportedFunction(name)
	}
	return i
}

// Close ends the instance and frees its memory.
func (i *Instance) Close(ctx context.Context) error { return i.module.Close(ctx) }

// Call passes JSON to one of the module's functions (see sim.Machine) and returns the
// JSON that it answers. "snapshot" and "hash" take none.
func (i *Instance) Call(ctx context.Context, name string, in []byte) ([]byte, error) {
	f := i.calls[name]
	if f == nil {
		return nil, fmt.Errorf("core.wasm has no function %q", name)
	}
	if name == "snapshot" || name == "hash" {
		return i.run(ctx, f)
	}
	at, err := i.room.Call(ctx, uint64(len(in)))
	if err != nil {
		return nil, err
	}
	if at[0] == 0 {
		return nil, fmt.Errorf("a request of %d bytes is too large for core.wasm", len(in))
	}
	if !i.module.Memory().Write(uint32(at[0]), in) {
		return nil, errMemory
	}
	return i.run(ctx, f, uint64(len(in)))
}

func (i *Instance) run(ctx context.Context, f api.Function, args ...uint64) ([]byte, error) {
	n, err := f.Call(ctx, args...)
	if err != nil {
		return nil, err
	}
	at, err := i.answer.Call(ctx)
	if err != nil {
		return nil, err
	}
	b, ok := i.module.Memory().Read(uint32(at[0]), uint32(n[0]))
	if !ok {
		return nil, errMemory
	}
	return append([]byte(nil), b...), nil // the memory is the module's
}

// New makes a radio that goes on from start, as sim.New does.
func (i *Instance) New(ctx context.Context, start wire.Start, transcript bool) error {
	in, err := json.Marshal(struct {
		Start      wire.Start `json:"start"`
		Transcript bool       `json:"transcript"`
	}{start, transcript})
	if err != nil {
		return err
	}
	a, err := ask[Answer](ctx, i, "new", in)
	if err == nil && a.Error != nil {
		return errors.New(a.Error.Message)
	}
	return err
}

// Message and Answer are those of package sim, with payloads as JSON.
type (
	Message struct {
		Name    string          `json:"name"`
		To      json.RawMessage `json:"to"`
		Payload json.RawMessage `json:"payload"`
	}
	Answer struct {
		Error    *sim.Failure    `json:"error"`
		Status   int             `json:"status"`
		Messages []Message       `json:"messages"`
		Reply    json.RawMessage `json:"reply"`
		Wake     int64           `json:"wake"`
	}
)

// Apply does what the service does with a request. A refusal is in the Answer; the
// error is that of the call.
func (i *Instance) Apply(ctx context.Context, q sim.Request) (Answer, error) {
	in, err := json.Marshal(q)
	if err != nil {
		return Answer{}, err
	}
	return ask[Answer](ctx, i, "apply", in)
}

// Do applies a command, or lets time pass.
func (i *Instance) Do(ctx context.Context, o wire.Order) (Answer, error) {
	in, err := json.Marshal(o)
	if err != nil {
		return Answer{}, err
	}
	return ask[Answer](ctx, i, "command", in)
}

// TickJSON lets time pass until now, in ms since the epoch, and returns the answer as
// the module gave it.
func (i *Instance) TickJSON(ctx context.Context, now float64) ([]byte, error) {
	return i.run(ctx, i.tick, api.EncodeF64(now))
}

// Tick lets time pass until now, in ms since the epoch.
func (i *Instance) Tick(ctx context.Context, now float64) (Answer, error) {
	var a Answer
	b, err := i.TickJSON(ctx, now)
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	return a, err
}

// View reads the radio, as sim.View says.
func (i *Instance) View(ctx context.Context, v sim.View) (json.RawMessage, error) {
	in, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	a, err := ask[struct {
		Error *sim.Failure    `json:"error"`
		View  json.RawMessage `json:"view"`
	}](ctx, i, "view", in)
	if err == nil && a.Error != nil {
		err = errors.New(a.Error.Message)
	}
	return a.View, err
}

// Snapshot is the radio as it is now, from which New goes on.
func (i *Instance) Snapshot(ctx context.Context) (wire.Start, error) {
	return ask[wire.Start](ctx, i, "snapshot", nil)
}

// Hashes tell whether two radios are the same.
func (i *Instance) Hashes(ctx context.Context) (sim.Hashes, error) {
	return ask[sim.Hashes](ctx, i, "hash", nil)
}

func ask[T any](ctx context.Context, i *Instance, name string, in []byte) (T, error) {
	var v T
	b, err := i.Call(ctx, name, in)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(b, &v)
}
