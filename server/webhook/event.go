package webhook

import (
	"slices"
	"strconv"

	"squelch/core"
	"squelch/core/wire"
)

// Event is something that a webhook is sent.
type Event struct {
	ID    string // stable: what is sent again has the same
	Kind  string // one of config.WebhookEvents, or "test"
	Entry wire.TimelineEntry
}

// kinds says to which event each kind of the timeline belongs.
var kinds = map[string]string{
	core.MomentTransmission: "transmission",
	core.MomentOverride:     "override",
	core.MomentAlert:        "alert", core.MomentAlertCleared: "alert", core.MomentAlertOnce: "alert",
	core.MomentPanic: "panic", core.MomentPanicCleared: "panic",
	core.MomentEmergencyAcknowledged: "acknowledged",
	core.MomentEmergencyEnded:        "emergency", core.MomentEmergencyClosed: "emergency",
	core.MomentPatchOn: "patch", core.MomentPatchChanged: "patch", core.MomentPatchOff: "patch",
	core.MomentMoved: "user", core.MomentDisconnected: "user", core.MomentCallsign: "user", core.MomentNac: "user",
	core.MomentConnected: "user", core.MomentLeft: "user",
	core.MomentMessage: "message", core.MomentBroadcast: "message",
	core.MomentLogin: "login", core.MomentLogout: "login", core.MomentLoginRefused: "login",
	core.MomentConfig: "config",
	core.MomentHealth: "health",
}

const (
	kindHealth     = "health"
	kindTranscript = "transcript"
	kindTest       = "test"
)

// eventOf makes the event of an entry; ok is false for what is not sent. Two entries that
// are not transmissions may have the same kind, channel and time, so their numbers tell
// them apart.
func eventOf(e wire.TimelineEntry) (ev Event, ok bool) {
	kind, ok := kinds[e.Kind]
	id := e.ID
	if e.Kind != core.MomentTransmission {
		id += "-" + strconv.FormatUint(e.Seq, 10)
	}
	return Event{id, kind, e}, ok
}

// concerns says whether an event belongs to the channels of a webhook. What happens on no
// channel (a login, the service's health) belongs to all.
func concerns(e wire.TimelineEntry, channels map[string]bool) bool {
	if channels == nil || e.Frequency == "" && e.ControlFrequency == "" && len(e.Frequencies) == 0 {
		return true
	}
	return channels[e.Frequency] || channels[e.ControlFrequency] || slices.ContainsFunc(e.Frequencies, func(f string) bool { return channels[f] })
}
