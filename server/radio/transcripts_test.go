package radio_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tphakala/go-opus/opus"

	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/internal/testradio"
	"squelch/server/internal/testwhisper"
)

// hang is the argument that makes the tests' program one that never ends.
const hang = "hang"

// configured is the demo radio with more in its file.
func configured(t *testing.T, more string) *config.Loaded {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.lua")
	if err := os.WriteFile(file, []byte(config.DefaultSource()+"\nConfig.authToken = 'game-token' Config.dispatchNacId = '"+theLogin+"' Config.adminPassword = 'admin-password'\n"+more), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// says keys up, says something for so many packets of 20 ms, and keys down.
func (d *desk) says(t *testing.T, packets int) {
	t.Helper()
	encoder, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: 48_000, Channels: 1, Bitrate: 24_000})
	if err != nil {
		t.Fatal(err)
	}
	d.does(t, "setTalking", true)
	pcm, out := make([]int16, 960), make([]byte, 1500)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := range packets {
		for j := range pcm {
			pcm[j] = int16(8000 * math.Sin(2*math.Pi*300*float64(i*960+j)/48_000))
		}
		n, err := encoder.Encode(pcm, out)
		if err != nil {
			t.Fatal(err)
		}
		<-tick.C
		if err := d.Emit("voice", map[string]any{"data": base64.StdEncoding.EncodeToString(out[:n]), "encoding": "opus"}); err != nil {
			t.Fatal(err)
		}
	}
	d.does(t, "setTalking", false)
}

// reader is a login that reads what was recorded.
type reader struct{ token, session string }

func loggedIn(t *testing.T, url string) reader {
	t.Helper()
	code, text := call(t, "POST", url+"/radio/dispatch/auth", "", []byte(`{"nacId":"`+theLogin+`","callsign":"Desk"}`))
	var got wire.AuthReply
	if code != http.StatusOK || json.Unmarshal(text, &got) != nil {
		t.Fatalf("login: %d %s", code, text)
	}
	return reader{got.AuthToken, got.SessionID}
}

// recordings waits until there are so many that have ended, and gives them.
func (r reader) recordings(t *testing.T, url string, n int) []wire.Recording {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		code, text := call(t, "GET", url+"/api/recordings", r.token, nil, r.session)
		var page wire.RecordingPage
		if code != http.StatusOK || json.Unmarshal(text, &page) != nil {
			t.Fatalf("%d %s", code, text)
		}
		ended := 0
		for _, r := range page.Recordings {
			if r.EndedAt != nil {
				ended++
			}
		}
		if ended >= n {
			return page.Recordings
		}
		if time.Now().After(end) {
			t.Fatalf("%d recordings: %s", n, text)
		}
	}
}

// TestTheExampleForWhisper: with the handbook's file and whisper.cpp's interface, what
// is said comes to consoles and webhooks as text, is in the lists of recordings and on the
// timeline, and still is after a restart.
func TestTheExampleForWhisper(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("../../handbook/examples/whisper/config.lua")
	if err != nil {
		t.Fatal(err)
	}
	handbook, err := os.ReadFile("../../handbook/transcripts.md")
	if err != nil || !bytes.Contains(handbook, []byte(`url = "http://127.0.0.1:8080/inference"`)) {
		t.Errorf("the handbook has another address: %v", err)
	}
	text := strings.Replace(string(example), "http://127.0.0.1:8080/inference", testwhisper.Start(t), 1)
	if text == string(example) {
		t.Fatal("the example has another address")
	}
	hook, got := receiver(t)
	text += fmt.Sprintf("Config.webhooks = { { name = 'cad', url = %q, private = '127.0.0.0/8', secret = '0123456789abcdef', events = { 'transcript' } } }", hook)
	data := filepath.Join(t.TempDir(), "data")
	s, err := testradio.Open(t, testradio.Options{Config: configured(t, text), Data: data})
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, s.URL, "game-token", -1)
	d.does(t, "setSpeakerChannel", "154.755")
	d.says(t, 75)
	d.hears(t, `"type":"transcript","id":"tx-1-`)
	if p := next(t, got); p.Kind != "transcript" || !strings.HasPrefix(p.Transcript, "I hear ") || p.Frequency != "154.755" {
		t.Errorf("the webhook: %+v", p)
	}
	d.says(t, 20) // too short
	said := regexp.MustCompile(`^I hear \d{4} milliseconds\. In en\.$`)
	by := loggedIn(t, s.URL)
	check := func(url string) {
		t.Helper()
		all := by.recordings(t, url, 2)
		if long := all[1]; !said.MatchString(long.Transcript) || long.Recording.Packets < 70 || all[0].Transcript != "" {
			t.Errorf("recordings: %+v", all)
		}
		code, text := call(t, "GET", url+"/api/timeline?kind=transmission&text=milliseconds", by.token, nil, by.session)
		var page wire.TimelinePage
		if code != http.StatusOK || json.Unmarshal(text, &page) != nil || len(page.Entries) != 1 || page.Entries[0].ID != all[1].ID || !said.MatchString(page.Entries[0].Transcript) {
			t.Errorf("timeline: %d %s", code, text)
		}
	}
	check(s.URL)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	check(testradio.Start(t, testradio.Options{Config: configured(t, text), Data: data}).URL)
}

