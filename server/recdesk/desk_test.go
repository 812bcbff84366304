package recdesk_test

import (
	"bytes"
	"context"
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
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/ogg"
	"squelch/server/ogg/demo"
	"squelch/server/recdesk"
	"squelch/server/recordings"
	"squelch/server/reply"
	"squelch/sfu/opus/packet"
)

func frequency(text string) core.Frequency {
	f, err := core.ParseFrequency(text)
	if err != nil {
		panic(err)
	}
	return f
}

// station is a desk with a real shelf.
type station struct {
	*recdesk.Desk
	t       testing.TB
	shelf   *recordings.Shelf
	options recdesk.Options
	number  int

	mu    sync.Mutex
	now   time.Time
	notes []audit.Entry
	log   []string
}

func (s *station) Note(_ context.Context, entries ...audit.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, entries...)
}

// actions are what was audited, with its target.
func (s *station) actions() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.notes {
		all = append(all, strings.TrimSpace(e.Action+" "+e.Target))
	}
	return all
}

func (s *station) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// began is when the first recording of a test begins, in ms since the epoch.
var began = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixMilli()

func open(t testing.TB, change ...func(*recdesk.Options)) *station {
	t.Helper()
	shelf, err := recordings.Open(t.TempDir(), recordings.Options{Quota: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shelf.Close() })
	s := &station{t: t, shelf: shelf, now: time.UnixMilli(began).Add(24 * time.Hour)}
	s.options = recdesk.Options{Shelf: shelf, On: true, Days: 30, Audit: s,
		Channels: func() []recdesk.Channel {
			return []recdesk.Channel{{Frequency: frequency("154.755"), Name: "Dispatch", Recorded: true}, {Frequency: frequency("460.25"), Name: "Tac 1"},
				{Frequency: frequency("851"), Name: "Talkgroup", Recorded: true}}
		},
		Now: func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return s.now },
		Logf: func(f string, a ...any) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.log = append(s.log, fmt.Sprintf(f, a...))
		},
	}
	s.use(change...)
	return s
}

func (s *station) use(change ...func(*recdesk.Options)) {
	for _, c := range change {
		c(&s.options)
	}
	s.Desk = recdesk.New(s.options)
}

// spoken are the packets of ten seconds of speech.
var spoken = sync.OnceValue(func() (all [][]byte) {
	r, err := ogg.NewReader(bytes.NewReader(demo.Speech))
	if err != nil {
		panic(err)
	}
	for {
		p, err := r.Next()
		if err != nil {
			return all
		}
		all = append(all, slices.Clone(p))
	}
})

// talk is what a unit says, beginning so many ms after began, for so many packets of 20 ms.
type talk struct {
	after   int64
	channel string
	user    core.UserID
	name    string
	unit    string
	packets int
	digital bool
	webm    bool
	payload int  // bytes of a packet of WebM; 0: few
	live    bool // it is on the air
}

// record puts a talk on the shelf.
func (s *station) record(x talk) string {
	s.t.Helper()
	s.number++
	e := recordings.Entry{Number: s.number, Start: began + x.after, Frequency: frequency(x.channel), User: x.user, Name: x.name, Unit: x.unit, Digital: x.digital}
	e.ID = core.Transmission{Number: e.Number, StartedAt: e.Start}.ID()
	b, err := s.shelf.Create(e)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range x.packets {
		if x.webm {
			err = b.WriteWebM(bytes.Repeat([]byte("webm"), max(1, x.payload/4)))
		} else {
			err = b.WriteOpus(spoken()[i%len(spoken())], 0)
		}
		if x.digital {
			err = errors.Join(err, b.WriteIMBE(make([]byte, 11)))
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	if !x.live {
		e.End = e.Start + int64(x.packets)*20
		if err := b.Done(e); err != nil {
			s.t.Fatal(err)
		}
	}
	return e.ID
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// server serves the desk's routes as REST does.
func (s *station) server() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/api/recordings")
		if strings.Contains(path, ".") || strings.ContainsAny(path, "0123456789") {
			path = "/{file}"
		}
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		r.RemoteAddr = "203.0.113.9:5000"
		by := core.Actor{Surface: core.ByREST, Name: "CAD"}
		if name := r.Header.Get("X-Name"); name != "" {
			by.Name = name
		}
		if err := s.Serve(method+" "+path, w, r, by); err != nil {
			told := reply.RefusalOf(err)
			if told == nil {
				told = &reply.Refusal{Status: 500, Message: err.Error()}
			}
			told.Write(w, wire.Failure{Error: told.Message})
		}
	})
}

