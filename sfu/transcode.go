package sfu

import (
	"sync/atomic"

	"github.com/tphakala/go-opus/opus"

	"squelch/core"
	"squelch/sfu/imbe"
	"squelch/sfu/opus/packet"
)

const (
	// voiceRate and blockSamples are the vocoder's rate and frame: 20 ms.
	voiceRate    = imbe.SampleRate
	blockSamples = imbe.FrameSamples
	// codecPause ends a burst for the codecs: after it they are reset, so that
	// nothing of one burst is heard in the next.
	codecPause = int64(300e6) // ns
	// maxConcealed is how many lost packets in a row are concealed: 100 ms, above
	// which the concealment of Opus and IMBE is heard as noise.
	maxConcealed = 5
	// opusBitrate is the bit rate at which decoded IMBE is sent, in bit/s. Below
	// 20 000 the encoder gets audibly worse, above 24 000 nothing is gained
	// (RATIONALE, "Which Opus encoder follows the vocoder?").
	opusBitrate    = 24_000
	opusComplexity = 2
	// maxOpusPacket is the longest packet of one 20 ms frame (RFC 6716 R2).
	maxOpusPacket = 1 + packet.MaxFrameBytes
	// maxBlocks is the most 20 ms blocks that one frame can carry: an Opus
	// packet is at most 120 ms long, and so is what is made of IMBE.
	maxBlocks = 6
)

// formed gives the frame in the form that a run takes; nil: there is none.
func (s *SFU) formed(r *row, f *Frame, want form) *Frame {
	var out *Frame
	switch want {
	case asSent:
		return f
	case asIMBE:
		out = f.imbe
	case decoded:
		out = f.decoded
	}
	if out == nil {
		r.drop()
		return nil
	}
	out.timestamp, out.timed, out.at, out.preRolled = f.timestamp-out.lead, f.timed, f.at, f.preRolled
	return out
}

// transcode makes the forms of a frame that listeners of the talker take, each of them
// once. If held, carried has to be called when the frame has been delivered. free is
// false if another goroutine is carrying voice of the same talker (a client that sends
// over both transports at once); the frame is then dropped.
func (t *talk) transcode(f *Frame) (held, free bool) {
	wantIMBE, wantDecoded := t.wants(f.Encoding)
	if !wantIMBE && !wantDecoded {
		return false, true
	}
	who := t.rows[0].talker
	if !who.codecBusy.CompareAndSwap(false, true) {
		t.rows[0].drop()
		return false, false
	}
	if !f.Opaque() {
		who.make(f, wantDecoded)
	}
	return true, true
}

// make runs the talker's codec. A panic in it costs only this frame and the codec's
// state.
func (t *talker) make(f *Frame, wantDecoded bool) {
	defer func() {
		if recover() != nil {
			t.codec, f.imbe, f.decoded = nil, nil, nil
		}
	}()
	if t.codec == nil {
		c, err := newCodec(&t.bitErrors)
		if err != nil {
			return // cannot happen: the configuration is constant, and a test makes one
		}
		t.codec = c
	}
	t.codec.make(f, wantDecoded)
	blocks := uint64(len(t.codec.blocks))
	if f.imbe != nil && f.Encoding != IMBE {
		t.encoded.Add(blocks)
	}
	if f.decoded != nil {
		t.decoded.Add(blocks)
	}
}

// carried releases the talker's codec.
func (t *talk) carried(f *Frame) {
	f.imbe, f.decoded = nil, nil
	t.rows[0].talker.codecBusy.Store(false)
}

// wants says which forms runs and tapes take of a frame that came as e.
func (t *talk) wants(e Encoding) (wantIMBE, wantDecoded bool) {
	for i := range t.rows {
		if t.rows[i].vocoded(e) {
			return true, true
		}
		for j := range t.rows[i].runs {
			switch t.rows[i].runs[j].form(e) {
			case asIMBE:
				wantIMBE = true
			case decoded:
				wantDecoded = true
			}
		}
	}
	return wantIMBE, wantDecoded
}

// SetBitErrors simulates a weak digital signal: each bit of a user's channel frames is
// flipped with the probability rate (0 to 0.5) before error correction, so that its
// voice degrades as P25 does. 0, the default, is a clean signal. It has no effect if
// the user is not attached.
func (s *SFU) SetBitErrors(user core.UserID, rate float64) {
	if u := (*s.users.Load())[user]; u != nil {
		u.talker.bitErrors.Store(uint64(max(0, min(rate, 0.5)) * bitErrorScale))
	}
}

// bitErrorScale keeps the rate in an integer, so that it can be set while
// frames flow.
const bitErrorScale = 1 << 32

// codec is one talker's vocoders. The goroutine that carries the talker's frame
// owns it.
type codec struct {
	lastAt int64  // arrival of the last frame, ns
	next   uint32 // the RTP timestamp that should come next, if timed
	timed  bool

	in    *opus.Decoder
	wide  [packet.MaxSamples]int16 // 48 kHz
	down  Decimator
	block imbe.PCM // the next 20 ms, of which fill samples are there
	fill  int
	lead  uint32 // how many samples at 48 kHz before the frame the blocks begin
	enc   *imbe.Encoder

	dec    *imbe.Decoder
	narrow imbe.PCM
	out    *opus.Encoder

	rate   *atomic.Uint64
	errors *imbe.BitErrors
	fec    imbe.FEC

	blocks  []imbe.Frame
	counts  []imbe.ErrorCounts
	made    Frame // IMBE
	sounded Frame // Opus
	frames  [maxBlocks][]byte
}

