//go:build !wasm

package wire

import "squelch/core"

// RecorderNotice tells dispatchers why nothing is recorded, or with "" that it is again: in
// the form of a broadcast, which every console shows, and by making them fetch again which
// channels are recorded. at is in ms since the epoch.
func RecorderNotice(reason string, at int64) []Message {
	text := "Recording again"
	if reason != "" {
		text = "Nothing is recorded: " + reason
	}
	to := core.Audience{Dispatchers: true}
	return []Message{
		message(to, &sent.DispatchNotification, DispatchNotification{Type: "broadcast", BroadcastType: "Recorder", Message: text, Timestamp: at}),
		message(to, &sent.ConfigRefresh, Empty{}),
	}
}
