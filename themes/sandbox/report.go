package sandbox

import (
	"encoding/json"
	"fmt"
)

// Verdict is how a run has ended.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Failed  Verdict = "failed"  // the theme is broken, or one of its tests does not hold
	Offline Verdict = "offline" // it needs something that browsers have and the sandbox lacks
	Slow    Verdict = "time"    // it did not end within its time
	Large   Verdict = "memory"  // it needs too much memory
	Verbose Verdict = "output"  // it says too much
)

// Entry is one thing that a theme did, or that happened around it.
type Entry struct {
	// At is in ms since the run began, in the time of the simulated radio.
	At int64 `json:"at"`
	// Kind is radio, variable, class, ui, action, container, console, warning, error,
	// check, test or left.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Result is what became of an action or test.
	Result string `json:"result,omitempty"`
	// File and Line are where an error comes from.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// String is the entry as a line for people, without its time.
func (e Entry) String() string {
	s := fmt.Sprintf("%-9s %s", e.Kind, e.Text)
	if e.Result != "" {
		s += " → " + e.Result
	}
	if e.File != "" {
		s += fmt.Sprintf(" (%s line %d)", e.File, e.Line)
	}
	return s
}

// Test is one of the theme's own tests.
type Test struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
}

// Report is what "theme test --json" prints.
type Report struct {
	Slug    string  `json:"slug"`
	Version string  `json:"version"`
	Verdict Verdict `json:"verdict"`
	// Why is a sentence; "" for OK.
	Why string `json:"why"`
	// Tests is empty when the standard scenario has run.
	Tests []Test `json:"tests"`
	// Transcript is the same in each run of a theme, and in a browser.
	Transcript []json.RawMessage `json:"transcript"`
	// Took and Memory are of this run: ms and bytes.
	Took   int64  `json:"took"`
	Memory uint64 `json:"memory"`
}

// Entries decodes the transcript.
func (r *Report) Entries() ([]Entry, error) {
	all := make([]Entry, len(r.Transcript))
	for i, raw := range r.Transcript {
		if err := json.Unmarshal(raw, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
