package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"squelch/core/wire"
)

const (
	// killsVariable makes the test longer; `just test-long` sets it.
	killsVariable = "SQUELCH_KILLS"
	kills         = 3
	// A page of a recording is written at least every 240 ms, so that much voice may be
	// missing at the end of one that was cut; a busy machine gets ten times that.
	mayBeMissing = 10 * 240 / 20 // packets
	// A recording takes voice for 300 ms after the end of its burst; when ten times that
	// have passed, it has to be whole.
	wholeAfter = 10 * 300 * time.Millisecond
)

// TestKilledUnderLoad: again and again the service is killed while everybody talks, by
// WebRTC and by sockets, while patches, alerts and emergencies come and go, and everything
// is recorded. Whatever it had acknowledged is there when it comes back: in its state, on
// the timeline, in the audit log. Recordings that were finished are what listeners have
// heard, byte for byte; those that were cut play up to there; and the list of them agrees
// with the files.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	lives := kills
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		if lives, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", killsVariable, err)
		}
	}
	s := start(t, "Config.recording = { all = true }")
	by := s.login("KING-1")
	var c *crew
	var sum tally
	seen := uint64(0)
	for life := range lives {
		began := time.Now().UnixMilli()
		c = assemble(s, by, uint32(life), c)
		time.Sleep(500*time.Millisecond + rand.N(6*time.Second))
		killed := time.Now()
		s.Kill()
		c.dismiss()
		if err := s.verifies(); err != nil {
			t.Error(err)
		}
		s = s.again()
		sum.restarts = append(sum.restarts, time.Since(killed))
		for _, err := range c.errors {
			t.Errorf("life %d: %v", life, err)
		}
		c.s = s
		c.remembered()
		var told map[string]wire.TimelineEntry
		seen, told = c.onTheTimeline(seen)
		all := s.recordings(by)
		s.onTheShelf(all)
		c.recorded(all, began, killed.Add(-wholeAfter), told, &sum)
		sum.changes += len(c.changes)
		if t.Failed() {
			t.Fatalf("in life %d", life)
		}
	}
	s.stop()
	if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
		t.Errorf("audit: %s", report)
	}
	slices.Sort(sum.restarts)
	t.Logf("%d kills: %d acknowledged changes, %d whole recordings with %d packets (%d of them exactly what one listener has heard), %d cut ones with %d packets (at most %d missing), restart %v median, %v at most",
		lives, sum.changes, sum.whole, sum.wholePackets, sum.identical, sum.cut, sum.cutPackets, sum.missing, sum.restarts[lives/2].Round(time.Millisecond), sum.restarts[lives-1].Round(time.Millisecond))
	if sum.changes < 20*lives || sum.whole < 2*lives || sum.identical < sum.whole/2 || sum.cut < lives/2 {
		t.Errorf("that is no load: %+v", sum)
	}
}

// tally counts what was compared.
type tally struct {
	changes, whole, identical, wholePackets, cut, cutPackets, missing int
	restarts                                                          []time.Duration
}

