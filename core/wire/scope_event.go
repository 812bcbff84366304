package wire

import "strings"

// EventScopes gives the scopes of which an API key needs any for a client event, and
// whether there is such an event. scopesOf is generated from the tags of ClientEvents,
// because code that reads the tags would make core.wasm larger.
func EventScopes(event string) (need ScopeSet, known bool) {
	words := scopesOf(event)
	return ScopeSetOf(strings.Fields(words)...), words != ""
}
