package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"squelch/core/wire"
)

// past is what the timeline has, the newest first: kinds, and ids of transmissions.
func (s *service) past(query string, by session) (page wire.TimelinePage, words string) {
	s.t.Helper()
	s.ask(http.MethodGet, "/api/timeline"+query, nil, by, http.StatusOK, &page)
	var all []string
	for _, e := range page.Entries {
		all = append(all, e.Kind)
	}
	return page, strings.Join(all, " ")
}

// said are the transmissions of the status, the newest first.
func (s *service) said(by session) (all []wire.TransmissionEntry) {
	s.t.Helper()
	var status wire.Transmissions
	s.ask(http.MethodGet, "/radio/dispatch/status", nil, by, http.StatusOK, &status)
	return status.Transmissions
}

// The last 50 transmissions outlive the process, whether it stops or is killed: in the
// status and for a console that connects. Numbers go on.
func TestTheLastTransmissionsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*service){"stopped": (*service).stop, "killed": func(s *service) { s.Kill() }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			by := s.login("KING-1")
			ann := unit(s)
			ann.send(`421["setSpeakerChannel","154.755"]`)
			ann.wait(`431[{"success":true`)
			const bursts = 60
			for range bursts {
				ann.send(`422["setTalking",true]`)
				ann.wait(`432[`)
				ann.send(`423["setTalking",false]`)
				ann.wait(`433[`)
			}
			ann.send(`424["setTalking",true]`) // and this one has no end
			ann.wait(`434[`)
			// What is acknowledged is on the disk, and so is everything before it.
			s.do("/radio/dispatch/broadcast", map[string]any{"message": "Shift change"}, by)
			before := s.said(by)
			if len(before) != 50 || before[0].EndedAt != nil || before[1].EndedAt == nil || before[0].Name != "Ann" {
				t.Fatalf("before: %d, %+v", len(before), before[:2])
			}
			end(s)
			s = s.again()
			after := s.said(by)
			if len(after) != 50 || after[0].EndedAt == nil {
				t.Fatalf("after: %d, %+v", len(after), after[:1])
			}
			after[0].EndedAt, after[0].DurationMs = nil, 0 // the service ended it
			was, _ := json.Marshal(before)
			is, _ := json.Marshal(after)
			if string(was) != string(is) {
				t.Errorf("before %s\nafter  %s", was, is)
			}
			desk := s.dispatcher(-1, by)
			shown := desk.wait(`42["transmissions",`)
			if !strings.Contains(shown, before[0].ID) || !strings.Contains(shown, before[49].ID) || strings.Count(shown, `"id"`) != 50 {
				t.Errorf("a console is shown %s", shown)
			}
			ann = unit(s)
			ann.send(`421["setSpeakerChannel","154.755"]`)
			ann.wait(`431[{"success":true`)
			ann.send(`422["setTalking",true]`)
			ann.wait(`432[`)
			if next := s.said(by)[0].ID; !strings.HasPrefix(next, fmt.Sprintf("tx-%d-", bursts+2)) {
				t.Errorf("the next one is %s", next)
			}
			page, words := s.past("?limit=6", by)
			if want := "connected connected transmission"; !strings.Contains(words, want) {
				t.Errorf("the timeline has %q, want %q in it", words, want)
			}
			for _, e := range page.Entries {
				if cut := e.ID == before[0].ID && name == "killed"; e.Cut != cut {
					t.Errorf("cut is %t of %+v", e.Cut, e)
				}
			}
			if page, _ = s.past("?kind=transmission&limit=500", by); len(page.Entries) != bursts+1 || page.Next != nil {
				t.Errorf("%d transmissions, next %v", len(page.Entries), page.Next)
			}
		})
	}
}

// What happened before the process was killed is on the timeline, with who did it; and
// so are logins.
func TestTheTimelineHasWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	s := start(t)
	code, text := s.call(http.MethodPost, "/radio/dispatch/auth", map[string]any{"nacId": "wrong", "callsign": "EVE"}, session{})
	if code != http.StatusUnauthorized {
		t.Fatal(code, text)
	}
	by, _ := busy(s)
	s.Kill()
	s = s.again()
	page, words := s.past("", by)
	if want := "callsign patchOn alert panic connected login loginRefused"; !strings.HasSuffix(words, want) {
		t.Errorf("the timeline has %q, want it to end with %q", words, want)
	}
	n := len(page.Entries)
	if e := page.Entries[n-2]; e.ByName != "KING-1" || e.Kind != "login" {
		t.Errorf("the login is %+v", e)
	}
	if e := page.Entries[n-4]; e.Name != "Ann" || e.ServerID != 7 || e.Frequency != "154.755" || e.EmergencyID != "e-1" {
		t.Errorf("the panic is %+v", e)
	}
	if e := page.Entries[n-6]; e.Detail != "joint" || strings.Join(e.Frequencies, " ") != "154.755 460.25" || e.ByName != "KING-1" {
		t.Errorf("the patch is %+v", e)
	}
	if _, words = s.past("?unit=ann&text=A-12", by); words != "callsign" {
		t.Errorf("a search finds %q", words)
	}
}
