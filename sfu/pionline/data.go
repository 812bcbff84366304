package pionline

import (
	"github.com/pion/datachannel"
	"github.com/pion/webrtc/v4"

	"squelch/sfu/line"
)

// dataChannel asks the owner whether a channel is wanted. It runs before the channel is
// open.
func (l *peer) dataChannel(dc *webrtc.DataChannel) {
	reliable := dc.Ordered() && dc.MaxRetransmits() == nil && dc.MaxPacketLifeTime() == nil
	if !l.owner.Opening(dc.Label(), reliable) {
		_ = dc.GracefulClose() // pion closes it as soon as it is open
		return
	}
	dc.OnOpen(func() {
		raw, err := dc.Detach()
		if err != nil {
			l.end(line.ErrLost)
			return
		}
		l.owner.Opened(channel{raw, dc})
	})
}

// channel is an open data channel.
type channel struct {
	datachannel.ReadWriteCloser
	dc *webrtc.DataChannel
}

// BufferedAmount implements line.Channel.
func (c channel) BufferedAmount() uint64 { return c.dc.BufferedAmount() }
