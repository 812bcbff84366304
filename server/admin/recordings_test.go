package admin_test

import (
	"net/http"
	"slices"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/recdesk"
	"squelch/server/recordings"
)

// recorded is a station with a recorder, and a recording of each of these units.
func recorded(t *testing.T, units ...string) *station {
	t.Helper()
	s := onAir(t)
	shelf, err := recordings.Open(t.TempDir(), recordings.Options{Quota: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shelf.Close() })
	for i, unit := range units {
		e := recordings.Entry{Number: i + 1, Start: s.clock.Now().UnixMilli(), Frequency: 1547550, Name: unit, Unit: unit}
		e.ID = core.Transmission{Number: e.Number, StartedAt: e.Start}.ID()
		b, err := shelf.Create(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.WriteOpus([]byte{31 << 3, 1, 2, 3}, 0); err != nil {
			t.Fatal(err)
		}
		if e.End = e.Start + 20; b.Done(e) != nil {
			t.Fatal("the recording cannot be ended")
		}
	}
	s.tapes.Desk = recdesk.New(recdesk.Options{Shelf: shelf, On: true, Days: 30, Audit: noting{s.log, t}, Now: s.clock.Now})
	return s
}

func TestAnAdministratorDeletesAUnitsRecordings(t *testing.T) {
	s := recorded(t, "2-ADAM-7", "2-ADAM-8", "2-adam-7")
	b := s.logIn()
	var state wire.RecorderState
	b.send("GET", "recordings/state", nil).ok(&state)
	if !state.On || state.Recordings != 3 || state.Bytes == 0 || state.Oldest == nil || state.Days != 30 {
		t.Errorf("%+v", state)
	}
	var done wire.RecordingsDeleted
	b.send("POST", "recordings/delete", `{"unitId":"2-ADAM-7"}`).ok(&done)
	if done.Deleted != 2 || !done.Success || done.Bytes == 0 {
		t.Errorf("%+v", done)
	}
	b.send("GET", "recordings/state", nil).ok(&state)
	if state.Recordings != 1 {
		t.Errorf("%d left", state.Recordings)
	}
	b.send("POST", "recordings/delete", `{}`).refused(400, "", "A condition is missing")
	b.send("POST", "recordings/delete", `{"to":0}`).refused(400, "to", "to must be positive")
	b.send("POST", "recordings/delete", `{"unitId":"2-ADAM-8","preveiw":true}`).refused(400, "preveiw", "preveiw is unknown; did you mean preview?")
	if b.send("GET", "recordings/state", nil).ok(&state); state.Recordings != 1 {
		t.Errorf("a misspelt preview deletes: %d left", state.Recordings)
	}
	if got := s.actions(); !slices.Equal(got, []string{"admin.login", "recording.delete"}) {
		t.Errorf("audited %q", got)
	}
}

// TestRecordingsNeedAnAdministrator: no login, no token of the page and no page of another
// origin deletes or sees anything.
func TestRecordingsNeedAnAdministrator(t *testing.T) {
	s := recorded(t, "2-ADAM-7")
	b := s.logIn()
	stranger, forgetful, elsewhere := &browser{s: s}, &browser{s: s, cookie: b.cookie}, *b
	elsewhere.change = func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	stranger.send("GET", "recordings/state", nil).refused(401, "", "Authentication required")
	stranger.send("POST", "recordings/delete", `{"from":0}`).refused(401, "", "Authentication required")
	forgetful.send("POST", "recordings/delete", `{"from":0}`).refused(403, "", "X-CSRF-Token")
	elsewhere.send("POST", "recordings/delete", `{"from":0}`).refused(403, "", "other origins")
	var state wire.RecorderState
	b.send("GET", "recordings/state", nil).ok(&state)
	if state.Recordings != 1 {
		t.Errorf("%d left", state.Recordings)
	}
	s.tapes.Desk = nil
	b.send("GET", "recordings/state", nil).refused(404, "", "No such path")
}
