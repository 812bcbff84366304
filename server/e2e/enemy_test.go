package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// enemyPatience is how long the enemy waits for an answer before it goes on.
	enemyPatience = 20 * time.Second
	// leftOpen is how many of its sockets the enemy leaves open at once.
	leftOpen = 100
)

// enemy comes from an address of its own, so that limits by address are its own.
type enemy struct {
	s    *service
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	http *http.Client
	by   session // an insider's

	pid, offset string // of somebody else's live socket

	let, recovered atomic.Int64 // how often it was let in, and recovered

	mu   sync.Mutex
	open []net.Conn
	ids  int
}

func newEnemy(s *service, from string, o *office) *enemy {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: enemyPatience}
	e := &enemy{s: s}
	e.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // it never says goodbye, and keeps no port
		}
		return conn, err
	}
	e.http = &http.Client{Transport: &http.Transport{DialContext: e.dial, DisableKeepAlives: true}, Timeout: enemyPatience}
	e.pid, e.offset = o.victim()
	return e
}

// number returns a fresh number, for ids and guesses.
func (e *enemy) number() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ids++
	return e.ids
}

// keep leaves a connection open, and cuts the oldest if there are too many.
func (e *enemy) keep(conn net.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open = append(e.open, conn); len(e.open) > leftOpen {
		_ = e.open[0].Close()
		e.open = e.open[1:]
	}
}

func (e *enemy) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, conn := range e.open {
		_ = conn.Close()
	}
	e.open = nil
}

// rest makes a call; a broken connection is status 0.
func (e *enemy) rest(method, path, body string, by session) (status int, answer string) {
	r, err := http.NewRequest(method, e.s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	if by.AuthToken != "" {
		r.Header.Set("Authorization", "Bearer "+by.AuthToken)
	}
	if by.SessionID != "" {
		r.Header.Set("X-Session-Id", by.SessionID)
	}
	reply, err := e.http.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer reply.Body.Close()
	var text bytes.Buffer
	_, _ = io.Copy(&text, io.LimitReader(reply.Body, 1<<20))
	return reply.StatusCode, text.String()
}

// wants returns an error if a call got another status than one of these. Refusals of
// everything (0: cut off, 429, 503) are fine for an enemy.
func (e *enemy) wants(method, path, body string, by session, statuses ...int) error {
	status, answer := e.rest(method, path, body, by)
	for _, s := range append(statuses, 0, http.StatusTooManyRequests, http.StatusServiceUnavailable) {
		if status == s {
			return nil
		}
	}
	return fmt.Errorf("%s %s: status %d %.200s", method, path, status, answer)
}

// set is a socket of the enemy; all of its calls may fail silently.
type set struct{ *websocket.Conn }

// socket opens a websocket; nil: refused.
func (e *enemy) socket() *set {
	d := websocket.Dialer{NetDialContext: e.dial, HandshakeTimeout: enemyPatience}
	conn, reply, err := d.Dial(strings.Replace(e.s.url, "http", "ws", 1)+"/socket.io/?EIO=4&transport=websocket", nil)
	if reply != nil {
		_ = reply.Body.Close()
	}
	if err != nil {
		return nil
	}
	_ = conn.SetReadDeadline(time.Now().Add(enemyPatience))
	return &set{conn}
}

func (r *set) say(texts ...string) {
	_ = r.SetWriteDeadline(time.Now().Add(enemyPatience))
	for _, text := range texts {
		if r.WriteMessage(websocket.TextMessage, []byte(text)) != nil {
			return
		}
	}
}

// hear reads until a message begins with one of the prefixes; "": the socket has
// ended.
func (r *set) hear(prefixes ...string) string {
	for {
		_, b, err := r.ReadMessage()
		if err != nil {
			return ""
		}
		for _, p := range prefixes {
			if strings.HasPrefix(string(b), p) {
				return string(b)
			}
		}
	}
}

// knock sends an auth object and returns the answer.
func (e *enemy) knock(auth string) (*set, string) {
	r := e.socket()
	if r == nil {
		return nil, ""
	}
	r.say("40" + auth)
	answer := r.hear("40", "44")
	if strings.HasPrefix(answer, "40") {
		e.let.Add(1)
	}
	return r, answer
}

// refused expects that nobody gets in with this auth object.
func (e *enemy) refused(auth string) error {
	r, answer := e.knock(auth)
	if r == nil {
		return nil
	}
	defer r.Close()
	if strings.HasPrefix(answer, "40") {
		return fmt.Errorf("let in with %s: %s", auth, answer)
	}
	return nil
}

// auth is what an insider sends, plus more.
func (e *enemy) auth(id int, more string) string {
	return fmt.Sprintf(`{"authToken":%q,"sessionId":%q,"serverId":%d%s}`, e.by.AuthToken, e.by.SessionID, id, more)
}

// desk puts the insider on the radio under some id; nil: refused.
func (e *enemy) desk(id int) *set {
	r, answer := e.knock(e.auth(id, ""))
	if r != nil && !strings.HasPrefix(answer, "40") {
		_ = r.Close()
		return nil
	}
	return r
}

// done waits until what was sent has been handled, or the socket has ended.
func (r *set) done() {
	r.say(`429["heartbeat",1]`)
	r.hear("439")
}
