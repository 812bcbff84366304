package wire

import (
	"strconv"
	"strings"

	"squelch/core"
)

// Scope is a permission of an API key. Routes and client events name the scopes that
// they ask of a key; sessions, players and the master token need none.
type Scope string

const (
	ScopeRead       Scope = "read"       // status, configuration, listening
	ScopeTalk       Scope = "talk"       // talking, panic, announcement groups
	ScopeDispatch   Scope = "dispatch"   // alerts, patches, units, broadcasts
	ScopeRecordings Scope = "recordings" // recorded voice
	ScopeGame       Scope = "game"       // what the game server does: players and their positions
	ScopeThemes     Scope = "themes"     // installing themes
	ScopeMetrics    Scope = "metrics"    // figures for monitoring
)

// Scopes is every scope, in the order in which they are shown.
var Scopes = []Scope{ScopeRead, ScopeTalk, ScopeDispatch, ScopeRecordings, ScopeGame, ScopeThemes, ScopeMetrics}

// ScopeSet is a set of scopes, one bit for each index in Scopes.
type ScopeSet uint32

// ScopeSetOf is the set of scopes with these names. Unknown names are left out.
func ScopeSetOf[S ~string](names ...S) (set ScopeSet) {
	for _, name := range names {
		for i, s := range Scopes {
			if string(s) == string(name) {
				set |= 1 << i
			}
		}
	}
	return set
}

// List is the scopes of the set, in the order of Scopes.
func (s ScopeSet) List() (list []Scope) {
	for i, scope := range Scopes {
		if s&(1<<i) != 0 {
			list = append(list, scope)
		}
	}
	return list
}

// Check refuses a set that has none of the scopes in need; an empty need refuses
// every set. The error is a *core.Error of kind Forbidden.
func (s ScopeSet) Check(need ScopeSet) error {
	if s&need != 0 {
		return nil
	}
	var names []string
	for _, scope := range need.List() {
		names = append(names, strconv.Quote(string(scope)))
	}
	return &core.Error{Kind: core.Forbidden, Message: "This API key lacks the scope " + strings.Join(names, " or ")}
}

// SocketScopes are the scopes any one of which lets a key connect over Socket.IO.
var SocketScopes = ScopeSetOf(ScopeRead, ScopeTalk)
