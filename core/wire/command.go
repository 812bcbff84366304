package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"squelch/core"
)

// commands is one command of each type. A test compares it with the core's source.
var commands = []core.Command{core.AcknowledgeEmergency{}, core.AcknowledgePanic{}, core.AlertUser{}, core.ArmGroup{}, core.Broadcast{}, core.ClearAlert{}, core.CloseEmergency{},
	core.Connect{}, core.CreatePatch{}, core.Drop{}, core.Follow{}, core.Heard{}, core.Identify{}, core.JoinAsSpeaker{},
	core.KeyDown{}, core.KeyUp{}, core.Kick{}, core.LeaveChannel{}, core.LinkSession{}, core.MoveUser{},
	core.PlayAlert{}, core.PlayTone{}, core.PlayToneTo{}, core.Recover{}, core.Refresh{}, core.Register{}, core.RemovePatch{},
	core.ReplaceConfig{}, core.SetAlert{}, core.SetCallsign{}, core.SetLoopback{}, core.SetNac{}, core.SetPanic{},
	core.SetPositions{}, core.SetRadio{}, core.SetStorage{}, core.Start3D{}, core.StartScan{}, core.Stop3D{}, core.StopScan{},
	core.TriggerAlert{}, core.Unfollow{}, core.Unlink{}}

var commandTypes = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, c := range commands {
		t := reflect.TypeOf(c)
		types[t.Name()] = t
	}
	return types
}()

// Commands are the types of all commands, in a fixed order.
func Commands() []reflect.Type {
	types := make([]reflect.Type, len(commands))
	for i, c := range commands {
		types[i] = reflect.TypeOf(c)
	}
	return types
}

// maxMoment is the latest moment that an Order may have, in ms since the epoch: the
// last one that JavaScript's Date can represent (ECMA-262, "Time Values").
const maxMoment = 8_640_000_000_000_000

// Order is one step of the radio: a command with its moment and actor, or, without a
// command, time that passes (core.State.Tick). The same Orders in the same sequence
// give the same state; a journal is a list of them.
//
// As JSON it is
//
//	{"at":1700000000000,"by":{"user":12,"surface":"socketio"},"command":"KeyUp","args":{"User":12,…}}
//
// where command is the name of the type in package core and args has its fields; a
// field that is left out is zero. Frequencies are strings. Nothing is lost: the bytes
// of texts that are not UTF-8 are in "bytes".
type Order struct {
	At      int64 // ms since the epoch
	By      core.Actor
	Command core.Command // nil: a tick
}

type orderShape struct {
	At      int64           `json:"at"`
	By      *core.Actor     `json:"by,omitempty"`
	Command string          `json:"command,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Bytes   odd             `json:"bytes,omitempty"`
}

// signed is the part of an Order that may have texts in it.
type signed[C any] struct {
	By      core.Actor
	Command C
}

// MarshalJSON fails for numbers that JSON does not have (NaN and the infinities).
func (o Order) MarshalJSON() ([]byte, error) {
	s := orderShape{At: o.At}
	if o.Command == nil {
		return json.Marshal(s)
	}
	args, err := json.Marshal(o.Command)
	if err != nil {
		return nil, err
	}
	s.By, s.Command, s.Args = &o.By, commandName(o.Command), args
	s.Bytes = oddTexts(reflect.ValueOf(signed[core.Command]{o.By, o.Command}))
	return json.Marshal(s)
}

// UnmarshalJSON reads an Order; the error is a *core.Error that names the field
// at fault.
func (o *Order) UnmarshalJSON(b []byte) error {
	var s orderShape
	if err := json.Unmarshal(b, &s); err != nil {
		return argsError(err, "")
	}
	if err := CheckMoment(s.At); err != nil {
		return err
	}
	*o = Order{At: s.At}
	if s.By != nil {
		o.By = *s.By
	}
	if s.Command == "" {
		return nil
	}
	c, err := newCommand(s.Command, s.Args)
	if err != nil {
		return err
	}
	o.Command = c.Elem().Interface().(core.Command)
	if len(s.Bytes) == 0 {
		return nil
	}
	// One walk over both, so that the texts are counted as MarshalJSON counted them.
	whole := signed[any]{By: o.By, Command: c.Interface()}
	if err := s.Bytes.restore(reflect.ValueOf(&whole).Elem()); err != nil {
		return err
	}
	o.By, o.Command = whole.By, c.Elem().Interface().(core.Command)
	return nil
}

// CheckMoment refuses a number that is not a moment in ms since the epoch. The error
// is a *core.Error for the field "at".
func CheckMoment(at int64) error {
	if at < 0 || at > maxMoment {
		return &core.Error{Kind: core.Invalid, Field: "at", Message: "at must be a time in ms since the epoch"}
	}
	return nil
}

// EncodeCommand gives a command's name and its fields as JSON.
func EncodeCommand(c core.Command) (name string, args json.RawMessage, err error) {
	args, err = json.Marshal(c)
	return commandName(c), args, err
}

// DecodeCommand makes a command from its name and fields. The error is a
// *core.Error that names the field at fault.
func DecodeCommand(name string, args json.RawMessage) (core.Command, error) {
	c, err := newCommand(name, args)
	if err != nil {
		return nil, err
	}
	return c.Elem().Interface().(core.Command), nil
}

func commandName(c core.Command) string { return reflect.TypeOf(c).Name() }

// newCommand is DecodeCommand, with a pointer to the command as its result.
func newCommand(name string, args json.RawMessage) (reflect.Value, error) {
	t, known := commandTypes[name]
	if !known {
		return reflect.Value{}, &core.Error{Kind: core.NotFound, Field: "command", Message: "Unknown command " + clip(name)}
	}
	c := reflect.New(t)
	if len(args) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(args, c.Interface()); err != nil {
		return reflect.Value{}, argsError(err, "args")
	}
	return c, nil
}

func argsError(err error, at string) *core.Error {
	var inner *core.Error
	if errors.As(err, &inner) {
		return inner
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		at = strings.TrimPrefix(at+"."+wrong.Field, ".")
		return &core.Error{Kind: core.Invalid, Field: at, Message: at + " must not be a " + wrong.Value}
	}
	return &core.Error{Kind: core.Invalid, Field: at, Message: strings.TrimPrefix(at+": ", ": ") + err.Error()}
}

// clip keeps a name short enough for a message.
func clip(s string) string {
	const most = 64 // no command has so long a name
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "?")
}
