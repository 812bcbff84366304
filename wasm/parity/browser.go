package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Browsed is what Chromium answered to a run.
type Browsed struct {
	Name   string   `json:"name"`
	Digest []string `json:"digest"` // see Digest
	Last   string   `json:"last"`   // the last answer
	// Start is how long loading and starting core.wasm took, in ms. Command is how
	// long one call took, in µs: the median of the stretches in which no radio is
	// made.
	Start   float64 `json:"start"`
	Command float64 `json:"command"`
}

// Chromium makes the calls of runs in a real browser, in one Worker, with the panel's
// own loader. It needs Chromium and the panel's npm packages ("just deps").
func Chromium(ctx context.Context, wasm string, runs []Run) ([]Browsed, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	job, err := os.CreateTemp("", "squelch-parity-*.json")
	if err != nil {
		return nil, err
	}
	defer os.Remove(job.Name())
	err = json.NewEncoder(job).Encode(struct {
		Stretch int   `json:"stretch"`
		Runs    []Run `json:"runs"`
	}{Stretch, runs})
	if closed := job.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join(root, "wasm", "parity", "chromium.mjs"), wasm, job.Name())
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the run in Chromium failed: %w\n%s", err, problems.Bytes())
	}
	var all []Browsed
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("the run in Chromium gave no result: %w\n%s%s", err, out.Bytes(), problems.Bytes())
	}
	return all, nil
}
