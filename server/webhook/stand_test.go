package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a wait that would otherwise last forever.
const patience = time.Minute

const secret = "0123456789abcdef0123456789abcdef"

// line is a timeline in memory.
type line struct {
	mu      sync.Mutex
	entries []wire.TimelineEntry
	changed chan struct{}
	durable uint64 // what a crash leaves; ^0: everything
	largest int    // the most entries that were read at once
}

func newLine() *line { return &line{changed: make(chan struct{}), durable: ^uint64(0)} }

func (l *line) add(entries ...wire.TimelineEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		e.Seq = uint64(len(l.entries) + 1)
		if e.ID == "" {
			e.ID = fmt.Sprintf("%s-%d", e.Kind, e.Seq)
		}
		if e.At == 0 {
			e.At = start.UnixMilli()
		}
		l.entries = append(l.entries, e)
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *line) Read(_ context.Context, after uint64, limit int) ([]wire.TimelineEntry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after >= uint64(len(l.entries)) {
		return nil, nil
	}
	part := l.entries[after:min(len(l.entries), int(after)+limit)]
	l.largest = max(l.largest, len(part))
	return append([]wire.TimelineEntry{}, part...), nil
}

func (l *line) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func (l *line) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.entries))
}

func (l *line) Durable() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(l.durable, uint64(len(l.entries)))
}

// bucket is a durable map in memory.
type bucket struct {
	mu     sync.Mutex
	values map[string][]byte
	broken bool
	writes int
}

func newBucket() *bucket { return &bucket{values: map[string][]byte{}} }

func (b *bucket) All() map[string][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.values)
}

func (b *bucket) Change(_ context.Context, put map[string][]byte, remove []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return errors.New("no space left on device")
	}
	b.writes++
	maps.Copy(b.values, put)
	for _, key := range remove {
		delete(b.values, key)
	}
	return nil
}

func (b *bucket) breaks(broken bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = broken
}

// start is when the tests' clock begins.
var start = time.UnixMilli(1_700_000_000_000)

// clock passes at once whenever somebody waits for it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	done := make(chan time.Time, 1)
	done <- c.now
	return done
}

// call is what a receiver was sent.
type call struct {
	id, event string
	body      []byte
	at        time.Time // by the tests' clock
}

func (c call) payload(t testing.TB) (p webhook.Payload) {
	t.Helper()
	if err := json.Unmarshal(c.body, &p); err != nil {
		t.Fatalf("%v in %s", err, c.body)
	}
	return p
}

// receiver is a web server that notes what it is sent and checks who sent it.
type receiver struct {
	t     testing.TB
	http  *httptest.Server
	calls chan call
	clock *clock

	mu     sync.Mutex
	answer func(w http.ResponseWriter, r *http.Request, c call)
}

func newReceiver(t testing.TB, c *clock) *receiver {
	t.Helper()
	r := &receiver{t: t, calls: make(chan call, 100_000), clock: c}
	r.http = httptest.NewServer(r)
	t.Cleanup(func() {
		r.http.CloseClientConnections()
		r.http.Close()
	})
	return r
}

// does sets what it answers; nil: 204.
func (r *receiver) does(answer func(w http.ResponseWriter, r *http.Request, c call)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	c := call{id: q.Header.Get("Squelch-Id"), event: q.Header.Get("Squelch-Event"), body: body, at: r.clock.Now()}
	if err := signed(q.Header.Get("Squelch-Signature"), body); err != nil {
		r.t.Errorf("%s: %v", c.id, err)
	}
	if q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/json" {
		r.t.Errorf("%s %s", q.Method, q.Header.Get("Content-Type"))
	}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	r.calls <- c
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, q, c)
}

// signed checks a signature as the handbook says.
func signed(header string, body []byte) error {
	t, v1, found := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	if _, err := strconv.ParseInt(t, 10, 64); err != nil || !found {
		return fmt.Errorf("the signature is %q", header)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", t, body)
	if want := hex.EncodeToString(mac.Sum(nil)); v1 != want {
		return fmt.Errorf("the signature is %s, want %s", v1, want)
	}
	return nil
}

// next waits for a call.
func (r *receiver) next() call {
	r.t.Helper()
	select {
	case c := <-r.calls:
		return c
	case <-time.After(patience):
		r.t.Fatal("nothing is sent")
		return call{}
	}
}

// quiet says that nothing more is sent. It waits a little for what must not come.
func (r *receiver) quiet() {
	r.t.Helper()
	select {
	case c := <-r.calls:
		r.t.Errorf("%s is sent too: %s", c.id, c.body)
	case <-time.After(50 * time.Millisecond):
	}
}

// world is a desk with all that it needs.
type world struct {
	t               testing.TB
	line            *line
	places, letters *bucket
	clock           *clock
	desk            *webhook.Desk
	options         webhook.Options
	mu              sync.Mutex
	said            []string
	closed          bool
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// hookTo is a webhook that is sent everything.
func hookTo(name, url string) config.Webhook {
	return config.Webhook{Name: name, URL: url, Secret: secret, Events: config.WebhookEvents, Template: config.WebhookJSON, Private: loopback, InClear: strings.HasPrefix(url, "http:")}
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, line: newLine(), places: newBucket(), letters: newBucket(), clock: &clock{now: start}}
	w.options = webhook.Options{Radio: "Example", Timeline: w.line, Places: w.places, Letters: w.letters, Now: w.clock.Now, After: w.clock.After,
		Config: func() *core.Config {
			return &core.Config{Zones: []core.Zone{{Name: "Police", Channels: []core.Channel{{Name: "Dispatch", Frequency: 154755000}}},
				{Name: "Fire", Channels: []core.Channel{{Name: "Ground", Frequency: 155100000}}}}}
		},
		Logf: func(format string, args ...any) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.said = append(w.said, fmt.Sprintf(format, args...))
		}}
	t.Cleanup(w.close)
	return w
}

// begin starts, or starts again, with these webhooks.
func (w *world) begin(hooks ...config.Webhook) {
	w.t.Helper()
	w.options.Hooks = hooks
	desk, err := webhook.New(w.options)
	if err != nil {
		w.t.Fatal(err)
	}
	w.desk, w.closed = desk, false
	desk.Start()
}

func (w *world) close() {
	if w.desk != nil && !w.closed {
		w.closed = true
		w.desk.Close()
	}
}

func (w *world) log() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.said, "\n")
}

// until waits until a webhook is as it should be.
func (w *world) until(what string, is func(s wire.WebhookState, dead []wire.DeadLetter) bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); ; {
		l, err := w.desk.List("")
		if err != nil {
			w.t.Fatal(err)
		}
		if is(l.Webhooks[0], l.Dead) {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("not %s: %+v", what, l)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func alert(detail string) wire.TimelineEntry {
	return wire.TimelineEntry{Kind: core.MomentAlert, Frequency: "154.755", Detail: detail}
}

func status(code int) func(http.ResponseWriter, *http.Request, call) {
	return func(w http.ResponseWriter, _ *http.Request, _ call) { w.WriteHeader(code) }
}

// raw is a receiver that answers bytes of its own.
func raw(t testing.TB, serve func(conn net.Conn, n int)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		work.Wait()
	})
	work.Go(func() {
		for n := 1; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer conn.Close()
				serve(conn, n)
			})
		}
	})
	return "http://" + l.Addr().String() + "/"
}
