package imbecmd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"squelch/sfu/imbe"
)

func decodeCommand() *cobra.Command {
	var (
		options       imbe.DecoderOptions
		air           channel
		progress, wav bool
	)
	cmd := &cobra.Command{
		Use:   "decode [IN [OUT]]",
		Short: "Turn P25 frames into speech",
		Long: `Turn P25 full-rate frames of 11 bytes, or 18 with --fec, into speech: raw
16-bit 8 kHz mono, or WAV where OUT ends in .wav or --wav is given. With --ber,
bits are flipped before FEC decoding; 11-byte frames are protected first.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			fec, err := air.open(cmd)
			if err != nil {
				return err
			}
			in, out := files(args)
			wav = wav || strings.HasSuffix(strings.ToLower(out), ".wav")
			samples := int64(-1)
			if info, err := os.Stat(in); err == nil && info.Mode().IsRegular() {
				samples = info.Size() / int64(frameSize(air.fec)) * imbe.FrameSamples
			}
			s, err := openStream(cmd, in, out, progress)
			if err != nil {
				return err
			}
			if wav {
				err = writeWAVHeader(s.out, samples)
			}
			if err == nil {
				err = decode(s, imbe.NewDecoder(options), fec, air.fec)
			}
			return errors.Join(err, s.finish())
		},
	}
	air.flags(cmd, "read 18-byte frames with FEC")
	cmd.Flags().BoolVar(&options.StandardPhases, "standard", false, "phases of upper harmonics as the standard says")
	cmd.Flags().BoolVar(&wav, "wav", false, "write WAV even to a pipe")
	cmd.Flags().BoolVar(&progress, "progress", false, "show a progress bar even when stderr is not a terminal")
	return cmd
}

func frameSize(protected bool) int {
	if protected {
		return imbe.ChannelBytes
	}
	return imbe.FrameBytes
}

func decode(s *stream, dec *imbe.Decoder, fec imbe.FEC, protected bool) error {
	buf := make([]byte, frameSize(protected))
	var pcm imbe.PCM
	for i := 0; ; i++ {
		ok, err := s.frame(buf, i)
		if !ok {
			return err
		}
		var f imbe.Frame
		var e imbe.ErrorCounts
		switch {
		case protected:
			f, e = fec.Decode((*imbe.ChannelFrame)(buf))
		case fec.BitErrors != nil:
			onAir := fec.Encode((*imbe.Frame)(buf))
			f, e = fec.Decode(&onAir)
		default:
			f = imbe.Frame(buf)
		}
		dec.DecodeWithErrors(f, e, &pcm)
		if err := writePCM(s.out, &pcm); err != nil {
			return fmt.Errorf("output: %w", err)
		}
		if err := s.flushIfIdle(); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
}

func writePCM(w io.Writer, pcm *imbe.PCM) error {
	var raw [2 * imbe.FrameSamples]byte
	for i, v := range pcm {
		binary.LittleEndian.PutUint16(raw[2*i:], uint16(v))
	}
	_, err := w.Write(raw[:])
	return err
}
