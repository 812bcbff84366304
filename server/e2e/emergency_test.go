package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"squelch/core/wire"
)

// emergency waits until a console is told of an emergency that is as it should be; the
// records before are let pass.
func (r *raw) emergency(so func(wire.EmergencyEvent) bool) wire.EmergencyEvent {
	r.t.Helper()
	for {
		var parts []json.RawMessage // the event, its payload, its place for a recovery
		var told wire.EmergencyEvent
		text := r.wait(`42["emergency",`)
		if err := json.Unmarshal([]byte(text[len("42"):]), &parts); err != nil || json.Unmarshal(parts[1], &told) != nil {
			r.t.Fatalf("%s: %v", text, err)
		}
		if so(told) {
			return told
		}
	}
}

// seconds is a duration in the audit log.
var seconds = regexp.MustCompile(`\d+ s`)

func raised(e wire.EmergencyEvent) bool {
	return e.AckAt == nil && e.EndedAt == nil && e.ClosedAt == nil
}
func acked(e wire.EmergencyEvent) bool  { return e.AckAt != nil && e.ClosedAt == nil }
func closed(e wire.EmergencyEvent) bool { return e.ClosedAt != nil }

func (s *service) emergencies(by session) []wire.Emergency {
	s.t.Helper()
	var status struct{ Emergencies []wire.Emergency }
	s.ask(http.MethodGet, "/radio/dispatch/status", nil, by, http.StatusOK, &status)
	return status.Emergencies
}

// onChannel is a player's whole client, the one in the game, tuned to a channel.
func (s *service) onChannel(t *testing.T, id int, name, channel string) *handheld {
	s.t.Helper()
	s.do("/api/player/connect", map[string]any{"serverId": id, "name": name, "nacId": "PD", "unitId": "P-7"}, session{AuthToken: masterToken})
	r := s.handheld(id)
	r.say(t, `["setSpeakerChannel","`+channel+`",1]`)
	r.wait(t, `["#ack",1,{"success":true}]`, nil)
	return r
}

// legacy is a console as it was before there were records: it links its session after it
// has connected, keys with a boolean, and asks for no acks.
func (s *service) legacy(by session) *raw {
	s.t.Helper()
	r := s.open(map[string]any{"authToken": by.AuthToken, "sessionId": by.SessionID})
	r.send(`42["setDispatchSession","` + by.SessionID + `"]`)
	r.send(`42["updateUserInfo",{"name":"Old desk","nacId":""}]`)
	r.send(`42["setSpeakerChannel","154.755"]`)
	r.send(`42["setTalking",true]`)
	r.send(`42["setTalking",false]`)
	r.well()
	return r
}

// A unit's emergency, two consoles, and an older one that knows only panics: when it
// acknowledges, the emergency is over for everybody.
func TestAnOlderConsoleAcknowledgesAnEmergency(t *testing.T) {
	t.Parallel()
	s := start(t)
	by := s.login("NORTH")
	a, b := s.dispatcher(-1, by), s.dispatcher(-2, s.login("SOUTH"))
	old := s.legacy(s.login("WEST"))
	unit := s.onChannel(t, 7, "Ann", "154.755")
	unit.say(t, `["panic",{"enabled":true},2]`)
	unit.wait(t, `["#ack",2,{"success":true}]`, nil)
	for _, desk := range []*raw{a, b} {
		e := desk.emergency(raised)
		if e.ID != "e-1" || e.ServerID != 7 || e.Name != "Ann" || e.Frequency != "154.755" || e.Current || *e.UnitID != "P-7" {
			t.Errorf("raised: %+v", e)
		}
	}
	if told := old.wait(`42["dispatchNotification",{"type":"panic"`); !strings.Contains(told, `"serverId":7`) {
		t.Error(told)
	}
	old.send(`42["acknowledgePanic",{"serverId":7}]`)
	old.wait(`42["dispatchNotification",{"type":"panicCleared"`)
	for _, desk := range []*raw{a, b} {
		e := desk.emergency(closed)
		if *e.AckBy != "WEST" || *e.ClosedBy != "WEST" || *e.Reason != "acknowledged" || e.EndedAt != nil || e.Note != nil {
			t.Errorf("acknowledged by the older console: %+v", e)
		}
	}
	unit.wait(t, `"panic":[]`, nil)
	if open := s.emergencies(by); len(open) != 0 {
		t.Errorf("still open: %+v", open)
	}
	late := s.dispatcher(-3, by)
	late.well() // it would have been told of an emergency before
}

