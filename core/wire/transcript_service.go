//go:build !wasm

package wire

import "squelch/core"

// Transcribed tells dispatchers what was said in a transmission; id is its public name, at
// is in ms since the epoch. An API key hears of it only with the scope recordings.
func Transcribed(id, text string, at int64) Message {
	return message(core.Audience{Dispatchers: true}, &sent.DispatchNotification, DispatchNotification{Type: "transcript", ID: id, Text: text, Timestamp: at})
}
