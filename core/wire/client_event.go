package wire

import (
	"encoding/json"
	"errors"

	"squelch/core"
)

// ClientEvents is the table of everything that a client sends. The tag event is the
// event's name, the field's type its payload; an API key needs any one of the scopes in
// the tag scope.
type ClientEvents struct {
	SetDispatchSession     string          `event:"setDispatchSession" scope:"read talk" doc:"Links the socket to the auth session"`
	UpdateUserInfo         UpdateUserInfo  `event:"updateUserInfo" scope:"read talk" doc:"Sets the dispatcher's identity"`
	SetCallsign            SetCallsign     `event:"setCallsign" scope:"read talk" doc:"Extension: the sender's own callsign; empty or null clears it"`
	SetSpeakerChannel      Frequency       `event:"setSpeakerChannel" scope:"read talk" doc:"Join a channel to speak; null leaves"`
	AddListeningChannel    Frequency       `event:"addListeningChannel" scope:"read talk" doc:"Start scanning"`
	RemoveListeningChannel Frequency       `event:"removeListeningChannel" scope:"read talk" doc:"Stop scanning"`
	ListenToUser           ID              `event:"listenToUser" scope:"read talk" doc:"Follow a user across any frequency"`
	StopListeningToUser    ID              `event:"stopListeningToUser" scope:"read talk" doc:"Stop following"`
	Add3DListening         Frequency       `event:"add3DListening" scope:"read talk" doc:"Register for 3D voice data"`
	Remove3DListening      Frequency       `event:"remove3DListening" scope:"read talk" doc:"Unregister"`
	SetTalking             SetTalking      `event:"setTalking" scope:"talk" doc:"PTT; boolean is the legacy form"`
	Voice                  ClientVoice     `event:"voice" scope:"talk" doc:"A voice packet"`
	Heartbeat              float64         `event:"heartbeat" scope:"read talk" doc:"Keep-alive; ms since the epoch"`
	Panic                  PanicEvent      `event:"panic" scope:"talk" doc:"Extension: the panic button of the sender"`
	AcknowledgePanic       AckPanic        `event:"acknowledgePanic" scope:"dispatch" doc:"Extension: a dispatcher takes care of a panic"`
	AcknowledgeEmergency   AckEmergency    `event:"acknowledgeEmergency" scope:"dispatch" doc:"Extension: a dispatcher stops an emergency's alarm; the ack carries { success, emergency }"`
	CloseEmergency         CloseEmergency  `event:"closeEmergency" scope:"dispatch" doc:"Extension: a dispatcher ends an emergency; the ack carries { success, emergency }"`
	TriggerAlert           TriggerAlert    `event:"triggerAlert" scope:"dispatch" doc:"Extension: alert on the sender's channel"`
	RadioState             RadioStateEvent `event:"radioState" scope:"read talk" doc:"Extension: state of the sender's radio"`
	AnnouncementGroup      ArmEvent        `event:"armAnnouncementGroup" scope:"talk" doc:"Extension: arm an announcement group, null disarms"`
	SetVoiceEncoding       string          `event:"setVoiceEncoding" scope:"read talk" doc:"Extension: opus or imbe"`
	WebRTCOffer            WebRTCOffer     `event:"webrtc:offer" scope:"read talk" doc:"Extension: SDP offer; the ack carries { sdp } or { error }"`
	WebRTCReport           WebRTCReport    `event:"webrtc:report" scope:"read talk" doc:"Extension: how the slots of the media connection arrive; the ack carries { received, slots } or { error }"`
	WebRTCClose            *Empty          `event:"webrtc:close" scope:"read talk" doc:"Extension: ends the media connection"`
	ToneFile               ToneFile        `event:"toneFile" scope:"read talk" doc:"Extension: a piece of a tone's sound file; the ack carries { data, offset, size, type } or { error }"`
	Loopback               LoopbackEvent   `event:"loopback" scope:"talk" doc:"Extension: self-test on or off"`
	ServerEvent            ScriptEvent     `event:"serverEvent" scope:"talk" doc:"Extension: a player's client triggers an event that a script in the service has registered (TriggerServerEvent)"`
}

