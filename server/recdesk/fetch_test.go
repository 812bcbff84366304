package recdesk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/recdesk"
	"squelch/server/recordings"
)

// TestARecordingIsServedAsItIs: its bytes, its media type, its name, whole and in parts.
func TestARecordingIsServedAsItIs(t *testing.T) {
	s := open(t)
	id := s.record(talk{channel: "460.25", user: 7, name: "Ana", unit: "2-ADAM-7", packets: 200, digital: true})
	a := s.get("/" + id + ".ogg")
	if a.status != 200 || a.header.Get("Content-Type") != "audio/ogg; codecs=opus" || a.header.Get("Accept-Ranges") != "bytes" || a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	how, names, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
	if want := "2026-03-04T050607Z_460.25_Tac-1_2-ADAM-7_" + id + ".ogg"; err != nil || how != "inline" || names["filename"] != want {
		t.Errorf("%q, want %q", a.header.Get("Content-Disposition"), want)
	}
	if n := samplesOf(t, a.body); n != 200*960 {
		t.Errorf("%d samples", n)
	}
	tag := a.header.Get("ETag")
	if again := s.get("/"+id+".ogg", "If-None-Match: "+tag); again.status != 304 || len(again.body) != 0 {
		t.Errorf("the same again: %d", again.status)
	}
	part := s.get("/"+id+".ogg", "Range: bytes=100-199", "If-Range: "+tag)
	if want := fmt.Sprintf("bytes 100-199/%d", len(a.body)); part.status != 206 || !bytes.Equal(part.body, a.body[100:200]) || part.header.Get("Content-Range") != want {
		t.Errorf("%d %v", part.status, part.header)
	}
	if end := s.get("/"+id+".ogg", "Range: bytes=-50"); end.status != 206 || !bytes.Equal(end.body, a.body[len(a.body)-50:]) {
		t.Errorf("the end: %d", end.status)
	}
	if other := s.get("/"+id+".ogg", "Range: bytes=100-199", `If-Range: "other"`); other.status != 200 || !bytes.Equal(other.body, a.body) {
		t.Errorf("a part of another file: %d", other.status)
	}
	if beyond := s.get("/"+id+".ogg", "Range: bytes=9999999-"); beyond.status != 416 {
		t.Errorf("beyond its end: %d", beyond.status)
	}
	if h := s.ask(httptest.NewRequest("HEAD", "/api/recordings/"+id+".ogg", nil)); h.status != 200 || len(h.body) != 0 || h.header.Get("Content-Length") != fmt.Sprint(len(a.body)) {
		t.Errorf("HEAD: %d %v", h.status, h.header)
	}
	if raw := s.get("/" + id + ".imbe"); raw.status != 200 || len(raw.body) != 200*11 || raw.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf(".imbe: %d, %d bytes %v", raw.status, len(raw.body), raw.header)
	}
	webm := s.record(talk{after: 60_000, channel: "154.755", user: 8, name: "Bo", packets: 3, webm: true})
	if old := s.get("/" + webm + ".webm"); old.status != 200 || string(old.body) != "webmwebmwebm" || old.header.Get("Content-Type") != "audio/webm" {
		t.Errorf(".webm: %d %s", old.status, old.body)
	}
	s.get("/"+webm+".ogg").refused(404, "This recording has no .ogg; it has .webm")
	s.get("/"+webm+".imbe").refused(404, "it has .webm")
}

