//go:build !wasm

package wire

import (
	"reflect"
	"strings"
)

// eventScopes are the scopes of each client event: any of them will do.
var eventScopes = func() map[string]ScopeSet {
	all := map[string]ScopeSet{}
	table := reflect.TypeFor[ClientEvents]()
	for i := range table.NumField() {
		tag := table.Field(i).Tag
		all[tag.Get("event")] = ScopeSetOf(strings.Fields(tag.Get("scope"))...)
	}
	return all
}()

// EventScopes says which scopes a client event asks of an API key, any of which
// will do, and whether there is such an event.
func EventScopes(event string) (need ScopeSet, known bool) {
	need, known = eventScopes[event]
	return need, known
}
