package wire

import (
	"reflect"
	"strings"

	"squelch/core"
)

// Bodies of requests. The tag `wire:"required"` is checked by Decode.
type (
	AuthRequest struct {
		NacID    Text `json:"nacId" wire:"required"`
		Callsign Text `json:"callsign" wire:"required"`
	}
	ReauthRequest struct {
		Callsign Text `json:"callsign" wire:"required"`
	}
	// TriggerBroadcast is the older form of a broadcast: it carries no tone.
	TriggerBroadcast struct {
		Message   string    `json:"message" wire:"required"`
		Frequency Frequency `json:"frequency,omitzero" wire:"blank"`
		Type      string    `json:"type,omitempty"`
	}
	BroadcastRequest struct {
		Message   string    `json:"message" wire:"required"`
		Frequency Frequency `json:"frequency,omitzero" wire:"blank"`
		Type      string    `json:"type,omitempty"`
		Tone      string    `json:"tone,omitempty"`
	}
	ToneRequest struct {
		Frequency Frequency `json:"frequency" wire:"required"`
		Tone      string    `json:"tone" wire:"required"`
	}
	AlertTrigger struct {
		Frequency   Frequency `json:"frequency" wire:"required"`
		AlertType   string    `json:"alertType,omitempty"`
		AlertConfig *Alert    `json:"alertConfig,omitempty"`
	}
	AlertClear struct {
		Frequency Frequency `json:"frequency" wire:"required"`
	}
	AlertOneShot struct {
		Frequency   Frequency `json:"frequency" wire:"required"`
		AlertConfig *Alert    `json:"alertConfig" wire:"required"`
	}
	SwitchChannel struct {
		ServerID     ID        `json:"serverId" wire:"required"`
		Frequency    Frequency `json:"frequency" wire:"required"`
		OldFrequency Loose     `json:"oldFrequency,omitzero"`
	}
	UserAlert struct {
		UserID    ID        `json:"userId" wire:"required"`
		Message   string    `json:"message" wire:"required"`
		Frequency Frequency `json:"frequency,omitzero"`
	}
	UserDisconnect struct {
		UserID ID `json:"userId" wire:"required"`
	}
	SetPlayerCallsign struct {
		UserID   ID   `json:"userId" wire:"required"`
		Callsign Text `json:"callsign,omitempty"`
	}
	UpdateCallsign struct {
		Callsign Text `json:"callsign" wire:"required"`
		UserID   ID   `json:"userId,omitzero"`
	}
	PatchCreate struct {
		Label       string      `json:"label,omitempty"`
		Frequencies []Frequency `json:"frequencies" wire:"required"`
	}
	PatchRemove struct {
		ID string `json:"id" wire:"required"`
	}
	PanicRequest struct {
		ServerID  ID        `json:"serverId" wire:"required"`
		Frequency Frequency `json:"frequency,omitzero"`
		Enabled   *bool     `json:"enabled" wire:"required"`
	}
	PlayerConnect struct {
		ServerID    ID       `json:"serverId" wire:"required"`
		Name        Text     `json:"name" wire:"required"`
		NacID       Text     `json:"nacId,omitempty"`
		UnitID      Text     `json:"unitId,omitempty"`
		Identifiers []string `json:"identifiers,omitempty"`
		ACEs        *ACEs    `json:"aces,omitempty"`
		// What the operator's callbacks answered in the game, where only the game can
		// ask them: radioAccessCheck, getUserNacId ("": none), getPlayerName.
		Access       *bool `json:"access,omitempty"`
		CallbackNac  *Text `json:"callbackNac,omitempty"`
		CallbackName *Text `json:"callbackName,omitempty"`
	}
	ACEs struct {
		Connect  Grant     `json:"connect,omitzero"`
		Scan     Grant     `json:"scan,omitzero"`
		GPS      Grant     `json:"gps,omitzero"`
		Zones    ZoneGrant `json:"zones,omitzero"`
		Dispatch bool      `json:"dispatch,omitempty"`
		Nac      Text      `json:"nac,omitempty"`
	}
	PlayerDrop struct {
		ServerID ID `json:"serverId" wire:"required"`
	}
	// GameOffer is the WebRTC offer of a player's radio, with the audio sections of a
	// webrtc:offer and the data channel "control".
	GameOffer struct {
		ServerID ID     `json:"serverId" wire:"required"`
		SDP      string `json:"sdp" wire:"required"`
	}
	PlayerPositions struct {
		Positions []PlayerPosition `json:"positions" wire:"required"`
	}
	PlayerPosition struct {
		ServerID ID      `json:"serverId" wire:"required"`
		X        float64 `json:"x"`
		Y        float64 `json:"y"`
		Z        float64 `json:"z"`
	}
)

