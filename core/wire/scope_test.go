package wire_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

func TestEveryClientEventSaysWhatItAsksOfAnAPIKey(t *testing.T) {
	for event := range eventTypes(wire.ClientEvents{}) {
		need, known := wire.EventScopes(event)
		if !known || len(need.List()) == 0 {
			t.Errorf("%s asks for no scope", event)
		}
	}
	for event, want := range map[string][]wire.Scope{
		"addListeningChannel":  {wire.ScopeRead, wire.ScopeTalk},
		"setTalking":           {wire.ScopeTalk},
		"voice":                {wire.ScopeTalk},
		"panic":                {wire.ScopeTalk},
		"triggerAlert":         {wire.ScopeDispatch},
		"acknowledgePanic":     {wire.ScopeDispatch},
		"acknowledgeEmergency": {wire.ScopeDispatch},
		"closeEmergency":       {wire.ScopeDispatch},
	} {
		if need, _ := wire.EventScopes(event); !slices.Equal(need.List(), want) {
			t.Errorf("%s asks for %q, want %q", event, need.List(), want)
		}
	}
	if _, known := wire.EventScopes("selfDestruct"); known {
		t.Error("an unknown event is known")
	}
}

// A misspelt scope in a tag would silently be left out.
func TestScopesOfEventsAreSpelledRight(t *testing.T) {
	table := reflect.TypeFor[wire.ClientEvents]()
	for i := range table.NumField() {
		tag := table.Field(i).Tag
		need, _ := wire.EventScopes(tag.Get("event"))
		var words string
		for _, scope := range need.List() {
			words += " " + string(scope)
		}
		if " "+tag.Get("scope") != words {
			t.Errorf("%s: %q is read as%q", tag.Get("event"), tag.Get("scope"), words)
		}
	}
}

func TestASetOfScopes(t *testing.T) {
	set := wire.ScopeSetOf("metrics", "read", "nonsense", "", "read")
	if !slices.Equal(set.List(), []wire.Scope{wire.ScopeRead, wire.ScopeMetrics}) {
		t.Errorf("%q", set.List())
	}
	if all := wire.ScopeSetOf(wire.Scopes...); !slices.Equal(all.List(), wire.Scopes) {
		t.Errorf("%q", all.List())
	}
	for _, c := range []struct {
		need []wire.Scope
		want string
	}{
		{[]wire.Scope{wire.ScopeRead}, ""},
		{[]wire.Scope{wire.ScopeTalk, wire.ScopeMetrics}, ""},
		{[]wire.Scope{wire.ScopeDispatch}, `This API key lacks the scope "dispatch"`},
		{[]wire.Scope{wire.ScopeGame, wire.ScopeTalk}, `This API key lacks the scope "talk" or "game"`},
		{nil, "This API key lacks the scope "}, // what asks for no scope is closed to keys
	} {
		err := set.Check(wire.ScopeSetOf(c.need...))
		var refused *core.Error
		switch {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &refused) || refused.Kind != core.Forbidden || refused.Message != c.want):
			t.Errorf("%q: %v, want %q", c.need, err, c.want)
		}
	}
}
