package e2e

import (
	"net/http"
	"testing"
)

// Requesting new sessions without end logs nobody else out: neither somebody with an
// open console, nor somebody who has logged in and does nothing.
func TestAChainOfReauthsLogsNobodyElseOut(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.limits.sessions = 40", "Config.limits.reauthsPerSecond = 1000000", "Config.limits.reauthBurst = 1000000")
	idle := s.login("IDLE")
	busy := s.login("BUSY")
	console := s.dispatcher(-1, busy)
	console.well()
	chain := s.login("CHAIN")
	for range 200 {
		s.ask(http.MethodPost, "/radio/dispatch/reauth", map[string]any{"callsign": "CHAIN"}, session{AuthToken: chain.AuthToken}, http.StatusOK, &chain)
	}
	for who, by := range map[string]session{"who was idle": idle, "who has a console": busy, "the chain's last": chain} {
		if status, _ := s.answered("GET", "/api/status", "", by.AuthToken, by.SessionID); status != http.StatusOK {
			t.Errorf("%s: status %d", who, status)
		}
	}
	console.well()
}

// A login requests a new session now and then, but a restarted service's bots all at
// once.
func TestReauthsHaveTheirRates(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.limits.reauthsPerSecond = 1", "Config.limits.reauthBurst = 10")
	who := s.login("CHAIN")
	count := func(token string, n int) (served int) {
		t.Helper()
		for range n {
			status, after := s.answered("POST", "/radio/dispatch/reauth", `{"callsign":"X"}`, token, "")
			switch {
			case status == http.StatusOK:
				served++
			case status != http.StatusTooManyRequests || after == "":
				t.Fatalf("status %d, Retry-After %q", status, after)
			}
		}
		return served
	}
	if n := count(who.AuthToken, 100); n < 10 || n >= 100 {
		t.Errorf("%d of 100 new sessions for one login at once", n)
	}
	if n := count(masterToken, 100); n != 100 {
		t.Errorf("%d of 100 bots came back at once", n)
	}
}

// All sessions of a login are one dispatcher; the stories of real clients cover that
// (identity in server/testpeers). Here is what only raw bytes can show.
func TestEverySessionOfALoginHasASocketOfItsOwn(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.limits.reauthBurst = 1000")
	first := s.login("CHAIN")
	for n := range 16 {
		by := first
		if n > 0 {
			s.ask(http.MethodPost, "/radio/dispatch/reauth", map[string]any{"callsign": "CHAIN"}, session{AuthToken: first.AuthToken}, http.StatusOK, &by)
		}
		s.dispatcher(-1-n, by).well()
	}
	status, after := s.answered("POST", "/radio/dispatch/reauth", `{"callsign":"CHAIN"}`, first.AuthToken, "")
	if status != http.StatusTooManyRequests || after == "" {
		t.Errorf("a session beyond sixteen with open sockets: status %d, Retry-After %q", status, after)
	}
	if status, _ := s.answered("GET", "/api/status", "", first.AuthToken, first.SessionID); status != http.StatusOK {
		t.Errorf("the first of them: status %d", status)
	}
}
