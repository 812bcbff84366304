package conformance

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// silence is how long a case waits for an answer. It only bounds a failing test: no
// case passes by waiting for it.
const silence = time.Minute

// separator stands between the packets of one polling payload (Engine.IO
// protocol v4, "HTTP long-polling, packet encoding").
const separator = "\x1e"

// talk is one conversation with a server and the transcript of its answers.
type talk struct {
	t    *testing.T
	base string // http://127.0.0.1:port
	path string // "/engine.io/" or "/socket.io/"
	http *http.Client

	mu    sync.Mutex
	heard []string
}

func newTalk(t *testing.T, base, path string) *talk {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &talk{t: t, base: base, path: path, http: &http.Client{Transport: transport, Timeout: silence}}
}

// note adds one answer to the transcript.
func (c *talk) note(label string, answer any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, label+": "+steady(fmt.Sprint(answer)))
}

func (c *talk) transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.heard, "\n")
}

var (
	sessionID   = regexp.MustCompile(`"(sid|pid)":"[A-Za-z0-9_-]{8,64}"`)
	unprintable = strings.NewReplacer(separator, "␞")
)

// steady masks what differs from run to run.
func steady(answer string) string {
	return unprintable.Replace(sessionID.ReplaceAllString(answer, `"$1":"…"`))
}

// reply is the answer to one HTTP request.
type reply struct {
	status int
	kind   string // Content-Type
	body   string
	err    error // the connection ended without an answer
}

// String leaves the content type out: only the handshake case looks at it.
func (r reply) String() string {
	if r.err != nil {
		return "no answer"
	}
	body := r.body
	if len(body) > 400 {
		body = fmt.Sprintf("%.40s… (%d bytes)", body, len(body))
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.status, body))
}

// url is the address of a request; query is what follows "EIO=4&".
func (c *talk) url(query string) string { return c.base + c.path + "?EIO=4&" + query }

func (c *talk) request(method, url, body string) reply {
	c.t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	return c.do(request)
}

func (c *talk) do(request *http.Request) reply {
	c.t.Helper()
	response, err := c.http.Do(request)
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			c.t.Fatalf("%s %s: the server stayed silent", request.Method, request.URL)
		}
		return reply{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header.Get("Content-Type"), string(body), err}
}

// openPolling does the polling handshake and returns the session's id.
func (c *talk) openPolling() string {
	c.t.Helper()
	r := c.request(http.MethodGet, c.url("transport=polling"), "")
	sid := sidOf(r.body)
	if r.status != http.StatusOK || sid == "" {
		c.t.Fatalf("polling handshake: %v", r)
	}
	return sid
}

var sidField = regexp.MustCompile(`"sid":"([^"]+)"`)

func sidOf(openPacket string) string {
	if m := sidField.FindStringSubmatch(openPacket); m != nil {
		return m[1]
	}
	return ""
}

func (c *talk) poll(sid string) reply {
	c.t.Helper()
	return c.request(http.MethodGet, c.url("transport=polling&sid="+sid), "")
}

func (c *talk) post(sid, payload string) reply {
	c.t.Helper()
	return c.request(http.MethodPost, c.url("transport=polling&sid="+sid), payload)
}

// pollPacket polls until there is more than a PING of the server, which it answers,
// or a NOOP, which an upgrade leaves behind.
func (c *talk) pollPacket(sid string) reply {
	c.t.Helper()
	for {
		r := c.poll(sid)
		switch {
		case r.status == http.StatusOK && r.body == "6":
		case r.status == http.StatusOK && r.body == "2":
			c.post(sid, "3")
		default:
			return r
		}
	}
}

// pollPackets polls until n packets have come and returns them as one payload: a
// server may answer before it has them all.
func (c *talk) pollPackets(sid string, n int) reply {
	c.t.Helper()
	all := c.pollPacket(sid)
	for all.status == http.StatusOK && strings.Count(all.body, separator)+1 < n {
		more := c.pollPacket(sid)
		if more.status != http.StatusOK {
			return more
		}
		all.body += separator + more.body
	}
	return all
}

// rawRequest writes bytes to a connection of its own, which stays open: a
// request can be left half sent, or its answer awaited later.
func (c *talk) rawRequest(text string) *rawRequest {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.base, "http://"))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(silence))
	if _, err := io.WriteString(conn, text); err != nil {
		c.t.Fatal(err)
	}
	return &rawRequest{conn}
}

// pollHead is the text of a poll, for rawRequest.
func (c *talk) pollHead(sid string) string {
	return "GET " + c.path + "?EIO=4&transport=polling&sid=" + sid + " HTTP/1.1\r\nHost: x\r\n\r\n"
}

// postHead is the head of a POST that promises length bytes, for rawRequest.
func (c *talk) postHead(sid string, length int) string {
	return fmt.Sprintf("POST %s?EIO=4&transport=polling&sid=%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", c.path, sid, length)
}

