package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// TestSocketIO covers the Socket.IO protocol v5 on top: CONNECT, events,
// acknowledgements, binary attachments, namespaces, DISCONNECT and packets
// that end the connection.
func TestSocketIO(t *testing.T) {
	calm := startPair(t, calmHeart)
	calm.tellAll(t, "/socket.io/", connectStories)
	calm.tellAll(t, "/socket.io/", eventStories)
	calm.tellAll(t, "/socket.io/", binaryStories)
	calm.tellAll(t, "/socket.io/", disconnectStories)
	calm.tellAll(t, "/socket.io/", socketPollingStories)
	calm.tellAll(t, "/socket.io/", malformedStories())
	startPair(t, quickHeart).tellAll(t, "/socket.io/", connectTimeoutStories)
}

const (
	welcome       = `ws: 40{"sid":"…"}` + "\n" + `ws: 42["auth",{}]`
	welcomeCustom = `ws: 40/custom,{"sid":"…"}` + "\n" + `ws: 42/custom,["auth",{}]`
	hung          = "ws: closed 1005" // the server ended the connection
)

// before sends packets on a websocket that has joined no namespace.
func before(n int, packets ...string) func(c *talk) { return answered(n, packets...) }

// after sends packets on a websocket that has joined "/".
func after(n int, packets ...string) func(c *talk) {
	return func(c *talk) {
		w := c.connected()
		w.send(packets...)
		w.hear("ws", n)
	}
}

// turn is what a client sends at once, and how many answers it then waits for.
type turn struct {
	hear int
	send string
}

// dialogue joins "/" and takes its turns. Node registers a namespace one tick after
// it has read the CONNECT, and ends a connection whose next packet was in the same
// TCP segment; so a story for both waits for answers.
func dialogue(turns ...turn) func(c *talk) {
	return func(c *talk) {
		w := c.connected()
		for _, t := range turns {
			w.send(t.send)
			w.hear("ws", t.hear)
		}
	}
}

var connectStories = []story{
	{name: "to the main namespace", tell: before(2, "40"), want: welcome},
	{name: "to the main namespace by name", tell: before(2, "40/,"), want: welcome},
	{name: "with a payload", tell: before(2, `40{"token":"123"}`),
		want: `ws: 40{"sid":"…"}` + "\n" + `ws: 42["auth",{"token":"123"}]`},
	{name: "with an empty payload", tell: before(2, `40{}`), want: welcome},
	{name: "to a custom namespace", tell: before(2, "40/custom,"), want: welcomeCustom},
	{name: "to a custom namespace without the comma", tell: before(2, "40/custom"), want: welcomeCustom},
	{name: "to a custom namespace with a payload", tell: before(2, `40/custom,{"token":"abc"}`),
		want: `ws: 40/custom,{"sid":"…"}` + "\n" + `ws: 42/custom,["auth",{"token":"abc"}]`},
	{name: "to an unknown namespace", tell: before(1, "40/random"), want: `ws: 44/random,{"message":"Invalid namespace"}`},
	{name: "to a namespace with a query", tell: before(1, "40/custom?token=abc,"),
		want: `ws: 44/custom?token=abc,{"message":"Invalid namespace"}`},
	{name: "to a namespace that differs by case", tell: before(1, "40/Custom,"), want: `ws: 44/Custom,{"message":"Invalid namespace"}`},
	{name: "an unknown namespace leaves the connection usable", tell: before(3, "40/random,", "40"),
		want: `ws: 44/random,{"message":"Invalid namespace"}` + "\n" + welcome},
	{name: "to both namespaces", tell: before(4, "40", "40/custom,"), want: welcome + "\n" + welcomeCustom},
	{name: "each namespace has its own id",
		tell: func(c *talk) {
			w := c.openWebsocket()
			ids := map[string]bool{w.id: true}
			for _, packet := range []string{"40", "40/custom,"} {
				w.send(packet)
				ids[sidOf(w.next())] = true
				w.hear("ws", 1)
			}
			c.note("different ids", len(ids))
		},
		want: `ws: 42["auth",{}]` + "\n" + `ws: 42/custom,["auth",{}]` + "\ndifferent ids: 3"},
	{name: "an ack id on CONNECT changes nothing", tell: before(2, `407{"token":"x"}`),
		want: `ws: 40{"sid":"…"}` + "\n" + `ws: 42["auth",{"token":"x"}]`},
	{name: "twice", tell: after(1, "40"), want: hung},
	{name: "an invalid packet instead", tell: before(1, "4abc"), want: hung},
	{name: "an empty message instead", tell: before(1, "4"), want: hung},
	{name: "an event instead", tell: before(1, `42["message"]`), want: hung},
	{name: "an ack instead", tell: before(1, `430[]`), want: hung},
	{name: "a DISCONNECT instead", tell: before(1, `41`), want: hung},
	{name: "a CONNECT_ERROR instead", tell: before(1, `44{"message":"no"}`), want: hung},
	{name: "a binary event instead",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.send(`451-["message",{"_placeholder":true,"num":0}]`)
			w.sendBinary(1)
			w.hear("ws", 1)
		}, want: hung},
	{name: "bytes instead",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.sendBinary('4', '0')
			w.hear("ws", 1)
		}, want: hung},
	{name: "the payload is an array", tell: before(1, `40[]`), want: hung},
	{name: "the payload is a string", tell: before(1, `40"token"`), want: hung},
	{name: "the payload is null", tell: before(1, `40null`), want: hung},
	{name: "the payload is true", tell: before(1, `40true`), want: hung},
	{name: "the payload is cut off", tell: before(1, `40{"token":`), want: hung},
	{name: "the payload is an event", tell: before(1, `40["message"]`), want: hung},
}

