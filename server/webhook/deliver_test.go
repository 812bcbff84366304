package webhook_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/testpeers/dns"
	"squelch/server/webhook"
)

func TestEventsComeInOrderSignedAndOnce(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	w.line.add(alert("before it was configured"))
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("Pursuit"), wire.TimelineEntry{Kind: core.MomentKeyed, ID: "tx-7-1"},
		wire.TimelineEntry{Kind: core.MomentTransmission, ID: "tx-7-1", At: 1, EndedAt: 2501, DurationMs: 2500, ServerID: 12, Name: "Ann", UnitID: "4A-12", Frequency: "154.76",
			ControlFrequency: "154.755", Frequencies: []string{"155.1"}, Encoding: "opus"},
		wire.TimelineEntry{Kind: core.MomentLogin, ByName: "Dispatch 1"})
	first := r.next().payload(t)
	if first.Version != 1 || first.Event != "alert" || first.Kind != "alert" || first.Radio != "Example" || first.Detail != "Pursuit" || first.Channel != "Dispatch" || first.Zone != "Police" || first.ID != "alert-2-2" {
		t.Errorf("%+v", first)
	}
	tx := r.next()
	if p := tx.payload(t); tx.id != "tx-7-1" || p.ID != "tx-7-1" || tx.event != "transmission" || p.DurationMs != 2500 || p.Channel != "Dispatch" || p.Frequencies != nil || p.UnitID != "4A-12" {
		t.Errorf("%s %+v", tx.id, p)
	}
	if p := r.next().payload(t); p.Event != "login" || p.ByName != "Dispatch 1" {
		t.Errorf("%+v", p)
	}
	for i := range 200 {
		w.line.add(alert(fmt.Sprint(i)))
	}
	for i := range 200 {
		if p := r.next().payload(t); p.Detail != fmt.Sprint(i) {
			t.Fatalf("%s instead of %d", p.Detail, i)
		}
	}
	r.quiet()
	w.close()
	// A clean stop and start: it goes on where it was.
	w.line.add(alert("while it was down"))
	w.begin(hookTo("cad", r.http.URL))
	if p := r.next().payload(t); p.Detail != "while it was down" {
		t.Errorf("%+v", p)
	}
	r.quiet()
	if strings.Contains(w.log(), secret) {
		t.Error("the secret is logged")
	}
}

func TestWhatAWebhookIsSent(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	h := hookTo("fire", r.http.URL)
	h.Events, h.Zones, h.Channels = []string{"alert", "login", "patch"}, []string{"Fire"}, []core.Frequency{156000000}
	h.Headers = map[string]string{"Authorization": "Bearer x"}
	r.does(func(rw http.ResponseWriter, q *http.Request, _ call) {
		if q.Header.Get("Authorization") != "Bearer x" {
			t.Error("its header is not sent")
		}
		rw.WriteHeader(http.StatusOK)
	})
	w.begin(h)
	w.line.add(alert("of the police"),
		wire.TimelineEntry{Kind: core.MomentAlert, Frequency: "155.1", Detail: "1"},
		wire.TimelineEntry{Kind: core.MomentAlertCleared, Frequency: "155.2", ControlFrequency: "155.1", Detail: "2"},
		wire.TimelineEntry{Kind: core.MomentPanic, Frequency: "155.1"},
		wire.TimelineEntry{Kind: core.MomentPatchOn, Frequencies: []string{"154.755", "156"}, Detail: "3"},
		wire.TimelineEntry{Kind: core.MomentPatchOff, Frequencies: []string{"154.755"}},
		wire.TimelineEntry{Kind: core.MomentLogout, Detail: "4"})
	for i := range 4 {
		if p := r.next().payload(t); p.Detail != fmt.Sprint(i+1) {
			t.Errorf("%+v instead of %d", p, i+1)
		}
	}
	r.quiet()
}

