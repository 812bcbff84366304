package recdesk_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/server/ogg"
)

// mixing asks for a span beginning and ending so many ms after began.
func mixing(from, to int64, more string) string {
	return fmt.Sprintf("/mix?frequency=154.755&from=%d&to=%d%s", began+from, began+to, more)
}

// TestAListeningFileHasItsChannelAlone: with pauses as they were it is as long as the span,
// without them as long as what was said.
func TestAListeningFileHasItsChannelAlone(t *testing.T) {
	s := open(t)
	s.record(talk{after: 2000, channel: "154.755", user: 7, name: "Ana", packets: 250})
	s.record(talk{after: 20_000, channel: "154.755", user: 8, name: "Bo", packets: 100, digital: true})
	s.record(talk{after: 21_000, channel: "460.25", user: 9, name: "Cy", packets: 500})
	kept := s.get(mixing(0, 60_000, "&pauses=keep"))
	if n := samplesOf(t, kept.body) / 960; kept.status != 200 || n < 3000 || n > 3002 {
		t.Errorf("%d, %d blocks with pauses", kept.status, n)
	}
	brief := s.get(mixing(0, 60_000, ""))
	if n := samplesOf(t, brief.body) / 960; brief.status != 200 || n < 398 || n > 406 { // 5 s, a second, 2 s
		t.Errorf("%d, %d blocks without", brief.status, n)
	}
	if brief.header.Get("Content-Type") != "audio/ogg; codecs=opus" || !strings.Contains(brief.header.Get("Content-Disposition"), "2026-03-04T050607Z_154.755_Dispatch_mix.ogg") {
		t.Errorf("%v", brief.header)
	}
	r, err := ogg.NewReader(bytes.NewReader(brief.body))
	if err != nil || !strings.Contains(strings.Join(r.Tags.Comments, "\n"), "TITLE=154.755 Dispatch") {
		t.Errorf("%v, %v", r.Tags, err)
	}
	if got := s.actions(); len(got) != 2 || got[0] != "recording.mix" {
		t.Errorf("audited %q", got)
	}
	if e := s.notes[0]; e.Frequency != "154.755" || e.Detail["recordings"] != 2 || e.Detail["pauses"] != "keep" {
		t.Errorf("%+v", e)
	}
	head := s.ask(httptest.NewRequest("HEAD", "/api/recordings"+mixing(0, 60_000, ""), nil))
	if head.status != 200 || len(head.body) != 0 {
		t.Errorf("HEAD: %d, %d bytes", head.status, len(head.body))
	}
}

// TestWhatOldClientsRecordedIsLeftOut of a listening file, which says so.
func TestWhatOldClientsRecordedIsLeftOut(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 5, webm: true})
	s.record(talk{after: 3000, channel: "154.755", user: 8, name: "Bo", packets: 50})
	r, err := ogg.NewReader(bytes.NewReader(s.get(mixing(0, 60_000, "")).body))
	if err != nil || !strings.Contains(strings.Join(r.Tags.Comments, "\n"), "1 recordings of older clients are left out") {
		t.Errorf("%v, %v", r.Tags, err)
	}
}

func TestListeningFilesAreRefusedWithReasons(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	for path, want := range map[string]string{
		"/mix": "from is missing", "/mix?from=1": "to is missing", "/mix?from=1&to=2": "frequency is missing", "/mix?from=2&to=1&frequency=154.755": "to must not be before from",
		"/mix?from=1&to=9007199254740991&frequency=154.755": "at most 24 hours after from", "/mix?from=1&to=2&frequency=154.755,460.25": "must name one channel",
		mixing(0, 1000, "&pauses=none"): `pauses must be short or keep, not "none"`,
	} {
		s.get(path).refused(400, want)
	}
	s.get("/mix?from=1&to=2&frequency=154.75").refused(404, "did you mean 154.755?")
	s.get(mixing(60_000, 70_000, "")).refused(404, "Nothing was recorded")
	if got := s.actions(); len(got) != 0 {
		t.Errorf("audited %q although nothing was served", got)
	}
}

// TestMoreVoiceThanAFileMayHave is refused before anything is sent.
func TestMoreVoiceThanAFileMayHave(t *testing.T) {
	s := open(t)
	for i := range int64(25) {
		s.record(talk{after: i * 310_000, channel: "154.755", user: 7, name: "Ana", packets: 15_000}) // 5 min
	}
	s.get(mixing(0, 8_000_000, "")).refused(400, "at most 2 hours")
}

// TestOnlySoManyListeningFilesAtOnce, and one whose listener goes gives its place back.
func TestOnlySoManyListeningFilesAtOnce(t *testing.T) {
	s := open(t)
	for i := range int64(20) {
		s.record(talk{after: i * 310_000, channel: "154.755", user: 7, name: "Ana", packets: 15_000})
	}
	ctx, leave := context.WithCancel(t.Context())
	var listeners sync.WaitGroup
	heads := make(chan struct{}, 2)
	for range 2 {
		listeners.Go(func() {
			defer func() { _ = recover() }() // net/http's way to break a connection off
			w := &listener{ResponseRecorder: httptest.NewRecorder(), heard: heads}
			s.server().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/api/recordings"+mixing(0, 7_000_000, ""), nil))
		})
	}
	<-heads
	<-heads
	s.get(mixing(0, 1000, "")).refused(429, "Other listening files")
	leave()
	listeners.Wait()
	if a := s.get(mixing(0, 1000, "")); a.status != 200 {
		t.Errorf("afterwards: %d", a.status)
	}
}

// listener says when it hears something.
type listener struct {
	*httptest.ResponseRecorder
	heard chan struct{}
	once  sync.Once
}

func (l *listener) Write(b []byte) (int, error) {
	l.once.Do(func() { l.heard <- struct{}{} })
	return l.ResponseRecorder.Write(b)
}

// TestTheFutureIsNotSilence: a span that ends later ends now.
func TestTheFutureIsNotSilence(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	s.mu.Lock()
	s.now = time.UnixMilli(began + 10_000)
	s.mu.Unlock()
	a := s.get(mixing(0, 3_600_000, "&pauses=keep"))
	if n := samplesOf(t, a.body) / 960; n < 500 || n > 502 {
		t.Errorf("%d blocks", n)
	}
	if last := binary.LittleEndian.Uint64(a.body[bytes.LastIndex(a.body, []byte("OggS"))+6:]) / 960; last > 502 {
		t.Errorf("it ends at %d", last)
	}
}
