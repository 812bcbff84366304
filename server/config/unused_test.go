package config

import (
	"strings"
	"testing"
)

// TestWhatHasNoEffectYetIsSaid: a file with such keys loads, and its operator learns
// that they do nothing.
func TestWhatHasNoEffectYetIsSaid(t *testing.T) {
	l, err := Load(folder(t, `Config.limits = { toneBytes = 2048, callbacksPerSecond = 5 }
Config.talkCheck = function() return true end
Config.batteryTick = function(level) return level end
Config.bgSirenCheck = function() return false end
Config.getPlayerName = function() return nil end`, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Callbacks.Close()
	for _, key := range []string{"limits.toneBytes", "limits.callbacksPerSecond"} {
		if !strings.Contains(strings.Join(l.Warnings, "\n"), ": "+key+": has no effect yet") {
			t.Errorf("nothing is said of %s in %q", key, l.Warnings)
		}
	}
	for _, key := range clientCallbacks {
		if !strings.Contains(strings.Join(l.Warnings, "\n"), ": "+key+": has no effect here: a player's radio calls it") {
			t.Errorf("nothing is said of %s in %q", key, l.Warnings)
		}
	}
	same(t, "unknown keys", len(l.Extra), 0)
}