// TestAReceiverThatFails: nothing is lost and nothing overtakes, however it fails; it is
// asked ever more rarely, and after ten minutes it has everything.
func TestAReceiverThatComesBackAfterTenMinutes(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	back := start.Add(10 * time.Minute)
	r.does(func(rw http.ResponseWriter, _ *http.Request, c call) {
		if c.at.Before(back) {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("0"), alert("1"), alert("2"))
	var tries []call
	for {
		c := r.next()
		if c.id != "alert-1-1" {
			t.Fatalf("%s overtakes", c.id)
		}
		tries = append(tries, c)
		if !c.at.Before(back) {
			break
		}
	}
	if n := len(tries); n < 8 || n > 14 {
		t.Errorf("%d attempts in ten minutes", n)
	}
	for i := 2; i < len(tries)-1 && tries[i].at.Sub(start) < 4*time.Minute; i++ {
		if gap, before := tries[i].at.Sub(tries[i-1].at), tries[i-1].at.Sub(tries[i-2].at); gap <= before {
			t.Errorf("attempt %d comes %v after the one before, that %v", i, gap, before)
		}
	}
	for i := range 2 {
		if p := r.next().payload(t); p.Detail != fmt.Sprint(i+1) {
			t.Errorf("%+v", p)
		}
	}
	r.quiet()
	w.until("well", func(s wire.WebhookState, dead []wire.DeadLetter) bool {
		return s.State == "well" && s.Failures == 0 && len(dead) == 0 && s.Behind == 0 && s.Sent == 3
	})
}

func TestWhatAnAnswerMeans(t *testing.T) {
	for _, c := range []struct {
		status int
		want   string // what becomes of the event: again, dead, stopped
	}{
		{301, "again"}, {302, "again"}, {307, "again"}, {401, "again"}, {403, "again"}, {404, "again"}, {408, "again"}, {425, "again"}, {429, "again"},
		{500, "again"}, {502, "again"}, {503, "again"}, {504, "again"}, {400, "dead"}, {413, "dead"}, {415, "dead"}, {422, "dead"}, {410, "stopped"},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			w := newWorld(t)
			r := newReceiver(t, w.clock)
			var asked atomic.Int32
			r.does(func(rw http.ResponseWriter, _ *http.Request, _ call) {
				if asked.Add(1) == 1 {
					rw.Header().Set("Location", "http://127.0.0.1:1/")
					rw.WriteHeader(c.status)
					_, _ = io.WriteString(rw, "what\r\nis \x1b[31mwrong")
				}
			})
			w.begin(hookTo("cad", r.http.URL))
			w.line.add(alert("1"), alert("2"))
			got := []string{r.next().id}
			if c.want != "stopped" {
				got = append(got, r.next().id)
			}
			if c.want == "again" {
				got = append(got, r.next().id)
			}
			r.quiet()
			want := map[string]string{"again": "alert-1-1 alert-1-1 alert-2-2", "dead": "alert-1-1 alert-2-2", "stopped": "alert-1-1"}[c.want]
			if strings.Join(got, " ") != want {
				t.Errorf("%v is sent, want %s", got, want)
			}
			l, err := w.desk.List("cad")
			if err != nil {
				t.Fatal(err)
			}
			s := l.Webhooks[0]
			if !strings.Contains(s.Error, fmt.Sprint("the answer is ", c.status)) || c.status >= 400 && !strings.Contains(s.Error, "what is [31mwrong") {
				t.Errorf("the error is %q", s.Error)
			}
			if (len(l.Dead) == 1) != (c.want == "dead") || (s.State == "stopped") != (c.want == "stopped") {
				t.Errorf("%+v", l)
			}
			if c.want != "stopped" {
				return
			}
			// Until the next start: then it has everything.
			w.close()
			w.begin(hookTo("cad", r.http.URL))
			for _, id := range []string{"alert-1-1", "alert-2-2"} {
				if c := r.next(); c.id != id {
					t.Errorf("%s after the start, want %s", c.id, id)
				}
			}
		})
	}
}

