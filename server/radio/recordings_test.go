package radio_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/config"
	"squelch/server/internal/testradio"
)

// seat is a login that asks over REST.
type seat struct {
	url                  string
	SessionID, AuthToken string
}

func sit(t *testing.T, url, token string) *seat {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/radio/dispatch/reauth", strings.NewReader(`{"callsign":"Desk"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	s := &seat{url: url}
	if err := json.NewDecoder(reply.Body).Decode(s); err != nil || s.SessionID == "" {
		t.Fatalf("%d %v", reply.StatusCode, err)
	}
	return s
}

func (s *seat) get(t *testing.T, path string, into any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.AuthToken)
	r.Header.Set("X-Session-Id", s.SessionID)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	if reply.StatusCode == http.StatusOK && into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v: %.300s", path, err, text)
		}
	}
	return reply.StatusCode
}

// recordingRadio is the demo radio, which records one channel.
func recordingRadio(t *testing.T, token, folder string) testradio.Options {
	t.Helper()
	f, err := core.ParseFrequency(channel)
	if err != nil {
		t.Fatal(err)
	}
	o := named(token)
	o.Config.Server.Recording = config.Recording{On: true, Channels: []core.Frequency{f}, Folder: folder, Days: 30, ChannelBytes: 1 << 30}
	return o
}

type listedRecordings struct {
	Recordings []struct {
		ID, Frequency, Name, Label string
		EndedAt                    *int64
		Recording                  struct{ Packets, Lost int }
	}
}

// TestWhatIsSaidIsOnTheShelf: consoles see which channels are recorded, what was said there
// is listed and on the timeline, also what was on the air when the service ended. A service
// that does not record any more still has it. Two services do not share a shelf.
func TestWhatIsSaidIsOnTheShelf(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "voice")
	s, err := testradio.Open(t, recordingRadio(t, "a token", folder))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := testradio.Open(t, recordingRadio(t, "another", folder)); err == nil {
		_ = again.Stop()
		t.Error("two services write to one shelf")
	} else if !strings.Contains(err.Error(), "recording.folder: the folder for recordings is in use") {
		t.Errorf("the second one says %v", err)
	}
	by := sit(t, s.URL, "a token")
	var c struct {
		Zones []struct {
			Channels []struct {
				Frequency string
				Recorded  bool
			}
		}
	}
	by.get(t, "/radio/dispatch/config", &c)
	for _, z := range c.Zones {
		for _, ch := range z.Channels {
			if ch.Recorded != (ch.Frequency == channel) {
				t.Errorf("%s is said to be recorded: %v", ch.Frequency, ch.Recorded)
			}
		}
	}
	desk := open(t, s.URL, "a token", -3)
	talk := func(on string) {
		desk.does(t, "setTalking", map[string]any{"state": true, "frequency": on})
		for n := range 5 {
			if err := desk.Emit("voice", map[string]any{"frequency": on, "data": base64.StdEncoding.EncodeToString([]byte{31 << 3, byte(n), 0, 0})}); err != nil {
				t.Fatal(err)
			}
		}
		desk.does(t, "addListeningChannel", channel) // its answer comes after the voice
	}
	talk("460.250")
	desk.does(t, "setTalking", false)
	talk(channel)
	desk.does(t, "setTalking", false)
	var list listedRecordings
	for until := time.Now().Add(patience); len(list.Recordings) != 1 || list.Recordings[0].EndedAt == nil; time.Sleep(50 * time.Millisecond) {
		if list = (listedRecordings{}); by.get(t, "/api/recordings", &list) != http.StatusOK || time.Now().After(until) {
			t.Fatalf("%+v", list)
		}
	}
	if r := list.Recordings[0]; r.Frequency != channel || r.Recording.Packets != 5 || r.Recording.Lost != 0 || r.Label == "" {
		t.Errorf("%+v", r)
	}
	var past struct {
		Entries []struct {
			ID, Kind  string
			Recording *struct{ Packets int }
		}
	}
	by.get(t, "/api/timeline?kind=transmission", &past)
	if len(past.Entries) != 2 || past.Entries[0].ID != list.Recordings[0].ID || past.Entries[0].Recording == nil || past.Entries[1].Recording != nil {
		t.Errorf("the timeline has %+v", past)
	}
	talk(channel) // and the service ends in the middle of it
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	off := recordingRadio(t, "a token", folder)
	off.Config.Server.Recording.On = false
	by = sit(t, testradio.Start(t, off).URL, "a token")
	if code := by.get(t, "/api/recordings", &list); code != http.StatusOK || len(list.Recordings) != 2 || list.Recordings[0].Recording.Packets != 5 {
		t.Errorf("after the end: %d %+v", code, list)
	}
}

// TestARecorderThatStoppedBeforeAnybodyTalked: that the disk is too full is on the timeline
// before the first burst, and a console that signs in sees that nothing is recorded. After a
// restart with room both are well again, and that is told once.
func TestARecorderThatStoppedBeforeAnybodyTalked(t *testing.T) {
	data := t.TempDir()
	shift := func(what string, folder string, free int64, recorded bool, health ...string) {
		t.Helper()
		o := recordingRadio(t, "a token", folder)
		o.Data, o.Config.Server.Recording.FreeBytes = data, free
		s, err := testradio.Open(t, o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		}()
		by := sit(t, s.URL, "a token")
		for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			var past struct {
				Entries []struct{ Detail, Reason string }
			}
			by.get(t, "/api/timeline?kind=health", &past)
			var got []string
			for _, e := range past.Entries {
				got = append(got, e.Detail+": "+e.Reason)
			}
			var c struct {
				Zones []struct {
					Channels []struct {
						Frequency string
						Recorded  bool
					}
				}
			}
			by.get(t, "/radio/dispatch/config", &c)
			is := false
			for _, z := range c.Zones {
				for _, ch := range z.Channels {
					is = is || ch.Frequency == channel && ch.Recorded
				}
			}
			ok := len(got) == len(health) && is == recorded
			for i := range health {
				ok = ok && strings.HasPrefix(got[i], health[i])
			}
			if ok {
				return
			}
			if time.Now().After(until) {
				t.Fatalf("%s: the timeline has %q and recorded is %v", what, got, is)
			}
		}
	}
	const full, none = "recorder: the disk is nearly full", "recorder: the folder for recordings"
	folder := filepath.Join(t.TempDir(), "voice")
	shift("an ordinary start", folder, 0, true)
	shift("a disk that is too full", folder, 1<<60, false, full)
	shift("it is still too full", folder, 1<<60, false, full)
	shift("there is room", folder, 0, true, "recorder: ", full)
	shift("an ordinary start", folder, 0, true, "recorder: ", full)
	shift("no folder", filepath.Join(folder, "none", "none"), 0, false, none, "recorder: ", full)
}
