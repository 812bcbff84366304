package srtp

import "sync"

const (
	maxRTP  = 1 << 48 // RTP packets of a key (RFC 3711 section 9.2)
	maxRTCP = 1 << 31 // RTCP packets
	// maxLen is the longest packet that is protected, in bytes: what fits a datagram or a frame of
	// ICE-TCP (RFC 4571). The key stream of a packet would end after 2^20 bytes.
	maxLen = 1<<16 - 1 - Overhead
)

// Out protects what is sent over one connection. Its methods may be called by any goroutine.
type Out struct {
	master master
	rtp    transform // streams are forked from it

	mu      sync.Mutex
	streams []*Stream
	rtcp    transform // nil until the first report
	reports uint32    // the next SRTCP index
}

// NewOut makes the sending direction of a connection.
func NewOut(k Keys) (*Out, error) {
	m, err := k.master()
	if err != nil {
		return nil, err
	}
	t, err := m.transform(labelRTP)
	if err != nil {
		return nil, err
	}
	return &Out{master: m, rtp: t}, nil
}

// Stream gives the stream of an SSRC, always the same one: with two, packets would be
// encrypted with the same key stream.
func (o *Out) Stream(ssrc uint32) *Stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.streams {
		if s.ssrc == ssrc {
			return s
		}
	}
	s := &Stream{ssrc: ssrc, transform: o.rtp.fork()}
	o.streams = append(o.streams, s)
	return s
}

// RTCP appends a compound packet, protected, to dst, as Stream.Seal does.
func (o *Out) RTCP(dst, compound []byte) ([]byte, error) {
	if !isRTCP(compound) || len(compound) > maxLen {
		return dst, ErrMalformed
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.rtcp == nil {
		t, err := o.master.transform(labelRTCP)
		if err != nil {
			return dst, err
		}
		o.rtcp = t
	}
	if o.reports == maxRTCP {
		return dst, ErrExhausted
	}
	dst = o.rtcp.sealRTCP(dst, compound, rtcpSSRC(compound), o.reports)
	o.reports++
	return dst, nil
}

// Stream protects the RTP packets of one SSRC. One goroutine at a time uses it; different
// streams of a connection are independent.
type Stream struct {
	ssrc      uint32
	sent      window // by index: roll-over counter and sequence number
	transform transform
}

// Seal appends a packet, protected, to dst. header is the whole marshalled RTP header, with
// CSRCs and extension, which is authenticated; payload is what is encrypted. Neither is
// written to, so neither may overlap the free space of dst, unless it is in its place there
// already. The packet grows by at most Overhead.
//
// Sequence numbers go up, by less than 2^15 at a time, except that a packet may come late by
// less than 128 places. None is taken twice. The first one should be below 2^15: a receiver
// that misses the first packets takes the roll-over counter to be 0.
func (s *Stream) Seal(dst, header, payload []byte) ([]byte, error) {
	if n, ok := rtpHeader(header); !ok || n != len(header) || n+len(payload) > maxLen {
		return dst, ErrMalformed
	}
	if rtpSSRC(header) != s.ssrc {
		return dst, ErrSSRC
	}
	switch index := guess(s.sent.newest, rtpSequence(header)); {
	case index >= maxRTP:
		return dst, ErrExhausted
	case !s.sent.fresh(index):
		return dst, ErrSequence
	default:
		dst = s.transform.sealRTP(dst, header, payload, s.ssrc, index)
		s.sent.add(index)
		return dst, nil
	}
}