func TestAReceiverSaysWhenToComeAgain(t *testing.T) {
	at := start.Add(4 * time.Minute).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		status      int
		header      map[string]string
		body        string
		least, most time.Duration
	}{
		{429, map[string]string{"Retry-After": "90"}, "", 90 * time.Second, 91 * time.Second},
		{503, map[string]string{"Retry-After": at}, "", 239 * time.Second, 241 * time.Second},
		{429, nil, `{"message":"You are being rate limited.","retry_after":64.57,"global":false}`, 64 * time.Second, 65 * time.Second},
		{429, map[string]string{"Retry-After": "1000000000"}, "", time.Hour, time.Hour + time.Second},
		{429, map[string]string{"Retry-After": "-5"}, `{"retry_after":"x"}`, 0, 2 * time.Second},
		{200, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "7.5"}, "", 7 * time.Second, 8 * time.Second},
		{200, map[string]string{"X-RateLimit-Remaining": "3", "X-RateLimit-Reset-After": "7.5"}, "", 0, time.Second},
	} {
		w := newWorld(t)
		r := newReceiver(t, w.clock)
		var asked atomic.Int32
		r.does(func(rw http.ResponseWriter, _ *http.Request, _ call) {
			if asked.Add(1) > 1 {
				return
			}
			for k, v := range c.header {
				rw.Header().Set(k, v)
			}
			rw.WriteHeader(c.status)
			_, _ = io.WriteString(rw, c.body)
		})
		w.begin(hookTo("cad", r.http.URL))
		w.line.add(alert("1"), alert("2"))
		r.next()
		if took := r.next().at.Sub(start); took < c.least || took > c.most {
			t.Errorf("%d %v %s: the next attempt comes after %v, want %v to %v", c.status, c.header, c.body, took, c.least, c.most)
		}
		w.close()
	}
}

