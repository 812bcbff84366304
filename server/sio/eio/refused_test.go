package eio

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// listening counts the Close calls of handlers.
type listening struct{ told *int }

func (listening) Message(Message) {}
func (l listening) Close(string)  { *l.told++ }

// A session that is refused because there are too many must leave nothing behind: its
// handler, which may hold a timer, is closed.
func TestARefusedSessionIsOver(t *testing.T) {
	made, told := 0, 0
	s := NewServer(Options{MaxSessions: 1}, func(*Session) Handler {
		made++
		return listening{&told}
	})
	web := httptest.NewServer(s)
	defer web.Close()
	for n, want := range []int{http.StatusOK, http.StatusServiceUnavailable, http.StatusServiceUnavailable} {
		reply, err := http.Get(web.URL + "/?EIO=4&transport=polling")
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != want {
			t.Errorf("session %d: status %d", n, reply.StatusCode)
		}
	}
	_, reply, err := websocket.DefaultDialer.Dial(strings.Replace(web.URL, "http", "ws", 1)+"/?EIO=4&transport=websocket", nil)
	if err == nil || reply.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("by websocket: %v", err)
	}
	if made != 4 || told != 3 {
		t.Errorf("%d handlers were made and %d told", made, told)
	}
	if err := s.Close(t.Context()); err != nil || told != 4 {
		t.Errorf("at the end: %d told, %v", told, err)
	}
}
