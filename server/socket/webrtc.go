package socket

import (
	"context"
	"encoding/json"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/sfu"
)

// offerTime bounds the answer to an offer: it gathers addresses.
const offerTime = 10 * time.Second

// offer takes webrtc:offer and answers in the ack: { sdp }, or { error } that
// says what is wrong. There is no trickle: all addresses are in the answer.
func (c *client) offer(arg json.RawMessage, ack func(...any)) {
	if ack == nil {
		c.hub.wrong.Add(1) // nobody would get the answer
		return
	}
	var o wire.WebRTCOffer
	if err := wire.Decode(arg, &o); err != nil {
		c.hub.wrong.Add(1)
		answer(ack, err)
		return
	}
	me := core.UserID(c.id.Load())
	ctx, cancel := context.WithTimeout(context.Background(), offerTime)
	defer cancel()
	sdp, err := c.hub.Media.Answer(ctx, me, o.SDP, sfu.PeerEvents{
		Slots:  c.tellSlots,
		Closed: func(reason error) { _ = c.sock.Emit("webrtc:closed", wire.WebRTCClosed{Reason: reason.Error()}) },
	})
	if err != nil {
		answer(ack, err)
		return
	}
	ack(wire.WebRTCAnswer{SDP: sdp})
}

func (c *client) tellSlots(s sfu.Slots) {
	out := wire.Slots{Slots: []wire.Slot{}, Waiting: []wire.Waiting{}}
	for _, x := range s.Slots {
		out.Slots = append(out.Slots, wire.Slot{Slot: x.Slot, Mid: x.Mid, ServerID: x.Talker,
			Frequency: x.Frequency.String(), ReceiveType: x.Reason.String()})
	}
	for _, w := range s.Waiting {
		out.Waiting = append(out.Waiting, wire.Waiting{ServerID: w.Talker, Frequency: w.Frequency.String()})
	}
	_ = c.sock.Emit("webrtc:slots", out)
}