func newCodec(rate *atomic.Uint64) (*codec, error) {
	in, err := opus.NewDecoder(packet.Rate, 1)
	if err != nil {
		return nil, err
	}
	out, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: voiceRate, Channels: 1, Bitrate: opusBitrate,
		Complexity: opusComplexity, ConstrainedVBR: true})
	if err != nil {
		return nil, err
	}
	c := &codec{in: in, out: out, rate: rate,
		enc: imbe.NewEncoder(imbe.EncoderOptions{ShortLookAhead: true, Conditioning: imbe.Conditioning{HighPass: true, LevelControl: true}}),
		dec: imbe.NewDecoder(imbe.DecoderOptions{}), errors: imbe.NewBitErrors(0, 1)}
	c.fec.BitErrors = c.errors
	c.blocks = make([]imbe.Frame, 0, maxBlocks+1)
	c.counts = make([]imbe.ErrorCounts, 0, maxBlocks+1)
	for i := range c.frames {
		c.frames[i] = make([]byte, 0, maxOpusPacket)
	}
	return c, nil
}

// make sets f.imbe and, if wanted, f.decoded. If a short packet does not complete a
// block yet, it sets neither.
func (c *codec) make(f *Frame, wantDecoded bool) {
	if c.lastAt == 0 || f.at-c.lastAt > codecPause {
		c.reset()
	}
	c.lastAt = f.at
	c.blocks, c.counts, c.lead = c.blocks[:0], c.counts[:0], 0
	if f.Encoding == IMBE {
		for p := f.Bytes(); len(p) >= imbeFrame && len(c.blocks) < maxBlocks; p = p[imbeFrame:] {
			c.blocks = append(c.blocks, imbe.Frame(p[:imbeFrame]))
		}
	} else {
		c.listen(f)
	}
	if len(c.blocks) == 0 {
		return
	}
	c.weaken()
	f.imbe = c.variant(&c.made, f, IMBE)
	for i := range c.blocks {
		f.imbe.Payload = append(f.imbe.Payload, c.blocks[i][:]...)
	}
	if wantDecoded {
		f.decoded = c.sound(f)
	}
}

// variant empties v, another form of f, and keeps its memory.
func (c *codec) variant(v, f *Frame, e Encoding) *Frame {
	payload := v.Payload[:0]
	v.Reset()
	v.Talker, v.Keyed, v.Encoding, v.Payload, v.lead = f.Talker, f.Keyed, e, payload, c.lead
	return v
}

// reset forgets the last burst.
func (c *codec) reset() {
	c.in.Reset()
	c.out.Reset()
	c.enc.Reset()
	c.dec.Reset()
	c.down.Reset()
	c.fill, c.timed = 0, false
}

// listen decodes an Opus packet, conceals lost ones before it, and encodes every block
// of 20 ms that is then complete. What is concealed makes the blocks begin before the
// frame: with the frame's own time they would be heard late, and everything after them.
func (c *codec) listen(f *Frame) {
	c.lead = uint32(c.fill * decimation)
	lost := 0
	if f.timed && c.timed {
		if gap := int32(f.timestamp - c.next); gap > 0 {
			lost = int(gap) / frameSamples
		}
	}
	if lost > 0 && lost <= min(maxConcealed, maxBlocks-f.Samples()/frameSamples) {
		c.lead += uint32(lost * frameSamples)
		for n := range lost {
			if n == lost-1 {
				c.gather(c.opened(c.in.DecodeFEC(f.Payload, c.wide[:frameSamples])))
			} else {
				c.gather(c.opened(c.in.Decode(nil, c.wide[:frameSamples])))
			}
		}
	}
	c.gather(c.opened(c.in.Decode(f.Payload, c.wide[:])))
	c.next, c.timed = f.timestamp+uint32(f.Samples()), f.timed
}

// opened is the sound that a call of the Opus decoder gave. A packet that the decoder
// refuses becomes one frame of silence, and resets the decoder.
func (c *codec) opened(n int, err error) []int16 {
	if err != nil {
		c.in.Reset()
		clear(c.wide[:frameSamples])
		n = frameSamples
	}
	return c.wide[:n]
}

func (c *codec) gather(pcm []int16) {
	for len(pcm) >= decimation {
		c.block[c.fill] = c.down.Next((*[decimation]int16)(pcm[:decimation]))
		pcm = pcm[decimation:]
		if c.fill++; c.fill == blockSamples {
			c.fill = 0
			if len(c.blocks) < maxBlocks {
				c.blocks = append(c.blocks, c.enc.Encode(&c.block))
			}
		}
	}
}

// weaken sends the blocks over a bad channel, if SetBitErrors asks for one.
func (c *codec) weaken() {
	rate := float64(c.rate.Load()) / bitErrorScale
	if rate == 0 {
		return
	}
	c.errors.SetRate(rate)
	for i := range c.blocks {
		onAir := c.fec.Encode(&c.blocks[i])
		got, errs := c.fec.Decode(&onAir)
		c.blocks[i] = got
		c.counts = append(c.counts, errs)
	}
}

// sound decodes the blocks and encodes the sound as one Opus packet.
func (c *codec) sound(f *Frame) *Frame {
	for i := range c.blocks {
		if i < len(c.counts) {
			c.dec.DecodeWithErrors(c.blocks[i], c.counts[i], &c.narrow)
		} else {
			c.dec.Decode(c.blocks[i], &c.narrow)
		}
		n, err := c.out.Encode(c.narrow[:], c.frames[i][:maxOpusPacket])
		if err != nil {
			c.out.Reset()
			return nil
		}
		c.frames[i] = c.frames[i][:n]
	}
	out := c.variant(&c.sounded, f, Opus)
	out.Payload = packet.Join(out.Payload, c.frames[:len(c.blocks)])
	return out
}
