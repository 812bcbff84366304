package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sio "squelch/server/sio/client"
)

// standing is what the user has asked for and the radio has granted, in that order: it is
// asked for again if the radio has forgotten this user.
type standing []wish

type wish struct {
	event string
	arg   string // JSON
}

// lasting are the events with one wish each; the last one counts.
var lasting = []string{"updateUserInfo", "setCallsign", "setSpeakerChannel", "setVoiceEncoding", "armAnnouncementGroup"}

// many are the events with a wish for each payload, and those that take it back.
var many = map[string]string{
	"addListeningChannel": "removeListeningChannel",
	"add3DListening":      "remove3DListening",
	"listenToUser":        "stopListeningToUser",
}

// note remembers an event that was granted.
func (s *standing) note(event string, payload any) error {
	raw, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("%s: %w", event, err)
	}
	arg := string(raw)
	if slices.Contains(lasting, event) {
		*s = slices.DeleteFunc(*s, func(w wish) bool { return w.event == event })
		if arg != "null" {
			*s = append(*s, wish{event, arg})
		}
		return nil
	}
	for add, remove := range many {
		if event == add || event == remove {
			*s = slices.DeleteFunc(*s, func(w wish) bool { return w == wish{add, arg} })
		}
		if event == add {
			*s = append(*s, wish{add, arg})
		}
	}
	return nil
}

// restore asks for everything again. It runs among the callbacks of the socket, so it does
// not wait for the answers.
func (l *Link) restore() {
	l.mu.Lock()
	socket, wishes := l.socket, slices.Clone(l.standing)
	l.mu.Unlock()
	for _, w := range wishes {
		report := func(err error) {
			// The next connect asks again if this one is lost.
			if err != nil && !errors.Is(err, sio.ErrDisconnected) && !errors.Is(err, sio.ErrNotConnected) {
				l.happens(trouble, fmt.Sprintf("%s %s after a reconnect: %v", w.event, w.arg, err))
			}
		}
		err := socket.EmitAck(w.event, AnswerTime, func(args []json.RawMessage, err error) {
			if err == nil && len(args) > 0 {
				err = ackRefusal(args[0])
			}
			report(err)
		}, json.RawMessage(w.arg))
		report(err)
	}
}
