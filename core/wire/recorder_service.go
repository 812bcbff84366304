//go:build !wasm

package wire

import "squelch/core"

// RecorderNotice tells dispatchers why nothing is recorded, or with "" that it is again. It
// has the form of a broadcast, which every console shows; at is in ms since the epoch.
func RecorderNotice(reason string, at int64) Message {
	text := "What is said is recorded again"
	if reason != "" {
		text = "Nothing is recorded: " + reason
	}
	return message(core.Audience{Dispatchers: true}, &sent.DispatchNotification, DispatchNotification{Type: "broadcast",
		BroadcastType: "Recorder", Message: text, Timestamp: at})
}