// TestNamesOfFilesAreHarmless: what users chose never becomes a path, a header or an option.
func TestNamesOfFilesAreHarmless(t *testing.T) {
	s := open(t, func(o *recdesk.Options) {
		o.Channels = func() []recdesk.Channel {
			return []recdesk.Channel{{Frequency: frequency("154.755"), Name: "../Straße\r\nX-Evil: 1\";"}}
		}
	})
	for i, unit := range []string{`../../etc/passwd`, "\"; filename=evil.exe", "-rf", "a\x00b\x7f", strings.Repeat("x", 500), "名前", "..", "CON", `C:\x`, "", "\u202egpj.exe"} {
		id := s.record(talk{after: int64(i) * 1000, channel: "154.755", user: 7, name: unit, unit: unit, packets: 5})
		header := s.get("/" + id + ".ogg").header.Get("Content-Disposition")
		_, names, err := mime.ParseMediaType(header)
		if name := names["filename"]; err != nil || strings.ContainsAny(name, "/\\\"\r\n\x00:;\u202e") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || !strings.HasSuffix(name, "_"+id+".ogg") || len(name) > 300 {
			t.Errorf("%q becomes %q, %v", unit, header, err)
		}
		for _, c := range header {
			if c < 0x20 || c > 0x7e {
				t.Errorf("%q has %q", header, c)
			}
		}
	}
}

// TestHostileFileNamesFindNothing: ids that are none, paths and kinds that do not exist.
func TestHostileFileNamesFindNothing(t *testing.T) {
	s := open(t)
	id := s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	for _, file := range []string{"1.ogg", "tx-1.ogg", id, id + ".", id + ".mp3", id + ".ogg.ogg", id + ".OGG", "../" + id + ".ogg.x", "..%2f..%2fetc%2fpasswd.1", "%2e%2e%2findex1", "tx-1-99999999999999999999.ogg",
		"tx-01-" + fmt.Sprint(began) + ".ogg", "tx-+1-" + fmt.Sprint(began) + ".ogg", "tx-1--1.ogg", "recordings.lock.1", "tx-1-" + strings.Repeat("1", 5000) + ".ogg", "tx-2-" + fmt.Sprint(began) + ".ogg", id + "%00.ogg"} {
		a := s.get("/" + file)
		a.refused(404, "There is no such")
		if len(a.body) > 400 {
			t.Errorf("%.40s is answered with %d bytes", file, len(a.body))
		}
	}
	if got := s.actions(); len(got) != 0 {
		t.Errorf("audited %q although nothing was served", got)
	}
}

