package radio

import (
	"time"

	"squelch/core/wire"
	"squelch/sfu"
)

// voiceStats returns the counters of the media plane, for the dispatch status.
func voiceStats(s *sfu.SFU) *wire.VoiceStats {
	st := s.Stats()
	out := &wire.VoiceStats{Talkers: map[string]wire.VoiceTalker{}, Channels: map[string]wire.VoiceChannel{},
		Peers: map[string]wire.VoicePeer{}, Strangers: st.Strangers}
	for _, t := range st.Talkers {
		if t.Packets+t.Unrouted > 0 {
			out.Talkers[t.User.String()] = wire.VoiceTalker{Packets: t.Packets, Dropped: t.Dropped, Opaque: t.Opaque, Unrouted: t.Unrouted}
		}
	}
	for _, c := range st.Channels {
		out.Channels[c.Frequency.String()] = wire.VoiceChannel{Packets: c.Packets, Dropped: c.Dropped, Lost: c.Lost, PreRolled: c.PreRolled}
	}
	for _, p := range st.Peers {
		w := wire.VoicePeer{Connected: p.Connected, Lost: p.Up.Lost, Jitter: ms(p.Up.Jitter), PreRolled: p.PreRolled,
			Flooded: p.Flooded, Slots: []wire.VoiceSlot{}}
		for _, slot := range p.Slots {
			w.Slots = append(w.Slots, wire.VoiceSlot{Packets: slot.Packets, Dropped: slot.Dropped, Lost: slot.Lost,
				Jitter: ms(slot.Jitter), RoundTrip: ms(slot.RoundTrip)})
		}
		out.Peers[p.User.String()] = w
	}
	return out
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
