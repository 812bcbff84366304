package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheNacLoginBesideAProvider: it stays, and the start says so once, unless
// the operator closes it.
func TestTheNacLoginBesideAProvider(t *testing.T) {
	t.Parallel()
	const provider = `Config.useDiscordAuth = true
Config.discord = { clientId = "1", clientSecret = "hush", allowedUsers = { "5" }, only = ONLY }`
	const note = "the dispatch NAC id still logs in beside the external login"
	who := map[string]any{"nacId": "D-911", "callsign": "CAD"}
	var health struct{ AuthMethod string }

	s := start(t, strings.Replace(provider, "ONLY", "false", 1))
	s.ask(http.MethodGet, "/api/health", nil, session{}, http.StatusOK, &health)
	s.ask(http.MethodPost, "/radio/dispatch/auth", who, session{}, http.StatusOK, nil)
	if n := strings.Count(s.Stderr(), note); n != 1 || health.AuthMethod != "discord" {
		t.Errorf("said %d times, authMethod %s\n%s", n, health.AuthMethod, s.Stderr())
	}

	s = start(t, strings.Replace(provider, "ONLY", "true", 1))
	s.ask(http.MethodGet, "/api/health", nil, session{}, http.StatusOK, &health)
	code, text := s.call(http.MethodPost, "/radio/dispatch/auth", who, session{})
	if code != http.StatusForbidden || !strings.Contains(text, "/radio/dispatch/login") {
		t.Errorf("closed: %d %s", code, text)
	}
	if strings.Contains(s.Stderr(), note) || health.AuthMethod != "discord" {
		t.Errorf("closed, authMethod %s\n%s", health.AuthMethod, s.Stderr())
	}
}