// get asks for a path below /api/recordings, with headers "Name: value".
func (s *station) get(path string, headers ...string) answer {
	s.t.Helper()
	return s.ask(httptest.NewRequest(http.MethodGet, "/api/recordings"+path, nil), headers...)
}

func (s *station) ask(r *http.Request, headers ...string) answer {
	s.t.Helper()
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.server().ServeHTTP(w, r)
	return answer{s.t, w.Code, w.Header(), w.Body.Bytes()}
}

// do sends a JSON body.
func (s *station) do(path, body string) answer {
	s.t.Helper()
	return s.ask(httptest.NewRequest(http.MethodPost, "/api/recordings"+path, strings.NewReader(body)))
}

func (a answer) refused(status int, text string) {
	a.t.Helper()
	var f wire.Failure
	if err := json.Unmarshal(a.body, &f); err != nil || a.status != status || f.Success || !strings.Contains(f.Error, text) {
		a.t.Errorf("%d %.300s, want %d with %q", a.status, a.body, status, text)
	}
}

func ok[T any](a answer) (got T) {
	a.t.Helper()
	d := json.NewDecoder(bytes.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || a.status != 200 {
		a.t.Fatalf("%d %.300s: %v", a.status, a.body, err)
	}
	return got
}

func idsOf(page wire.RecordingPage) (all []string) {
	for _, r := range page.Recordings {
		all = append(all, r.ID)
	}
	return all
}

// samplesOf is how long an Ogg file plays, in samples at 48 kHz.
func samplesOf(t testing.TB, file []byte) (n int) {
	t.Helper()
	r, err := ogg.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		n += packet.Samples(p)
	}
}

