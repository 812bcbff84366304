package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recorded is a recording as the service lists it.
type recorded struct{ Recording voiceInfo }

type voiceInfo struct {
	Packets, Lost int
	Cut           bool
}

// whole says whether 50 frames are there, but for those that come so late on a busy machine
// that nobody who has WebRTC would hear them.
func (v voiceInfo) whole() bool { return v.Packets >= 25 && v.Packets+v.Lost <= 50 && !v.Cut }

// TestAFullDiskStopsTheRecorderAlone: recordings are on a disk of their own. While it is
// full nothing is recorded, everybody goes on talking and every change is stored; consoles
// and the administration are told why. When there is room again it starts by itself.
func TestAFullDiskStopsTheRecorderAlone(t *testing.T) {
	d := ownDisk(t)
	if d == nil {
		return
	}
	s := begin(start(t, fmt.Sprintf("Config.recording = { all = true, folder = %q, freeBytes = 0 }", filepath.Join(d.folder, "voice"))))
	console := s.dispatcher(-2, s.by) // that only listens to what it is told
	talks := 0
	// talk says n frames, 20 ms apart, and the unit on the channel hears them all.
	talk := func(n int) {
		t.Helper()
		talks++
		s.desk.send(`426["setTalking",{"state":true,"frequency":"154.755"}]`)
		s.desk.wait(`436[{"success":true`)
		for i := range n {
			frame := base64.StdEncoding.EncodeToString(append([]byte{31 << 3, byte(talks), byte(i)}, make([]byte, 300)...))
			s.desk.send(`42["voice",{"frequency":"154.755","data":"` + frame + `"}]`)
			if got := s.unit.wait(`42["voice"`); !strings.Contains(got, frame) {
				t.Fatalf("frame %d is heard as %.200s", i, got)
			}
			time.Sleep(20 * time.Millisecond)
		}
		s.desk.send(`427["setTalking",false]`)
		s.desk.wait(`437[`)
	}
	// shelved waits until there are so many recordings.
	shelved := func(n int) []recorded {
		t.Helper()
		for until := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
			var page struct{ Recordings []recorded }
			_, text := s.call(http.MethodGet, "/api/recordings", nil, s.by)
			if err := json.Unmarshal([]byte(text), &page); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if len(page.Recordings) == n {
				return page.Recordings
			}
			if time.Now().After(until) {
				t.Fatalf("there are %d recordings, not %d: %s", len(page.Recordings), n, text)
			}
		}
	}
	talk(50)
	if got := shelved(1)[0].Recording; !got.whole() {
		t.Errorf("before: %+v", got)
	}
	for round := range 2 {
		d.fill()
		talk(50)
		if got := console.wait(`42["dispatchNotification",{"type":"broadcast"`); !strings.Contains(got, "Nothing is recorded: the disk is full") {
			t.Errorf("consoles are told %s", got)
		}
		talk(50)
		s.do("/dispatch/user/set-player-callsign", map[string]any{"userId": 7, "callsign": fmt.Sprintf("4-A-%d", round)}, s.by)
		if state, why := s.health(); state != "ok" {
			t.Errorf("health is %s: %s", state, why)
		}
		d.empty()
		if got := console.wait(`42["dispatchNotification",{"type":"broadcast"`); !strings.Contains(got, "Recording again") {
			t.Errorf("consoles are told %s", got)
		}
		before := len(shelvedNow(s))
		talk(50)
		if got := shelved(before + 1)[0].Recording; !got.whole() {
			t.Errorf("after: %+v", got)
		}
	}
	if n := strings.Count(s.Stderr(), "recorder: nothing is recorded: "); n != 2 {
		t.Errorf("the log says %d times that nothing is recorded:\n%s", n, s.Stderr())
	}
	s.stop()
	talks = len(shelvedNow(&shift{service: s.again(), by: s.by}))
	if talks < 3 {
		t.Errorf("after a restart there are %d recordings", talks)
	}
}

func shelvedNow(s *shift) []recorded {
	s.t.Helper()
	var page struct{ Recordings []recorded }
	s.ask(http.MethodGet, "/api/recordings", nil, s.by, http.StatusOK, &page)
	return page.Recordings
}
