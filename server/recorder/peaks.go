package recorder

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
	"squelch/server/recordings"
	"squelch/sfu/opus/packet"
)

// peaks are the waveforms that are still to be made.
type peaks struct {
	queue  chan string   // ids of recordings
	atOnce chan struct{} // held by the one that is made because somebody asks for it
}

// peaksRate is the rate at which waveforms are decoded: the lowest that Opus has, and the
// cheapest.
const peaksRate = 8000

// drawPeaks makes the waveforms of new recordings, with a small part of one core.
func (r *Recorder) drawPeaks() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r.work.Go(func() {
		select {
		case <-r.quit:
			stop()
		case <-ctx.Done():
		}
	})
	for {
		select {
		case <-r.quit:
			return
		case id := <-r.peaks.queue:
			e, ok := r.shelf.Get(id)
			if !ok || len(e.Peaks) > 0 {
				continue
			}
			if _, err := r.makePeaks(ctx, &e, rest); err != nil && ctx.Err() == nil && !errors.Is(err, recordings.ErrNotFound) {
				r.o.Logf("recorder: no waveform of %s: %v", id, err)
			}
		}
	}
}

// rest waits so long that what was spent is one part in peaksShare.
func rest(ctx context.Context, spent time.Duration) {
	wait := time.NewTimer((peaksShare - 1) * spent)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}

// Peaks returns the waveform of a recording: the loudest moment of each of at most 96
// parts, 0-255. If it has not been made yet, it is made now. There is none of WebM.
// recordings.ErrNotFound: there is no such recording.
func (r *Recorder) Peaks(ctx context.Context, id string) ([]byte, error) {
	e, ok := r.shelf.Get(id)
	if !ok {
		return nil, recordings.ErrNotFound
	}
	if len(e.Peaks) > 0 || e.Format != recordings.Ogg || e.End == 0 {
		return e.Peaks, nil
	}
	select {
	case r.peaks.atOnce <- struct{}{}:
		defer func() { <-r.peaks.atOnce }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return r.makePeaks(ctx, &e, func(context.Context, time.Duration) {})
}

// makePeaks makes a waveform and enters it. After each step it rests.
func (r *Recorder) makePeaks(ctx context.Context, e *recordings.Entry, rest func(context.Context, time.Duration)) ([]byte, error) {
	if e.Format != recordings.Ogg || e.VoiceMs == 0 {
		return nil, nil
	}
	file, err := r.shelf.Open(e.ID, recordings.Ogg)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	peaks, err := waveform(ctx, file, e.VoiceMs, rest)
	if err != nil {
		return nil, err
	}
	return peaks, r.shelf.SetPeaks(e.ID, peaks)
}

// waveform finds the loudest moments of a recording that plays so many ms.
func waveform(ctx context.Context, file io.Reader, length int64, rest func(context.Context, time.Duration)) ([]byte, error) {
	in, err := ogg.NewReader(file)
	if err != nil {
		return nil, err
	}
	dec, err := opus.NewDecoder(peaksRate, 1)
	if err != nil {
		return nil, err
	}
	total := int(length) * peaksRate / 1000
	out := make([]byte, min(recordings.MaxPeaks, max(1, total/(peaksRate/50))))
	var pcm [packet.MaxSamples * peaksRate / packet.Rate]int16
	began := time.Now()
	for at, n := 0, 1; ; n++ {
		p, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		samples := packet.Samples(p) * peaksRate / packet.Rate
		if !ogg.IsGap(p) {
			if got, err := dec.Decode(p, pcm[:]); err == nil {
				for i, s := range pcm[:got] {
					part := min((at+i)*len(out)/max(1, total), len(out)-1)
					out[part] = max(out[part], byte(min(abs(int(s)), 32767)>>7))
				}
			}
		}
		at += samples
		if n%peaksStep == 0 {
			rest(ctx, time.Since(began))
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			began = time.Now()
		}
	}
}

func abs(n int) int { return max(n, -n) }
