package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// raw is a websocket that speaks Engine.IO by hand.
type raw struct {
	t    testing.TB
	conn *websocket.Conn
}

func (s *service) websocket(query string) *raw {
	s.t.Helper()
	u := strings.Replace(s.url, "http:", "ws:", 1) + "/socket.io/?EIO=4&transport=websocket" + query
	conn, _, err := websocket.DefaultDialer.DialContext(s.t.Context(), u, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return &raw{s.t, conn}
}

// open connects to the radio with an auth object.
func (s *service) open(auth any) *raw {
	s.t.Helper()
	r := s.websocket("")
	r.wait("0{")
	b, err := json.Marshal(auth)
	if err != nil {
		s.t.Fatal(err)
	}
	r.send("40" + string(b))
	r.wait("40")
	return r
}

func (s *service) dispatcher(id int, by session) *raw {
	s.t.Helper()
	return s.open(map[string]any{"authToken": by.AuthToken, "sessionId": by.SessionID, "serverId": id})
}

func (r *raw) send(text string) { r.write(websocket.TextMessage, text) }

func (r *raw) write(kind int, text string) {
	r.t.Helper()
	if err := r.conn.WriteMessage(kind, []byte(text)); err != nil {
		r.t.Fatal(err)
	}
}

// wait reads until a message begins with prefix; pings on the way are answered.
func (r *raw) wait(prefix string) string {
	r.t.Helper()
	var heard []string
	for until := time.Now().Add(patience); ; {
		text, err := r.read(until)
		if err != nil {
			r.t.Fatalf("waiting for %q: %v; heard %.2000q", prefix, err, heard)
		}
		if strings.HasPrefix(text, prefix) {
			return text
		}
		heard = append(heard, text)
	}
}

func (r *raw) read(until time.Time) (string, error) {
	if err := r.conn.SetReadDeadline(until); err != nil {
		return "", err
	}
	_, b, err := r.conn.ReadMessage()
	if err == nil && string(b) == "2" {
		err = r.conn.WriteMessage(websocket.TextMessage, []byte("3"))
	}
	return string(b), err
}

// drain reads until the connection ends, which the service should soon bring about.
func (r *raw) drain() {
	r.t.Helper()
	for until := time.Now().Add(patience); ; {
		if _, err := r.read(until); err != nil {
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				r.t.Errorf("the connection never ended")
			}
			return
		}
	}
}

// well asks for an answer: when it comes, everything that was sent before has been
// handled.
func (r *raw) well() {
	r.t.Helper()
	r.send(`429["heartbeat",1]`)
	r.wait(`439[`)
}

// poll makes one request of the polling transport.
func (s *service) poll(method, query, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/socket.io/?EIO=4&transport=polling"+query, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	reply, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer reply.Body.Close()
	b, err := io.ReadAll(reply.Body)
	if err != nil {
		return 0, err.Error()
	}
	return reply.StatusCode, string(b)
}

func (s *service) openPoll() (query string) {
	s.t.Helper()
	_, body := s.poll(http.MethodGet, "", "")
	var hello struct{ Sid string }
	if len(body) < 2 || json.Unmarshal([]byte(body[1:]), &hello) != nil {
		s.t.Fatalf("polling opens with %q", body)
	}
	return fmt.Sprintf("&sid=%s", hello.Sid)
}
