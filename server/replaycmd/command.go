// Package replaycmd is "squelch replay": it plays a journal of "serve --journal" back
// and says whether the radio ends up in the same state.
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
		Short: "Play back a journal of serve --journal and compare the state",
		Long: "Play back a journal of serve --journal, beginning with the radio as it was then. Print\n" +
			"the final hashes of the state and the configuration, and fail if they differ from those\n" +
			"at the end of the journal; one that was cut off has none to compare with. With --wasm,\n" +
			"play it in core.wasm (built by \"just wasm\") instead of this program's own core.",
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
	cmd.Flags().StringVar(&module, "wasm", "", "play the journal in core.wasm; --wasm=`file` if it is elsewhere")
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
	// Whole says whether the journal has the service's end, Same whether the replay
	// ended in the same state.
	Whole bool `json:"whole"`
	Same  bool `json:"same"`
}

// replay plays a journal; module is the path of core.wasm, "" for the program's own
// core. It returns a Result with an error if the state is another one.
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
		return &got, fmt.Errorf("the hashes differ: the journal ends with state %s, configuration %s", in.End.State, in.End.Config)
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