// verifies checks the chain of the audit log of a killed service.
func (s *service) verifies() error {
	out, err := exec.Command(program, "audit", "verify", "--data", s.data, "--json").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"ok":true`)) {
		return fmt.Errorf("audit verify: %w: %s", err, out)
	}
	return nil
}

// remembered compares the radio's state with what it has acknowledged, and puts it back to
// nothing, so that the next life begins anew.
func (c *crew) remembered() {
	c.s.t.Helper()
	var now struct {
		remembered
		open
	}
	c.s.ask(http.MethodGet, "/radio/dispatch/status", nil, c.by, http.StatusOK, &now)
	is := map[string]string{}
	for id, p := range now.ActivePatches {
		is["patch"] = fmt.Sprint(p["label"])
		c.s.do("/api/patch/remove", map[string]any{"id": id}, c.by)
	}
	for _, a := range now.ActiveAlerts {
		is["alert"] = fmt.Sprint(a["name"])
		c.s.do("/radio/dispatch/alert/clear", map[string]any{"frequency": "463"}, c.by)
	}
	for _, e := range now.Emergencies {
		if is["emergency"] = "raised"; e.AckAt != nil {
			is["emergency"] = "acknowledged"
		}
		c.s.do("/radio/dispatch/emergency/close", map[string]any{"id": e.ID, "reason": "test"}, c.by)
	}
	if len(now.ActivePatches) > 1 || len(now.ActiveAlerts) > 1 || len(now.Emergencies) > 1 {
		c.s.t.Errorf("the radio remembers too much: %+v", now)
	}
	for what, want := range c.state {
		if is[what] != want.is && is[what] != want.asked {
			c.s.t.Errorf("%s is %q; %q was acknowledged, %q asked for", what, is[what], want.is, want.asked)
		}
		want.is, want.asked = "", ""
	}
}

// onTheTimeline looks for each acknowledged change among what is new on the timeline, and
// gives the transmissions.
func (c *crew) onTheTimeline(seen uint64) (last uint64, transmissions map[string]wire.TimelineEntry) {
	c.s.t.Helper()
	entries := c.s.timeline(c.by, seen)
	has := map[change]int{}
	last, transmissions = seen, map[string]wire.TimelineEntry{}
	for i, e := range entries {
		has[change{e.Kind, e.Detail, e.EmergencyID}]++
		has[change{kind: e.Kind, emergency: e.EmergencyID}]++
		has[change{kind: e.Kind}]++
		if i > 0 && e.Seq >= entries[i-1].Seq {
			c.s.t.Errorf("after entry %d comes %d", e.Seq, entries[i-1].Seq)
		}
		last = max(last, e.Seq)
		if e.Kind == "transmission" {
			transmissions[e.ID] = e
		}
	}
	want := map[change]int{}
	for _, done := range c.changes {
		if want[done]++; has[done] < want[done] {
			c.s.t.Errorf("%+v was acknowledged, and is %d times on the timeline", done, has[done])
		}
	}
	return last, transmissions
}

// recorded compares the recordings of this life with what was said and heard.
func (c *crew) recorded(all []wire.Recording, began int64, whole time.Time, told map[string]wire.TimelineEntry, sum *tally) {
	t := c.s.t
	t.Helper()
	got, on := map[stamp]tape{}, map[stamp]bool{}
	for _, r := range all {
		if r.StartedAt < began {
			continue
		}
		if r.Recording.Format == "imbe" { // it was cut before there was a page of the other form
			if !r.Recording.Cut || int(r.ServerID) != talkers[2].id {
				t.Errorf("%+v has no voice that plays", r)
			}
			continue
		}
		file, err := os.ReadFile(c.s.tapeOf(r, "ogg"))
		if err != nil {
			t.Error(err)
			continue
		}
		voice, _, err := played(file)
		if err != nil {
			t.Errorf("%s (cut: %v) does not play: %v", r.ID, r.Recording.Cut, err)
		}
		if len(voice) == 0 {
			t.Errorf("%s is empty", r.ID)
			continue
		}
		if e, there := told[r.ID]; !there && r.EndedAt != nil && *r.EndedAt < whole.UnixMilli() || there && (e.Recording == nil || e.ServerID != r.ServerID || e.Frequency != r.Frequency) {
			t.Errorf("%s is not on the timeline as it was recorded: %+v", r.ID, e)
		}
		if e := told[r.ID]; e.Cut && e.DurationMs < r.Recording.DurationMs {
			t.Errorf("%s lasts %d ms on the timeline, its recording %d", r.ID, e.DurationMs, r.Recording.DurationMs)
		}
		heard := c.heard[int(r.ServerID)]
		talker := slices.IndexFunc(talkers, func(t talker) bool { return t.id == int(r.ServerID) })
		if r.Recording.Cut {
			sum.cut, sum.cutPackets = sum.cut+1, sum.cutPackets+len(voice)
			voice := voice[:max(0, len(voice)-mayBeMissing)] // the last ones may not have reached the listener
			if !among(voice, heard) {
				t.Errorf("%s of %d was cut, and its packets are not what was heard: %s", r.ID, r.ServerID, departs(voice, heard))
			}
		} else {
			sum.whole, sum.wholePackets = sum.whole+1, sum.wholePackets+len(voice)
			switch {
			case run(voice, heard) >= 0 || run(voice, c.paced[int(r.ServerID)]) >= 0:
				sum.identical++
			case talkers[talker].webrtc && r.Recording.Lost == 0, !among(voice, heard): // of voice on a socket the pacer may have dropped some, when the machine stood still
				t.Errorf("%s of %d: its %d packets (%d lost) are not what was heard: %s", r.ID, r.ServerID, len(voice), r.Recording.Lost, departs(voice, heard))
			}
		}
		if id, ok := stampOf(voice[len(voice)-1]); ok {
			got[stamp{id.talker, id.burst, 0}] = tape{r, voice}
			for _, p := range voice {
				id, _ := stampOf(p)
				on[id] = true
			}
		}
	}
	for at, tape := range got {
		c.stamps(at, tape, on, sum)
	}
	for at, b := range c.bursts {
		r, there := got[at]
		switch {
		case b.ended.IsZero() || b.ended.After(whole) || int(at.talker) == talkers[2].id: // the last one's voice was coded anew, and has no stamps
		case !there:
			t.Errorf("%+v has ended, and was not recorded", at)
		case r.Recording.Recording.Cut:
			t.Errorf("%s was cut, and had ended %v before", r.ID, whole.Add(wholeAfter).Sub(b.ended))
		}
	}
}

// among says whether a recording's packets are all in what was heard, in their order.
func among(voice, heard [][]byte) bool {
	for _, p := range heard {
		if len(voice) > 0 && bytes.Equal(p, voice[0]) {
			voice = voice[1:]
		}
	}
	return len(voice) == 0
}

// departs says where a recording is no more what was heard.
func departs(voice, heard [][]byte) string {
	longest, from := 0, -1
	for at := range heard {
		n := 0
		for n < len(voice) && at+n < len(heard) && bytes.Equal(voice[n], heard[at+n]) {
			n++
		}
		if n > longest {
			longest, from = n, at
		}
	}
	find := func(p []byte, all [][]byte) int {
		return slices.IndexFunc(all, func(q []byte) bool { return bytes.Equal(p, q) })
	}
	if next := from + longest; from >= 0 && next < len(heard) && longest < len(voice) {
		return fmt.Sprintf("%d packets are as those from %d of %d; what comes then was heard at %d, and what was heard then comes at %d", longest, from, len(heard),
			find(voice[longest], heard), find(heard[next], voice))
	}
	return fmt.Sprintf("%d packets are as those from %d of %d", longest, from, len(heard))
}

// tape is a recording with its packets.
type tape struct {
	wire.Recording
	voice [][]byte
}

// stamps compares the recording of a burst with what the talker has sent, and what was
// heard. on has what is on any recording: packets may come after their key-up's end over
// another connection, and then go out with the next key-up.
func (c *crew) stamps(at stamp, r tape, on map[stamp]bool, sum *tally) {
	t := c.s.t
	t.Helper()
	last := stamp{}
	for i, p := range r.voice {
		s, ok := stampOf(p)
		b := c.bursts[stamp{s.talker, s.burst, 0}]
		switch {
		case !ok, b == nil, s.talker != at.talker, s.burst != at.burst && s.burst != at.burst-1, int(s.seq) >= len(b.sent), !bytes.Equal(p, b.sent[s.seq]),
			i > 0 && (s.burst < last.burst || s.burst == last.burst && s.seq <= last.seq):
			t.Errorf("%s: packet %+v after %+v is not what was said", r.ID, s, last)
			return
		}
		last = s
	}
	missing := 0 // after the last one
	for _, p := range c.paced[int(at.talker)] {
		switch s, ok := stampOf(p); {
		case !ok || s.burst != at.burst || on[s]:
		case s.seq > last.seq:
			missing++
		case !r.Recording.Recording.Cut && r.Recording.Recording.Lost == 0:
			t.Errorf("%s lacks packet %d, which was heard", r.ID, s.seq)
		}
	}
	if !r.Recording.Recording.Cut && missing > 0 {
		t.Errorf("%s ends %d packets before what was heard last", r.ID, missing)
	}
	if sum.missing = max(sum.missing, missing); missing > mayBeMissing {
		t.Errorf("%s was cut %d packets before what was heard last", r.ID, missing)
	}
}