// TestLyingReceivers: what counts is the status; whatever the rest is, the event is taken
// once, or tried again with the same id.
func TestLyingReceivers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		name  string
		serve func(conn net.Conn)
		again bool
	}{
		{"a body shorter than its length", func(conn net.Conn) { fmt.Fprint(conn, ok+"Content-Length: 100000\r\n\r\nshort") }, false},
		{"a body longer than its length", func(conn net.Conn) {
			fmt.Fprint(conn, ok+"Content-Length: 1\r\n\r\n"+strings.Repeat("HTTP/1.1 500 x\r\n\r\n", 50))
		}, false},
		{"an endless body", func(conn net.Conn) {
			fmt.Fprint(conn, ok+"\r\n")
			for {
				if _, err := conn.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, false},
		{"a body that trickles", func(conn net.Conn) {
			fmt.Fprint(conn, ok+"Transfer-Encoding: chunked\r\n\r\n")
			for {
				if _, err := fmt.Fprint(conn, "1\r\nx\r\n"); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, false},
		{"two lengths", func(conn net.Conn) { fmt.Fprint(conn, ok+"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx") }, true},
		{"an endless header", func(conn net.Conn) {
			fmt.Fprint(conn, ok)
			for {
				if _, err := fmt.Fprint(conn, "X: "+strings.Repeat("x", 1000)+"\r\n"); err != nil {
					return
				}
			}
		}, true},
		{"endless interim answers", func(conn net.Conn) {
			for {
				if _, err := fmt.Fprint(conn, "HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n"); err != nil {
					return
				}
			}
		}, true},
		{"no HTTP", func(conn net.Conn) { fmt.Fprint(conn, "220 mail.example.org ESMTP\r\n") }, true},
		{"nothing", func(net.Conn) {}, true},
		{"a reset", func(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids := make(chan string, 100)
			url := raw(t, func(conn net.Conn, n int) {
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				ids <- r.Header.Get("Squelch-Id")
				if n > 1 {
					fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
					return
				}
				c.serve(conn)
			})
			w := newWorld(t)
			w.begin(hookTo("cad", url))
			w.line.add(alert("1"), alert("2"))
			want := []string{"alert-1-1", "alert-2-2"}
			if c.again {
				want = []string{"alert-1-1", "alert-1-1", "alert-2-2"}
			}
			for _, id := range want {
				select {
				case got := <-ids:
					if got != id {
						t.Fatalf("%s is sent, want %s", got, id)
					}
				case <-time.After(patience):
					t.Fatalf("%s is not sent", id)
				}
			}
			w.until("done", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Sent == 2 && s.Behind == 0 })
			w.close()
		})
	}
}

// TestAReceiverThatNeverAnswers: it is given up after a while, and tried again; the end of
// the service does not wait for it.
func TestAReceiverThatNeverAnswers(t *testing.T) {
	ids := make(chan string, 100)
	over := make(chan struct{})
	url := raw(t, func(conn net.Conn, _ int) {
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		ids <- r.Header.Get("Squelch-Id")
		<-over
	})
	defer close(over)
	w := newWorld(t)
	w.begin(hookTo("cad", url))
	w.line.add(alert("1"))
	for range 2 {
		select {
		case id := <-ids:
			if id != "alert-1-1" {
				t.Errorf("%s", id)
			}
		case <-time.After(patience):
			t.Fatal("it is not tried again")
		}
	}
	w.until("failing", func(s wire.WebhookState, _ []wire.DeadLetter) bool {
		return s.State == "failing" && s.Error == "no answer came within 10s"
	})
	w.close() // while it hangs
	// The restart goes on with the same event.
	w.begin(hookTo("cad", url))
	if id := <-ids; id != "alert-1-1" {
		t.Errorf("%s after the restart", id)
	}
}

// TestARedirectLeadsNowhere: neither to an address inside of a network, nor elsewhere.
func TestARedirectLeadsNowhere(t *testing.T) {
	w := newWorld(t)
	inside := newReceiver(t, w.clock)
	r := newReceiver(t, w.clock)
	var asked atomic.Int32
	r.does(func(rw http.ResponseWriter, q *http.Request, _ call) {
		if asked.Add(1) == 1 {
			http.Redirect(rw, q, inside.http.URL+"/latest/meta-data", http.StatusPermanentRedirect)
		}
	})
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("1"))
	if a, b := r.next().id, r.next().id; a != b {
		t.Errorf("%s, then %s", a, b)
	}
	inside.quiet()
}

// TestAddressesInsideAreRefused: names that lead there, and addresses that are written
// down without being named as private.
func TestAddressesInsideAreRefused(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	names := dns.New(t)
	w.options.Names = names.Resolver()
	_, port, err := net.SplitHostPort(r.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, ip := range []string{"127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "10.0.0.1", "fd00:ec2::254"} {
		names.Answer("hooks.example.org", []netip.Addr{netip.MustParseAddr("93.184.216.34")}, []netip.Addr{netip.MustParseAddr(ip)})
		if _, err := names.Resolver().LookupNetIP(t.Context(), "ip", "hooks.example.org"); err != nil { // a check that sees the first answer
			t.Fatal(err)
		}
		h := hookTo("cad", "https://hooks.example.org:"+port+"/very-secret")
		h.Private = nil
		w.begin(h)
		sent, err := w.desk.Test(t.Context(), "cad")
		if err != nil || sent.OK || !strings.HasPrefix(sent.Error, "no answer: hooks.example.org leads to ") || strings.Contains(sent.Error, "very-secret") {
			t.Errorf("%s: %+v, %v", ip, sent, err)
		}
		w.close()
	}
	r.quiet()
	for _, c := range []struct{ url, want string }{
		{"https://127.0.0.1/", `is 127.0.0.1, an address inside of a network; if that is meant, private = { "127.0.0.1" } says so`},
		{"https://[::1]/", "is ::1, an address inside"}, {"https://169.254.169.254/", "is 169.254.169.254"}, {"https://[::ffff:10.0.0.1]/", "an address inside"},
	} {
		h := hookTo("cad", c.url)
		h.Private = nil
		if wrong := webhook.Check([]config.Webhook{h}); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), c.want) {
			t.Errorf("%s: %v", c.url, wrong)
		}
		w.options.Hooks = []config.Webhook{h}
		if _, err := webhook.New(w.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}

// TestWhatAReceiverRepeatsIsLeftOut: web servers repeat the path of a request that they do
// not understand, and it must not be in the log or at the administration.
func TestWhatAReceiverRepeatsIsLeftOut(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(func(out http.ResponseWriter, q *http.Request, _ call) {
		out.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(out, "Cannot POST %s (%s, %s), token very-secret-token, key=%s", q.URL.Path, q.RequestURI, q.Header.Get("Authorization"), q.URL.Query().Get("key"))
	})
	h := hookTo("cad", r.http.URL+"/hooks/very-secret-token?key=open+sesame")
	h.Headers = map[string]string{"Authorization": "Bearer quite-secret"}
	w.begin(h)
	defer w.close()
	sent, err := w.desk.Test(t.Context(), "cad")
	if err != nil || sent.OK || !strings.HasPrefix(sent.Error, "the answer is 404 Not Found: Cannot POST …") {
		t.Errorf("%+v, %v", sent, err)
	}
	for _, s := range []string{"very-secret", "sesame", "quite-secret"} {
		if strings.Contains(sent.Error, s) {
			t.Errorf("%q has %q", sent.Error, s)
		}
	}
}

// TestACrashSendsAgainWithTheSameID: what was sent after the place was last stored comes
// again after a crash, with the same id; what the crash took from the timeline does not
// hide what gets its number later.
func TestACrashSendsAgainWithTheSameID(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("1"))
	r.next()
	w.until("sent", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Cursor == 1 })
	w.close() // place 1 is stored
	w.line.durable = 2
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("2"), alert("lost"))
	before := []string{r.next().id, r.next().id}
	w.until("sent", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Cursor == 3 })
	w.close()
	var place struct{ Seq uint64 }
	if err := json.Unmarshal(w.places.values["cad"], &place); err != nil || place.Seq != 2 {
		t.Fatalf("place %s, %v: it is beyond what is on the disk", w.places.values["cad"], err)
	}
	// The crash: entry 3 is gone; as if the place had not been stored since 1.
	w.places.values["cad"] = []byte(`{"v":1,"seq":1}`)
	w.line.mu.Lock()
	w.line.entries, w.line.durable = w.line.entries[:2], ^uint64(0)
	w.line.mu.Unlock()
	w.begin(hookTo("cad", r.http.URL))
	if id := r.next().id; id != before[0] {
		t.Errorf("%s, want %s again", id, before[0])
	}
	w.line.add(wire.TimelineEntry{Kind: core.MomentAlert, ID: "alert-new", Detail: "new"})
	if c := r.next(); c.payload(t).Detail != "new" || c.id == before[1] {
		t.Errorf("%s: %s", c.id, c.body)
	}
}

