package webhook_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/testpeers/dns"
	"squelch/server/webhook"
)

// TestLyingReceivers: what counts is the status; whatever the rest is, the event is taken
// once, or tried again with the same id.
func TestLyingReceivers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		name  string
		serve func(conn net.Conn)
		again bool
	}{
		{"a body shorter than its length", func(conn net.Conn) { fmt.Fprint(conn, ok+"Content-Length: 100000\r\n\r\nshort") }, false},
		{"a body longer than its length", func(conn net.Conn) {
			fmt.Fprint(conn, ok+"Content-Length: 1\r\n\r\n"+strings.Repeat("HTTP/1.1 500 x\r\n\r\n", 50))
		}, false},
		{"an endless body", func(conn net.Conn) {
			fmt.Fprint(conn, ok+"\r\n")
			for {
				if _, err := conn.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, false},
		{"a body that trickles", func(conn net.Conn) {
			fmt.Fprint(conn, ok+"Transfer-Encoding: chunked\r\n\r\n")
			for {
				if _, err := fmt.Fprint(conn, "1\r\nx\r\n"); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, false},
		{"two lengths", func(conn net.Conn) { fmt.Fprint(conn, ok+"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx") }, true},
		{"an endless header", func(conn net.Conn) {
			fmt.Fprint(conn, ok)
			for {
				if _, err := fmt.Fprint(conn, "X: "+strings.Repeat("x", 1000)+"\r\n"); err != nil {
					return
				}
			}
		}, true},
		{"endless interim answers", func(conn net.Conn) {
			for {
				if _, err := fmt.Fprint(conn, "HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n"); err != nil {
					return
				}
			}
		}, true},
		{"no HTTP", func(conn net.Conn) { fmt.Fprint(conn, "220 mail.example.org ESMTP\r\n") }, true},
		{"nothing", func(net.Conn) {}, true},
		{"a reset", func(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids := make(chan string, 100)
			url := raw(t, func(conn net.Conn, n int) {
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				ids <- r.Header.Get("Squelch-Id")
				if n > 1 {
					fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
					return
				}
				c.serve(conn)
			})
			w := newWorld(t)
			w.begin(hookTo("cad", url))
			w.line.add(alert("1"), alert("2"))
			want := []string{"alert-1-1", "alert-2-2"}
			if c.again {
				want = []string{"alert-1-1", "alert-1-1", "alert-2-2"}
			}
			for _, id := range want {
				select {
				case got := <-ids:
					if got != id {
						t.Fatalf("%s is sent, want %s", got, id)
					}
				case <-time.After(patience):
					t.Fatalf("%s is not sent", id)
				}
			}
			w.until("done", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Sent == 2 && s.Behind == 0 })
			w.close()
		})
	}
}

// TestAReceiverThatNeverAnswers: it is given up after a while, and tried again; the end of
// the service does not wait for it.
func TestAReceiverThatNeverAnswers(t *testing.T) {
	ids := make(chan string, 100)
	over := make(chan struct{})
	url := raw(t, func(conn net.Conn, _ int) {
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		ids <- r.Header.Get("Squelch-Id")
		<-over
	})
	defer close(over)
	w := newWorld(t)
	w.begin(hookTo("cad", url))
	w.line.add(alert("1"))
	for range 2 {
		select {
		case id := <-ids:
			if id != "alert-1-1" {
				t.Errorf("%s", id)
			}
		case <-time.After(patience):
			t.Fatal("it is not tried again")
		}
	}
	w.until("failing", func(s wire.WebhookState, _ []wire.DeadLetter) bool {
		return s.State == "failing" && s.Error == "no answer came within 10s"
	})
	w.close() // while it hangs
	// The restart goes on with the same event.
	w.begin(hookTo("cad", url))
	if id := <-ids; id != "alert-1-1" {
		t.Errorf("%s after the restart", id)
	}
}

// TestARedirectLeadsNowhere: neither to an address inside of a network, nor elsewhere.
func TestARedirectLeadsNowhere(t *testing.T) {
	w := newWorld(t)
	inside := newReceiver(t, w.clock)
	r := newReceiver(t, w.clock)
	var asked atomic.Int32
	r.does(func(rw http.ResponseWriter, q *http.Request, _ call) {
		if asked.Add(1) == 1 {
			http.Redirect(rw, q, inside.http.URL+"/latest/meta-data", http.StatusPermanentRedirect)
		}
	})
	w.begin(hookTo("cad", r.http.URL))
	w.line.add(alert("1"))
	if a, b := r.next().id, r.next().id; a != b {
		t.Errorf("%s, then %s", a, b)
	}
	inside.quiet()
}

// TestAddressesInsideAreRefused: names that lead there, and addresses that are written
// down without being named as private.
func TestAddressesInsideAreRefused(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	names := dns.New(t)
	w.options.Names = names.Resolver()
	_, port, err := net.SplitHostPort(r.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, ip := range []string{"127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "10.0.0.1", "fd00:ec2::254"} {
		names.Answer("hooks.example.org", []netip.Addr{netip.MustParseAddr("93.184.216.34")}, []netip.Addr{netip.MustParseAddr(ip)})
		if _, err := names.Resolver().LookupNetIP(t.Context(), "ip", "hooks.example.org"); err != nil { // a check that sees the first answer
			t.Fatal(err)
		}
		h := hookTo("cad", "https://hooks.example.org:"+port+"/very-secret")
		h.Private = nil
		w.begin(h)
		sent, err := w.desk.Test(t.Context(), "cad")
		if err != nil || sent.OK || !strings.HasPrefix(sent.Error, "no answer: hooks.example.org leads to ") || strings.Contains(sent.Error, "very-secret") {
			t.Errorf("%s: %+v, %v", ip, sent, err)
		}
		w.close()
	}
	r.quiet()
	for _, c := range []struct{ url, want string }{
		{"https://127.0.0.1/", `is 127.0.0.1, an address inside of a network; if that is meant, private = { "127.0.0.1" } says so`},
		{"https://[::1]/", "is ::1, an address inside"}, {"https://169.254.169.254/", "is 169.254.169.254"}, {"https://[::ffff:10.0.0.1]/", "an address inside"},
	} {
		h := hookTo("cad", c.url)
		h.Private = nil
		if wrong := webhook.Check([]config.Webhook{h}); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), c.want) {
			t.Errorf("%s: %v", c.url, wrong)
		}
		w.options.Hooks = []config.Webhook{h}
		if _, err := webhook.New(w.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}

// TestWhatAReceiverRepeatsIsLeftOut: web servers repeat the path of a request that they do
// not understand, and it must not be in the log or at the administration.
func TestWhatAReceiverRepeatsIsLeftOut(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(func(out http.ResponseWriter, q *http.Request, _ call) {
		out.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(out, "Cannot POST %s (%s, %s), token very-secret-token, key=%s", q.URL.Path, q.RequestURI, q.Header.Get("Authorization"), q.URL.Query().Get("key"))
	})
	h := hookTo("cad", r.http.URL+"/hooks/very-secret-token?key=open+sesame")
	h.Headers = map[string]string{"Authorization": "Bearer quite-secret"}
	w.begin(h)
	defer w.close()
	sent, err := w.desk.Test(t.Context(), "cad")
	if err != nil || sent.OK || !strings.HasPrefix(sent.Error, "the answer is 404 Not Found: Cannot POST …") {
		t.Errorf("%+v, %v", sent, err)
	}
	for _, s := range []string{"very-secret", "sesame", "quite-secret"} {
		if strings.Contains(sent.Error, s) {
			t.Errorf("%q has %q", sent.Error, s)
		}
	}
}