// Payloads of client events.
type (
	UpdateUserInfo struct {
		Name  *Text `json:"name,omitempty"`
		NacID *Text `json:"nacId,omitempty"`
	}
	SetCallsign struct {
		Callsign Text `json:"callsign,omitempty"`
	}
	ClientVoice struct {
		Data      string    `json:"data" wire:"required"`
		Encoding  string    `json:"encoding,omitempty"`
		Frequency Frequency `json:"frequency,omitzero"`
	}
	PanicEvent struct {
		Frequency Frequency `json:"frequency,omitzero"`
		Enabled   *bool     `json:"enabled" wire:"required"`
	}
	AckPanic struct {
		ServerID  ID        `json:"serverId" wire:"required"`
		Frequency Frequency `json:"frequency,omitzero"`
	}
	TriggerAlert struct {
		Frequency Frequency `json:"frequency" wire:"required"`
		Enabled   *bool     `json:"enabled,omitempty"` // absent: toggle
		AlertType string    `json:"alertType,omitempty"`
	}
	RadioStateEvent struct {
		Power       *bool    `json:"power,omitempty"`
		Open        *bool    `json:"open,omitempty"`
		Focused     *bool    `json:"focused,omitempty"`
		Volumes     *Volume3 `json:"volumes,omitempty"`
		Layout      *string  `json:"layout,omitempty"`
		Theme       *string  `json:"theme,omitempty"`
		AnimationID *Text    `json:"animationId,omitempty"`
		Earbuds     *bool    `json:"earbuds,omitempty"`
		Battery     *float64 `json:"battery,omitempty"`
		Signal      *float64 `json:"signal,omitempty"`
		GPS         *bool    `json:"gps,omitempty"`
	}
	Volume3 struct {
		Voice   *float64 `json:"voice,omitempty"`
		Tone    *float64 `json:"tone,omitempty"`
		Audio3D *float64 `json:"audio3d,omitempty"`
	}
	ArmEvent struct {
		GroupID *string `json:"groupId"`
	}
	WebRTCOffer struct {
		SDP string `json:"sdp" wire:"required"`
	}
	// WebRTCAnswer is the ack of webrtc:offer.
	WebRTCAnswer struct {
		SDP string `json:"sdp"`
	}
	// WebRTCReport is what a client has counted on its slots since its media connection
	// began, of at most 16 slots.
	WebRTCReport struct {
		Slots SlotReports `json:"slots" wire:"required"`
	}
	SlotReport struct {
		Mid       string `json:"mid" wire:"required"`
		Received  uint64 `json:"received" wire:"required"`  // packets
		Lost      uint64 `json:"lost" wire:"required"`      // packets
		Concealed uint64 `json:"concealed" wire:"required"` // samples at 48 kHz that were made up while somebody spoke
		Events    uint64 `json:"events" wire:"required"`    // how often that began
	}
	SlotReports []SlotReport
	// WebRTCCounts is the ack of webrtc:report: what the service has received and sent on
	// the same connection. A client that compares it with its own counts knows whether the
	// path still carries packets.
	WebRTCCounts struct {
		Received uint64     `json:"received"` // packets of the client's own voice
		Slots    []SlotSent `json:"slots"`
	}
	SlotSent struct {
		Mid  string `json:"mid"`
		Sent uint64 `json:"sent"` // packets
	}
	// ToneFile asks for the sound file of a tone of the tone list, from Offset (bytes) on.
	// A client that cannot reach GET /radio/tones/{file} fetches it piece by piece.
	ToneFile struct {
		Name   string `json:"name" wire:"required"`
		Offset int    `json:"offset,omitempty"`
	}
	// TonePiece is the ack of toneFile: at most 16 KiB of the file, which is Size bytes
	// long. The file is complete when Offset and the length of Data come to Size.
	TonePiece struct {
		Data   []byte `json:"data"` // base64
		Offset int    `json:"offset"`
		Size   int    `json:"size"`
		Type   string `json:"type"` // "audio/wav"
	}
	LoopbackEvent struct {
		Enabled *bool `json:"enabled" wire:"required"`
	}
	// Handshake is the auth object of the Socket.IO handshake.
	Handshake struct {
		AuthToken Text `json:"authToken"`
		SessionID Text `json:"sessionId"`
		ServerID  ID   `json:"serverId"`
	}
	// ConnectRefusal is the data of a connect_error, with which a handshake is
	// refused.
	ConnectRefusal struct {
		Code       string `json:"code"` // bad_token, bad_session, bad_id, bad_scope, locked_out, full
		Error      string `json:"error"`
		RetryAfter int    `json:"retryAfter,omitempty"` // seconds, with locked_out
	}
	// AckError is the ack of an event that was refused; AckOK that of one that was
	// done and has no other answer.
	AckError = Failure
	AckOK    = Success
	// AckDenied is the ack of a key-up that was not granted. CurrentTalker is
	// missing if the time-out timer is the reason and not another talker.
	AckDenied struct {
		Success       bool        `json:"success"`
		Error         string      `json:"error"`
		CurrentTalker core.UserID `json:"currentTalker,omitempty"`
	}
)