// TestABurstOnTheAirGivesWhatIsThere, and more of it later; a part that goes on fits.
func TestABurstOnTheAirGivesWhatIsThere(t *testing.T) {
	s := open(t)
	e := recordings.Entry{Number: 1, Start: began, Frequency: frequency("154.755"), User: 7, Name: "Ana"}
	e.ID = fmt.Sprintf("tx-1-%d", began)
	b, err := s.shelf.Create(e)
	if err != nil {
		t.Fatal(err)
	}
	speak := func(from, to int) {
		t.Helper()
		for _, p := range spoken()[from:to] {
			if err := b.WriteOpus(p, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	speak(0, 100)
	first := s.get("/" + e.ID + ".ogg")
	if n := samplesOf(t, first.body); first.status != 200 || n < 50*960 {
		t.Fatalf("%d, %d samples", first.status, n)
	}
	if known := ok[wire.Recording](s.get("/" + e.ID + ".json")); known.EndedAt != nil || known.Recording.DurationMs < 1000 {
		t.Errorf("%+v", known)
	}
	speak(100, 300)
	second := s.get("/" + e.ID + ".ogg")
	if len(second.body) <= len(first.body) || !bytes.HasPrefix(second.body, first.body) || second.header.Get("ETag") == first.header.Get("ETag") {
		t.Errorf("%d bytes after %d", len(second.body), len(first.body))
	}
	rest := s.get("/"+e.ID+".ogg", fmt.Sprintf("Range: bytes=%d-", len(first.body)))
	if rest.status != 206 || !bytes.Equal(slices.Concat(first.body, rest.body), second.body) {
		t.Errorf("what goes on: %d, %d bytes", rest.status, len(rest.body))
	}
	e.End = began + 6000
	if err := b.Done(e); err != nil {
		t.Fatal(err)
	}
	if n := samplesOf(t, s.get("/"+e.ID+".ogg").body); n != 300*960 {
		t.Errorf("%d samples in the end", n)
	}
}

// TestWhatIsKnownOfARecording has its waveform, which is made at once if nobody has.
func TestWhatIsKnownOfARecording(t *testing.T) {
	asked := 0
	s := open(t, func(o *recdesk.Options) {
		o.Peaks = func(_ context.Context, id string) ([]byte, error) {
			if asked++; asked > 1 {
				return nil, errors.New("the decoder is tired")
			}
			return []byte{1, 200, 3}, nil
		}
	})
	id := s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	if got := ok[wire.Recording](s.get("/" + id + ".json")); !slices.Equal(got.Recording.Peaks, []int{1, 200, 3}) || got.ID != id {
		t.Errorf("%+v", got)
	}
	if got := ok[wire.Recording](s.get("/" + id + ".json")); len(got.Recording.Peaks) != 0 || got.Name != "Ana" {
		t.Errorf("without a waveform: %+v", got)
	}
	if err := s.shelf.SetPeaks(id, []byte{9}); err != nil {
		t.Fatal(err)
	}
	if err := s.shelf.SetText(id, "show me responding"); err != nil {
		t.Fatal(err)
	}
	if got := ok[wire.Recording](s.get("/" + id + ".json")); !slices.Equal(got.Recording.Peaks, []int{9}) || got.Transcript != "show me responding" || asked != 2 {
		t.Errorf("%+v, asked %d times", got, asked)
	}
}

// TestEachFetchIsAudited: once a minute for the same recording and caller; a Range that
// goes on is none of its own, but one that nothing came before is.
func TestEachFetchIsAudited(t *testing.T) {
	s := open(t)
	a, b := s.record(talk{channel: "154.755", user: 7, name: "Ana", unit: "7", packets: 50}), s.record(talk{after: 5000, channel: "460.25", user: 8, name: "Bo", packets: 50})
	var want []string
	step := func(audited bool, path string, headers ...string) {
		t.Helper()
		s.get(path, headers...)
		if audited {
			want = append(want, "recording.fetch "+strings.TrimPrefix(strings.Split(path, ".")[0], "/"))
		}
		if got := s.actions(); !slices.Equal(got, want) {
			t.Fatalf("after %s %q: audited %q, want %q", path, headers, got, want)
		}
	}
	step(true, "/"+a+".ogg")
	step(false, "/"+a+".ogg")
	step(false, "/"+a+".json")
	step(false, "/"+a+".ogg", "Range: bytes=100-")
	step(true, "/"+a+".ogg", "X-Name: Other")
	step(true, "/"+b+".ogg", "Range: bytes=1-") // all of it but a byte
	step(false, "/"+b+".ogg", "Range: bytes=2-")
	s.pass(time.Minute)
	step(false, "/"+a+".ogg", "Range: bytes=200-")
	step(true, "/"+a+".ogg", "Range: bytes=0-")
	s.pass(2 * time.Hour)
	step(true, "/"+a+".ogg", "Range: bytes=200-")
	s.pass(-3 * time.Hour) // a clock that is set back hides nothing
	step(true, "/"+a+".ogg")
	e := s.notes[0]
	if e.Actor.Name != "CAD" || e.Surface != "rest" || e.Frequency != "154.755" || e.Detail["address"] != "203.0.113.9" || e.Detail["name"] != "Ana" || e.Detail["unit"] != "7" || e.Detail["file"] != "ogg" {
		t.Errorf("%+v", e)
	}
}

// TestListsAreAudited once a minute for what the same caller looks for.
func TestListsAreAudited(t *testing.T) {
	s := open(t)
	id := s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	for _, path := range []string{"?unit=ana&frequency=154.755", "?unit=ana&frequency=154.755&limit=5&before=" + id, "?unit=bo"} {
		s.get(path)
	}
	if got := s.actions(); len(got) != 2 || got[0] != "recording.list" {
		t.Errorf("audited %q", got)
	}
	if e := s.notes[0]; e.Detail["unit"] != "ana" || e.Frequency != "154.755" {
		t.Errorf("%+v", e)
	}
}

// TestManyDifferentRequestsAreNotRemembered without bound, and stay audited.
func TestManyDifferentRequestsAreNotRemembered(t *testing.T) {
	s := open(t)
	const many = 4_200
	for i := range many {
		s.get(fmt.Sprintf("?limit=1&unit=%d", i))
	}
	if got := len(s.actions()); got != many {
		t.Errorf("%d of %d audited", got, many)
	}
	s.get("?limit=1&unit=4199") // it was too much to be remembered
	if got := len(s.actions()); got != many+1 {
		t.Errorf("%d of %d audited", got, many+1)
	}
}

// TestReadersThatTakeNothingHoldPlacesOnly: when all are taken others are told to come
// again, and a reader that goes gives its place back.
func TestReadersThatTakeNothingHoldPlacesOnly(t *testing.T) {
	s := open(t)
	id := s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 300, webm: true, payload: 64 << 10}) // more than a socket takes
	server := httptest.NewServer(s.server())
	defer server.Close()
	var slow []net.Conn
	leave := func() {
		for _, c := range slow {
			_ = c.Close()
		}
	}
	defer leave()
	ask := func() (status int) {
		got, err := http.Get(server.URL + "/api/recordings/" + id + ".webm")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = got.Body.Close() }()
		return got.StatusCode
	}
	for range 64 {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, c)
		if _, err := fmt.Fprintf(c, "GET /api/recordings/%s.webm HTTP/1.1\r\nHost: x\r\n\r\n", id); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 100)); err != nil { // it has its place
			t.Fatal(err)
		}
	}
	if status := ask(); status != 429 {
		t.Errorf("one more: %d", status)
	}
	leave()
	waitFor(t, func() bool { return ask() == 200 })
}