// TestATranscriberThatHangsCostsNothingElse: everything is said and recorded as if there
// were none, and the radio ends at once.
func TestATranscriberThatHangsCostsNothingElse(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s, err := testradio.Open(t, testradio.Options{Data: data, Config: configured(t, fmt.Sprintf(
		`Config.recording = { all = true } Config.transcriber = { command = { %q, %q, "{file}" }, minSeconds = 0, atOnce = 2, timeout = 600000 }`, os.Args[0], hang))})
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, s.URL, "game-token", -1)
	d.does(t, "setSpeakerChannel", "154.755")
	const bursts = 5
	for range bursts {
		d.says(t, 10)
	}
	for _, r := range loggedIn(t, s.URL).recordings(t, s.URL, bursts) {
		if r.Recording.Packets != 10 || r.Transcript != "" || r.Recording.Cut {
			t.Errorf("%+v", r)
		}
	}
	folder := filepath.Join(data, "transcribe")
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if running, _ := os.ReadDir(folder); len(running) == 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the transcriber was never asked")
		}
	}
	code, text := administrator(t, s.URL)("GET", "/admin/api/recordings/state", "")
	var state wire.RecorderState
	if code != http.StatusOK || json.Unmarshal([]byte(text), &state) != nil || state.Transcripts == nil || *state.Transcripts != (wire.TranscriberState{Waiting: bursts}) {
		t.Errorf("the administration is told %d %s", code, text)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestRecordingsOfBeforeTheRestartGetTheirText: those of the last hour that have none.
func TestRecordingsOfBeforeTheRestartGetTheirText(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s, err := testradio.Open(t, testradio.Options{Data: data, Config: configured(t, `Config.recording = { all = true }`)})
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, s.URL, "game-token", -1)
	d.does(t, "setSpeakerChannel", "154.755")
	d.says(t, 20)
	by := loggedIn(t, s.URL)
	by.recordings(t, s.URL, 1)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	again := testradio.Start(t, testradio.Options{Data: data, Config: configured(t, fmt.Sprintf(
		`Config.recording = { all = true } Config.transcriber = { url = %q, minSeconds = 0 }`, testwhisper.Start(t)))})
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if all := by.recordings(t, again.URL, 1); strings.HasPrefix(all[0].Transcript, "I hear ") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it has no text")
		}
	}
}

// administrator logs in at /admin and asks there, and elsewhere with the master token.
func administrator(t *testing.T, url string) (ask func(method, path, body string) (int, string)) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	csrf := ""
	ask = func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer game-token")
		if strings.HasPrefix(path, "/admin/") {
			r.Header.Del("Authorization")
			r.Header.Set("X-CSRF-Token", csrf)
		}
		got, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		var text bytes.Buffer
		if _, err := text.ReadFrom(got.Body); err != nil {
			t.Fatal(err)
		}
		return got.StatusCode, text.String()
	}
	code, text := ask("POST", "/admin/api/login", `{"password":"admin-password"}`)
	var login wire.AdminSession
	if code != http.StatusOK || json.Unmarshal([]byte(text), &login) != nil {
		t.Fatalf("%d %s", code, text)
	}
	csrf = login.CSRFToken
	return ask
}

// TestATranscriberIsOfTheFileAlone: it is in nothing that the administration or a key of
// the whole radio is shown, and no edit can set it.
func TestATranscriberIsOfTheFileAlone(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-of-the-file"
	s := testradio.Start(t, testradio.Options{Config: configured(t, fmt.Sprintf(
		`Config.transcriber = { url = "https://whisper.example.org/%[1]s", fields = { %[2]s = "%[1]s" }, headers = { Authorization = "Bearer %[1]s" } }`, secret, "prompt"))})
	ask := administrator(t, s.URL)
	looked := 0
	for _, route := range append(wire.AdminRoutes, wire.Routes...) {
		if route.Method != "GET" || strings.Contains(route.Path, "{") || strings.HasSuffix(route.Path, "/changes") {
			continue
		}
		code, text := ask("GET", route.Path, "")
		if looked++; strings.Contains(text, secret) || strings.Contains(text, "whisper.example.org") {
			t.Errorf("%s shows the transcriber: %d %s", route.Path, code, text)
		}
	}
	if looked < 20 {
		t.Errorf("only %d routes were looked at", looked)
	}
	code, text := ask("GET", "/admin/api/config", "")
	var shown wire.AdminConfig
	if code != http.StatusOK || json.Unmarshal([]byte(text), &shown) != nil {
		t.Fatalf("%d %s", code, text)
	}
	for _, edit := range []string{`"transcriber":{"command":["/bin/sh","-c","id"]}`, `"zones":[],"transcriber":{"url":"http://10.0.0.1/"}`, `"Transcriber":null`} {
		code, text := ask("PUT", "/admin/api/config", fmt.Sprintf(`{"revision":%q,"config":{%s}}`, shown.Revision, edit))
		if code != http.StatusBadRequest || !strings.Contains(strings.ToLower(text), "transcriber") {
			t.Errorf("%s: %d %s", edit, code, text)
		}
	}
	if _, err := config.ParseOverlay([]byte(`{"transcriber":{"command":["/bin/sh"]}}`)); err == nil {
		t.Error("stored edits may have a transcriber")
	}
}
