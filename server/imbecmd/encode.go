package imbecmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"squelch/sfu/imbe"
)

func encodeCommand() *cobra.Command {
	var (
		options        imbe.EncoderOptions
		air            channel
		ahead          int
		progress, tail bool
	)
	cmd := &cobra.Command{
		Use:   "encode [IN [OUT]]",
		Short: "Turn speech into P25 frames",
		Long: `Turn speech (WAV, or raw 16-bit 8 kHz mono) into P25 full-rate frames of 11
bytes, or 18 with --fec. One frame comes out for every 20 ms that go in. Speech
comes out 60 ms late (less with --look-ahead 0 or 1), so the last 60 ms stay
inside unless --tail asks for them. With --ber, every frame goes through FEC and
a channel that flips bits.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ahead < 0 || ahead > 2 {
				return cmd.FlagErrorFunc()(cmd, fmt.Errorf("--look-ahead %d: must be 0, 1 or 2", ahead))
			}
			options.SkipLookAhead = 2 - ahead
			fec, err := air.open(cmd)
			if err != nil {
				return err
			}
			in, out := files(args)
			s, err := openStream(cmd, in, out, progress)
			if err != nil {
				return err
			}
			return errors.Join(encode(s, imbe.NewEncoder(options), fec, air.fec, tail), s.finish())
		},
	}
	air.flags(cmd, "write 18-byte frames with FEC")
	f := cmd.Flags()
	f.BoolVar(&options.Conditioning.HighPass, "high-pass", false, "remove hum below 90 Hz")
	f.BoolVar(&options.Conditioning.NoiseSuppression, "denoise", false, "lower steady noise")
	f.BoolVar(&options.Conditioning.LevelControl, "level", false, "bring speech to a steady level")
	f.BoolVar(&options.Standard, "standard", false, "encode as the standard recommends, to the letter")
	f.IntVar(&ahead, "look-ahead", 2, "frames of look-ahead, 0 to 2; each takes 20 ms")
	f.BoolVar(&tail, "tail", false, "also write the frames still inside the encoder at the end")
	f.BoolVar(&progress, "progress", false, "show a progress bar even when stderr is not a terminal")
	return cmd
}

func encode(s *stream, enc *imbe.Encoder, fec imbe.FEC, protect, tail bool) error {
	audio, err := newAudioReader(s.in)
	if err != nil {
		return err
	}
	next, err := audio.source()
	if err != nil {
		return err
	}
	write := func(pcm *imbe.PCM) error {
		if err := writeFrame(s, enc.Encode(pcm), fec, protect); err != nil {
			return fmt.Errorf("output: %w", err)
		}
		return s.flushIfIdle()
	}
	var pcm imbe.PCM
	for {
		n, err := next(&pcm)
		if err != nil {
			return err
		}
		if n > 0 {
			if err := write(&pcm); err != nil {
				return err
			}
		}
		if n < len(pcm) {
			break
		}
	}
	for left := enc.Delay(); tail && left > 0; left -= imbe.FrameSamples {
		if err := write(&imbe.PCM{}); err != nil {
			return err
		}
	}
	return nil
}

// writeFrame writes a frame as it leaves the radio path: 18 bytes including the
// errors, or 11 bytes after correction.
func writeFrame(s *stream, f imbe.Frame, fec imbe.FEC, protect bool) error {
	if !protect && fec.BitErrors == nil {
		_, err := s.out.Write(f[:])
		return err
	}
	onAir := fec.Encode(&f)
	if protect {
		if fec.BitErrors != nil {
			fec.BitErrors.Apply(&onAir)
		}
		_, err := s.out.Write(onAir[:])
		return err
	}
	got, _ := fec.Decode(&onAir)
	_, err := s.out.Write(got[:])
	return err
}