type rawRequest struct{ net.Conn }

// answer reads the response, or "no answer" when the server hangs up.
func (r *rawRequest) answer() reply {
	response, err := http.ReadResponse(bufio.NewReader(r), nil)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header.Get("Content-Type"), string(body), err}
}

// upgradeHeaders asks for a websocket in bare HTTP and returns the answer.
func (c *talk) upgradeHeaders(query string) reply {
	return c.rawRequest("GET " + c.path + query + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").answer()
}

// wire is one websocket of a conversation.
type wire struct {
	*websocket.Conn
	c      *talk
	id     string // of the session, when this websocket opened it
	opened string // the OPEN packet
}

// dial opens a websocket with the given query (after "EIO=4&"). If the server
// refuses, the wire is nil and the reply is the refusal.
func (c *talk) dial(query string) (*wire, reply) {
	c.t.Helper()
	return c.dialURL("ws" + strings.TrimPrefix(c.url(query), "http"))
}

func (c *talk) dialURL(url string) (*wire, reply) {
	c.t.Helper()
	dialer := websocket.Dialer{HandshakeTimeout: silence}
	conn, response, err := dialer.Dial(url, nil)
	if err != nil {
		if response == nil {
			return nil, reply{err: err}
		}
		body, _ := io.ReadAll(response.Body)
		return nil, reply{status: response.StatusCode, body: string(body)}
	}
	c.t.Cleanup(func() { conn.Close() })
	return &wire{Conn: conn, c: c}, reply{status: response.StatusCode}
}

// openWebsocket opens a session over websocket and reads its OPEN packet.
func (c *talk) openWebsocket() *wire {
	c.t.Helper()
	w, refused := c.dial("transport=websocket")
	if w == nil {
		c.t.Fatalf("websocket refused: %v", refused)
	}
	w.opened = w.next()
	if w.id = sidOf(w.opened); w.id == "" {
		c.t.Fatalf("no OPEN packet but %q", w.opened)
	}
	return w
}

// upgradeTo opens a websocket for an existing polling session.
func (c *talk) upgradeTo(sid string) *wire {
	c.t.Helper()
	w, refused := c.dial("transport=websocket&sid=" + sid)
	if w == nil {
		c.t.Fatalf("upgrade refused: %v", refused)
	}
	return w
}

// connected is a websocket session that has joined namespace "/" of the
// Socket.IO server and has read the CONNECT reply and the `auth` event.
func (c *talk) connected() *wire {
	c.t.Helper()
	w := c.openWebsocket()
	w.send("40")
	if got := w.next(); !strings.HasPrefix(got, `40{"sid":`) {
		c.t.Fatalf("CONNECT was answered with %q", got)
	}
	if got := w.next(); got != `42["auth",{}]` {
		c.t.Fatalf("after CONNECT came %q", got)
	}
	return w
}

func (w *wire) send(packets ...string) {
	w.c.t.Helper()
	for _, p := range packets {
		// A failed write means that the server closed: what it said is read next.
		_ = w.WriteMessage(websocket.TextMessage, []byte(p))
	}
}

func (w *wire) sendBinary(payload ...byte) {
	_ = w.WriteMessage(websocket.BinaryMessage, payload)
}

// any reads the next message, heartbeats included: text as it is, binary as
// <hex>, the end as "closed CODE".
func (w *wire) any() string {
	w.c.t.Helper()
	_ = w.SetReadDeadline(time.Now().Add(silence))
	kind, data, err := w.ReadMessage()
	var closed *websocket.CloseError
	var timeout net.Error
	switch {
	case errors.As(err, &closed):
		return strings.TrimSpace(fmt.Sprintf("closed %d %s", closed.Code, closed.Text))
	case errors.As(err, &timeout) && timeout.Timeout():
		w.c.t.Fatalf("the server stayed silent; so far:\n%s", w.c.transcript())
	case err != nil:
		return "closed without a word"
	}
	if kind == websocket.BinaryMessage {
		if len(data) > 64 {
			return fmt.Sprintf("<%d bytes, all %x: %t>", len(data), data[0], len(bytes.Trim(data, string(data[:1]))) == 0)
		}
		return fmt.Sprintf("<%x>", data)
	}
	return string(data)
}

// next reads the next message that is not a PING; PINGs are answered.
func (w *wire) next() string {
	w.c.t.Helper()
	for {
		got := w.any()
		if got != "2" {
			return got
		}
		w.send("3")
	}
}

// hear notes the next n messages under a label.
func (w *wire) hear(label string, n int) {
	w.c.t.Helper()
	for range n {
		got := w.next()
		if len(got) > 400 {
			got = fmt.Sprintf("%.40s… (%d bytes)", got, len(got))
		}
		w.c.note(label, got)
	}
}