// UnmarshalJSON names the field at fault inside aces.
func (a *ACEs) UnmarshalJSON(b []byte) error {
	type plain ACEs
	return Decode(b, (*plain)(a))
}

// UnmarshalJSON names the field at fault inside a position.
func (p *PlayerPosition) UnmarshalJSON(b []byte) error {
	type plain PlayerPosition
	return Decode(b, (*plain)(p))
}

// Loose is a field that clients send and nothing reads. Any JSON will do.
type Loose struct{}

// UnmarshalJSON takes anything.
func (*Loose) UnmarshalJSON([]byte) error { return nil }

// MarshalJSON writes null.
func (Loose) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// Commanding is a request body that means one command of the radio. by is the user
// for whom the session speaks; 0: an integration, which is no user.
type Commanding interface {
	Command(by core.UserID) (core.Command, error)
}

func (r *TriggerBroadcast) Command(core.UserID) (core.Command, error) {
	return core.Broadcast{Message: r.Message, Frequency: r.Frequency.At, Type: r.Type}, nil
}

func (r *BroadcastRequest) Command(core.UserID) (core.Command, error) {
	return core.Broadcast{Message: r.Message, Frequency: r.Frequency.At, Type: r.Type, Tone: r.Tone}, nil
}

func (r *ToneRequest) Command(core.UserID) (core.Command, error) {
	return core.PlayTone{Frequency: r.Frequency.At, Tone: r.Tone}, nil
}

// Command activates the entry that the caller supplies, or else the configured alert
// with the name that it gives.
func (r *AlertTrigger) Command(core.UserID) (core.Command, error) {
	if r.AlertConfig == nil {
		if r.AlertType == "" {
			return nil, &core.Error{Kind: core.Invalid, Field: "alertConfig", Message: "alertConfig is missing"}
		}
		return core.SetAlert{Frequency: r.Frequency.At, Enabled: core.Yes, Alert: core.AlertRef{Name: r.AlertType}}, nil
	}
	a := r.AlertConfig.Alert
	if a.Name == "" {
		a.Name = r.AlertType
	}
	return core.TriggerAlert{Frequency: r.Frequency.At, Alert: a}, nil
}

func (r *AlertClear) Command(core.UserID) (core.Command, error) {
	return core.ClearAlert{Frequency: r.Frequency.At}, nil
}

func (r *AlertOneShot) Command(core.UserID) (core.Command, error) {
	return core.PlayAlert{Frequency: r.Frequency.At, Alert: r.AlertConfig.Alert}, nil
}

func (r *SwitchChannel) Command(core.UserID) (core.Command, error) {
	return core.MoveUser{User: r.ServerID.User, Frequency: r.Frequency.At}, nil
}

func (r *UserAlert) Command(core.UserID) (core.Command, error) {
	return core.AlertUser{User: r.UserID.User, Message: r.Message, Frequency: r.Frequency.At}, nil
}

func (r *UserDisconnect) Command(core.UserID) (core.Command, error) {
	return core.Kick{User: r.UserID.User}, nil
}

