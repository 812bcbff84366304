package door

import (
	"encoding/json"
	"errors"
	"strconv"

	"squelch/core"
	"squelch/core/wire"
)

// Jobs that come as events.
const (
	Voice      Job = "voice"              // a frame, for the media plane; Body is a wire.ClientVoice; see Keyed
	Link       Job = "setDispatchSession" // Body is the session id, a string; see Relink
	Encoding   Job = "setVoiceEncoding"   // Body is "opus" or "imbe"
	Offer      Job = "webrtc:offer"       // Body is a wire.WebRTCOffer
	Report     Job = "webrtc:report"      // Body is a wire.WebRTCReport
	CloseMedia Job = "webrtc:close"       // Body is nil
	ToneFile   Job = "toneFile"           // Body is a wire.ToneFile; see Sound
	Script     Job = "serverEvent"        // Body is a wire.ScriptEvent, for the scripts that want it; wire.RefreshNac is the adapter's own
)

// May refuses an event for which the caller's API key lacks the scope. The error is a
// *core.Error of kind Forbidden.
func May(by Caller, event string) error {
	if by.Kind != Key {
		return nil
	}
	need, known := wire.EventScopes(event)
	if !known {
		return nil // an unknown event is ignored
	}
	return by.Scopes.Check(need)
}

// Event is Ask for an event of a client that is on the radio; it needs no Look.
// Unknown events are ignored.
func (d *Door) Event(q Request) Step {
	if len(q.Payload) == 0 {
		q.Payload = json.RawMessage("null")
	}
	s := Step{By: q.By.actor(core.BySocket), request: q}
	if err := May(q.By, q.Event); err != nil {
		return s.lacks(err)
	}
	switch Job(q.Event) {
	case Voice:
		return s.voice(d.Host.VoiceBytes)
	case CloseMedia:
		s.Job = CloseMedia
		return s
	case "heartbeat":
		s.known = Answer{Body: wire.AckOK{Success: true}, Messages: []wire.Message{to(q.By.User, "heartbeat_response", q.At)}}
		return s
	case Link:
		return s.link()
	case Encoding:
		return s.encoding()
	case Script:
		return s.script()
	case Offer:
		var o wire.WebRTCOffer
		return s.job(Offer, wire.Decode(q.Payload, &o), o)
	case Report:
		var r wire.WebRTCReport
		err := wire.Decode(q.Payload, &r)
		return s.job(Report, err, r)
	case ToneFile:
		return s.toneFile()
	}
	if !wire.Decodes(q.Event) {
		return s
	}
	var err error
	if s.Command, err = wire.DecodeEvent(q.Event, q.By.User, q.Payload); err != nil {
		return s.misread(err)
	}
	return s
}

// lacks tells a client which scope its key lacks. A refused frame gives no message:
// the client knows from its key-up.
func (s Step) lacks(err error) Step {
	s.known = Answer{Err: err, Body: wire.AckError{Error: err.Error()}}
	if s.request.Event != string(Voice) {
		s.known.Messages = []wire.Message{refusedMessage(s.request, err)}
	}
	return s
}

// misread refuses a payload. If no channel can have its frequency, a message says so;
// otherwise the payload is of the wrong type, which is counted.
func (s Step) misread(err error) Step {
	s.Command, s.Job = nil, ""
	s.known = Answer{Err: err, Body: wire.AckError{Error: err.Error()}}
	var refusal *core.Error
	if errors.As(err, &refusal) && refusal.Kind == core.NotFound {
		s.known.Messages = []wire.Message{refusedMessage(s.request, err)}
	} else {
		s.known.Wrong = true
	}
	return s
}

func (s Step) job(j Job, err error, body any) Step {
	if err != nil {
		return s.misread(err)
	}
	s.Job, s.Body = j, body
	return s
}

// link reads setDispatchSession. Players and API keys have no session, but their
// clients send it all the same.
func (s Step) link() Step {
	var id string
	err := wire.DecodeArg(s.request.Payload, "sessionId", &id, "a string")
	if err == nil && (s.request.By.Kind == Player || s.request.By.Kind == Key) {
		s.known = Answer{Body: wire.AckOK{Success: true}}
		return s
	}
	return s.job(Link, err, id)
}

