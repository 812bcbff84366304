package webhook_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

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
