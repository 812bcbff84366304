package client

import (
	"encoding/json"
	"fmt"
)

// Handler is what [Client.Connect] and [Link.Handle] take. Its kinds are [OnConnected],
// [OnLost], [OnTrouble], and one for each event of the service.
//
// The handlers of a link run one at a time, in the order in which things happened. They
// may wait for the link, as for [Link.Talk]; what happens meanwhile waits for them.
type Handler struct {
	event string
	take  func(*Link, json.RawMessage) error
}

// Names of what happens to the link itself. No event of Socket.IO begins so.
const (
	connected = "#connected"
	lost      = "#lost"
	trouble   = "#trouble"
)

// on is a handler of an event with a payload of type P.
func on[P any](event string, handle func(*Link, P)) Handler {
	return Handler{event, func(l *Link, arg json.RawMessage) error {
		var payload P
		if err := json.Unmarshal(arg, &payload); err != nil {
			return fmt.Errorf("%s: the payload is not what this version expects: %w", event, err)
		}
		handle(l, payload)
		return nil
	}}
}

// OnConnected handles each connect, the first one among them. recovered: it continues a
// connection that was lost, and nothing was missed.
func OnConnected(handle func(l *Link, recovered bool)) Handler { return on(connected, handle) }

// OnLost handles the loss of a connection, with Socket.IO's word for the reason. The link
// connects again by itself.
func OnLost(handle func(l *Link, reason string)) Handler { return on(lost, handle) }

// OnTrouble handles what nobody waits for and yet goes wrong: a try to connect again that
// fails, a channel that is refused after a reconnect, an event that cannot be read.
func OnTrouble(handle func(*Link, error)) Handler {
	return on(trouble, func(l *Link, text string) { handle(l, fmt.Errorf("%s", text)) })
}
