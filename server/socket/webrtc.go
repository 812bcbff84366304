package socket

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/sio"
	"squelch/sfu"
)

// offerTime bounds the answer to an offer, which has to gather addresses.
const offerTime = 10 * time.Second

// offer takes webrtc:offer and answers in the ack: { sdp }, or { error } that says
// what is wrong. There is no trickle: all addresses are in the answer.
func (c *client) offer(step door.Step, ack func(...any)) {
	if ack == nil {
		c.hub.wrong.Add(1) // without an ack nobody would get the answer
		return
	}
	if c.sink == nil {
		c.tell(step.Answer(core.Output{}, errOneConnection), ack)
		return
	}
	me := core.UserID(c.id.Load())
	ctx, cancel := context.WithTimeout(context.Background(), offerTime)
	defer cancel()
	sdp, err := c.hub.Media.Answer(ctx, me, step.Body.(wire.WebRTCOffer).SDP, sfu.PeerEvents{
		Slots:  c.tellSlots,
		Closed: func(reason error) { _ = c.conn.Emit("webrtc:closed", wire.WebRTCClosed{Reason: reason.Error()}) },
	})
	answer := step.Answer(core.Output{}, err)
	if err == nil {
		answer.Body = wire.WebRTCAnswer{SDP: sdp}
	}
	c.tell(answer, ack)
}

// errOneConnection refuses a second connection for the voice of a client whose events
// and voice share one.
var errOneConnection = &core.Error{Kind: core.Conflict, Message: "Voice and events share this connection: make a new offer where this one was made"}

// report takes webrtc:report and answers with what this side has counted.
func (c *client) report(step door.Step, ack func(...any)) {
	var reports []sfu.SlotReport
	for _, r := range step.Body.(wire.WebRTCReport).Slots {
		reports = append(reports, sfu.SlotReport(r))
	}
	counts, ok := c.hub.Media.Report(core.UserID(c.id.Load()), reports)
	if !ok {
		c.tell(step.Answer(core.Output{}, errNoConnection), ack)
		return
	}
	answer := step.Answer(core.Output{}, nil)
	body := wire.WebRTCCounts{Received: counts.Received, Slots: []wire.SlotSent{}}
	for _, s := range counts.Slots {
		body.Slots = append(body.Slots, wire.SlotSent(s))
	}
	answer.Body = body
	c.tell(answer, ack)
}

// errNoConnection refuses a report on a connection that has ended, or never was.
var errNoConnection = &core.Error{Kind: core.NotFound, Message: "There is no media connection"}

func (c *client) tellSlots(s sfu.Slots) { c.conn.SendPrepared(c.hub.slots.event(c.hub, s)) }

// slotsEvent is the last webrtc:slots that a client was told. When somebody keys up, all who
// hear it are told alike, and it is encoded once.
type slotsEvent struct {
	mu    sync.Mutex
	slots sfu.Slots
	sent  *sio.Prepared
}

func (e *slotsEvent) event(h *Hub, s sfu.Slots) *sio.Prepared {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sent != nil && slices.Equal(s.Slots, e.slots.Slots) && slices.Equal(s.Waiting, e.slots.Waiting) {
		return e.sent
	}
	out := wire.Slots{Slots: []wire.Slot{}, Waiting: []wire.Waiting{}}
	for _, x := range s.Slots {
		out.Slots = append(out.Slots, wire.Slot{Slot: x.Slot, Mid: x.Mid, ServerID: x.Talker,
			Frequency: x.Frequency.String(), ReceiveType: x.Reason.String(), Signal: wire.SignalOf(x.Fade)})
	}
	for _, w := range s.Waiting {
		out.Waiting = append(out.Waiting, wire.Waiting{ServerID: w.Talker, Frequency: w.Frequency.String()})
	}
	text, _ := json.Marshal(out) // it has texts and numbers only
	e.slots, e.sent = s, h.ns.PrepareRaw("webrtc:slots", text)
	return e.sent
}
