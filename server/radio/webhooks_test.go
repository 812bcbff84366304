package radio_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"squelch/server/config"
	"squelch/server/internal/testradio"
	"squelch/server/webhook"
)

// hooked is the demo radio with a webhook for each receiver.
func hooked(events []string, receivers ...string) testradio.Options {
	o := named("token")
	for i, url := range receivers {
		o.Config.Server.Webhooks = append(o.Config.Server.Webhooks, config.Webhook{Name: fmt.Sprint("hook-", i), URL: url, Secret: "0123456789abcdef", Events: events,
			Template: "json", InClear: true, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	}
	return o
}

// receiver is a web server that takes events.
func receiver(t *testing.T) (url string, got chan webhook.Payload) {
	t.Helper()
	got = make(chan webhook.Payload, 10_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p webhook.Payload
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || p.ID != r.Header.Get("Squelch-Id") {
			t.Errorf("%v, %s", err, r.Header.Get("Squelch-Id"))
		}
		got <- p
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func next(t *testing.T, got chan webhook.Payload) webhook.Payload {
	t.Helper()
	select {
	case p := <-got:
		return p
	case <-time.After(patience):
		t.Fatal("nothing is sent")
		return webhook.Payload{}
	}
}

// TestAReceiverThatHangsDelaysNobody: while one receiver has not answered its first event,
// people key up and are answered, and another receiver has all of it, in order.
func TestAReceiverThatHangsDelaysNobody(t *testing.T) {
	var asked atomic.Int32
	over, hung := make(chan struct{}), make(chan struct{}, 100)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		hung <- struct{}{}
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	defer hanging.Close()
	defer close(over)
	url, got := receiver(t)
	s := testradio.Start(t, hooked([]string{"transmission"}, hanging.URL, url))
	talker := open(t, s.URL, "token", -3)
	talker.does(t, "setSpeakerChannel", channel)
	talker.does(t, "setTalking", true)
	talker.does(t, "setTalking", false)
	<-hung
	for range 50 {
		talker.does(t, "setTalking", true)
		talker.does(t, "setTalking", false)
	}
	last := uint64(0)
	for range 51 {
		p := next(t, got)
		if p.Event != "transmission" || p.Seq <= last || p.ServerID != -3 || p.EndedAt < p.At {
			t.Errorf("%+v after %d", p, last)
		}
		last = p.Seq
	}
	if asked.Load() == 0 {
		t.Error("the receiver does not hang")
	}
}

// TestWhatHappensIsSent: from the console's deed to the receiver, and on after a restart.
func TestWhatHappensIsSent(t *testing.T) {
	url, got := receiver(t)
	o := hooked([]string{"alert", "patch", "login"}, url)
	s := testradio.Start(t, o)
	d := open(t, s.URL, "token", -2)
	d.does(t, "triggerAlert", map[string]any{"frequency": channel, "enabled": true})
	first := next(t, got)
	if first.Kind != "alert" || first.Channel != "LSPD DISP" || first.Zone != "Los Santos" || first.Radio != "Squelch Demo" || first.By != -2 {
		t.Errorf("%+v", first)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	o = hooked([]string{"alert", "patch", "login"}, url)
	o.Data = s.Data
	s = testradio.Start(t, o)
	open(t, s.URL, "token", -2).does(t, "triggerAlert", map[string]any{"frequency": channel, "enabled": false})
	if p := next(t, got); p.Kind != "alertCleared" || p.Seq <= first.Seq {
		t.Errorf("%+v", p)
	}
}
