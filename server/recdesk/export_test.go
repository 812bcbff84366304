package recdesk_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/recdesk"
	"squelch/server/timeline"
)

// memory is a log of the timeline.
type memory struct {
	mu      sync.Mutex
	records [][]byte
}

func (m *memory) AppendAt(_ context.Context, _ uint64, records ...[]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, records...)
	return nil
}

func (m *memory) Read(_ context.Context, from uint64, limit int) (uint64, [][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if from < 1 {
		from = 1
	}
	if from > uint64(len(m.records)) {
		return from, nil, nil
	}
	return from, m.records[from-1 : min(uint64(len(m.records)), from-1+uint64(limit))], nil
}

func (m *memory) Bounds() (uint64, uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return 1, uint64(len(m.records))
}

// withPast gives a station a timeline.
func withPast(s *station, moments ...core.Moment) {
	s.t.Helper()
	past, err := timeline.Open(s.t.Context(), &memory{}, timeline.Options{Recording: func(id string) (*wire.RecordingInfo, string) {
		e, ok := s.shelf.Get(id)
		if !ok {
			return nil, ""
		}
		info := recdesk.InfoOf(&e)
		return &info, e.Text
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(past.Close)
	past.Add(moments...)
	s.use(func(o *recdesk.Options) { o.Timeline = past })
}

func exporting(from, to int64, more string) string {
	return fmt.Sprintf("/export?from=%d&to=%d%s", began+from, began+to, more)
}

// files reads a zip.
func (a answer) files() map[string][]byte {
	a.t.Helper()
	z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		a.t.Fatalf("%d: %v", a.status, err)
	}
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			a.t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			a.t.Fatal(err)
		}
	}
	return all
}

func said(number int, after int64, user core.UserID, name string, channel string, digital bool) core.Moment {
	return core.Moment{Kind: core.MomentTransmission, Number: number, At: began + after, EndedAt: began + after + 2000, User: user, Name: name, Frequency: frequency(channel), Digital: digital}
}

// TestAnIncidentIsComplete: what was said and done in its time and on its channels, the
// voice as it was recorded, and a file that explains it; nothing else.
func TestAnIncidentIsComplete(t *testing.T) {
	s := open(t)
	withPast(s, said(1, 1000, 7, "=Ana", "154.755", false), said(2, 5000, 8, "Bo", "154.755", true), said(3, 6000, 9, "Cy", "460.25", false),
		core.Moment{Kind: core.MomentAlert, At: began + 7000, Frequency: frequency("154.755"), ByName: "CAD", Detail: "SIGNAL 100"}, said(4, 500_000, 7, "=Ana", "154.755", false))
	a := s.record(talk{after: 1000, channel: "154.755", user: 7, name: "=Ana", unit: "2-ADAM-7", packets: 100})
	b := s.record(talk{after: 5000, channel: "154.755", user: 8, name: "Bo", packets: 100, digital: true})
	s.record(talk{after: 6000, channel: "460.25", user: 9, name: "Cy", packets: 100})
	s.record(talk{after: 500_000, channel: "154.755", user: 7, name: "=Ana", packets: 100})
	if err := s.shelf.SetText(a, "show me responding"); err != nil {
		t.Fatal(err)
	}
	got := s.get(exporting(0, 60_000, "&frequency=Dispatch"))
	if got.status != 200 || got.header.Get("Content-Type") != "application/zip" || got.header.Get("Content-Disposition") != `attachment; filename="incident_2026-03-04T050607Z_154.755.zip"` {
		t.Errorf("%d %v", got.status, got.header)
	}
	files := got.files()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	voice := []string{"voice/2026-03-04T050608Z_154.755_Dispatch_2-ADAM-7_" + a + ".ogg", "voice/2026-03-04T050612Z_154.755_Dispatch_Bo_" + b + ".imbe", "voice/2026-03-04T050612Z_154.755_Dispatch_Bo_" + b + ".ogg"}
	if want := append([]string{"README.txt", "recordings.json", "timeline.csv", "timeline.json"}, voice...); !slices.Equal(names, want) {
		t.Fatalf("files %q, want %q", names, want)
	}
	for i, id := range []string{a + ".ogg", b + ".imbe", b + ".ogg"} {
		if !bytes.Equal(files[voice[i]], s.get("/"+id).body) {
			t.Errorf("%s is not what was recorded", voice[i])
		}
	}
	var past struct{ Entries []wire.TimelineEntry }
	var list struct {
		Recordings []struct {
			wire.Recording
			Files []string
		}
	}
	if err := errors.Join(json.Unmarshal(files["timeline.json"], &past), json.Unmarshal(files["recordings.json"], &list)); err != nil {
		t.Fatal(err)
	}
	if e := past.Entries; len(e) != 3 || e[0].ID != a || e[0].Recording == nil || e[0].Transcript != "show me responding" || e[2].Kind != core.MomentAlert {
		t.Errorf("%+v", e)
	}
	if l := list.Recordings; len(l) != 2 || l[0].ID != a || !slices.Equal(l[1].Files, []string{voice[2], voice[1]}) {
		t.Errorf("%+v", l)
	}
	rows, err := csv.NewReader(bytes.NewReader(files["timeline.csv"])).ReadAll()
	if err != nil || len(rows) != 4 || rows[1][6] != "'=Ana" || rows[1][0] != "2026-03-04T05:06:08.000Z" || rows[1][2] != "2.0" || rows[1][16] != a || rows[3][13] != "SIGNAL 100" || rows[1][8] != "Dispatch" || rows[1][9] != "154.755" {
		t.Errorf("%q, %v", rows, err)
	}
	for _, word := range []string{"2026-03-04T05:06:07.000Z", "154.755 Dispatch", "2 recordings", "3 entries", "squelch imbe decode"} {
		if !bytes.Contains(files["README.txt"], []byte(word)) {
			t.Errorf("README.txt lacks %q: %s", word, files["README.txt"])
		}
	}
	s.mu.Lock()
	note := s.notes[0]
	s.mu.Unlock()
	if note.Action != "recording.export" || note.Frequency != "154.755" || note.Detail["recordings"] != 2 {
		t.Errorf("%+v", note)
	}
}

// TestAnIncidentForOutsiders: it says what was cut off, what is well again and what channels
// are called, a talkgroup's working frequency too; and not who signed in to the service.
func TestAnIncidentForOutsiders(t *testing.T) {
	s := open(t)
	working := said(2, 2000, 8, "Bo", "851.0125", false)
	working.Control = frequency("851")
	whole, started := said(1, 1000, 7, "Ana", "154.755", false), said(3, 5000, 7, "Ana", "154.755", false)
	started.Kind, started.EndedAt = core.MomentKeyed, 0
	log := &memory{}
	first, err := timeline.Open(t.Context(), log, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := first.Add(whole, working, core.Moment{Kind: core.MomentLogin, At: began + 2100, ByName: "root", Detail: "admin"}, core.Moment{Kind: core.MomentLogout, At: began + 2200, ByName: "root"},
		core.Moment{Kind: core.MomentLoginRefused, At: began + 2300, ByName: "guest"}, core.Moment{Kind: core.MomentHealth, At: began + 2400, Detail: "recorder", Reason: "the disk is full"},
		core.Moment{Kind: core.MomentHealth, At: began + 2500, Detail: "recorder"}, started)
	if err := <-first.Written(last); err != nil {
		t.Fatal(err)
	}
	log.mu.Lock()
	killed := &memory{records: slices.Clone(log.records)}
	log.mu.Unlock()
	first.Close()
	again, err := timeline.Open(t.Context(), killed, timeline.Options{Recording: func(id string) (*wire.RecordingInfo, string) {
		return &wire.RecordingInfo{DurationMs: 700, Cut: id == whole.ID()}, ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	s.use(func(o *recdesk.Options) { o.Timeline = again })
	files := s.get(exporting(0, 60_000, "")).files()
	rows, err := csv.NewReader(bytes.NewReader(files["timeline.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join([]string{row[2], row[3], row[4], row[8], row[14]}, ","))
	}
	want := []string{"seconds,cut,kind,channel,reason", "2.0,recording,transmission,Dispatch,", "2.0,,transmission,Talkgroup,", ",,health,,the disk is full", ",,health,,well again", "0.7,transmission,transmission,Dispatch,"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if json := files["timeline.json"]; bytes.Count(json, []byte(`"channel":"Dispatch"`)) != 2 || !bytes.Contains(json, []byte(`"channel":"Talkgroup"`)) || bytes.Contains(json, []byte("root")) || bytes.Contains(json, []byte("guest")) {
		t.Errorf("%s", json)
	}
}

// TestAnIncidentOfSeveralChannels has each entry once, and one of a unit has only that.
func TestAnIncidentOfSeveralChannels(t *testing.T) {
	s := open(t)
	withPast(s, said(1, 1000, 7, "Ana", "154.755", false), said(2, 2000, 8, "Bo", "460.25", false), said(3, 3000, 9, "Cy", "155.1", false))
	for i, channel := range []string{"154.755", "460.25", "155.1"} {
		s.record(talk{after: int64(i+1) * 1000, channel: channel, user: core.UserID(7 + i), name: []string{"Ana", "Bo", "Cy"}[i], packets: 20})
	}
	for query, want := range map[string]int{"&frequency=154.755&frequency=460.25,154.755": 2, "": 3, "&unit=bo": 1, "&unit=nobody": 0} {
		files := s.get(exporting(0, 60_000, query)).files()
		if got := bytes.Count(files["timeline.json"], []byte(`"seq"`)); got != want {
			t.Errorf("%s: %d entries, want %d", query, got, want)
		}
		if got := len(files) - 4; got != want {
			t.Errorf("%s: %d files, want %d", query, got, want)
		}
	}
	s.use(func(o *recdesk.Options) { o.Timeline = nil })
	if files := s.get(exporting(0, 60_000, "")).files(); len(files) != 7 || !json.Valid(files["timeline.json"]) {
		t.Errorf("without a timeline: %d files", len(files))
	}
}

// TestARecordingThatIsDeletedMeanwhile is named all the same.
func TestARecordingThatIsDeletedMeanwhile(t *testing.T) {
	s := open(t)
	id := s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 20})
	s.use(func(o *recdesk.Options) { o.Shelf = failing{s.shelf, id} })
	files := s.get(exporting(0, 60_000, "")).files()
	if !bytes.Contains(files["recordings.json"], []byte(`"files":[],"problem":".ogg: `)) || !bytes.Contains(files["recordings.json"], []byte("the disk does not work")) || len(files) != 4 {
		t.Errorf("%s", files["recordings.json"])
	}
}

func TestExportsAreRefusedWithReasons(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 20})
	for path, want := range map[string]string{"/export": "from is missing", "/export?from=1": "to is missing", "/export?from=2&to=1": "to must not be before from",
		"/export?from=1&to=9007199254740991": "at most 168 hours after from", "/export?from=x&to=1": "from must be a moment",
		"/export?from=0&to=0": "to must be a moment in ms since the epoch", "/export?from=1&to=2&chanel=154.755": "chanel is unknown; known are from, to, frequency, unit",
		"/export?from=1&to=2&freqency=154.755": "freqency is unknown; did you mean frequency?", "/mix?from=1&to=2&frequency=154.755&pause=keep": "pause is unknown; did you mean pauses?",
		"?txt=shots": "txt is unknown; did you mean text?"} {
		s.get(path).refused(400, want)
	}
	for _, path := range []string{"/export?from=0&to=2", "?from=0"} { // 0 is a moment as any other
		if got := s.get(path); got.status != 200 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	s.notes = nil
	s.get("/export?from=1&to=2&frequency=nowhere").refused(404, "Channel not found: nowhere")
	if got := s.actions(); len(got) != 0 {
		t.Errorf("audited %q although nothing was served", got)
	}
	s.use(func(o *recdesk.Options) { o.Timeline = endless{} })
	s.get(exporting(0, 1000, "")).refused(400, "more than 20000 entries")
	var looks int
	s.use(func(o *recdesk.Options) { o.Timeline = endless{looks: &looks} })
	for _, channels := range []string{"", strings.Repeat("&frequency=154.755&frequency=460.25&frequency=851", 20)} {
		looks = 0
		s.get(exporting(0, 1000, channels)).refused(400, "too many entries of other channels")
		if looks != 200 {
			t.Errorf("%d looks at the timeline for %q", looks, channels)
		}
	}
}

// endless is a timeline that has always more.
type endless struct {
	looks *int // set: what it has is not asked for
}

func (e endless) Page(_ context.Context, q timeline.Query) (wire.TimelinePage, error) {
	if e.looks != nil {
		*e.looks++
	}
	next := q.Before + 500
	page := wire.TimelinePage{Next: &next}
	for i := range uint64(500) {
		if e.looks == nil {
			page.Entries = append(page.Entries, wire.TimelineEntry{Seq: q.Before + i})
		}
	}
	return page, nil
}

// TestAThousandExportsAtOnce: two are made, the others are told when to come again, and the
// service is as before when all have gone.
func TestAThousandExportsAtOnce(t *testing.T) {
	s := open(t)
	for i := range int64(40) {
		s.record(talk{after: i * 70_000, channel: "154.755", user: 7, name: "Ana", packets: 3000})
	}
	server := httptest.NewServer(s.server())
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	var mu sync.Mutex
	statuses := map[int]int{}
	var held, callers sync.WaitGroup
	held.Add(1000)
	limit := make(chan struct{}, 200) // descriptors of this machine
	for range 1000 {
		callers.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/recordings"+exporting(0, 3_000_000, ""), nil)
			if err != nil {
				t.Error(err)
			}
			got, err := http.DefaultClient.Do(r)
			held.Done()
			if err != nil {
				return
			}
			defer func() { _ = got.Body.Close() }()
			mu.Lock()
			statuses[got.StatusCode]++
			mu.Unlock()
			if got.StatusCode == 200 {
				<-ctx.Done() // it takes nothing
			} else if got.Header.Get("Retry-After") == "" {
				t.Error("nothing says when to come again")
			}
		})
	}
	held.Wait()
	leave()
	callers.Wait()
	if statuses[200] < 1 || statuses[200] > 50 || statuses[200]+statuses[429] != 1000 {
		t.Errorf("%v", statuses)
	}
	waitFor(t, func() bool { return s.get(exporting(0, 1000, "")).status == 200 })
}

// TestAnExportThatNobodyReadsIsBrokenOff, and is not taken for the whole.
func TestAnExportThatNobodyReadsIsBrokenOff(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 20})
	ctx, leave := context.WithCancel(t.Context())
	leave()
	broken := func() (by any) {
		defer func() { by = recover() }()
		s.server().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/api/recordings"+exporting(0, 60_000, ""), nil))
		return nil
	}()
	if broken != http.ErrAbortHandler {
		t.Errorf("it ends with %v", broken)
	}
}

// TestDeleting: each condition alone and together; a request without any deletes nothing.
func TestDeleting(t *testing.T) {
	for body, want := range map[string]int{
		`{"unitId":"2-adam-7"}`: 3, `{"unitId":"2-ADAM"}`: 0, `{"name":"BO"}`: 2, `{"serverId":7}`: 3, `{"serverId":-3}`: 0,
		`{"serverId":7,"name":"Bo"}`: 0, `{"from":%d}`: 4, `{"to":%d}`: 2, `{"from":0}`: 6,
		`{"ids":["%s","%s","%s","nonsense","../../x"]}`: 2, `{"ids":["%s"],"name":"Bo"}`: 0, `{"name":"Bo","to":%d}`: 0,
	} {
		s := open(t)
		var ids []string
		for i := range int64(3) {
			ids = append(ids, s.record(talk{after: i * 10_000, channel: "154.755", user: 7, name: "Ana", unit: "2-ADAM-7", packets: 20}))
		}
		for i := range int64(2) {
			ids = append(ids, s.record(talk{after: 30_000 + i*10_000, channel: "154.755", user: 8, name: "Bo", packets: 20}))
		}
		ids = append(ids, s.record(talk{after: 60_000, channel: "460.25", user: 9, name: "Cy", packets: 20}))
		if strings.Contains(body, "%d") {
			body = fmt.Sprintf(body, began+15_000)
		} else if n := strings.Count(body, "%s"); n > 0 {
			body = fmt.Sprintf(body, []any{ids[0], ids[1], ids[1]}[:n]...)
		}
		got := ok[wire.RecordingsDeleted](s.do("/delete", body))
		if got.Deleted != want || !got.Success || (got.Bytes > 0) != (want > 0) {
			t.Errorf("%s deletes %+v, want %d", body, got, want)
		}
		if left := len(ok[wire.RecordingPage](s.get("?limit=500")).Recordings); left != 6-want {
			t.Errorf("%s leaves %d", body, left)
		}
		e := s.notes[0]
		if e.Action != "recording.delete" || e.Actor.Name != "CAD" || e.Detail["deleted"] != want || e.Detail["address"] != "203.0.113.9" {
			t.Errorf("%+v", e)
		}
	}
}

func TestDeletionsAreRefusedWithReasons(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 20})
	for body, want := range map[string]string{`{}`: "A condition is missing", `{"unitId":""}`: "A condition is missing", `{"ids":[]}`: "A condition is missing", `{"serverId":0}`: "serverId must not be 0",
		`{"from":null,"to":null}`: "A condition is missing", `{"to":0}`: "to must be positive", `{"to":-5}`: "to must be positive", `{"from":-5}`: "from must not be negative", `{"from":2,"to":1}`: "to must not be before from",
		`{"name":"Ana","preveiw":true}`: "preveiw is unknown; did you mean preview?", `{"name":"Ana","Preview":true}`: "Preview is unknown; did you mean preview?",
		`{"serverId":7,"form":1,"preview":true}`: "form is unknown; did you mean from?", `{"name":"Ana","channel":"Dispatch"}`: "channel is unknown; known are unitId, name, serverId, ids, from, to, preview",
		`{"ids":["` + strings.Repeat(`x","`, 1000) + `"]}`: "ids must have at most 1000 entries", `[]`: "The body must be a JSON object", `{"ids":"x"}`: "ids must be an array"} {
		s.do("/delete", body).refused(400, want)
	}
	s.do("/delete?preview=true", `{"name":"Ana"}`).refused(400, "preview is unknown; this takes no parameters")
	s.do("/delete", strings.Repeat(" ", 70_000)).refused(413, "larger than 65536 bytes")
	if left := len(ok[wire.RecordingPage](s.get("?limit=500")).Recordings); left != 1 {
		t.Errorf("%d left", left)
	}
	id := ok[wire.RecordingPage](s.get("")).Recordings[0].ID
	before := len(s.actions())
	s.use(func(o *recdesk.Options) { o.Shelf = failing{s.shelf, id} })
	s.do("/delete", `{"name":"Ana"}`).refused(503, "the disk does not work")
	if got := s.actions()[before:]; len(got) != 1 || s.notes[before].Detail["deleted"] != 1 || !strings.Contains(fmt.Sprint(s.notes[before].Detail["problem"]), "the disk does not work") {
		t.Errorf("audited %q %+v", got, s.notes[before:])
	}
}

// TestADeletionThatHasBegunIsFinished, although its caller has gone.
func TestADeletionThatHasBegunIsFinished(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 20})
	ctx, leave := context.WithCancel(t.Context())
	leave()
	s.server().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "POST", "/api/recordings/delete", strings.NewReader(`{"name":"Ana"}`)))
	if left := len(ok[wire.RecordingPage](s.get("")).Recordings); left != 0 {
		t.Errorf("%d left", left)
	}
}