func (r *SetPlayerCallsign) Command(core.UserID) (core.Command, error) {
	return core.SetCallsign{User: r.UserID.User, Callsign: string(r.Callsign)}, nil
}

// Command sets the callsign of first if userId is absent: the caller of Command finds
// the dispatcher that is meant (core.View.MeantDispatcher).
func (r *UpdateCallsign) Command(first core.UserID) (core.Command, error) {
	id := r.UserID.User
	if !r.UserID.Given {
		id = first
	}
	if r.UserID.Given && id >= 0 {
		return nil, &core.Error{Kind: core.Invalid, Field: "userId", Message: "userId must be negative"}
	}
	return core.SetCallsign{User: id, Callsign: string(r.Callsign)}, nil
}

func (r *PatchCreate) Command(by core.UserID) (core.Command, error) {
	fs := make([]core.Frequency, len(r.Frequencies))
	for i, f := range r.Frequencies {
		if !f.Given {
			return nil, &core.Error{Kind: core.Invalid, Field: "frequencies", Message: "frequencies must not contain null"}
		}
		fs[i] = f.At
	}
	return core.CreatePatch{Label: r.Label, Frequencies: fs, CreatedBy: by}, nil
}

func (r *PatchRemove) Command(core.UserID) (core.Command, error) {
	return core.RemovePatch{ID: r.ID}, nil
}

func (r *PanicRequest) Command(core.UserID) (core.Command, error) {
	return core.SetPanic{User: r.ServerID.User, Frequency: r.Frequency.At, Enabled: *r.Enabled}, nil
}

func (r *PlayerDrop) Command(core.UserID) (core.Command, error) {
	return core.Drop{User: r.ServerID.User}, nil
}

func (r *PlayerPositions) Command(core.UserID) (core.Command, error) {
	c := core.SetPositions{}
	for _, p := range r.Positions {
		c.Positions = append(c.Positions, core.PlayerPosition{User: p.ServerID.User, At: core.Position{X: p.X, Y: p.Y, Z: p.Z}})
	}
	return c, nil
}

// ResolveIDs replaces the dispatcher ids in a request body, a pointer to one of the
// structs above, by what alias makes of them (core.View.Alias), because a session may
// use the id that it asked for. The id 0 names nobody and is an error.
func ResolveIDs(body any, alias func(core.UserID) core.UserID) error {
	v := reflect.ValueOf(body).Elem()
	for i := range v.NumField() {
		id, ok := v.Field(i).Addr().Interface().(*ID)
		if !ok || !id.Given {
			continue
		}
		if id.User == 0 {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return &core.Error{Kind: core.Invalid, Field: name, Message: name + " must not be 0"}
		}
		if id.User.Dispatcher() {
			id.User = alias(id.User)
		}
	}
	return nil
}

// Facts are those of a player that the game server announces.
func (r *PlayerConnect) Facts() core.Facts {
	f := core.Facts{Name: string(r.Name), Nac: string(r.NacID), Unit: string(r.UnitID), Identifiers: r.Identifiers}
	if a := r.ACEs; a != nil {
		f.Given = core.Grants{Connect: a.Connect.Grant, Scan: a.Scan.Grant, GPS: a.GPS.Grant,
			Zones: a.Zones.ZoneGrant, Dispatch: a.Dispatch, Nac: string(a.Nac)}
	}
	f.Game = core.Answers{Access: choiceOf(r.Access), Nac: answerOf(r.CallbackNac), Name: answerOf(r.CallbackName)}
	return f
}

// choiceOf is unsaid if the field is absent.
func choiceOf(b *bool) core.Choice {
	switch {
	case b == nil:
		return core.Unsaid
	case *b:
		return core.Yes
	}
	return core.No
}

func answerOf(t *Text) core.GameAnswer {
	if t == nil {
		return core.GameAnswer{}
	}
	return core.GameAnswer{Given: true, Text: string(*t)}
}
