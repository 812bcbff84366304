package sfu

import "squelch/sfu/opus/packet"

// conceal counts the packets that were lost directly before a frame. Listeners on sockets
// get packets without numbers, and would hear the talk shortened, so for each lost packet
// they get one of the same length without a compressed frame, which their decoders conceal
// (RFC 6716 section 3.2.1). Slots see the gap themselves, and the codecs find it by the
// frame's time.
func (s *SFU) conceal(r *row, f *Frame) {
	spoke := r.burst.spoke.Swap(true)
	if f.lost == 0 {
		return
	}
	r.burst.counts.lost.Add(uint64(f.lost))
	if !spoke || int(f.lost) > maxConcealed || f.Encoding != Opus || f.Opaque() {
		return // between two bursts, or so many that concealment is heard as noise
	}
	var empty [packet.EmptyBytes]byte
	stand := Frame{Talker: f.Talker, Keyed: f.Keyed, Payload: packet.Empty(empty[:0], f.Payload), at: f.at, timed: true, stands: true}
	for n := f.lost; n > 0; n-- {
		stand.timestamp = f.timestamp - uint32(n)*uint32(f.Samples())
		s.send(r, &stand, toTexts)
	}
}
