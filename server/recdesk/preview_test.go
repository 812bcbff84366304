package recdesk_test

import (
	"testing"

	"squelch/core/wire"
)

// TestAPreviewDeletesNothing: it says what the deletion itself says then.
func TestAPreviewDeletesNothing(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", unit: "2-L-12", packets: 50})
	s.record(talk{after: 5000, channel: "460.25", user: 7, name: "Ana", unit: "2-L-12", packets: 80, digital: true})
	s.record(talk{after: 9000, channel: "460.25", user: 8, name: "Bo", unit: "2-L-14", packets: 50})
	seen := ok[wire.RecordingsDeleted](s.do("/delete", `{"unitId":"2-l-12","preview":true}`))
	if page := ok[wire.RecordingPage](s.get("")); seen.Deleted != 2 || seen.Bytes == 0 || len(page.Recordings) != 3 {
		t.Errorf("%+v, and %d are left", seen, len(page.Recordings))
	}
	if acts := s.actions(); len(acts) != 1 || acts[0] != "recording.list" {
		t.Errorf("audited as %v", acts)
	}
	if none := ok[wire.RecordingsDeleted](s.do("/delete", `{"name":"Nobody","preview":true}`)); none.Deleted != 0 || none.Bytes != 0 {
		t.Errorf("%+v", none)
	}
	s.do("/delete", `{"preview":true}`).refused(400, "")
	if done := ok[wire.RecordingsDeleted](s.do("/delete", `{"unitId":"2-l-12"}`)); done != seen {
		t.Errorf("deleted %+v, the preview said %+v", done, seen)
	}
}
