package imbecmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"squelch/sfu/imbe/quality"
)

func compareCommand() *cobra.Command {
	var asJSON bool
	var lag int
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Measure how well speech B follows speech A",
		Long: `Compare two recordings (WAV or raw 16-bit 8 kHz mono): STOI and ESTOI (1 is
perfect), log-spectral distance in dB (0 is perfect), the gain of B against A in
dB and the lag found, in samples of 8 kHz by which B is late.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := readAudio(args[0])
			if err != nil {
				return err
			}
			b, err := readAudio(args[1])
			if err != nil {
				return err
			}
			var r quality.Result
			if cmd.Flags().Changed("lag") {
				r, err = quality.CompareAt(a, b, lag)
			} else {
				r, err = quality.Compare(a, b)
			}
			if err != nil {
				return err
			}
			return printResult(cmd, r, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().IntVar(&lag, "lag", 0, "samples by which B is late, instead of searching")
	return cmd
}

func readAudio(name string) ([]float64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	audio, err := newAudioReader(bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x, err := audio.all()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}

func printResult(cmd *cobra.Command, r quality.Result, asJSON bool) error {
	w := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{
			"stoi": r.STOI, "estoi": r.ESTOI, "lsdDb": r.LSD, "gainDb": r.Gain, "lagSamples": r.Lag,
		})
	}
	_, err := fmt.Fprintf(w, "STOI   %.4f\nESTOI  %.4f\nLSD    %.2f dB\ngain   %+.2f dB\nlag    %d samples (%.1f ms)\n",
		r.STOI, r.ESTOI, r.LSD, r.Gain, r.Lag, float64(r.Lag)*1000/quality.Rate)
	return err
}
