package socket

import (
	"encoding/json"
	"strconv"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/sio"
	"squelch/sfu"
)

// voiceIn is one client's talking side. Only the client's handlers use it, which run
// one after the other.
type voiceIn struct {
	frame sfu.Frame
	event struct {
		Data      string          `json:"data"`
		Encoding  string          `json:"encoding"`
		Frequency json.RawMessage `json:"frequency"`
	}
}

// hear takes a voice event: it goes to the media plane and never through the engine.
// A serverId in it is ignored.
func (c *client) hear(arg json.RawMessage, ack func(...any)) {
	v := &c.voice
	v.event.Data, v.event.Encoding, v.event.Frequency = "", "", v.event.Frequency[:0]
	keyed, err := core.Frequency(0), json.Unmarshal(arg, &v.event)
	if err == nil {
		keyed, err = c.keyed(v.event.Frequency)
	}
	if err != nil || v.event.Data == "" || len(v.event.Data) > c.hub.VoiceBytes {
		step := c.hub.door.Event(door.Request{By: c.caller(), Event: string(door.Voice), Payload: arg})
		read, ok := step.Body.(wire.ClientVoice)
		if !ok {
			c.tell(step.Answer(core.Output{}, nil), ack)
			return
		}
		v.event.Data, v.event.Encoding = read.Data, read.Encoding
		keyed = door.Keyed(c.who.Kind, core.Frequency(c.current.Load()), read.Frequency)
	}
	f := &v.frame
	f.Reset()
	f.Talker, f.Keyed, f.Text = core.UserID(c.id.Load()), keyed, v.event.Data
	if v.event.Encoding == "imbe" {
		f.Encoding = sfu.IMBE
		c.takeIMBE(true)
	}
	c.hub.Media.Publish(f)
	if ack != nil {
		ack(wire.AckOK{Success: true})
	}
}

// keyed is the channel that a frame is meant for.
func (c *client) keyed(raw json.RawMessage) (core.Frequency, error) {
	var named wire.Frequency
	if len(raw) > 0 && c.who.Kind != door.Player {
		if err := named.UnmarshalJSON(raw); err != nil {
			return 0, err
		}
	}
	return door.Keyed(c.who.Kind, core.Frequency(c.current.Load()), named), nil
}

// takeIMBE notes that the client speaks, or asks for, P25 frames.
func (c *client) takeIMBE(yes bool) {
	if c.imbe.Swap(yes) != yes {
		c.hub.Media.AcceptIMBE(core.UserID(c.id.Load()), yes)
	}
}

// legacySink sends a client its voice as Socket.IO events.
type legacySink struct {
	hub  *Hub
	sock *sio.Socket
}

// Send shares one prepared message among all listeners of a run. A listener that does
// not keep up loses the oldest voice, but no other messages.
func (k *legacySink) Send(m *sfu.Message) {
	p, ok := m.Prepared.(*sio.Prepared)
	if !ok {
		p = k.hub.ns.PrepareRaw("voice", voiceJSON(m))
		m.Prepared = p
	}
	k.sock.SendVolatile(p)
}

// voiceJSON is wire.Voice, written by hand because it is made for every frame.
func voiceJSON(m *sfu.Message) []byte {
	data := m.Base64()
	b := make([]byte, 0, len(data)+160)
	b = append(b, `{"serverId":`...)
	b = strconv.AppendInt(b, int64(m.Talker), 10)
	b = append(b, `,"frequency":"`...)
	b = append(b, m.Leg.Frequency.String()...)
	b = append(b, `","data":`...)
	b = appendText(b, data)
	if m.Encoding == sfu.IMBE {
		b = append(b, `,"encoding":"imbe"`...)
	}
	b = append(b, `,"receiveType":"`...)
	b = append(b, m.Leg.Reason.String()...)
	b = append(b, '"')
	if m.Leg.Patch != 0 {
		b = append(b, `,"patchId":"`...)
		b = append(b, core.PatchID(m.Leg.Patch)...)
		b = append(b, '"')
	}
	if m.Leg.Fade != 0 {
		b = append(b, `,"signal":`...)
		b = strconv.AppendInt(b, int64(m.Leg.Signal()), 10)
	}
	return append(b, '}')
}

// appendText writes a JSON string; base64 needs no escaping, but a client may
// have sent anything.
func appendText(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			quoted, err := json.Marshal(s)
			if err != nil {
				quoted = []byte(`""`)
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