var connectTimeoutStories = []story{
	{name: "a client that never sends CONNECT is sent away",
		tell: func(c *talk) {
			c.openWebsocket().hear("ws", 1) // it answers every PING until then
		}, want: hung},
	{name: "a client that was refused a namespace is sent away too",
		tell: func(c *talk) {
			w := c.openWebsocket()
			w.send("40/random,")
			w.hear("ws", 2)
		}, want: `ws: 44/random,{"message":"Invalid namespace"}` + "\n" + hung},
}

var eventStories = []story{
	{name: "text", tell: after(1, `42["message",1,"2",{"3":[true]}]`), want: `ws: 42["message-back",1,"2",{"3":[true]}]`},
	{name: "no argument", tell: after(1, `42["message"]`), want: `ws: 42["message-back"]`},
	{name: "null, nesting and words beyond ASCII", tell: after(1, `42["message",null,[[[]]],{"ä":"無線 📻"}]`),
		want: `ws: 42["message-back",null,[[[]]],{"ä":"無線 📻"}]`},
	{name: "key order survives", tell: after(1, `42["message",{"zulu":1,"alpha":2,"mike":{"y":1,"b":2}}]`),
		want: `ws: 42["message-back",{"zulu":1,"alpha":2,"mike":{"y":1,"b":2}}]`},
	{name: "large integers survive", tell: after(1, `42["message",9007199254740993]`),
		want: `ws: 42["message-back",9007199254740992]`,
		ours: `ws: 42["message-back",9007199254740993]`,
		why:  "JavaScript rounds beyond 2^53; arguments stay raw JSON here"},
	{name: "with an ack", tell: after(1, `42456["message-with-ack",1,"2",{"3":[false]}]`), want: `ws: 43456[1,"2",{"3":[false]}]`},
	{name: "with ack id 0", tell: after(1, `420["message-with-ack"]`), want: `ws: 430[]`},
	{name: "with a large ack id", tell: after(1, `422147483648["message-with-ack",1]`), want: `ws: 432147483648[1]`},
	{name: "to the custom namespace", tell: dialogue(turn{2, `40/custom,`}, turn{1, `42/custom,["message",1]`}),
		want: welcomeCustom + "\n" + `ws: 42/custom,["message-back",1]`},
	{name: "with an ack to the custom namespace", tell: dialogue(turn{2, `40/custom,`}, turn{1, `42/custom,12["message-with-ack",1]`}),
		want: welcomeCustom + "\n" + `ws: 43/custom,12[1]`},
	{name: "an unknown event is ignored", tell: after(1, `42["nobody listens",1]`, `42["message",2]`), want: `ws: 42["message-back",2]`},
	{name: "a numeric event name is legal", tell: after(1, `42[7,1]`, `42["message",2]`), want: `ws: 42["message-back",2]`},
	{name: "an unexpected ack is ignored", tell: after(1, `43999["late"]`, `42["message",2]`), want: `ws: 42["message-back",2]`},
	{name: "blanks in the JSON", tell: after(1, `42[ "message" , 1 ]`), want: `ws: 42["message-back",1]`},
	{name: "an event without payload", tell: after(1, `42`, `42["message",2]`), want: `ws: 42["message-back",2]`},
	{name: "an event without payload to the main namespace by name", tell: after(1, `42/`, `42["message",2]`), want: `ws: 42["message-back",2]`},
	{name: "an ack without payload", tell: after(1, `431`, `42["message",2]`), want: `ws: 42["message-back",2]`},
	{name: "many in order",
		tell: func(c *talk) {
			w := c.connected()
			for i := range 500 {
				w.send(fmt.Sprintf(`42["message",%d]`, i))
			}
			for i := range 500 {
				if got := w.next(); got != fmt.Sprintf(`42["message-back",%d]`, i) {
					c.note("out of order", fmt.Sprint(i, " ", got))
					return
				}
			}
			c.note("in order", 500)
		}, want: "in order: 500"},
}