// TestGivenUpAfterADay: an event that is never taken is a dead letter after a day, so that
// it does not hold the others up for ever; those that happened later get their own day.
func TestGivenUpAfterADay(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(func(rw http.ResponseWriter, _ *http.Request, c call) {
		if c.id == "alert-1-1" {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("poison"), alert("good"))
	tries := 0
	for c := r.next(); c.id == "alert-1-1"; c = r.next() {
		tries++
	}
	if tries < 200 || tries > 400 {
		t.Errorf("%d attempts in a day", tries)
	}
	w.until("buried", func(s wire.WebhookState, dead []wire.DeadLetter) bool {
		return s.Dead == 1 && len(dead) == 1 && dead[0].ID == "alert-1-1" && dead[0].Attempts == tries && dead[0].Event == "alert" &&
			strings.Contains(dead[0].Error, "500") && strings.Contains(dead[0].Body, "poison") && s.State == "well"
	})
	if d := w.clock.Now().Sub(start); d < 24*time.Hour || d > 25*time.Hour {
		t.Errorf("given up after %v", d)
	}
}

// TestDeadLettersAreKeptAndSentAgain: they outlive a restart, and one that is taken in the
// end is gone.
func TestDeadLettersAreKeptAndSentAgain(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(status(http.StatusBadRequest))
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("1"), alert("2"), alert("3"))
	bodies := map[string]string{}
	for range 3 {
		c := r.next()
		bodies[c.id] = string(c.body)
	}
	w.until("dead", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Dead == 3 })
	w.close()
	w.begin(hookTo("cad", r.http.URL))
	w.until("dead still", func(s wire.WebhookState, dead []wire.DeadLetter) bool { return s.Dead == 3 && dead[0].Hook == "cad" })
	if sent, err := w.desk.Resend(t.Context(), "cad", "alert-1-1"); err != nil || sent.OK || sent.Status != 400 {
		t.Errorf("%+v, %v", sent, err)
	}
	r.next()
	r.does(nil)
	if sent, err := w.desk.Resend(t.Context(), "cad", "alert-1-1"); err != nil || !sent.OK || sent.Status != 204 {
		t.Errorf("%+v, %v", sent, err)
	}
	if c := r.next(); c.id != "alert-1-1" || string(c.body) != bodies[c.id] {
		t.Errorf("%s %s", c.id, c.body)
	}
	w.until("counted", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Sent == 1 && s.LastOK > 0 && s.Dead == 2 })
	if n, err := w.desk.Discard(t.Context(), "cad", "alert-2-2"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, c := range []struct{ hook, id, field string }{{"cad", "alert-1-1", "id"}, {"cab", "alert-3-3", "hook"}} {
		_, again := w.desk.Resend(t.Context(), c.hook, c.id)
		_, gone := w.desk.Discard(t.Context(), c.hook, c.id)
		for _, err := range []error{again, gone} {
			if e, is := err.(*core.Error); !is || e.Kind != core.NotFound || e.Field != c.field {
				t.Errorf("%v: %v", c, err)
			}
		}
	}
	w.close()
	if len(w.letters.values) != 1 || w.letters.values["cad/alert-3-3"] == nil {
		t.Errorf("stored: %v", w.letters.values)
	}
	w.begin(hookTo("cad", r.http.URL))
	if n, err := w.desk.Discard(t.Context(), "cad", ""); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	w.close()
	// A webhook that is not configured any more leaves nothing behind.
	w.begin(hookTo("other", r.http.URL))
	if w.places.values["cad"] != nil || len(w.letters.values) != 0 {
		t.Errorf("left: %v, %v", w.places.values, w.letters.values)
	}
}

