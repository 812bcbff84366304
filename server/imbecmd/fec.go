package imbecmd

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"squelch/sfu/imbe"
)

// correction is one line of fec --json.
type correction struct {
	I     int              `json:"i"`     // frame number from 0
	Rec   string           `json:"rec"`   // corrected 11 bytes, hex
	E     imbe.ErrorCounts `json:"e"`     // bits corrected in c0..c6
	Total int              `json:"total"` // sum of e
}

func fecCommand() *cobra.Command {
	var (
		air              channel
		asJSON, progress bool
	)
	cmd := &cobra.Command{
		Use:   "fec [IN [OUT]]",
		Short: "Correct 18-byte frames into 11-byte frames",
		Long: `Read 18-byte frames, correct them and write 11-byte frames. With --json,
standard output carries one line per frame instead: the corrected frame in hex
(rec), the bits corrected in each code word c0 to c6 (e) and their sum (total);
the 11-byte frames are then written only where OUT names a file.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := air.open(cmd)
			if err != nil {
				return err
			}
			in, out := files(args)
			s, err := openStream(cmd, in, out, progress)
			if err != nil {
				return err
			}
			var lines *json.Encoder
			var frames io.Writer = s.out
			switch {
			case asJSON && out == "-":
				lines, frames = json.NewEncoder(s.out), io.Discard
			case asJSON:
				lines = json.NewEncoder(cmd.OutOrStdout())
			}
			return errors.Join(correct(s, code, frames, lines), s.finish())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print error counts as JSON lines")
	cmd.Flags().Float64Var(&air.rate, "ber", 0, "flip bits at this rate first, 0 to 0.5")
	cmd.Flags().Uint64Var(&air.seed, "seed", 1, "seed of the bit errors")
	cmd.Flags().BoolVar(&progress, "progress", false, "show a progress bar even when stderr is not a terminal")
	return cmd
}

func correct(s *stream, code imbe.FEC, frames io.Writer, lines *json.Encoder) error {
	var c imbe.ChannelFrame
	for i := 0; ; i++ {
		ok, err := s.frame(c[:], i)
		if !ok {
			return err
		}
		f, e := code.Decode(&c)
		if _, err := frames.Write(f[:]); err != nil {
			return fmt.Errorf("output: %w", err)
		}
		if lines != nil {
			if err := lines.Encode(correction{i, hex.EncodeToString(f[:]), e, e.Total()}); err != nil {
				return fmt.Errorf("output: %w", err)
			}
		}
		if err := s.flushIfIdle(); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
}
