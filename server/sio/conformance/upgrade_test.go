package conformance

import "net/http"

// probe performs the first half of an upgrade.
func (w *wire) probe() {
	w.c.t.Helper()
	w.send("2probe")
	if got := w.any(); got != "3probe" {
		w.c.t.Fatalf("the probe was answered with %q", got)
	}
}

// echoes notes that the session still echoes over this websocket.
func (w *wire) echoes(text string) {
	w.c.t.Helper()
	w.send("4" + text)
	w.hear("ws", 1)
}

// stillPolling notes that a session still echoes over polling.
func (c *talk) stillPolling(sid string) {
	c.t.Helper()
	c.note("post", c.post(sid, "4still polling"))
	c.note("poll", c.pollPacket(sid))
}

const stillPolling = "post: 200 ok\npoll: 200 4still polling"

// heartbeatUpgradeStories are for a server with a fast heartbeat.
var heartbeatUpgradeStories = []story{
	{name: "heartbeats go on over the websocket",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.probe()
			w.send("5")
			for range 2 {
				c.note("ws", w.any())
				w.send("3")
			}
			w.echoes("alive")
		},
		want: "ws: 2\nws: 2\nws: 4alive"},
}

var upgradeStories = []story{
	{name: "from polling to websocket",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.send("2probe")
			c.note("ws", w.any())
			c.note("poll", c.poll(sid)) // the server ends it, so that nothing is lost
			w.send("5")
			w.echoes("hello")
		},
		want: "ws: 3probe\npoll: 200 6\nws: 4hello"},
	{name: "a poll that hangs at the probe is released",
		tell: func(c *talk) {
			sid := c.openPolling()
			pending := c.rawRequest(c.pollHead(sid))
			w := c.upgradeTo(sid)
			w.probe()
			c.note("poll", pending.answer())
			w.send("5")
			w.echoes("hello")
		},
		want: "poll: 200 6\nws: 4hello"},
	{name: "what was posted before arrives over the websocket",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			c.post(sid, "4posted before")
			w.probe()
			w.send("5")
			w.hear("ws", 1)
			w.echoes("after")
		},
		want: "ws: 4posted before\nws: 4after"},
	{name: "what is posted between probe and upgrade is not lost",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.probe()
			c.note("post", c.post(sid, "4in between"))
			w.send("5")
			w.send("4after")
			w.hear("ws", 2)
		},
		want: "post: 200 ok\nws: 4in between\nws: 4after"},
	{name: "polls after the upgrade are refused and harm nothing",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.probe()
			w.send("5")
			w.echoes("upgraded")
			c.note("poll", c.poll(sid))
			c.note("post", c.post(sid, "4x"))
			w.echoes("still here")
		},
		want: "ws: 4upgraded\npoll: " + badRequest + "\npost: " + badRequest + "\nws: 4still here"},
	{name: "a second websocket after the upgrade is closed and harms nothing",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.probe()
			w.send("5")
			w.echoes("upgraded")
			c.refusedSecond(sid)
			w.echoes("still here")
		},
		want: "ws: 4upgraded\nsecond: ended\nws: 4still here"},
	{name: "a second websocket during the upgrade is closed and harms nothing",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.probe()
			c.refusedSecond(sid)
			w.send("5")
			w.echoes("still here")
		},
		want: "second: ended\nws: 4still here"},
	{name: "a second websocket for a websocket session is closed",
		tell: func(c *talk) {
			w := c.openWebsocket()
			second := c.upgradeTo(w.id)
			second.send("2probe")
			w.echoes("still here")
		},
		want: "ws: 4still here"},
	{name: "a websocket that dies after the probe leaves polling alive",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.probe()
			w.Close()
			c.stillPolling(sid)
		},
		want: stillPolling},
	{name: "another packet instead of the probe leaves polling alive",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.send("4too early")
			w.hear("ws", 1)
			c.stillPolling(sid)
		},
		want: "ws: closed 1005\n" + stillPolling},
	{name: "an UPGRADE without a probe",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.send("5", "4over here")
			w.hear("ws", 1)
		},
		want: "ws: 4over here"},
	{name: "a false probe leaves polling alive",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.send("2prove")
			w.hear("ws", 1)
			c.stillPolling(sid)
		},
		want: "ws: closed 1005\n" + stillPolling},
	{name: "garbage instead of the probe leaves polling alive",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.send("zzz")
			w.hear("ws", 1)
			c.stillPolling(sid)
		},
		want: "ws: closed 1005\n" + stillPolling},
	{name: "a failed upgrade may be tried again",
		tell: func(c *talk) {
			sid := c.openPolling()
			w := c.upgradeTo(sid)
			w.send("zzz")
			w.hear("ws", 1)
			second := c.upgradeTo(sid)
			second.probe()
			second.send("5")
			second.echoes("second try")
		},
		want: "ws: closed 1005\nws: 4second try"},
	{name: "an upgrade with another protocol version is refused",
		tell: func(c *talk) {
			sid := c.openPolling()
			_, refusal := c.dialURL("ws" + c.base[len("http"):] + c.path + "?EIO=3&transport=websocket&sid=" + sid)
			c.note("dial", refusal)
			c.stillPolling(sid)
		},
		want: "dial: 400 Bad request\n" + stillPolling},
}

// refusedSecond dials a second websocket for a session that has one. Node accepts the
// websocket and closes it at once; a plain refusal is as good.
func (c *talk) refusedSecond(sid string) {
	c.t.Helper()
	second, refusal := c.dial("transport=websocket&sid=" + sid)
	if second == nil {
		if refusal.status != http.StatusBadRequest {
			c.note("second refused", refusal)
			return
		}
		c.note("second", "ended")
		return
	}
	if got := second.any(); got != "closed 1005" {
		c.note("second heard", got)
		return
	}
	c.note("second", "ended")
}
