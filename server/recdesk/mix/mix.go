package mix

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tphakala/go-opus/opus"

	"squelch/server/ogg"
)

// Source is a recording.
type Source struct {
	Start int64 // ms since the epoch
	// Open gives its file, Ogg Opus. An error leaves the recording out.
	Open func() (io.ReadCloser, error)
}

// Span is what to mix.
type Span struct {
	From, To int64 // ms since the epoch; the file begins at From if pauses are kept
	// Keep leaves pauses as long as they were. Else none is longer than 1 s, and there is
	// none before the first voice and after the last.
	Keep bool
	Tags ogg.Tags
}

// Result is what became of the recordings.
type Result struct {
	Mixed   int
	LeftOut int // they could not be read
}

// Write mixes recordings into a file. It ends early, with an error, when ctx is done or w
// fails.
func Write(ctx context.Context, w io.Writer, sources []Source, span Span) (Result, error) {
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b Source) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	t, err := newTape(ctx, w, span.Tags)
	if err != nil {
		return Result{}, err
	}
	m := &mixer{tape: t, span: span, waiting: sources}
	defer m.close()
	if err := m.run(); err != nil {
		return m.result, err
	}
	return m.result, t.close()
}

// mixer is a file that is being mixed.
type mixer struct {
	tape    *tape
	span    Span
	waiting []Source
	heard   []*voice
	at      int64 // samples since span.From
	result  Result
	sum     [block]int32
	begun   bool // something was heard
}

// samples is a moment as a number of samples since the span began.
func (m *mixer) samples(ms int64) int64 { return (ms - m.span.From) * rate / 1000 }

func (m *mixer) run() error {
	end := m.samples(m.span.To)
	for m.at < end {
		if len(m.heard) == 0 {
			next := end
			if len(m.waiting) > 0 {
				next = min(end, m.samples(m.waiting[0].Start))
			}
			if err := m.pause(next/block*block-m.at, next == end); err != nil {
				return err
			}
			if len(m.waiting) == 0 || m.at >= end {
				break
			}
		}
		if err := m.enter(); err != nil {
			return err
		}
		if len(m.heard) == 0 {
			continue
		}
		m.add(end)
		if err := m.tape.sound(&m.sum); err != nil {
			return err
		}
		m.at += block
	}
	return nil
}

// pause leaves this many samples without voice. The last one is after everything.
func (m *mixer) pause(n int64, last bool) error {
	if n <= 0 {
		return nil
	}
	m.at += n
	switch {
	case m.span.Keep:
		return m.tape.silence(n, n-min(n, fade))
	case !m.begun || last:
		return nil
	}
	return m.tape.silence(min(n, shortPause), 0)
}

// enter begins those recordings that are heard in the next block.
func (m *mixer) enter() error {
	for len(m.waiting) > 0 && m.samples(m.waiting[0].Start) < m.at+block {
		s := m.waiting[0]
		m.waiting = m.waiting[1:]
		v, err := open(s, m.samples(s.Start), m.at)
		if err != nil {
			m.result.LeftOut++
			continue
		}
		if len(m.heard) == MaxAtOnce {
			v.close()
			return fmt.Errorf("mix: more than %d recordings at one moment", MaxAtOnce)
		}
		m.result.Mixed++
		m.heard, m.begun = append(m.heard, v), true
	}
	return nil
}

// add makes the sum of the next block, and lets go of what has ended.
func (m *mixer) add(end int64) {
	clear(m.sum[:])
	room := m.sum[:min(block, end-m.at)]
	m.heard = slices.DeleteFunc(m.heard, func(v *voice) bool {
		if v.add(room[min(int64(len(room)), max(0, v.start-m.at)):]) {
			return false
		}
		v.close()
		return true
	})
}

func (m *mixer) close() {
	for _, v := range m.heard {
		v.close()
	}
}

// tape encodes and writes.
type tape struct {
	ctx  context.Context
	out  *ogg.Writer
	enc  *opus.Encoder
	lim  limiter
	held bool // the limiter has a block that is not written yet
	pcm  [block]int16
	buf  [maxPacket]byte
	work time.Duration // since the last rest
}

func newTape(ctx context.Context, w io.Writer, tags ogg.Tags) (*tape, error) {
	enc, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: rate, Channels: 1, Bitrate: bitrate, Complexity: complexity, ConstrainedVBR: true})
	if err != nil {
		return nil, err
	}
	out, err := ogg.NewWriter(w, 1, ogg.Head{Channels: 1, PreSkip: uint16(enc.PreSkip()), InputRate: rate}, tags)
	return &tape{ctx: ctx, out: out, enc: enc, lim: limiter{gain: 1}}, err
}

// sound takes a block; it is written with the next one, which the limiter has to know.
func (t *tape) sound(sum *[block]int32) error {
	if t.held {
		t.lim.next(sum, &t.pcm)
		if err := t.encode(); err != nil {
			return err
		}
	} else {
		t.lim.first(sum)
		t.held = true
	}
	return t.rest()
}

// flush writes the block that waits.
func (t *tape) flush() error {
	if !t.held {
		return nil
	}
	t.held = false
	t.lim.last(&t.pcm)
	return t.encode()
}

// silence writes n samples of it, the last of which, gap of them, are left to the player.
// Both are whole blocks.
func (t *tape) silence(n, gap int64) error {
	if err := t.flush(); err != nil {
		return err
	}
	clear(t.pcm[:])
	for ; n > gap; n -= block {
		if err := t.encode(); err != nil {
			return err
		}
	}
	for ; n > 0; n -= min(n, gapAtOnce) {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := t.out.Gap(uint64(min(n, gapAtOnce)) * wide); err != nil {
			return err
		}
	}
	if gap > 0 {
		t.enc.Reset()
	}
	return nil
}

// gapAtOnce is how long a gap is written without looking whether anybody waits, in
// samples: a minute.
const gapAtOnce = 60 * rate

func (t *tape) encode() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	n, err := t.enc.Encode(t.pcm[:], t.buf[:])
	t.work += time.Since(began)
	if err != nil {
		return fmt.Errorf("mix: %w", err)
	}
	return t.out.WritePacket(t.buf[:n])
}

// rest leaves the processor to the radio.
func (t *tape) rest() error {
	if t.work < workFor {
		return nil
	}
	pause := time.NewTimer(2 * t.work) // decoding took about as long as encoding
	defer pause.Stop()
	t.work = 0
	select {
	case <-pause.C:
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

// close writes what is still in the encoder, and the end.
func (t *tape) close() error {
	if err := t.flush(); err != nil {
		return err
	}
	clear(t.pcm[:])
	if err := t.encode(); err != nil {
		return err
	}
	return t.out.Close()
}
