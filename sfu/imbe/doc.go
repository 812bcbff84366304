// Package imbe is the P25 full-rate vocoder: TIA-102.BABA-A IMBE at 4400 bit/s
// of speech, 7200 bit/s on the air. It is written from the equations of the
// standard; section (5.1.1) and equation (Eq. 24) numbers in comments are its.
//
//	enc := imbe.NewEncoder(imbe.EncoderOptions{})
//	dec := imbe.NewDecoder(imbe.DecoderOptions{})
//	frame := enc.Encode(&pcm)                // 160 samples -> 11 bytes
//	onAir := imbe.FEC{}.Encode(&frame)       // 11 -> 18 bytes
//	got, errs := imbe.FEC{}.Decode(&onAir)   // 18 -> 11 bytes and error counts
//	dec.DecodeWithErrors(got, errs, &pcm)    // -> 160 samples
//
// Encoder, Decoder and BitErrors have state and belong to one goroutine each;
// FEC has none of its own. Nothing allocates per frame.
//
// # Choices of the encoder
//
// The standard binds the bit stream; how an encoder picks the bits is free.
// Unless EncoderOptions.Standard is set, this one departs from sections 5 and 6
// where it was measured to help every speaker tried:
//
//   - the refined pitch is searched among the pitches that can be sent;
//   - voicing thresholds are a little higher;
//   - a voiced band that stands alone, or a period that only one frame shows,
//     counts as noise (voicing.go, encoder.go);
//   - amplitudes are measured at three instants of a frame (encoder.go);
//   - frames that are all noise keep the last pitch, so that the amplitudes of
//     the last frame predict theirs;
//   - quantiser values are searched so that errors fall where they are not
//     heard (search.go);
//   - part of the decoder's enhancement is taken back in advance
//     (allowance.go).
//
// # Choices of the decoder
//
// Parameters, error handling, enhancement and smoothing are the standard's.
// Harmonics get the phases of a resonator (dispersion.go), mute and repeat fade
// in and out (conceal.go), and peaks are rounded off instead of cut.
package imbe

//go:generate go run ./gen
