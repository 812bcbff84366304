package admin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/internal/teststation"
	"squelch/server/webhook"
)

// entries are a timeline that is complete before anybody reads it.
type entries []wire.TimelineEntry

func (e entries) Read(_ context.Context, after uint64, limit int) ([]wire.TimelineEntry, error) {
	return e[min(len(e), int(after)):min(len(e), int(after)+limit)], nil
}
func (e entries) Changed() <-chan struct{} { return nil }
func (e entries) Last() uint64             { return uint64(len(e)) }
func (e entries) Durable() uint64          { return uint64(len(e)) }

// TestTheAdministrationOfWebhooks: what it shows, what it does, that it is audited, and
// that neither the secret nor the path of the address is told.
func TestTheAdministrationOfWebhooks(t *testing.T) {
	s := onAir(t)
	var status atomic.Int32
	status.Store(http.StatusBadRequest)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	defer receiver.Close()
	places := teststation.Holding("cad", `{"v":1,"seq":0}`)
	line := entries{{Seq: 1, ID: "alert-1", Kind: core.MomentAlert, Detail: "Pursuit"}, {Seq: 2, ID: "alert-2", Kind: core.MomentAlert, Detail: "Fire"}}
	desk, err := webhook.New(webhook.Options{Timeline: line, Places: places, Letters: &teststation.Bucket{}, Config: func() *core.Config { return nil }, Logf: t.Logf,
		Hooks: []config.Webhook{{Name: "cad", URL: receiver.URL + "/very-secret-path", Secret: "very-secret-0123456789", Events: []string{"alert"}, Template: "json",
			InClear: true, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}})
	if err != nil {
		t.Fatal(err)
	}
	desk.Start()
	defer desk.Close()
	s.hooks.Webhooks = desk
	b := s.logIn()
	var list wire.WebhookList
	for end := time.Now().Add(patience); len(list.Dead) < 2; time.Sleep(5 * time.Millisecond) {
		got := b.send("GET", "webhooks", nil)
		if got.status == http.StatusTooManyRequests {
			s.clock.Pass(time.Second)
			continue
		}
		if got.ok(&list); time.Now().After(end) {
			t.Fatalf("%s", got.body)
		}
		if strings.Contains(string(got.body), "very-secret") {
			t.Fatalf("%s", got.body)
		}
	}
	if h := list.Webhooks[0]; h.Name != "cad" || h.URL != receiver.URL || h.State != "well" || h.Dead != 2 || h.Behind != 0 || h.Template != "json" || !slices.Equal(h.Events, []string{"alert"}) {
		t.Errorf("%+v", h)
	}
	if l := list.Dead[0]; l.Hook != "cad" || l.Event != "alert" || l.Attempts != 1 || !strings.Contains(l.Error, "400") || !strings.Contains(l.Body, `"kind":"alert"`) {
		t.Errorf("%+v", l)
	}
	s.clock.Pass(time.Minute)
	var sent wire.WebhookSent
	b.send("POST", "webhooks/resend", `{"hook":"cad","id":"alert-1-1"}`).ok(&sent)
	if sent.OK || sent.Status != 400 {
		t.Errorf("%+v", sent)
	}
	status.Store(http.StatusOK)
	sent = wire.WebhookSent{}
	b.send("POST", "webhooks/resend", `{"hook":"cad","id":"alert-1-1"}`).ok(&sent)
	if !sent.OK || sent.Status != 200 || sent.Error != "" {
		t.Errorf("%+v", sent)
	}
	b.send("POST", "webhooks/resend", `{"hook":"cad","id":"alert-1-1"}`).refused(404, "id", `The webhook "cad" has no dead letter "alert-1-1"`)
	b.send("POST", "webhooks/resend", `{"hook":"cab","id":"alert-1-1"}`).refused(404, "hook", `There is no webhook "cab"`)
	b.send("POST", "webhooks/resend", `{"hook":"cad"}`).refused(400, "id", "id")
	b.send("POST", "webhooks/test", `{"hook":"cad"}`).ok(&sent)
	if !sent.OK {
		t.Errorf("%+v", sent)
	}
	var gone wire.WebhookDiscarded
	b.send("POST", "webhooks/discard", `{"hook":"cad"}`).ok(&gone)
	if !gone.Success || gone.Removed != 1 {
		t.Errorf("%+v", gone)
	}
	b.send("POST", "webhooks/discard", `{"hook":"cad","id":"alert-2-2"}`).refused(404, "id", "has no dead letter")
	b.send("GET", "webhooks?hook=cab", nil).refused(404, "hook", "There is no webhook")
	list = wire.WebhookList{}
	b.send("GET", "webhooks?hook=cad", nil).ok(&list)
	if len(list.Dead) != 0 {
		t.Errorf("%+v", list.Dead)
	}
	if got, want := s.actions(), []string{"admin.login", "admin.webhook.resend", "admin.webhook.resend", "admin.webhook.test", "admin.webhook.discard"}; !slices.Equal(got, want) {
		t.Errorf("audited %q, want %q", got, want)
	}
	// Neither a live edit nor an import sets one.
	c := b.config()
	b.send("PUT", "config", `{"revision":"`+c.Revision+`","config":{"webhooks":[]}}`).refused(400, "webhooks", "webhooks is not a known key")
}
