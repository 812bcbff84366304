package e2e

import (
	"net/http"
	"testing"

	"squelch/core/wire"
)

// A leaked key can be revoked at once, even while the disk fails, and stays revoked.
func TestAKeyIsRevokedWhileTheDiskIsFull(t *testing.T) {
	d := ownDisk(t)
	if d == nil {
		return
	}
	s := resume(t, configure(t), d.data())
	admin := s.administrator()
	made := admin.key("Leaked", wire.ScopeRead)
	leaked := session{AuthToken: made.Key}
	bot := s.dispatcher(-6, leaked)
	bot.well() // it is on the radio
	d.fill()
	var failure wire.AdminFailure
	admin.call(http.MethodPost, "keys", wire.AdminKeyCreate{Name: "Never", Scopes: wire.Scopes}, http.StatusServiceUnavailable, &failure)
	if failure.Error != "Storage unavailable: the disk is full" {
		t.Errorf("a new key is refused: %s", failure.Error)
	}
	var gone wire.AdminRevoked
	admin.call(http.MethodPost, "keys/revoke", wire.AdminKeyRevoke{ID: wire.Text(made.ID)}, http.StatusOK, &gone)
	bot.drain()
	s.ask(http.MethodGet, "/api/status", nil, leaked, http.StatusUnauthorized, nil)
	d.empty()
	(&shift{service: s}).recovers()
	for range 2 {
		s.ask(http.MethodGet, "/api/status", nil, leaked, http.StatusUnauthorized, nil)
		var list wire.AdminKeyList
		s.administrator().call(http.MethodGet, "keys", nil, http.StatusOK, &list)
		if len(list.Keys) != 0 {
			t.Errorf("keys: %+v", list.Keys)
		}
		s.Kill() // SIGKILL: nothing is tidied up
		s = s.again()
	}
}