func TestDeadLettersAreBounded(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(status(http.StatusUnprocessableEntity))
	w.begin(hookTo("cad", r.http.URL))
	for range 520 {
		w.line.add(alert("x"))
	}
	w.until("bounded", func(s wire.WebhookState, dead []wire.DeadLetter) bool {
		return s.Dead == 500 && s.Dropped == 20 && len(dead) == wire.MaxDeadLetters && s.Behind == 0
	})
	w.close()
	if len(w.letters.values) != 500 || w.letters.values["cad/alert-20-20"] != nil || w.letters.values["cad/alert-21-21"] == nil {
		t.Errorf("%d stored", len(w.letters.values))
	}
	w.begin(hookTo("cad", r.http.URL))
	for i := range 40 {
		w.line.add(alert(strings.Repeat("x", 50_000) + fmt.Sprint(i)))
	}
	w.until("bounded by bytes", func(s wire.WebhookState, _ []wire.DeadLetter) bool {
		return s.Behind == 0 && s.Dead < 30 && s.Dead > 10
	})
}

// TestABrokenDiskStopsNothing: events are sent, their places are stored when it is back.
func TestABrokenDiskStopsNothing(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("1"))
	r.next()
	w.places.breaks(true)
	w.letters.breaks(true)
	r.does(status(http.StatusBadRequest))
	w.line.add(alert("2"))
	r.next()
	r.does(nil)
	w.line.add(alert("3"), wire.TimelineEntry{Kind: core.MomentHealth, Detail: "storage", Reason: "the disk is full"})
	for range 2 {
		r.next()
	}
	w.until("sent", func(s wire.WebhookState, _ []wire.DeadLetter) bool {
		return s.Behind == 0 && s.Sent == 3 && s.Dead == 1
	})
	w.places.breaks(false)
	w.letters.breaks(false)
	w.close()
	if !strings.Contains(string(w.places.values["cad"]), `"seq":4`) || len(w.letters.values) != 1 {
		t.Errorf("stored: %s, %v", w.places.values["cad"], w.letters.values)
	}
}

// TestPlacesAreWrittenRarely: a busy receiver costs a write in a while, and one that wants
// little costs less.
func TestPlacesAreWrittenRarely(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	rare := hookTo("rare", r.http.URL)
	rare.Events = []string{"panic"}
	w.begin(hookTo("cad", r.http.URL), rare)
	for range 1000 {
		w.line.add(alert("x"))
	}
	for range 1000 {
		r.next()
	}
	w.places.mu.Lock()
	writes := w.places.writes
	w.places.mu.Unlock()
	if writes > 40 { // one a second, on a machine that is very slow
		t.Errorf("%d writes for 1000 events", writes)
	}
}