// UnmarshalJSON names the field at fault inside volumes.
func (v *Volume3) UnmarshalJSON(b []byte) error {
	type plain Volume3
	return Decode(b, (*plain)(v))
}

// maxReports is the most slots in one webrtc:report: four times what a connection has.
const maxReports = 16

// UnmarshalJSON takes a list of at most maxReports.
func (l *SlotReports) UnmarshalJSON(b []byte) error {
	*l = nil
	return eachOf(b, maxReports, func(element json.RawMessage) error {
		var r SlotReport
		if err := Decode(element, &r); err != nil {
			return err
		}
		*l = append(*l, r)
		return nil
	})
}

// decoders turn an event into the command that it means, for those that mean exactly
// one.
var decoders = map[string]func(me core.UserID, arg json.RawMessage) (core.Command, error){
	"updateUserInfo":         decodeIdentify,
	"setCallsign":            decodeCallsign,
	"setSpeakerChannel":      decodeJoin,
	"addListeningChannel":    onFrequency(func(u core.UserID, f core.Frequency) core.Command { return core.StartScan{User: u, Frequency: f} }),
	"removeListeningChannel": onFrequency(func(u core.UserID, f core.Frequency) core.Command { return core.StopScan{User: u, Frequency: f} }),
	"add3DListening":         onFrequency(func(u core.UserID, f core.Frequency) core.Command { return core.Start3D{User: u, Frequency: f} }),
	"remove3DListening":      onFrequency(func(u core.UserID, f core.Frequency) core.Command { return core.Stop3D{User: u, Frequency: f} }),
	"listenToUser":           onUser(func(u, t core.UserID) core.Command { return core.Follow{User: u, Target: t} }),
	"stopListeningToUser":    onUser(func(u, t core.UserID) core.Command { return core.Unfollow{User: u, Target: t} }),
	"setTalking":             decodeTalking,
	"panic":                  decodePanic,
	"acknowledgePanic":       decodeAckPanic,
	"acknowledgeEmergency":   decodeAckEmergency,
	"closeEmergency":         decodeCloseEmergency,
	"triggerAlert":           decodeTriggerAlert,
	"radioState":             decodeRadioState,
	"armAnnouncementGroup":   decodeArm,
	"loopback":               decodeLoopback,
}

// Decodes says whether an event means exactly one command of the radio.
func Decodes(event string) bool { return decoders[event] != nil }

// DecodeEvent turns a client's event into a command of user me. The error is a
// *core.Error; nothing that a client sends makes it panic.
func DecodeEvent(event string, me core.UserID, arg json.RawMessage) (core.Command, error) {
	d := decoders[event]
	if d == nil {
		return nil, &core.Error{Kind: core.NotFound, Message: "Unknown event"}
	}
	if len(arg) == 0 {
		arg = json.RawMessage("null")
	}
	return d(me, arg)
}

// DecodeArg reads a payload that is not an object (a frequency, an id, a string). The
// error is the payload's own *core.Error, or one that says that name must be what.
func DecodeArg(arg json.RawMessage, name string, into any, what string) error {
	err := json.Unmarshal(arg, into)
	if err == nil {
		return nil
	}
	var inner *core.Error
	if errors.As(err, &inner) && inner.Field != "" {
		return inner
	}
	return &core.Error{Kind: core.Invalid, Field: name, Message: name + " must be " + what}
}

