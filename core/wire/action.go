package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"squelch/core"
)

// Actions is the table of what the game server may ask for with POST /api/game/do, and
// a script of the service by its exports. The tag do is the action's name; the field's
// type has its arguments. An argument that is null is the same as one that is absent:
// a Lua table has no nil.
type Actions struct {
	SetUserChannel    SetUserChannel    `do:"setUserChannel" doc:"Puts a user on a channel, regardless of the user's own access"`
	DisconnectUser    OneUser           `do:"disconnectUser" doc:"Disconnects a user"`
	SetAlertOnChannel SetAlertOnChannel `do:"setAlertOnChannel" doc:"Switches an alert on or off; without enabled, toggles it"`
	SetChannelPanic   SetChannelPanic   `do:"setChannelPanic" doc:"Raises or clears a user's panic on a channel"`
	SetUserNacID      SetUserNac        `do:"setUserNacId" doc:"Sets a NAC id by hand, until the next refresh"`
	RefreshNacID      RefreshUser       `do:"refreshNacId" doc:"Asks the operator's callbacks about a player again"`
	RefreshPlayerInfo RefreshPlayers    `do:"refreshPlayerInfo" doc:"Asks the operator's callbacks about all players again; the result has their count"`
	RefreshSubscriber RefreshUser       `do:"refreshSubscriber" doc:"Builds a player's subscriber record again"`
	SetCallsign       SetCallsignOf     `do:"setCallsign" doc:"Sets a user's callsign; none clears it"`
	PlayToneOnChannel ToneRequest       `do:"playToneOnChannel" doc:"Plays a tone to all users on a channel"`
	PlayToneOnSource  ToneTo            `do:"playToneOnSource" doc:"Plays a tone to one user"`
	Event             PlayerEvent       `do:"event" doc:"Runs a Socket.IO event as a registered player, with that player's rights; the result has its ack as reply"`
}

// Arguments of actions.
type (
	SetUserChannel struct {
		ServerID  ID        `json:"serverId" wire:"required"`
		Frequency Frequency `json:"frequency" wire:"required"`
	}
	OneUser struct {
		ServerID ID `json:"serverId" wire:"required"`
	}
	SetAlertOnChannel struct {
		Frequency Frequency `json:"frequency" wire:"required"`
		Enabled   *bool     `json:"enabled,omitempty"` // absent: toggle
		Alert     AlertRef  `json:"alert,omitzero"`    // absent: the first configured one
	}
	SetChannelPanic struct {
		Frequency Frequency `json:"frequency" wire:"required"`
		ServerID  ID        `json:"serverId" wire:"required"`
		Enabled   *bool     `json:"enabled" wire:"required"`
	}
	SetUserNac struct {
		ServerID ID   `json:"serverId" wire:"required"`
		NacID    Text `json:"nacId" wire:"required"`
	}
	RefreshUser struct {
		ServerID ID `json:"serverId" wire:"required"`
	}
	RefreshPlayers struct{}
	SetCallsignOf  struct {
		ServerID ID   `json:"serverId" wire:"required"`
		Callsign Text `json:"callsign,omitempty"`
	}
	ToneTo struct {
		ServerID ID     `json:"serverId" wire:"required"`
		Tone     string `json:"tone" wire:"required"`
	}
	PlayerEvent struct {
		ServerID ID              `json:"serverId" wire:"required"`
		Name     string          `json:"name" wire:"required"`
		Payload  json.RawMessage `json:"payload,omitempty"`
	}
)

// AlertRef names a configured alert: by its name in any case, or by its 1-based index.
type AlertRef struct{ core.AlertRef }

// UnmarshalJSON takes "SIGNAL 100", 2 and 2.0. An empty name names no alert.
func (a *AlertRef) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		*a = AlertRef{}
		return nil
	}
	if len(b) > 0 && b[0] == '"' {
		var name string
		if json.Unmarshal(b, &name) != nil {
			return errWrongType
		}
		*a = AlertRef{core.AlertRef{Name: name, Given: true}}
		return nil
	}
	var n float64
	if json.Unmarshal(b, &n) != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return errWrongType
	}
	*a = AlertRef{core.AlertRef{Index: int(n), Given: true}}
	return nil
}

// MarshalJSON gives the name or the number.
func (a AlertRef) MarshalJSON() ([]byte, error) {
	switch {
	case a.Name != "":
		return json.Marshal(a.Name)
	case a.Given:
		return json.Marshal(a.Index)
	}
	return []byte("null"), nil
}

// actions are the arguments' types by the name of the action, actionNames the names as
// they are in the table.
var actions, actionNames = func() (types map[string]reflect.Type, names []string) {
	types, table := map[string]reflect.Type{}, reflect.TypeFor[Actions]()
	for i := range table.NumField() {
		name := table.Field(i).Tag.Get("do")
		types[name], names = table.Field(i).Type, append(names, name)
	}
	return types, names
}()

// DecodeAction reads the arguments of an action: a pointer to one of the types of
// Actions. Arguments that are absent altogether are an empty object, and so is an empty
// array, which is how Lua writes an empty table. The error is a *core.Error that names
// the argument.
func DecodeAction(name string, args json.RawMessage) (any, error) {
	t, known := actions[name]
	switch {
	case name == "":
		return nil, &core.Error{Kind: core.Invalid, Field: "do", Message: "do is missing"}
	case !known:
		return nil, &core.Error{Kind: core.Invalid, Field: "do", Message: "do must be one of " + strings.Join(actionNames, ", ") + ", not " + clip(name)}
	}
	into := reflect.New(t)
	if args = bytes.TrimSpace(args); len(args) == 0 || string(args) == "null" || string(args) == "[]" {
		args = json.RawMessage("{}")
	}
	if err := Decode(args, into.Interface()); err != nil {
		return nil, err
	}
	return into.Interface(), noUserZero(into.Interface())
}

// noUserZero refuses the id 0, which names nobody.
func noUserZero(body any) error {
	return ResolveIDs(body, func(id core.UserID) core.UserID { return id })
}

func (r *SetUserChannel) Command(core.UserID) (core.Command, error) {
	return core.MoveUser{User: r.ServerID.User, Frequency: r.Frequency.At}, nil
}

func (r *OneUser) Command(core.UserID) (core.Command, error) {
	return core.Kick{User: r.ServerID.User}, nil
}

func (r *SetAlertOnChannel) Command(core.UserID) (core.Command, error) {
	return core.SetAlert{Frequency: r.Frequency.At, Enabled: choiceOf(r.Enabled), Alert: r.Alert.AlertRef}, nil
}

func (r *SetChannelPanic) Command(core.UserID) (core.Command, error) {
	return core.SetPanic{User: r.ServerID.User, Frequency: r.Frequency.At, Enabled: *r.Enabled}, nil
}

func (r *SetUserNac) Command(core.UserID) (core.Command, error) {
	return core.SetNac{User: r.ServerID.User, Nac: string(r.NacID)}, nil
}

func (r *SetCallsignOf) Command(core.UserID) (core.Command, error) {
	return core.SetCallsign{User: r.ServerID.User, Callsign: string(r.Callsign)}, nil
}

func (r *ToneTo) Command(core.UserID) (core.Command, error) {
	return core.PlayToneTo{User: r.ServerID.User, Tone: r.Tone}, nil
}
