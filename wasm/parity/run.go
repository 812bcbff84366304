// Package parity makes the same calls of the core natively, under wazero and in
// Chromium, and compares every answer, byte for byte.
package parity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"squelch/core/wire"
	"squelch/wasm/host"
	"squelch/wasm/sim"
)

// Call is a call of one of the module's functions, with its JSON.
type Call struct {
	Function string          `json:"function"`
	In       json.RawMessage `json:"in,omitempty"`
	block    bool            // the hash at the end of a story's block
}

// Run is a sequence of calls.
type Run struct {
	Name  string `json:"name"`
	Calls []Call `json:"calls"`
}

// New adds a call that makes a radio. If there was one before, its hashes are asked for
// first, because a new radio begins a new transcript.
func (r *Run) New(start wire.Start) error {
	if len(r.Calls) > 0 {
		r.Hash()
	}
	return r.add("new", struct {
		Start      wire.Start `json:"start"`
		Transcript bool       `json:"transcript"`
	}{start, true})
}

// Order adds a command or a tick.
func (r *Run) Order(o wire.Order) error { return r.add("command", o) }

// Plain takes transcript and hashes out of a run that is to be timed.
func (r *Run) Plain() {
	r.Calls = slices.DeleteFunc(r.Calls, func(c Call) bool { return c.Function == "hash" })
	for i, c := range r.Calls {
		if c.Function == "new" {
			r.Calls[i].In = bytes.Replace(c.In, []byte(`"transcript":true`), []byte(`"transcript":false`), 1)
		}
	}
}

// Hash adds a call that asks for the hashes.
func (r *Run) Hash() { r.Calls = append(r.Calls, Call{Function: "hash"}) }

func (r *Run) add(function string, in any) error {
	b, err := json.Marshal(in)
	r.Calls = append(r.Calls, Call{Function: function, In: b})
	return err
}

// Native makes the calls of a run in this process, natively.
func Native(r Run) ([][]byte, error) {
	var m sim.Machine
	answers := make([][]byte, len(r.Calls))
	for i, c := range r.Calls {
		f, known := map[string]func([]byte) []byte{"new": m.New, "apply": m.Apply, "command": m.Command, "view": m.View,
			"snapshot": func([]byte) []byte { return m.Snapshot() }, "hash": func([]byte) []byte { return m.Hash() }}[c.Function]
		if !known {
			return nil, fmt.Errorf("there is no function %q", c.Function)
		}
		answers[i] = f(c.In)
	}
	return answers, nil
}

// Wazero makes the calls of runs, one run after the other, in one instance: each run
// begins with its own New.
func Wazero(ctx context.Context, c *host.Core, runs []Run) ([][][]byte, error) {
	i, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	all := make([][][]byte, len(runs))
	for n, r := range runs {
		all[n] = make([][]byte, len(r.Calls))
		for m, call := range r.Calls {
			if all[n][m], err = i.Call(ctx, call.Function, call.In); err != nil {
				return nil, fmt.Errorf("%s, call %d (%s): %w", r.Name, m, call.Function, err)
			}
		}
	}
	return all, i.Close(ctx)
}

// Digest is a short form of a run's answers: the SHA-256, in hex, of each Stretch of
// them, so that a difference can be located.
func Digest(answers [][]byte) []string {
	var chain []string
	sum := sha256.New()
	for i, a := range answers {
		sum.Write(a)
		sum.Write([]byte("\n"))
		if (i+1)%Stretch == 0 || i == len(answers)-1 {
			chain = append(chain, hex.EncodeToString(sum.Sum(nil)))
			sum.Reset()
		}
	}
	return chain
}

// Stretch is how many answers one digest covers.
const Stretch = 100
