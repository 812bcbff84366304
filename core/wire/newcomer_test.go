package wire_test

import (
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

// TestAConsoleThatComesLateMadeNothing: there are a patch, an alert and a panic on the
// radio when another console connects. It is shown all of them, and none as its own
// doing, or the audit log would name it for what others did.
func TestAConsoleThatComesLateMadeNothing(t *testing.T) {
	s := newRadio(t)
	now := start
	for _, e := range shift[:endOfFirstHalf()] {
		now = now.Add(e.wait)
		if _, err := s.Step(now, e.by, e.cmd); err != nil {
			t.Fatalf("%s: %v", e.says, err)
		}
	}
	late := core.UserID(-9)
	out, err := s.Step(now, console(late), core.Connect{Want: late, Owner: "late"})
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]int{}
	for _, e := range out.Events {
		if r, ok := core.Audit(e); ok {
			t.Errorf("its coming is recorded as %q: %s", r.Action, r.Detail)
		}
		for _, m := range wire.Encode(e, s.View()) {
			if !m.To.Includes(late) {
				continue
			}
			shown[m.Name]++
			if n, ok := m.Payload.(wire.DispatchNotification); ok {
				shown[n.Type]++
				if n.Type == "patch" || (n.By != nil && *n.By == late) {
					t.Errorf("it is told that it did %q: %+v", n.Type, n)
				}
			}
			if e, ok := m.Payload.(wire.EmergencyEvent); ok && !e.Current {
				t.Errorf("an emergency is news: %+v", e)
			}
			if m.Name == "serverTone" {
				t.Errorf("a tone plays: %v", m.Payload)
			}
		}
	}
	if shown["patchStatus"] != 1 || shown["alert"] != 1 || shown["panic"] != 2 || shown["emergency"] != 2 || shown["channelState"] == 0 {
		t.Errorf("it is shown %v", shown)
	}
}