// placeholders is the JSON of n attachments.
func placeholders(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"_placeholder":true,"num":%d}`, i))
	}
	return strings.Join(all, ",")
}

// attached joins "/", then sends a packet and its attachments.
func attached(n int, packet string, attachments ...[]byte) func(c *talk) {
	return func(c *talk) {
		w := c.connected()
		w.send(packet)
		for _, a := range attachments {
			w.sendBinary(a...)
		}
		w.hear("ws", n)
	}
}

func ofBytes(n int) [][]byte {
	var all [][]byte
	for i := range n {
		all = append(all, []byte{byte(i)})
	}
	return all
}

var binaryStories = []story{
	{name: "two attachments", tell: attached(3, `452-["message",`+placeholders(2)+`]`, []byte{1, 2, 3}, []byte{4, 5, 6}),
		want: `ws: 452-["message-back",` + placeholders(2) + "]\nws: <010203>\nws: <040506>"},
	{name: "an ack with attachments", tell: attached(3, `452-789["message-with-ack",`+placeholders(2)+`]`, []byte{1, 2, 3}, []byte{4, 5, 6}),
		want: `ws: 462-789[` + placeholders(2) + "]\nws: <010203>\nws: <040506>"},
	{name: "an attachment deep inside", tell: attached(2, `451-["message",{"a":[{"b":{"_placeholder":true,"num":0}}]}]`, []byte{9}),
		want: `ws: 451-["message-back",{"a":[{"b":{"_placeholder":true,"num":0}}]}]` + "\nws: <09>"},
	{name: "an empty attachment", tell: attached(2, `451-["message",`+placeholders(1)+`]`, []byte{}),
		want: `ws: 451-["message-back",` + placeholders(1) + "]\nws: <>"},
	{name: "in the custom namespace",
		tell: func(c *talk) {
			w := c.connected()
			w.send("40/custom,")
			w.hear("ws", 2)
			w.send(`451-/custom,["message",` + placeholders(1) + `]`)
			w.sendBinary(7)
			w.hear("ws", 2)
		},
		want: welcomeCustom + "\n" + `ws: 451-/custom,["message-back",` + placeholders(1) + "]\nws: <07>"},
	{name: "ten attachments are the most", tell: attached(11, `4510-["message",`+placeholders(10)+`]`, ofBytes(10)...),
		want: `ws: 4510-["message-back",` + placeholders(10) + "]\nws: <00>\nws: <01>\nws: <02>\nws: <03>\nws: <04>\nws: <05>\nws: <06>\nws: <07>\nws: <08>\nws: <09>"},
	{name: "eleven are too many", tell: attached(1, `4511-["message",`+placeholders(11)+`]`), want: hung},
	{name: "a thousand million are too many", tell: attached(1, `451000000000-["message"]`), want: hung},
	{name: "none", tell: attached(1, `450-["message"]`), want: hung},
	{name: "minus one", tell: attached(1, `45-1-["message"]`), want: hung},
	{name: "no number", tell: attached(1, `45-["message"]`), want: hung},
	{name: "no dash", tell: attached(1, `451["message"]`), want: hung},
	{name: "not a whole number", tell: attached(1, `451.5-["message"]`), want: hung},
	{name: "nothing after the type", tell: attached(1, `45`), want: hung},
	{name: "text while an attachment is awaited", tell: after(1, `451-["message",`+placeholders(1)+`]`, `42["message"]`), want: hung},
	{name: "an attachment nobody announced", tell: attached(1, `42["nobody listens"]`, []byte{1}), want: hung},
	{name: "a placeholder beyond the attachments", tell: attached(1, `451-["message",{"_placeholder":true,"num":5}]`, []byte{1}), want: hung},
	{name: "a negative placeholder", tell: attached(1, `451-["message",{"_placeholder":true,"num":-1}]`, []byte{1}), want: hung},
	{name: "a placeholder that is no number", tell: attached(1, `451-["message",{"_placeholder":true,"num":"0"}]`, []byte{1}), want: hung},
	{name: "a placeholder without a number", tell: attached(1, `451-["message",{"_placeholder":true}]`, []byte{1}), want: hung},
	{name: "an unexpected binary ack is ignored",
		tell: func(c *talk) {
			w := c.connected()
			w.send(`461-99[` + placeholders(1) + `]`)
			w.sendBinary(1)
			w.send(`42["message",2]`)
			w.hear("ws", 1)
		}, want: `ws: 42["message-back",2]`},
	{name: "an attachment in base64", tell: after(2, `451-["message",`+placeholders(1)+`]`, "bAQID"),
		want: `ws: 451-["message-back",` + placeholders(1) + "]\nws: <010203>"},
}

var disconnectStories = []story{
	{name: "from the custom namespace leaves the main one",
		tell: dialogue(turn{2, "40/custom,"}, turn{0, "41/custom,"}, turn{1, `42["message","main"]`}),
		want: welcomeCustom + "\n" + `ws: 42["message-back","main"]`},
	{name: "from the custom namespace without the comma",
		tell: dialogue(turn{2, "40/custom"}, turn{0, "41/custom"}, turn{1, `42["message","main"]`}),
		want: welcomeCustom + "\n" + `ws: 42["message-back","main"]`},
	{name: "from the main namespace leaves the custom one",
		tell: dialogue(turn{2, "40/custom,"}, turn{0, "41"}, turn{1, `42/custom,["message","custom"]`}),
		want: welcomeCustom + "\n" + `ws: 42/custom,["message-back","custom"]`},
	{name: "and back again",
		tell: dialogue(turn{0, "41"}, turn{2, "40/custom,"}, turn{2, "40"}),
		want: welcomeCustom + "\n" + welcome},
	{name: "an event after it ends the connection",
		tell: dialogue(turn{0, "41"}, turn{2, "40/custom,"}, turn{1, `42["message"]`}),
		want: welcomeCustom + "\n" + hung},
	{name: "an event to a namespace never joined ends the connection", tell: after(1, `42/custom,["message"]`), want: hung},
	{name: "a DISCONNECT from a namespace never joined ends the connection", tell: after(1, `41/custom,`), want: hung},
	{name: "a payload on DISCONNECT ends the connection", tell: after(1, `41{}`), want: hung},
	{name: "a client's CONNECT_ERROR ends the connection", tell: after(1, `44{"message":"no"}`), want: hung},
}

var socketPollingStories = []story{
	{name: "events in one payload",
		tell: func(c *talk) {
			sid := c.openPolling()
			c.note("post", c.post(sid, `40`))
			c.note("poll", c.pollAll(sid, 2))
			c.note("post", c.post(sid, `42["message",1]`+separator+`421["message-with-ack",2]`))
			c.note("poll", c.pollAll(sid, 2))
		},
		want: `post: 200 ok
poll: 40{"sid":"…"} 42["auth",{}]
post: 200 ok
poll: 42["message-back",1] 431[2]`},
	{name: "a binary event",
		tell: func(c *talk) {
			sid := c.openPolling()
			c.note("post", c.post(sid, `40`))
			c.note("poll", c.pollAll(sid, 2))
			c.note("post", c.post(sid, `451-["message",`+placeholders(1)+`]`+separator+`bAQID`))
			c.note("poll", c.pollAll(sid, 2))
		},
		want: `post: 200 ok
poll: 40{"sid":"…"} 42["auth",{}]
post: 200 ok
poll: 451-["message-back",{"_placeholder":true,"num":0}] bAQID`},
	{name: "a binary event in three POSTs",
		tell: func(c *talk) {
			sid := c.openPolling()
			c.note("post", c.post(sid, `40`))
			c.note("post", c.post(sid, `451-["message",`+placeholders(1)+`]`))
			c.note("post", c.post(sid, `bAQID`))
			c.note("poll", c.pollAll(sid, 4))
		},
		want: `post: 200 ok
post: 200 ok
post: 200 ok
poll: 40{"sid":"…"} 42["auth",{}] 451-["message-back",{"_placeholder":true,"num":0}] bAQID`},
	{name: "a malformed packet ends the session",
		tell: func(c *talk) {
			sid := c.openPolling()
			c.note("post", c.post(sid, `40`))
			c.note("poll", c.pollAll(sid, 2))
			c.post(sid, `42{}`)
			c.note("poll", c.closedPoll(sid))
		},
		want: "post: 200 ok\n" + `poll: 40{"sid":"…"} 42["auth",{}]` + "\npoll: closed"},
	{name: "upgrade in the middle of a conversation",
		tell: func(c *talk) {
			sid := c.openPolling()
			c.note("post", c.post(sid, `40`))
			c.note("post", c.post(sid, `42["message",1]`))
			w := c.upgradeTo(sid)
			w.probe()
			c.note("post", c.post(sid, `42["message",2]`))
			w.send("5", `42["message",3]`)
			w.hear("ws", 5)
		},
		want: "post: 200 ok\npost: 200 ok\npost: 200 ok\n" + welcome + "\n" +
			`ws: 42["message-back",1]` + "\n" + `ws: 42["message-back",2]` + "\n" + `ws: 42["message-back",3]`},
}

// pollAll polls until n packets have come, PING and NOOP not counted.
func (c *talk) pollAll(sid string, n int) string {
	c.t.Helper()
	var packets []string
	for len(packets) < n {
		r := c.pollPacket(sid)
		if r.status != 200 {
			return fmt.Sprint(packets, " then ", r)
		}
		packets = append(packets, strings.Split(r.body, separator)...)
	}
	return strings.Join(packets, " ")
}

// closedPoll polls a session that the server has ended: the answer is the CLOSE
// packet, or nothing more if the session has been forgotten.
func (c *talk) closedPoll(sid string) string {
	c.t.Helper()
	r := c.pollPacket(sid)
	if r.String() == unknownSession || r.String() == "200 1" || r.String() == "200 6"+separator+"1" {
		return "closed"
	}
	return r.String()
}

// malformedStories are packets that end the connection of a client that has joined
// "/", each in a conversation of its own.
func malformedStories() []story {
	var stories []story
	for _, packet := range []string{
		`4`, `4abc`, `47`, `48["message"]`, `49`, `4-1`, `4 2["message"]`,
		`42{}`, `42[]`, `42[null]`, `42[true]`, `42[{}]`, `42[["message"]]`, `42"message"`, `42null`, `42true`,
		`42[`, `42["message"`, `42["message",]`, `42["message"]x`, `42['message']`, `42["message",undefined]`, `42["message",NaN]`,
		`42abc["message-with-ack",1]`, `42-1["message"]`, `421.5["message"]`, `421e3["message"]`,
		`42["connect"]`, `42["connect_error"]`, `42["disconnect"]`, `42["disconnecting"]`, `42["newListener"]`, `42["removeListener"]`,
		`42/custom`, `42/custom,`, `42/,{}`, `42/nowhere,["message"]`,
		`430{}`, `430"x"`, `430[`, `43x[]`, `43null`,
		`40[]`, `40/custom,[]`, `40/custom,"x"`,
		`44`, `44"no"`, `44{}`, `41x`, `41[]`, `41null`,
		`2`, `2probe`, `7`, `8`, `x`, `{}`, `[]`, ` `, "\x00", "4\x002",
	} {
		stories = append(stories, story{name: fmt.Sprintf("%q ends the connection", packet), tell: after(1, packet), want: hung})
	}
	return stories
}