// script reads an event for scripts, which only players may send, as in the game. A
// callsign is for the radio itself.
func (s Step) script() Step {
	var e wire.ScriptEvent
	err := wire.Decode(s.request.Payload, &e)
	if err == nil {
		err = e.Check()
	}
	if err == nil && !s.request.By.User.Player() {
		err = &core.Error{Kind: core.Forbidden, Field: "name", Message: "Only players may send events to scripts"}
	}
	if err == nil && e.Name == wire.SendCallsign {
		if s.Command, err = wire.DecodeEvent("setCallsign", s.request.By.User, e.Callsign()); err == nil {
			return s
		}
	}
	return s.job(Script, err, e)
}

// voice checks a frame. An adapter with a media plane reads frames itself, without
// allocating, and brings only those here that it cannot read.
func (s Step) voice(most int) Step {
	var v struct {
		Data     string         `json:"data"`
		Encoding string         `json:"encoding"`
		At       wire.Frequency `json:"frequency"`
	}
	err := wire.Decode(s.request.Payload, &v)
	if s.request.By.Kind == Player && names(err, "frequency") {
		err = nil // a player speaks on its own channel, whichever it names
	}
	if most == 0 {
		most = DefaultVoiceBytes
	}
	if err == nil && (v.Data == "" || len(v.Data) > most) {
		err = invalid("data", "data must be base64 text of 1 to "+strconv.Itoa(most)+" bytes")
	}
	if err != nil {
		s.known = Answer{Err: err, Body: wire.AckError{Error: err.Error()}, Wrong: true}
		return s
	}
	s.Job, s.Body = Voice, wire.ClientVoice{Data: v.Data, Encoding: v.Encoding, Frequency: v.At}
	return s
}

// names says whether an error is about a field.
func names(err error, field string) bool {
	var e *core.Error
	return errors.As(err, &e) && e.Field == field
}

// DefaultVoiceBytes is the largest data field of a voice event, in bytes of base64
// text. A WebM blob of 300 ms is under 10 KiB.
const DefaultVoiceBytes = 64 << 10

func (s Step) encoding() Step {
	var e string
	err := wire.DecodeArg(s.request.Payload, "encoding", &e, `"opus" or "imbe"`)
	if err == nil && e != "opus" && e != "imbe" {
		err = invalid("encoding", `encoding must be "opus" or "imbe"`)
	}
	return s.job(Encoding, err, e)
}

func (s Step) toneFile() Step {
	var f wire.ToneFile
	err := wire.Decode(s.request.Payload, &f)
	if err == nil && f.Offset < 0 {
		err = invalid("offset", "offset must not be negative")
	}
	return s.job(ToneFile, err, f)
}

// Sound is the sound file of a tone of the tone list, named in any case.
func Sound(v core.View, tone string) (file string, err error) {
	t, known := v.Tone(tone)
	if !known {
		return "", ErrNoSound
	}
	return t.File, nil
}

// ErrNoSound refuses a tone that is not on the tone list, or has no sound file.
var ErrNoSound = &core.Error{Kind: core.NotFound, Field: "name", Message: "Tone not found"}

// acked is the answer to an event.
func (s Step) acked(out core.Output, err error) Answer {
	if s.Command != nil && err != nil && Status(err) == 0 { // a failure: its cause belongs in the log only
		err = ErrServer
	}
	a := Answer{Err: err, Body: wire.AckOf(s.Command, out, err)}
	switch Job(s.request.Event) {
	case Offer, Report, Encoding, Voice, CloseMedia, ToneFile, Script: // the ack says it all
		return a
	case Link:
		s.request.Payload = nil // a session id must not be read as a frequency
	}
	if err != nil {
		a.Messages = []wire.Message{refusedMessage(s.request, err)}
	}
	return a
}

// Keyed is the channel that a frame of voice is meant for. A player holds one floor,
// and speaks there: on its own channel or, after a panic, on the emergency's. Zero
// means that floor. A dispatcher's frame names a channel, or means the one that the
// dispatcher is tuned to.
func Keyed(by Kind, tuned core.Frequency, named wire.Frequency) core.Frequency {
	switch {
	case by == Player:
		return 0
	case !named.Given:
		return tuned
	}
	return named.At
}
