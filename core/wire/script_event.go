package wire

import (
	"encoding/json"
	"strings"

	"squelch/core"
)

// ScriptEvent is an event between scripts in the service and clients: clientEvent and
// serverEvent.
type ScriptEvent struct {
	Name string            `json:"name" wire:"required"`
	Args []json.RawMessage `json:"args,omitempty"`
}

// Bounds of an event that a client sends, of this project.
const (
	maxEventName  = 64       // bytes; those in use have about 30
	maxEventArgs  = 16       // of one event
	maxEventBytes = 64 << 10 // of all its arguments, as JSON
)

// Names of script events that are the radio's own. A client answers ResyncCallsign with
// SendCallsign, whose argument is the callsign; RefreshNac asks for the sender's NAC id
// anew.
const (
	ResyncCallsign = "radio:resyncCallsign"
	SendCallsign   = "radio:sendCallsign"
	RefreshNac     = "radio:refresh"
)

// Check refuses what is too large.
func (e *ScriptEvent) Check() error {
	if e.Name == "" || len(e.Name) > maxEventName {
		return &core.Error{Kind: core.Invalid, Field: "name", Message: "name must be text of 1 to " + itoa(maxEventName) + " bytes"}
	}
	size := 0
	for _, a := range e.Args {
		size += len(a)
	}
	if len(e.Args) > maxEventArgs || size > maxEventBytes {
		return &core.Error{Kind: core.Invalid, Field: "args", Message: "args must be at most " + itoa(maxEventArgs) + " values of at most " + itoa(maxEventBytes) + " bytes of JSON together"}
	}
	return nil
}

// Callsign reads the arguments of SendCallsign as the payload of setCallsign: text, or
// {callsign}. None clears it.
func (e *ScriptEvent) Callsign() json.RawMessage {
	if len(e.Args) == 0 {
		return json.RawMessage("{}")
	}
	first := strings.TrimSpace(string(e.Args[0]))
	if strings.HasPrefix(first, "{") {
		return json.RawMessage(first)
	}
	return json.RawMessage(`{"callsign":` + first + `}`)
}

// ToClients is clientEvent for an audience, and the size of its arguments in bytes. An
// argument that JSON cannot express becomes null.
func ToClients(to core.Audience, name string, args []any) (m Message, size int) {
	e := ScriptEvent{Name: name, Args: make([]json.RawMessage, len(args))}
	for i, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			text = []byte("null")
		}
		e.Args[i] = text
		size += len(text)
	}
	return message(to, &sent.ClientEvent, e), size
}