func onFrequency(make func(core.UserID, core.Frequency) core.Command) func(core.UserID, json.RawMessage) (core.Command, error) {
	return func(me core.UserID, arg json.RawMessage) (core.Command, error) {
		var f Frequency
		if err := DecodeArg(arg, "frequency", &f, "a frequency (decimal string or number)"); err != nil {
			return nil, err
		}
		if !f.Given {
			return nil, &core.Error{Kind: core.Invalid, Field: "frequency", Message: "frequency is missing"}
		}
		return make(me, f.At), nil
	}
}

func onUser(make func(me, target core.UserID) core.Command) func(core.UserID, json.RawMessage) (core.Command, error) {
	return func(me core.UserID, arg json.RawMessage) (core.Command, error) {
		var id ID
		if err := DecodeArg(arg, "targetServerId", &id, "an integer"); err != nil {
			return nil, err
		}
		if !id.Given {
			return nil, &core.Error{Kind: core.Invalid, Field: "targetServerId", Message: "targetServerId is missing"}
		}
		return make(me, id.User), nil
	}
}

// decodeJoin: null, false and "" switch the speaker channel off.
func decodeJoin(me core.UserID, arg json.RawMessage) (core.Command, error) {
	switch string(arg) {
	case "null", "false", `""`:
		return core.LeaveChannel{User: me}, nil
	}
	return onFrequency(func(u core.UserID, f core.Frequency) core.Command { return core.JoinAsSpeaker{User: u, Frequency: f} })(me, arg)
}

func decodeIdentify(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p UpdateUserInfo
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return core.Identify{User: me, Name: (*string)(p.Name), Nac: (*string)(p.NacID)}, nil
}

func decodeCallsign(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p SetCallsign
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return core.SetCallsign{User: me, Callsign: string(p.Callsign)}, nil
}

func decodeTalking(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var t SetTalking
	if string(arg) == "null" {
		return nil, &core.Error{Kind: core.Invalid, Field: "state", Message: "state is missing"}
	}
	if err := DecodeArg(arg, "state", &t, "a boolean or { state, frequency, override }"); err != nil {
		return nil, err
	}
	if t.State {
		return core.KeyUp{User: me, Frequency: t.Frequency.At, Override: t.Override}, nil
	}
	return core.KeyDown{User: me, Frequency: t.Frequency.At}, nil
}

func decodePanic(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p PanicEvent
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return core.SetPanic{User: me, Frequency: p.Frequency.At, Enabled: *p.Enabled}, nil
}

func decodeAckPanic(_ core.UserID, arg json.RawMessage) (core.Command, error) {
	var p AckPanic
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return core.AcknowledgePanic{User: p.ServerID.User, Frequency: p.Frequency.At}, nil
}

func decodeTriggerAlert(_ core.UserID, arg json.RawMessage) (core.Command, error) {
	var p TriggerAlert
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return core.SetAlert{Frequency: p.Frequency.At, Enabled: choiceOf(p.Enabled), Alert: core.AlertRef{Name: p.AlertType}}, nil
}

func decodeRadioState(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p RadioStateEvent
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	c := core.SetRadio{User: me, Power: p.Power, Open: p.Open, Focused: p.Focused, Earbuds: p.Earbuds, GPS: p.GPS,
		Battery: p.Battery, Signal: p.Signal, Layout: p.Layout, Theme: p.Theme, AnimationID: (*string)(p.AnimationID)}
	if p.Volumes != nil {
		c.Volume, c.ToneVolume, c.Volume3D = p.Volumes.Voice, p.Volumes.Tone, p.Volumes.Audio3D
	}
	return c, nil
}

func decodeArm(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p ArmEvent
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	c := core.ArmGroup{User: me}
	if p.GroupID != nil {
		c.Group = *p.GroupID
	}
	return c, nil
}

func decodeLoopback(me core.UserID, arg json.RawMessage) (core.Command, error) {
	var p LoopbackEvent
	if err := Decode(arg, &p); err != nil {
		return nil, err
	}
	return core.SetLoopback{User: me, Enabled: *p.Enabled}, nil
}
