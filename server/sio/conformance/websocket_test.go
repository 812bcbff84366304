package conformance

import (
	"fmt"
	"strings"
)

var websocketStories = []story{
	{name: "text", tell: answered(1, "4hello"), want: "ws: 4hello"},
	{name: "an empty text", tell: answered(1, "4"), want: "ws: 4"},
	{name: "text beyond ASCII", tell: answered(1, "4äöü 無線 📻"), want: "ws: 4äöü 無線 📻"},
	{name: "binary",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.sendBinary(1, 2, 3, 4)
			w.hear("ws", 1)
		},
		want: "ws: <01020304>"},
	{name: "an empty binary",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.sendBinary()
			w.hear("ws", 1)
		},
		want: "ws: <>"},
	{name: "base64 in a text frame is binary too", tell: answered(1, "bAQIDBA=="), want: "ws: <01020304>"},
	{name: "a separator means nothing here", tell: answered(1, "4a"+separator+"4b"), want: "ws: 4a␞4b"},
	{name: "many in order",
		tell: func(c *talk) {
			w := c.openWebsocket()
			for i := range 500 {
				w.send(fmt.Sprint("4", i))
			}
			for i := range 500 {
				if got := w.next(); got != fmt.Sprint("4", i) {
					c.note("out of order", fmt.Sprint(i, " ", got))
					return
				}
			}
			c.note("in order", 500)
		},
		want: "in order: 500"},
	{name: "a message in three fragments",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.frame(0x01, "4he")
			w.frame(0x00, "ll")
			w.frame(0x80, "o")
			w.hear("ws", 1)
		},
		want: "ws: 4hello"},
	{name: "a websocket ping is answered by the websocket",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.SetPongHandler(func(data string) error { c.note("pong", data); return nil })
			w.frame(0x89, "beat")
			w.send("4x")
			w.hear("ws", 1)
		},
		want: "pong: beat\nws: 4x"},
	{name: "a message of exactly the limit", tell: answered(1, "4"+strings.Repeat("x", 999_999)),
		want: "ws: 4xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (1000000 bytes)"},
	{name: "one byte over the limit", tell: answered(1, "4"+strings.Repeat("x", 1_000_000)),
		want: "ws: closed 1009"},
	{name: "packets that only servers send are ignored", tell: answered(1, "0", "0{}", "5", "6", "4x"), want: "ws: 4x"},
	{name: "a CLOSE ends the session", tell: answered(1, "1", "4x"), want: "ws: 4x",
		ours: "ws: closed 1005",
		why: `the protocol lets either side close with the packet; Node ignores it over websocket
			and waits for its own ping timeout`},
	{name: "an unknown packet type ends the session", tell: answered(1, "abc"), want: "ws: closed 1005"},
	{name: "an empty frame ends the session", tell: answered(1, ""), want: "ws: closed 1005"},
	{name: "packet type 7 ends the session", tell: answered(1, "7"), want: "ws: closed 1005"},
	{name: "a probe outside an upgrade ends the session", tell: answered(1, "2probe"), want: "ws: closed 1005"},
	{name: "text that is not UTF-8 ends the session", tell: answered(1, "4\xff\xfe"), want: "ws: closed 1007"},
	{name: "a reserved opcode ends the session",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.frame(0x83, "4x")
			w.hear("ws", 1)
		},
		want: "ws: closed 1002"},
	{name: "a compressed frame that was not negotiated ends the session",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.frame(0xc1, "4x")
			w.hear("ws", 1)
		},
		want: "ws: closed 1002"},
	{name: "an unmasked frame ends the session",
		tell: func(c *talk) {
			w := c.openWebsocket()
			_, _ = w.NetConn().Write([]byte("\x81\x024x"))
			w.hear("ws", 1)
		},
		want: "ws: closed 1002"},
}

// answered sends packets over a new websocket and hears n answers.
func answered(n int, packets ...string) func(c *talk) {
	return func(c *talk) {
		w := c.openWebsocket()
		w.send(packets...)
		w.hear("ws", n)
	}
}

// frame writes a frame byte by byte, for what gorilla would not write. The
// mask is zero, which RFC 6455 section 5.3 allows. Payloads stay below 126 B.
func (w *wire) frame(first byte, payload string) {
	head := []byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0}
	_, _ = w.NetConn().Write(append(head, payload...))
}
