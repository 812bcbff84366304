package srtp

import "encoding/binary"

// In checks and decrypts what arrives over one connection. One goroutine at a time uses it.
type In struct {
	master  master
	rtp     transform // nil until the first RTP packet: most clients only listen
	rtcp    transform // nil until the first RTCP packet
	limit   int
	sources []source
}

// source is what is known of an SSRC.
type source struct {
	ssrc      uint32
	rtp, rtcp window
}

// NewIn makes the receiving direction of a connection that takes packets of at most streams
// SSRCs. They are searched one by one, so that should be some tens at most.
func NewIn(k Keys, streams int) (*In, error) {
	m, err := k.master()
	if err != nil {
		return nil, err
	}
	return &In{master: m, limit: streams}, nil
}

// RTP checks a packet, decrypts it in place, and returns it without the tag. If it fails, what
// is in packet is no longer of use.
func (in *In) RTP(packet []byte) ([]byte, error) {
	header, ok := rtpHeader(packet)
	if !ok || len(packet)-header < in.master.tagLen() {
		return nil, ErrMalformed
	}
	ssrc, index := rtpSSRC(packet), uint64(rtpSequence(packet)) // the first packet is of roll-over counter 0
	s := in.find(ssrc)
	if s != nil {
		index = guess(s.rtp.newest, rtpSequence(packet))
		if index >= maxRTP {
			return nil, ErrExhausted
		}
		if !s.rtp.fresh(index) {
			return nil, ErrReplay
		}
	}
	if in.rtp == nil {
		t, err := in.master.transform(labelRTP)
		if err != nil {
			return nil, err
		}
		in.rtp = t
	}
	plain := in.rtp.openRTP(packet, header, ssrc, index)
	if plain == nil {
		return nil, ErrForged
	}
	if s == nil {
		if s = in.add(ssrc); s == nil {
			return nil, ErrStreams
		}
	}
	s.rtp.add(index)
	return plain, nil
}

// RTCP checks a compound packet, decrypts it in place, and returns it without the index and
// the tag. If it fails, what is in packet is no longer of use.
func (in *In) RTCP(packet []byte) ([]byte, error) {
	if !isRTCP(packet) || len(packet) < rtcpHeaderLen+wordLen+in.master.tagLen() {
		return nil, ErrMalformed
	}
	word := binary.BigEndian.Uint32(packet[len(packet)-in.master.wordEnd():])
	if word&encryptedFlag == 0 {
		return nil, ErrUnencrypted
	}
	ssrc, index := rtcpSSRC(packet), word&^encryptedFlag
	s := in.find(ssrc)
	if s != nil && !s.rtcp.fresh(uint64(index)) {
		return nil, ErrReplay
	}
	if in.rtcp == nil {
		t, err := in.master.transform(labelRTCP)
		if err != nil {
			return nil, err
		}
		in.rtcp = t
	}
	plain := in.rtcp.openRTCP(packet, ssrc, index)
	if plain == nil {
		return nil, ErrForged
	}
	if s == nil {
		if s = in.add(ssrc); s == nil {
			return nil, ErrStreams
		}
	}
	s.rtcp.add(uint64(index))
	return plain, nil
}

func (in *In) find(ssrc uint32) *source {
	for i := range in.sources {
		if in.sources[i].ssrc == ssrc {
			return &in.sources[i]
		}
	}
	return nil
}

// add begins a source, after a packet of it was authenticated. It is nil if there are as many
// as allowed.
func (in *In) add(ssrc uint32) *source {
	if len(in.sources) >= in.limit {
		return nil
	}
	in.sources = append(in.sources, source{ssrc: ssrc})
	return &in.sources[len(in.sources)-1]
}
