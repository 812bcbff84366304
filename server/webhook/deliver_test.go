package webhook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
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
