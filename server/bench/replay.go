package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// replayTarget is how soon a replay should be heard on loopback.
const replayTarget = 100 * time.Millisecond

// replayFlags are those of `squelch bench replay`.
type replayFlags struct {
	bursts   int
	length   time.Duration
	requests int
	json     bool
}

// waits are those for the first voice of a file, in milliseconds.
type waits struct {
	P50 float64 `json:"p50Ms"`
	P99 float64 `json:"p99Ms"`
	Max float64 `json:"maxMs"`
}

// replayResult is what `squelch bench replay` finds.
type replayResult struct {
	Recordings int     `json:"recordings"`
	Requests   int     `json:"requests"` // to each server
	Bytes      int64   `json:"bytes"`    // of the recordings
	VoiceMs    int64   `json:"voiceMs"`
	Service    waits   `json:"service"`
	Static     waits   `json:"static"`
	Ratio      float64 `json:"ratio"` // of the medians
	Target     float64 `json:"targetMs"`
	Met        bool    `json:"met"` // p99 of the service is below the target
}

func replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Measure how soon a recording is heard again",
		Long: "Start this service with its recorder on, have units talk over WebRTC until there are\n" +
			"enough recordings, then fetch them one after the other over loopback and print the time\n" +
			"from the request to the first voice, with each request that is not a repetition written\n" +
			"to the audit log. Beside it, in the same run and for the same files, a plain static file\n" +
			"server (Go's, in this process). The target is a p99 below " + replayTarget.String() + ".",
		Example: "  squelch bench replay\n  squelch bench replay --bursts 40 --requests 200 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.bursts, "bursts", 300, "how many bursts are recorded first")
	fl.DurationVar(&f.length, "length", 2*time.Second, "length of a burst")
	fl.IntVar(&f.requests, "requests", 1500, "how many requests are measured, at each server")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (f *replayFlags) check() error {
	switch {
	case f.bursts < 1 || f.bursts > 10_000:
		return errors.New("--bursts must be from 1 to 10000")
	case f.length < 100*time.Millisecond || f.length > time.Minute:
		return errors.New("--length must be from 100ms to 1m")
	case f.requests < 1 || f.requests > 1_000_000:
		return errors.New("--requests must be from 1 to 1000000")
	}
	return nil
}

func (f *replayFlags) run(ctx context.Context, out, progress io.Writer) error {
	folder, err := os.MkdirTemp("", "squelch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var line sync.Mutex // several units talk
	note := func(format string, args ...any) {
		line.Lock()
		defer line.Unlock()
		fmt.Fprintf(progress, "\r\033[K"+format, args...)
	}
	r, err := f.measure(ctx, folder, note)
	note("")
	if err != nil {
		return err
	}
	if f.json {
		return json.NewEncoder(out).Encode(r)
	}
	return printReplay(out, r)
}

func (f *replayFlags) measure(ctx context.Context, folder string, note func(string, ...any)) (r replayResult, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	p, err := startConfigured(self, folder, replayConfig(), true)
	if err != nil {
		return r, err
	}
	defer p.stop()
	if err := f.record(ctx, radio{p.url, benchToken}, note); err != nil {
		return r, err
	}
	l := &library{url: p.url, folder: filepath.Join(folder, "data", "recordings")}
	if err := l.logIn(ctx); err != nil {
		return r, err
	}
	note("waiting for the last recording")
	if err := l.wait(ctx, f.bursts); err != nil {
		return r, err
	}
	return l.measure(ctx, f.requests, note)
}

func printReplay(out io.Writer, r replayResult) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%d recordings, %.1f s of voice, %.1f MB an hour; %d requests to each server\n\n", r.Recordings, float64(r.VoiceMs)/1000,
		float64(r.Bytes)/float64(max(1, r.VoiceMs))*3600*1000/1e6, r.Requests)
	fmt.Fprintln(w, "request to first voice\tp50 ms\tp99 ms\tmax ms")
	fmt.Fprintf(w, "GET /api/recordings/{id}.ogg\t%.2f\t%.2f\t%.2f\n", r.Service.P50, r.Service.P99, r.Service.Max)
	fmt.Fprintf(w, "static file server\t%.2f\t%.2f\t%.2f\n", r.Static.P50, r.Static.P99, r.Static.Max)
	verdict := "met"
	if !r.Met {
		verdict = "missed"
	}
	fmt.Fprintf(w, "\nratio of the medians %.1f; target p99 below %.0f ms: %s\n", r.Ratio, r.Target, verdict)
	return w.Flush()
}
