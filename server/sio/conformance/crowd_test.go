package conformance

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// inParallel calls do for 0…n-1 from a few goroutines and waits.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// bystander is an honest client that talks all the time. The function that it returns
// ends it, and fails the test if it was disturbed.
func bystander(t *testing.T, s server) (quiet func()) {
	t.Helper()
	w := newTalk(t, s.base, "/socket.io/").connected()
	stop, ended := make(chan struct{}), make(chan string, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				ended <- ""
				return
			default:
			}
			_ = w.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `42["message",%d]`, i))
			_ = w.SetReadDeadline(time.Now().Add(silence))
			_, got, err := w.ReadMessage()
			if err != nil || string(got) != fmt.Sprintf(`42["message-back",%d]`, i) {
				ended <- fmt.Sprintf("message %d was answered %q, %v", i, got, err)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return func() {
		t.Helper()
		close(stop)
		if trouble := <-ended; trouble != "" {
			t.Errorf("the bystander was disturbed: %s", trouble)
		}
		if !s.Alive() {
			t.Errorf("the server died: %v\n%s", s.Wait(), s.Stderr())
		}
	}
}

// TestOverlappingRequests sends polls, POSTs and upgrades of one session all
// at once, on many sessions.
func TestOverlappingRequests(t *testing.T) {
	p := startPair(t, calmHeart)
	for name, s := range map[string]server{"node": p.node, "ours": p.ours} {
		t.Run(name, func(t *testing.T) {
			quiet := bystander(t, s)
			var answered, refused atomic.Int64
			inParallel(30, func(int) { overlap(t, s, &answered, &refused) })
			quiet()
			if answered.Load() < 30 || refused.Load() < 30 {
				t.Errorf("%d requests answered and %d refused: the sessions saw no overlap", answered.Load(), refused.Load())
			}
		})
	}
}

// overlap opens one session and sends it everything at once.
func overlap(t *testing.T, s server, answered, refused *atomic.Int64) {
	c := newTalk(t, s.base, "/socket.io/")
	defer c.http.CloseIdleConnections()
	sid := c.openPolling()
	var all sync.WaitGroup
	count := func(r reply) {
		if r.status == http.StatusOK {
			answered.Add(1)
		} else {
			refused.Add(1)
		}
	}
	count(c.post(sid, "40"))
	for i := range 4 {
		all.Go(func() { count(c.poll(sid)) })
		all.Go(func() { count(c.post(sid, fmt.Sprintf(`42["message",%d]`, i))) })
	}
	all.Go(func() {
		w, _ := c.dial("transport=websocket&sid=" + sid)
		if w != nil {
			w.send("2probe", "5", `42["message","upgraded"]`)
			w.Close()
		}
	})
	all.Go(func() { c.rawRequest(c.pollHead(sid)).Close() })
	all.Go(func() { c.rawRequest(c.postHead(sid, 100) + "42[").Close() })
	all.Wait()
}

// TestPongRightAfterTheHandshake sends PONGs that were not asked for before anything
// was read, which once killed a server.
func TestPongRightAfterTheHandshake(t *testing.T) {
	p := startPair(t, calmHeart)
	for name, s := range map[string]server{"node": p.node, "ours": p.ours} {
		t.Run(name, func(t *testing.T) {
			quiet := bystander(t, s)
			var alive atomic.Int64
			inParallel(60, func(int) {
				c := newTalk(t, s.base, "/engine.io/")
				w, refusal := c.dial("transport=websocket")
				if w == nil {
					t.Errorf("refused: %v", refusal)
					return
				}
				defer w.Close()
				w.send("3", "3probe", "3", "4alive")
				if open, got := w.next(), w.next(); sidOf(open) != "" && got == "4alive" {
					alive.Add(1)
				}
			})
			quiet()
			if alive.Load() != 60 {
				t.Errorf("%d of 60 sessions outlived their early PONGs", alive.Load())
			}
		})
	}
}

// TestFirstEventsTravelWithConnect sends CONNECT and the first events together. Node
// ends such a connection when they share a TCP segment, so only our server is tested:
// none lost, none closed, over any transport.
func TestFirstEventsTravelWithConnect(t *testing.T) {
	s := startPair(t, calmHeart).ours
	packets := []string{"40", `42["message",1]`, `42["message",2]`, `420["message-with-ack",3]`}
	const want = `40{"sid":"…"} 42["auth",{}] 42["message-back",1] 42["message-back",2] 430[3]`
	ways := map[string]func(c *talk) string{
		"websocket": func(c *talk) string {
			w := c.openWebsocket()
			defer w.Close()
			w.send(packets...)
			return w.joined(5)
		},
		"polling": func(c *talk) string {
			sid := c.openPolling()
			c.post(sid, strings.Join(packets, separator))
			return c.pollAll(sid, 5)
		},
		"upgrade": func(c *talk) string {
			sid := c.openPolling()
			c.post(sid, strings.Join(packets[:2], separator))
			w := c.upgradeTo(sid)
			defer w.Close()
			w.probe()
			w.send("5", packets[2], packets[3])
			return w.joined(5)
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			inParallel(200, func(i int) {
				c := newTalk(t, s.base, "/socket.io/")
				defer c.http.CloseIdleConnections()
				if got := steady(way(c)); got != want {
					t.Errorf("client %d heard %s\nwant %s", i, got, want)
				}
			})
		})
	}
}

// joined reads n messages and joins them.
func (w *wire) joined(n int) string {
	var all []string
	for range n {
		all = append(all, w.next())
	}
	return strings.Join(all, " ")
}

// TestAPeerThatNeverReadsIsClosed floods the server with events whose answers it does
// not read: the server must give up on it instead of keeping them all.
func TestAPeerThatNeverReadsIsClosed(t *testing.T) {
	s := startPair(t, calmHeart).ours
	quiet := bystander(t, s)
	w := newTalk(t, s.base, "/socket.io/").connected()
	event := []byte(`42["message","` + strings.Repeat("x", 100_000) + `"]`)
	const flood = 2000 // of 100 KB: far more than any buffer on the way takes
	for i := range flood {
		_ = w.SetWriteDeadline(time.Now().Add(silence))
		err := w.WriteMessage(websocket.TextMessage, event)
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			t.Fatal("the server neither reads on nor closes")
		}
		if err != nil {
			t.Logf("closed after %d events", i)
			quiet()
			return
		}
	}
	quiet()
	t.Errorf("the server took %d events of 100 KB whose answers nobody reads", flood)
}