// One console acknowledges, the service is killed and started again, the other console
// closes: nothing is lost on the way.
func TestAnEmergencyOutlivesTheService(t *testing.T) {
	t.Parallel()
	s := start(t)
	north, south := s.login("NORTH"), s.login("SOUTH")
	a, b := s.dispatcher(-1, north), s.dispatcher(-2, south)
	unit := s.onChannel(t, 7, "Ann", "154.755")
	unit.say(t, `["panic",{"enabled":true},2]`)
	raisedAt := b.emergency(raised).RaisedAt
	a.send(`421["acknowledgeEmergency",{"id":"e-1"}]`)
	if ack := a.wait(`431[`); !strings.Contains(ack, `"success":true,"emergency":{"id":"e-1"`) || !strings.Contains(ack, `"ackBy":"NORTH"`) {
		t.Fatal(ack)
	}
	before := b.emergency(acked)

	s.Kill() // SIGKILL: nothing is tidied up
	a.drain()
	b.drain()
	s = s.again()
	a, b = s.dispatcher(-1, north), s.dispatcher(-2, south)
	for _, desk := range []*raw{a, b} {
		e := desk.emergency(acked)
		if !e.Current || e.RaisedAt != raisedAt || *e.AckAt != *before.AckAt || *e.AckBy != "NORTH" || *e.AckByID != -1 || e.EndedAt != nil {
			t.Errorf("after the restart: %+v", e)
		}
	}
	if open := s.emergencies(south); len(open) != 1 || open[0].ID != "e-1" || *open[0].AckBy != "NORTH" {
		t.Fatalf("after the restart: %+v", open)
	}
	if after, text := s.remembers(south); !after.PanicStatus["154.755"]["7"] {
		t.Errorf("the unit's panic is off: %s", text)
	}
	unit = s.handheld(7)
	unit.wait(t, `"panic":["154.755"]`, nil)

	for body, want := range map[string]string{`{"id":"e-1"}`: "reason is missing", `{"id":"e-1","reason":"over"}`: "reason must be one of resolved, accidental, test, other"} {
		if status, text := s.call(http.MethodPost, "/radio/dispatch/emergency/close", json.RawMessage(body), south); status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	var reply wire.EmergencyReply
	s.ask(http.MethodPost, "/radio/dispatch/emergency/close", map[string]any{"id": "e-1", "reason": "resolved", "note": "Back in service"}, south, http.StatusOK, &reply)
	if e := reply.Emergency; !reply.Success || *e.ClosedBy != "SOUTH" || *e.Reason != "resolved" || *e.Note != "Back in service" || *e.AckBy != "NORTH" {
		t.Errorf("%+v", reply)
	}
	for _, desk := range []*raw{a, b} {
		if e := desk.emergency(closed); *e.ClosedBy != "SOUTH" || e.Current {
			t.Errorf("closed: %+v", e)
		}
	}
	unit.wait(t, `"panic":[]`, nil)
	if status, text := s.call(http.MethodPost, "/radio/dispatch/emergency/acknowledge", map[string]any{"id": "e-1"}, north); status != http.StatusNotFound || !strings.Contains(text, "Emergency not found") {
		t.Errorf("who is late: %d %s", status, text)
	}

	var page wire.AdminAuditPage
	s.administrator().call(http.MethodGet, "audit", nil, http.StatusOK, &page)
	var told []string
	for _, e := range slices.Backward(page.Entries) {
		if e.Action == "panic" || e.Action == "panic cleared" || strings.HasPrefix(e.Action, "emergency") {
			told = append(told, e.Actor.Name+": "+e.Action+", "+seconds.ReplaceAllString(fmt.Sprint(e.Detail["text"]), "# s"))
		}
	}
	want := []string{"Ann: panic, Ann", "NORTH: emergency acknowledged, e-1 of Ann after # s", "SOUTH: panic cleared, acknowledged: Ann after # s",
		"SOUTH: emergency closed, e-1 of Ann after # s: resolved, Back in service"}
	if slices.Sort(told); !slices.Equal(told, slices.Sorted(slices.Values(want))) {
		t.Errorf("audited\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}
