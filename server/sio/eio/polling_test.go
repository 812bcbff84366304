package eio

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// hasty polls again as soon as it sees the answer, before the server has ended its
// own work on it.
type hasty struct {
	*httptest.ResponseRecorder
	again func()
}

func (h hasty) Write(b []byte) (int, error) {
	n, err := h.ResponseRecorder.Write(b)
	h.again()
	return n, err
}

// TestThePollAfterTheLastOneFindsNoSession: a closing session gives its final payload
// once, also to a client that polls again at once.
func TestThePollAfterTheLastOneFindsNoSession(t *testing.T) {
	var session *Session
	told := 0
	s := NewServer(Options{}, func(one *Session) Handler {
		session = one
		return listening{&told}
	})
	opened := httptest.NewRecorder()
	s.ServeHTTP(opened, httptest.NewRequest(http.MethodGet, "/?EIO=4&transport=polling", nil))
	var shake struct{ SID string }
	if err := json.Unmarshal(opened.Body.Bytes()[1:], &shake); err != nil {
		t.Fatal(err)
	}
	path := "/?EIO=4&transport=polling&sid=" + shake.SID
	first, second := httptest.NewRecorder(), httptest.NewRecorder()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.ServeHTTP(hasty{first, func() { s.ServeHTTP(second, httptest.NewRequest(http.MethodGet, path, nil)) }},
			httptest.NewRequest(http.MethodGet, path, nil))
	}()
	for {
		session.mu.Lock()
		waits := session.polls.polling
		session.mu.Unlock()
		if waits {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, strings.NewReader("1")))
	<-ended
	if first.Code != http.StatusOK || first.Body.String() != "6" {
		t.Errorf("the poll that hung got %d %q, want a noop", first.Code, first.Body)
	}
	if second.Code != http.StatusBadRequest || !strings.Contains(second.Body.String(), "Session ID unknown") {
		t.Errorf("the next poll got %d %q, want that the session is unknown", second.Code, second.Body)
	}
}