// TestAServiceThatNeverRecordedSaysSo: switched off and with nothing on the shelf, every
// route says how to switch it on; what was recorded earlier is served all the same.
func TestAServiceThatNeverRecordedSaysSo(t *testing.T) {
	s := open(t, func(o *recdesk.Options) { o.On = false })
	id := "tx-1-" + fmt.Sprint(began)
	for _, without := range []bool{false, true} {
		for _, path := range []string{"", "/mix?from=1&to=2&frequency=154.755", "/export?from=1&to=2", "/" + id + ".ogg"} {
			s.get(path).refused(404, "Config.recording")
		}
		s.do("/delete", `{"unitId":"x"}`).refused(404, "Config.recording")
		if state := ok[wire.RecorderState](s.get("/state")); state.On || state.Recordings != 0 || len(state.Channels) != 0 || state.Oldest != nil {
			t.Errorf("%+v", state)
		}
		if !without {
			s.use(func(o *recdesk.Options) { o.Shelf = nil })
		}
	}
	s.use(func(o *recdesk.Options) {
		o.On, o.Problem = true, func() string { return "the folder for recordings is a file" }
	})
	s.get("").refused(404, "There are no recordings: the folder for recordings is a file")
	s.use(func(o *recdesk.Options) { o.On, o.Shelf = false, s.shelf })
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	if page := ok[wire.RecordingPage](s.get("")); len(page.Recordings) != 1 {
		t.Errorf("%+v", page)
	}
	if got := s.get("/" + id + ".ogg"); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestTheStateOfTheRecorder(t *testing.T) {
	s := open(t, func(o *recdesk.Options) { o.Problem = func() string { return "the disk is full" } })
	s.record(talk{channel: "154.755", user: 7, name: "Ana", packets: 50})
	s.record(talk{after: 5000, channel: "460.25", user: 8, name: "Bo", packets: 50})
	state := ok[wire.RecorderState](s.get("/state"))
	if !state.On || state.Recordings != 2 || state.Bytes == 0 || state.QuotaBytes != 1<<40 || state.FreeBytes <= 0 || state.Oldest == nil || *state.Oldest != began ||
		state.Days != 30 || state.Problem != "the disk is full" || !slices.Equal(state.Channels, []string{"154.755", "851"}) {
		t.Errorf("%+v", state)
	}
}

// TestTheListIsPagedAndFiltered: pages neither repeat nor skip, whatever is asked for.
func TestTheListIsPagedAndFiltered(t *testing.T) {
	s := open(t)
	var all []string
	for i := range int64(25) {
		x := talk{after: i * 10_000, channel: "154.755", user: 7, name: "Ana", unit: "2-ADAM-7", packets: 100}
		if i%5 == 0 {
			x.channel, x.user, x.name, x.unit, x.digital = "460.25", 8, "Bo", "", true
		}
		all = append(all, s.record(x))
	}
	slices.Reverse(all)
	var got []string
	for path, pages := "?limit=10", 0; ; pages++ {
		page := ok[wire.RecordingPage](s.get(path))
		got = append(got, idsOf(page)...)
		if page.Next == nil {
			if pages != 2 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
		path = "?limit=10&before=" + *page.Next
	}
	if !slices.Equal(got, all) {
		t.Errorf("got %q, want %q", got, all)
	}
	for query, want := range map[string]int{
		"frequency=460.25": 5, "frequency=Tac%201": 5, "frequency=tac+1,154.755": 25, "frequency=154.755&frequency=460.25": 25, "frequency=851": 0,
		"unit=adam": 20, "unit=8": 5, "unit=nobody": 0, "text=ana": 20, "text=ana+bo": 0,
		fmt.Sprintf("from=%d&to=%d", began+10_000, began+30_000): 2, fmt.Sprintf("from=%d", began+241_000): 1, fmt.Sprintf("to=%d", began+1): 1, "limit=500": 25,
	} {
		if page := ok[wire.RecordingPage](s.get("?" + query)); len(page.Recordings) != want {
			t.Errorf("%s: %d, want %d", query, len(page.Recordings), want)
		}
	}
	newest := ok[wire.RecordingPage](s.get("?limit=1")).Recordings[0]
	ended := began + 240_000 + 2000
	if newest.Name != "Ana" || *newest.UnitID != "2-ADAM-7" || newest.ServerID != 7 || newest.Frequency != "154.755" || newest.Label != "Dispatch" || newest.Encoding != "opus" ||
		newest.StartedAt != began+240_000 || *newest.EndedAt != ended || newest.Recording.DurationMs != 2000 || newest.Recording.Packets != 100 || newest.Recording.IMBE || newest.Recording.Bytes == 0 {
		t.Errorf("%+v", newest)
	}
	digital := ok[wire.RecordingPage](s.get("?frequency=460.25&limit=1")).Recordings[0]
	if digital.UnitID != nil || digital.Encoding != "imbe" || !digital.Recording.IMBE || digital.Label != "Tac 1" {
		t.Errorf("%+v", digital)
	}
}

// TestListsAreRefusedWithReasons: hostile and mistaken queries are answered with the field
// at fault and what it should have been.
func TestListsAreRefusedWithReasons(t *testing.T) {
	s := open(t)
	s.record(talk{channel: "155.1", user: 7, name: "Ana", packets: 50}) // a channel that is no more
	long := strings.Repeat("x", 300)
	for query, want := range map[string]string{
		"from=x": "from must be a moment", "from=-1": "from must be a moment", "to=0": "to must be a moment", "from=9007199254740992": "from must be", "to=1e9": "to must be a moment",
		"from=5&to=4": "to must not be before from", "limit=0": "limit must be an integer from 1 to 500", "limit=501": "limit must be", "limit=ten": "limit must be",
		"before=x": "before must be next", "before=../../etc": "before must be", "before=tx-7-1-2": "before must be", "before=tx--1-5": "before must be", "before=" + long: "before must be",
		"unit=" + long: "unit must have at most", "text=" + long: "text must have at most", "from=%zz": "The query is malformed",
		"frequency=" + strings.Repeat("154.755,", 70): "at most 64 channels",
	} {
		s.get("?"+query).refused(400, want)
	}
	for query, want := range map[string]string{
		"frequency=154.75": "Channel not found: 154.75; did you mean 154.755?", "frequency=dispach": "did you mean Dispatch?", "frequency=Tac1": "did you mean Tac 1?",
		"frequency=999999999999": "Channel not found", "frequency=-154.755": "Channel not found", "frequency=" + long: "Channel not found: xxx", "frequency=155.101": "Channel not found",
	} {
		s.get("?"+query).refused(404, want)
	}
	if page := ok[wire.RecordingPage](s.get("?frequency=155.1")); len(page.Recordings) != 1 || page.Recordings[0].Label != "" {
		t.Errorf("of a channel that is gone: %+v", page)
	}
}
