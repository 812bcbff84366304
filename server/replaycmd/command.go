// Package replaycmd is "squelch replay": it plays a journal of "serve
// --journal" back and tells whether the radio ends up in the same state.
package replaycmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"squelch/server/replaycmd/journal"
)

// defaultWasm is where "just wasm" puts the module.
const defaultWasm = "wasm/core.wasm"

// Command is the subcommand.
func Command() *cobra.Command {
	var module string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a journal of serve --journal back, and compare the state",
		Long: "Play a journal of serve --journal back into an empty radio and print the hashes of\n" +
			"the state and the configuration in the end. It fails when they are not those that\n" +
			"the service had when it stopped. With --wasm the radio is core.wasm\n" +
			"(built by \"just wasm\") instead of this program's own.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }() // it was only read
			got, err := replay(cmd.Context(), file, module)
			if got == nil {
				return err
			}
			if printed := show(cmd.OutOrStdout(), got, asJSON); printed != nil {
				return printed
			}
			return err
		},
	}
	cmd.Flags().StringVar(&module, "wasm", "", "play it in core.wasm; --wasm=`file` if that is elsewhere")
	cmd.Flags().Lookup("wasm").NoOptDefVal = defaultWasm
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// Result of a replay.
type Result struct {
	Commands int    `json:"commands"`
	Refused  int    `json:"refused"` // of the commands
	Ticks    int    `json:"ticks"`
	State    string `json:"state"`  // SHA-256 of the state, hex
	Config   string `json:"config"` // SHA-256 of the configuration in force
	// Whole says whether the journal tells how the service ended, Same
	// whether the replay ended so.
	Whole bool `json:"whole"`
	Same  bool `json:"same"`
}

// replay plays a journal; module is the path of core.wasm, "" for the
// program's own core. A Result with an error is of another state.
func replay(ctx context.Context, from io.Reader, module string) (*Result, error) {
	in, err := journal.Read(from)
	if err != nil {
		return nil, err
	}
	p, err := newPlayer(ctx, module, in.Start)
	if err != nil {
		return nil, err
	}
	defer p.close()
	var got Result
	for {
		o, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		refused, err := p.do(o)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", got.Commands+got.Ticks+1, err)
		}
		switch {
		case o.Command == nil:
			got.Ticks++
		case refused:
			got.Commands, got.Refused = got.Commands+1, got.Refused+1
		default:
			got.Commands++
		}
	}
	if got.State, got.Config, err = p.hashes(); err != nil {
		return nil, err
	}
	if in.End == nil {
		return &got, nil
	}
	got.Whole, got.Same = true, in.End.State == got.State && in.End.Config == got.Config
	if !got.Same {
		return &got, fmt.Errorf("the radio of the journal ended otherwise: state %s, configuration %s", in.End.State, in.End.Config)
	}
	return &got, nil
}

func show(w io.Writer, r *Result, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	verdict := "the journal was cut off, so there is nothing to compare with"
	switch {
	case r.Same:
		verdict = "the same as in the journal"
	case r.Whole:
		verdict = "NOT the same as in the journal"
	}
	_, err := fmt.Fprintf(w, "%d commands (%d refused), %d ticks\nstate  %s\nconfig %s\n%s\n", r.Commands, r.Refused, r.Ticks, r.State, r.Config, verdict)
	return err
}
