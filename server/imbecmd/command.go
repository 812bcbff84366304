// Package imbecmd is the command line of the P25 full-rate vocoder: encode,
// decode, fec and compare on files and pipes.
package imbecmd

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"squelch/sfu/imbe"
)

// Command is "imbe" with its subcommands.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "imbe",
		Short: "P25 full-rate vocoder: encode, decode, correct, compare",
		Long: `The P25 full-rate vocoder (TIA-102.BABA IMBE) on files and pipes.

Audio is WAV (16 bit, any rate and number of channels) or raw: signed 16-bit
little-endian, 8 kHz, mono. WAV input is recognised by its header. Frames are
concatenated: 11 bytes each, or 18 with FEC. IN and OUT default to standard
input and output; "-" means the same.`,
	}
	cmd.AddCommand(encodeCommand(), decodeCommand(), fecCommand(), compareCommand())
	return cmd
}

// files returns IN and OUT from the arguments.
func files(args []string) (in, out string) {
	in, out = "-", "-"
	if len(args) > 0 {
		in = args[0]
	}
	if len(args) > 1 {
		out = args[1]
	}
	return in, out
}

// channel is the radio path that --fec and --ber describe.
type channel struct {
	fec  bool
	rate float64
	seed uint64
}

func (c *channel) flags(cmd *cobra.Command, fec string) {
	cmd.Flags().BoolVar(&c.fec, "fec", false, fec)
	cmd.Flags().Float64Var(&c.rate, "ber", 0, "bit error rate of the radio channel, 0 to 0.5")
	cmd.Flags().Uint64Var(&c.seed, "seed", 1, "seed of the bit errors")
}

// open checks the flags and returns the code with its bit errors.
func (c *channel) open(cmd *cobra.Command) (imbe.FEC, error) {
	if math.IsNaN(c.rate) || c.rate < 0 || c.rate > 0.5 {
		return imbe.FEC{}, cmd.FlagErrorFunc()(cmd, fmt.Errorf("--ber %g: must be from 0 to 0.5", c.rate))
	}
	if c.rate == 0 {
		return imbe.FEC{}, nil
	}
	return imbe.FEC{BitErrors: imbe.NewBitErrors(c.rate, c.seed)}, nil
}