// TestTenThousandEventsWaitOnTheTimeline: a receiver that is dead costs no memory, however
// much waits for it.
func TestTenThousandEventsWaitOnTheTimeline(t *testing.T) {
	w := newWorld(t)
	block := make(chan time.Time)
	w.options.After = func(time.Duration) <-chan time.Time { return block }
	w.begin(hookTo("cad", "https://127.0.0.1:1/"))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	w.line.add(alert("x"))
	w.until("failing", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Failures == 1 })
	entries := make([]wire.TimelineEntry, 10_000)
	for i := range entries {
		entries[i] = alert(fmt.Sprintf("%0100d", i))
	}
	w.line.add(entries...)
	before := heap()
	for range 10 {
		block <- time.Time{}
	}
	w.until("failing on", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Failures == 11 && s.Behind == 10_001 })
	if grown := int64(heap()) - int64(before); grown > 1<<20 {
		t.Errorf("%d bytes more", grown)
	}
	w.line.mu.Lock()
	defer w.line.mu.Unlock()
	if w.line.largest > 64 {
		t.Errorf("%d entries were read at once", w.line.largest)
	}
}

// TestHealthOvertakes: what concerns the service's health is sent at once while something
// else is tried again and again, and not a second time in its turn.
func TestHealthOvertakes(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	block := make(chan time.Time)
	w.options.After = func(time.Duration) <-chan time.Time { return block }
	r.does(func(rw http.ResponseWriter, _ *http.Request, c call) {
		if c.event != "health" {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("stuck"))
	r.next()
	w.line.add(wire.TimelineEntry{Kind: core.MomentHealth, Detail: "recorder", Reason: "the disk is full"}, alert("after"))
	if c := r.next(); c.event != "health" || c.payload(t).Reason != "the disk is full" {
		t.Errorf("%s: %s", c.id, c.body)
	}
	r.does(nil)
	block <- time.Time{}
	for _, want := range []string{"stuck", "after"} {
		if p := r.next().payload(t); p.Detail != want {
			t.Errorf("%+v, want %s", p, want)
		}
	}
	r.quiet()
}

// TestTranscriptsAreSent: beside the timeline; what cannot be sent before the end is a
// dead letter.
func TestTranscriptsAreSent(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	none := hookTo("none", r.http.URL)
	none.Events = []string{"alert"}
	w.begin(hookTo("cad", r.http.URL), none)
	tx := wire.TimelineEntry{ID: "tx-7-1", Kind: core.MomentTransmission, At: start.UnixMilli(), Frequency: "154.755", Transcript: "copy that"}
	w.desk.Transcribed(tx)
	if c := r.next(); c.id != "transcript-tx-7-1" || c.event != "transcript" || c.payload(t).Transcript != "copy that" || c.payload(t).Kind != "transcript" {
		t.Errorf("%s: %s", c.id, c.body)
	}
	w.until("sent", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Sent == 1 })
	r.does(status(http.StatusInternalServerError))
	w.options.After = func(time.Duration) <-chan time.Time { return nil }
	w.close()
	w.begin(hookTo("cad", r.http.URL), none)
	tx.ID = "tx-8-1"
	w.desk.Transcribed(tx)
	r.next()
	tx.ID = "tx-9-1"
	w.desk.Transcribed(tx)
	w.close()
	if len(w.letters.values) != 2 || w.letters.values["cad/transcript-tx-8-1"] == nil || w.letters.values["cad/transcript-tx-9-1"] == nil {
		t.Errorf("%v", w.letters.values)
	}
}

// TestATranscriptDoesNotOutliveItsRecording: what waits for its receiver is not sent when
// the recording was deleted meanwhile, and no dead letter has the text, whatever the receiver
// says of it.
func TestATranscriptDoesNotOutliveItsRecording(t *testing.T) {
	w := newWorld(t)
	var deleted atomic.Value
	deleted.Store("")
	w.options.Kept = func(id string) bool { return id != deleted.Load() }
	again := make(chan time.Time)
	w.options.After = func(time.Duration) <-chan time.Time { return again }
	r := newReceiver(t, w.clock)
	r.does(func(out http.ResponseWriter, _ *http.Request, c call) {
		code := map[string]int{"transcript-tx-7-1": http.StatusServiceUnavailable, "transcript-tx-8-1": http.StatusBadRequest}[c.id]
		http.Error(out, "what is "+string(c.body), code)
	})
	w.begin(hookTo("cad", r.http.URL))
	tx := wire.TimelineEntry{ID: "tx-7-1", Kind: core.MomentTransmission, At: start.UnixMilli(), Frequency: "154.755", Transcript: "copy that"}
	w.desk.Transcribed(tx)
	if c := r.next(); c.payload(t).Transcript != "copy that" {
		t.Errorf("%s", c.body)
	}
	deleted.Store(tx.ID)
	tx.ID = "tx-8-1"
	w.desk.Transcribed(tx)
	again <- time.Time{}
	if c := r.next(); c.id != "transcript-tx-8-1" {
		t.Errorf("%s is sent after the recording was deleted", c.id)
	}
	w.until("buried", func(_ wire.WebhookState, dead []wire.DeadLetter) bool { return len(dead) == 1 })
	list, err := w.desk.List("")
	if l := list.Dead[0]; err != nil || l.ID != "transcript-tx-8-1" || !strings.Contains(l.Body, `"channel":"Dispatch"`) || l.Error != "the answer is 400 Bad Request" {
		t.Errorf("%+v, %v", l, err)
	}
	tx.ID = "tx-9-1" // is on its way at the end
	r.does(status(http.StatusServiceUnavailable))
	w.desk.Transcribed(tx)
	r.next()
	w.close()
	if len(w.letters.values) != 2 {
		t.Errorf("stored are %v", w.letters.values)
	}
	shown, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{string(shown), w.log(), string(w.letters.values["cad/transcript-tx-8-1"]), string(w.letters.values["cad/transcript-tx-9-1"])} {
		if said == "" || strings.Contains(said, "copy") {
			t.Errorf("the text is in %q", said)
		}
	}
}

// TestATestIsSent: with its own id each time, and what is wrong is told.
func TestATestIsSent(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	w.begin(hookTo("cad", r.http.URL))
	ids := map[string]bool{}
	for range 2 {
		if sent, err := w.desk.Test(t.Context(), "cad"); err != nil || !sent.OK || sent.Status != 204 {
			t.Errorf("%+v, %v", sent, err)
		}
		c := r.next()
		if ids[c.id] || c.event != "test" || c.payload(t).Kind != "test" {
			t.Errorf("%s: %s", c.id, c.body)
		}
		ids[c.id] = true
	}
	r.does(status(http.StatusForbidden))
	if sent, err := w.desk.Test(t.Context(), "cad"); err != nil || sent.OK || sent.Status != 403 || sent.Error != "the answer is 403 Forbidden" {
		t.Errorf("%+v, %v", sent, err)
	}
	if l, _ := w.desk.List(""); l.Webhooks[0].URL != strings.TrimSuffix(r.http.URL, "/") || l.Webhooks[0].Failures != 0 {
		t.Errorf("%+v", l)
	}
	if _, err := w.desk.List("cab"); err == nil {
		t.Error("a webhook that does not exist is listed")
	}
}

// TestWhatANewerProgramStored is not guessed at.
func TestWhatANewerProgramStored(t *testing.T) {
	for _, c := range []struct{ place, letter string }{{`{"v":2}`, ""}, {`x`, ""}, {"", `{"v":2,"id":"a"}`}} {
		w := newWorld(t)
		w.options.Hooks = []config.Webhook{hookTo("cad", "https://cad.example.org/")}
		if c.place != "" {
			w.places.values["cad"] = []byte(c.place)
		}
		if c.letter != "" {
			w.letters.values["cad/a"] = []byte(c.letter)
		}
		if _, err := webhook.New(w.options); err == nil || !strings.Contains(err.Error(), "a newer program has stored it") {
			t.Errorf("%v: %v", c, err)
		}
	}
}
