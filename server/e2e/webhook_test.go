package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestAWebhookSendsAgainWhatAKillLeftOpen: the service is killed between the arrival of an
// event and the writing of its place. After the restart the same event comes again, with
// the same id and body; nothing is lost and nothing overtakes.
func TestAWebhookSendsAgainWhatAKillLeftOpen(t *testing.T) {
	type call struct{ id, body string }
	calls, answer := make(chan call, 100), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- call{r.Header.Get("Squelch-Id"), string(body)}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	defer receiver.Close()
	next := func() call {
		select {
		case c := <-calls:
			return c
		case <-time.After(time.Minute):
			t.Fatal("nothing is sent")
			return call{}
		}
	}
	s := start(t, fmt.Sprintf(`Config.webhooks = { { name = "cad", url = %q, private = { "127.0.0.1" }, secret = "0123456789abcdef", events = { "message" } } }`, receiver.URL))
	by := s.login("DESK-1")
	for i := range 3 {
		s.do("/api/trigger-broadcast", map[string]any{"message": fmt.Sprint("number ", i), "type": "info", "frequency": "463"}, by)
	}
	first := next()
	s.Kill()
	close(answer) // whatever the receiver would have said, nobody hears it
	s = s.again()
	again := next()
	if again != first {
		t.Errorf("after the kill %+v comes, want %+v", again, first)
	}
	seen := map[string]bool{first.id: true}
	for range 2 {
		c := next()
		if seen[c.id] {
			t.Errorf("%s comes twice", c.id)
		}
		seen[c.id] = true
	}
	by = s.login("DESK-1")
	s.do("/api/trigger-broadcast", map[string]any{"message": "the last", "type": "info", "frequency": "463"}, by)
	if c := next(); seen[c.id] {
		t.Errorf("%s comes twice", c.id)
	}
	s.stop()
}
