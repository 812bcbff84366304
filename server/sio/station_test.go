package sio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"squelch/server/sio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience ends a wait that would otherwise last forever; it never decides whether
// something was quick enough.
const patience = 30 * time.Second

// station is a server with everything that a story needs to know of it.
type station struct {
	*sio.Server
	t    *testing.T
	http *httptest.Server
	url  string // http://127.0.0.1:port

	panics int64 // those that the story provokes

	mu     sync.Mutex
	logged []string
}

func newStation(t *testing.T, opts sio.Options) *station { return startStation(t, opts, false) }

func startStation(t *testing.T, opts sio.Options, tls bool) *station {
	t.Helper()
	s := &station{t: t}
	opts.Logf = func(format string, args ...any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.logged = append(s.logged, fmt.Sprintf(format, args...))
	}
	s.Server = sio.NewServer(opts)
	mux := http.NewServeMux()
	mux.Handle("/socket.io/", s.Server)
	s.http = httptest.NewUnstartedServer(mux)
	if tls {
		s.http.StartTLS()
	} else {
		s.http.Start()
	}
	s.url = s.http.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("the station did not close: %v", err)
		}
		s.http.CloseClientConnections()
		s.http.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if n := s.Stats().Panics; n != s.panics {
			t.Errorf("%d handlers panicked instead of %d: %s", n, s.panics, s.log())
		}
	})
	return s
}

func (s *station) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.logged, "\n")
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// radio is a client that speaks the protocol by hand, over polling or websocket.
type radio struct {
	t       *testing.T
	base    string // with sid once open
	http    *http.Client
	ws      *websocket.Conn
	header  http.Header
	waiting []string // packets of a payload that were not read yet
}

func address(base string) string {
	return strings.Replace(base, "http", "ws", 1)
}

func (s *station) websocket() *radio { return s.websocketWith() }

// websocketWith sends a header as well.
func (s *station) websocketWith(header ...string) *radio {
	s.t.Helper()
	r := &radio{t: s.t, base: s.url + "/socket.io/?EIO=4&transport=websocket", http: s.http.Client(), header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		r.header.Set(header[i], header[i+1])
	}
	r.dial()
	r.mustRead("0{")
	return r
}

func (r *radio) dial() {
	r.t.Helper()
	dialer := websocket.Dialer{}
	if tr, ok := r.http.Transport.(*http.Transport); ok {
		dialer.TLSClientConfig = tr.TLSClientConfig
	}
	ws, _, err := dialer.Dial(address(r.base), r.header)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = ws.SetReadDeadline(time.Now().Add(patience))
	r.t.Cleanup(func() { ws.Close() })
	r.ws = ws
}

func (s *station) polling() *radio {
	s.t.Helper()
	r := &radio{t: s.t, base: s.url + "/socket.io/?EIO=4&transport=polling", http: s.http.Client()}
	open := r.mustRead("0{")
	var handshake struct{ SID string }
	if err := json.Unmarshal([]byte(open[1:]), &handshake); err != nil {
		s.t.Fatal(err)
	}
	r.base += "&sid=" + url.QueryEscape(handshake.SID)
	return r
}

// upgrade moves from polling to websocket as engine.io-client does. No poll may be
// under way.
func (r *radio) upgrade() {
	r.t.Helper()
	r.base = strings.Replace(r.base, "transport=polling", "transport=websocket", 1)
	r.dial()
	if err := r.ws.WriteMessage(websocket.TextMessage, []byte("2probe")); err != nil {
		r.t.Fatal(err)
	}
	if _, data, err := r.ws.ReadMessage(); err != nil || string(data) != "3probe" {
		r.t.Fatalf("the probe was answered with %q, %v", data, err)
	}
	if err := r.ws.WriteMessage(websocket.TextMessage, []byte("5")); err != nil {
		r.t.Fatal(err)
	}
}

func (r *radio) read() (string, error) {
	for {
		if len(r.waiting) > 0 {
			packet := r.waiting[0]
			r.waiting = r.waiting[1:]
			return packet, nil
		}
		if r.ws != nil {
			kind, data, err := r.ws.ReadMessage()
			if kind == websocket.BinaryMessage {
				return "b" + string(data), err
			}
			return string(data), err
		}
		response, err := r.http.Get(r.base)
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", response.Status, body)
		}
		if err != nil {
			return "", err
		}
		r.waiting = strings.Split(string(body), "\x1e")
	}
}

// next returns the next packet that is not a ping; pings are answered.
func (r *radio) next() (string, error) {
	for {
		packet, err := r.read()
		if packet != "2" || err != nil {
			return packet, err
		}
		r.send("3")
	}
}

func (r *radio) mustRead(prefix string) string {
	r.t.Helper()
	packet, err := r.next()
	if err != nil || !strings.HasPrefix(packet, prefix) {
		r.t.Fatalf("heard %.100q, %v; want %q", packet, err, prefix)
	}
	return packet
}

func (r *radio) send(packets ...string) error {
	if r.ws != nil {
		for _, p := range packets {
			if err := r.ws.WriteMessage(websocket.TextMessage, []byte(p)); err != nil {
				return err
			}
		}
		return nil
	}
	response, err := r.http.Post(r.base, "text/plain;charset=UTF-8", strings.NewReader(strings.Join(packets, "\x1e")))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	return nil
}

func (r *radio) mustSend(packets ...string) {
	r.t.Helper()
	if err := r.send(packets...); err != nil {
		r.t.Fatal(err)
	}
}

// connect joins the namespace "/".
func (r *radio) connect() *radio {
	r.t.Helper()
	r.mustSend("40")
	r.mustRead("40{")
	return r
}

// open makes a connected radio on the named transport. "upgrade" starts with polling
// and switches in the middle of the story.
func (s *station) open(transport string) *radio {
	s.t.Helper()
	if transport == "websocket" {
		return s.websocket().connect()
	}
	return s.polling().connect()
}

// each runs a story on every transport.
func each(t *testing.T, story func(t *testing.T, transport string)) {
	for _, transport := range []string{"websocket", "polling"} {
		t.Run(transport, func(t *testing.T) { story(t, transport) })
	}
}
