package reply_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/reply"
)

func TestEveryKindOfRefusalHasItsStatus(t *testing.T) {
	for kind, status := range map[core.Kind]int{core.Invalid: 400, core.NotFound: 404, core.Conflict: 409, core.Forbidden: 403, core.Full: 409} {
		err := fmt.Errorf("patching: %w", &core.Error{Kind: kind, Field: "frequencies[2]", Message: "not so"})
		got := reply.RefusalOf(err)
		if got == nil || *got != (reply.Refusal{Status: status, Message: "not so", Field: "frequencies[2]"}) {
			t.Errorf("%v: %+v, want status %d", kind, got, status)
		}
	}
}

func TestOtherErrorsThanRefusals(t *testing.T) {
	own := &reply.Refusal{Status: 418, Message: "tea"}
	if got := reply.RefusalOf(fmt.Errorf("in the kitchen: %w", own)); got != own {
		t.Errorf("a refusal became %+v", got)
	}
	if got := reply.RefusalOf(&http.MaxBytesError{Limit: 512}); got == nil || got.Status != 413 || got.Message != "The body is larger than 512 bytes" {
		t.Errorf("a large body is %+v", got)
	}
	if got := reply.RefusalOf(errors.New("the disk is full")); got != nil {
		t.Errorf("a failure of the service itself is told: %+v", got)
	}
}

func TestARefusalTellsWhenToComeAgain(t *testing.T) {
	w := httptest.NewRecorder()
	reply.RefusalOf(reply.TooMany(1200*time.Millisecond)).Write(w, map[string]string{"error": "<slowly>"})
	if w.Code != 429 || w.Body.String() != "{\"error\":\"<slowly>\"}\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	for name, want := range map[string]string{"Retry-After": "2", "Content-Type": "application/json; charset=utf-8", "Content-Length": "21",
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestAnAnswerThatCannotBeWrittenIsAServerError(t *testing.T) {
	w := httptest.NewRecorder()
	reply.JSON(w, http.StatusOK, func() {})
	if w.Code != 500 || w.Body.String() != `{"success":false,"error":"Server error"}` {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestNobodyHearsAnAnswerAfterLeaving(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/status", nil)
	if reply.Unheard(r, context.Canceled) {
		t.Error("the caller is still there")
	}
	leave()
	if !reply.Unheard(r, fmt.Errorf("reading: %w", context.Canceled)) {
		t.Error("the caller has gone")
	}
	if reply.Unheard(r, errors.New("the disk is full")) {
		t.Error("another error is not for the log")
	}
}