// TestAReaderThatTakesNothingIsLeft, and its place is free again.
func TestAReaderThatTakesNothingIsLeft(t *testing.T) {
	s := open(t)
	id := s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 300, webm: true, payload: 64 << 10}) // more than a socket takes
	s.SetPatience(100 * time.Millisecond)
	over := make(chan struct{})
	inner := s.server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(over)
		inner.ServeHTTP(w, r)
	}))
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := fmt.Fprintf(c, "GET /api/recordings/%s.webm HTTP/1.1\r\nHost: x\r\n\r\n", id); err != nil {
		t.Fatal(err)
	}
	<-over // or the test runs out of time
}

// TestALongAnswerOutlivesTheDeadlinesOfTheServer: as long as something is read, it goes on.
func TestALongAnswerOutlivesTheDeadlinesOfTheServer(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 4000})
	server := httptest.NewUnstartedServer(s.server())
	server.Config.ReadTimeout, server.Config.WriteTimeout = 20*time.Millisecond, 20*time.Millisecond
	server.Start()
	defer server.Close()
	began := time.Now()
	got, err := http.Get(server.URL + "/api/recordings" + mixing(0, 120_000, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	file, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatalf("after %v: %v", time.Since(began), err)
	}
	if n := samplesOf(t, file) / 960; n < 4000 {
		t.Errorf("%d blocks", n)
	}
	if took := time.Since(began); took < 40*time.Millisecond {
		t.Errorf("it took only %v: this test sees nothing", took)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 500 {
		if done() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("it does not come")
}

// TestAFileThatIsGoneFromTheDisk is refused, not served as something else.
func TestAFileThatIsGoneFromTheDisk(t *testing.T) {
	s := open(t)
	id := s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	if _, _, err := s.shelf.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s.get("/"+id+".ogg").refused(404, "There is no such recording")
	s.use(func(o *recdesk.Options) { o.Shelf = failing{s.shelf, id} })
	s.get("/"+id+".ogg").refused(503, "the disk does not work")
}

// failing is a shelf whose disk fails.
type failing struct {
	*recordings.Shelf
	id string
}

func (f failing) Get(string) (recordings.Entry, bool) {
	return recordings.Entry{ID: f.id, Format: "ogg", End: 1}, true
}

func (failing) Open(string, string) (*recordings.File, error) {
	return nil, &recordings.DiskError{Reason: "the disk does not work"}
}

func (failing) Delete(context.Context, ...string) (int, int64, error) {
	return 1, 10, &recordings.DiskError{Reason: "the disk does not work"}
}
