package radio_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/internal/testradio"
	"squelch/server/sio/client"
)

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not so: ", what)
		}
	}
}

// owner is the node that owns the radio, and the others.
func owner(t *testing.T, all []*testradio.Member) (is *testradio.Member, rest []*testradio.Member) {
	t.Helper()
	until(t, "somebody owns the radio", func() bool {
		is, rest = nil, nil
		for _, m := range all {
			if all[0].Node.Leases.Owner("default").Node == m.Node.Name() {
				is = m
			} else {
				rest = append(rest, m)
			}
		}
		return is != nil
	})
	return is, rest
}

// TestADispatcherOfEachNode: what one says is heard at the others, and the owner's end is not
// noticed by those elsewhere.
func TestADispatcherOfEachNode(t *testing.T) {
	all := testradio.Nodes(t, 3, func() testradio.Options { return named("token") })
	var desks []*desk
	for i, m := range all {
		d := open(t, m.URL, "token", -2-i)
		d.does(t, "addListeningChannel", channel)
		desks = append(desks, d)
	}
	desks[0].does(t, "setSpeakerChannel", channel)
	desks[0].does(t, "setTalking", true)
	for _, d := range desks[1:] {
		d.hears(t, `"state":true`)
	}
	desks[0].does(t, "setTalking", false)
	is, rest := owner(t, all)
	is.Stop()
	for _, m := range rest {
		if got := reauth(t, m.URL, "token"); got != http.StatusOK {
			t.Errorf("node %s answers %d", m.Node.Name(), got)
		}
	}
	ear, talker := open(t, rest[1].URL, "token", -8), open(t, rest[0].URL, "token", -9)
	ear.does(t, "addListeningChannel", channel)
	talker.does(t, "setSpeakerChannel", channel)
	talker.does(t, "setTalking", true)
	ear.hears(t, `"state":true`)
}

// asks sends a request as the session of a reply.
func asks(t *testing.T, who wire.AuthReply, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+who.AuthToken)
	r.Header.Set("X-Session-Id", who.SessionID)
	r.Header.Set("Content-Type", "application/json")
	r.Close = true
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

// TestWhatOneNodeDoesIsKnownAtAll: a login at one node is good at the others at once, and its
// end closes what it has open anywhere; live edits, the timeline and the audit log are the
// same; scripts and webhooks run once, at the owner, and go on at the next one.
func TestWhatOneNodeDoesIsKnownAtAll(t *testing.T) {
	script := filepath.Join(t.TempDir(), "duty.lua")
	const answer = `RegisterNetEvent('duty:ask', function(what) TriggerClientEvent('duty:answer', source, what .. '!') end)`
	if err := os.WriteFile(script, []byte(answer), 0o600); err != nil {
		t.Fatal(err)
	}
	url, got := receiver(t)
	all := testradio.Nodes(t, 3, func() testradio.Options {
		o := hooked([]string{"login"}, url)
		o.Config.Server.AdminPassword = "admin-password"
		o.Config.SetDispatchNac("1234567890")
		o.Config.Server.Scripts = []string{script}
		return o
	})
	owns, rest := owner(t, all)

	var session wire.AuthReply
	code, text := asks(t, wire.AuthReply{AuthToken: "token"}, "POST", rest[0].URL+"/radio/dispatch/auth", `{"nacId":"1234567890","callsign":"Desk 1"}`)
	if code != http.StatusOK || json.Unmarshal([]byte(text), &session) != nil {
		t.Fatalf("%d %s", code, text)
	}
	for _, m := range all {
		if code, text := asks(t, session, "GET", m.URL+"/api/timeline", ""); code != http.StatusOK {
			t.Errorf("node %s: %d %s", m.Node.Name(), code, text)
		}
	}
	if p := next(t, got); p.Event != "login" {
		t.Errorf("%+v", p)
	}
	for _, m := range all {
		until(t, "the login is on the timeline of "+m.Node.Name(), func() bool {
			_, text := asks(t, session, "GET", m.URL+"/api/timeline", "")
			return strings.Contains(text, `"kind":"login"`)
		})
	}

	edits := make([]func(method, path, body string) (int, string), len(all))
	for i, m := range all {
		edits[i] = administrator(t, m.URL)
	}
	show := func(i int) (c wire.AdminConfig) {
		t.Helper()
		code, text := edits[i]("GET", "/admin/api/config", "")
		if code != http.StatusOK || json.Unmarshal([]byte(text), &c) != nil {
			t.Fatalf("%d %s", code, text)
		}
		return c
	}
	for i := range all {
		before := show(i).Revision
		body := fmt.Sprintf(`{"revision":%q,"config":{"volumes":{"voice":%d,"sfx":20,"audio3d":30,"step":5}}}`, before, 60+i)
		if code, text := edits[i]("PUT", "/admin/api/config", body); code != http.StatusOK {
			t.Fatalf("the edit at %s: %d %s", all[i].Node.Name(), code, text)
		}
		want := show(i).Revision
		for j := range all {
			until(t, "the edit is known at "+all[j].Node.Name(), func() bool {
				c := show(j)
				return c.Revision == want && c.Config.Volumes != nil && c.Config.Volumes.Voice == 60+i
			})
		}
	}
	for i := range all {
		code, text := edits[i]("GET", "/admin/api/audit/verify", "")
		var v wire.AdminVerification
		if code != http.StatusOK || json.Unmarshal([]byte(text), &v) != nil || v.Last < 6 {
			t.Errorf("the audit log at %s: %d %s", all[i].Node.Name(), code, text)
		}
	}

	var player wire.PlayerReply
	code, text = asks(t, wire.AuthReply{AuthToken: "token"}, "POST", owns.URL+"/api/player/connect", `{"serverId":7,"name":"Ann"}`)
	if code != http.StatusOK || json.Unmarshal([]byte(text), &player) != nil {
		t.Fatalf("%d %s", code, text)
	}
	asked := func(m *testradio.Member) {
		t.Helper()
		heard, up := make(chan string, 100), make(chan error, 1)
		c, err := client.New(client.Options{URL: m.URL, NoReconnect: true, Auth: func() any { return map[string]any{"authToken": player.PlayerToken, "serverId": 7} },
			OnConnect: func(bool) { up <- nil }, OnConnectError: func(err error) { up <- err },
			OnEvent: func(e client.Event) {
				if e.Name == "clientEvent" && strings.Contains(string(e.Args[0]), "duty:answer") {
					heard <- string(e.Args[0])
				}
			}})
		if err == nil {
			err = <-up
		}
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		until(t, "a script answers", func() bool {
			done := make(chan string, 1)
			if err := c.EmitAck("serverEvent", patience, func(a []json.RawMessage, err error) {
				if err != nil {
					done <- err.Error()
				} else {
					done <- string(a[0])
				}
			}, map[string]any{"name": "duty:ask", "args": []any{"on"}}); err != nil {
				t.Fatal(err)
			}
			return <-done == `{"success":true}`
		})
		if text := <-heard; text != `{"name":"duty:answer","args":["on!"]}` {
			t.Error(text)
		}
		time.Sleep(50 * time.Millisecond)
		if len(heard) > 0 {
			t.Errorf("more than one script has answered: %s", <-heard)
		}
	}
	asked(rest[0])
	asked(owns)

	open := dispatcher(t, rest[1].URL, session)
	owns.Stop()
	asked(rest[1])
	code, text = asks(t, session, "POST", rest[0].URL+"/radio/dispatch/logout", "{}")
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	select {
	case <-open:
	case <-time.After(patience):
		t.Error("the socket of a login that has ended at another node stays open")
	}
	if code, _ := asks(t, session, "GET", rest[1].URL+"/api/timeline", ""); code != http.StatusForbidden && code != http.StatusUnauthorized {
		t.Errorf("a session that has ended is answered %d", code)
	}
	seen := map[string]int{}
	until(t, "the next owner's webhooks tell of a login", func() bool {
		if code, text := asks(t, wire.AuthReply{AuthToken: "token"}, "POST", rest[0].URL+"/radio/dispatch/auth", `{"nacId":"1234567890","callsign":"Desk 2"}`); code != http.StatusOK {
			t.Fatalf("%d %s", code, text)
		}
		select {
		case p := <-got:
			if seen[p.ID]++; seen[p.ID] > 1 {
				t.Errorf("%s is sent twice", p.ID)
			}
			return strings.Contains(fmt.Sprint(p), "Desk 2")
		case <-time.After(time.Second):
			return false
		}
	})
}

// dispatcher opens a socket with a session; the channel is closed when its link has ended.
func dispatcher(t *testing.T, url string, who wire.AuthReply) <-chan struct{} {
	t.Helper()
	over, up := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	c, err := client.New(client.Options{URL: url, NoReconnect: true,
		Auth: func() any {
			return map[string]any{"authToken": who.AuthToken, "sessionId": who.SessionID, "serverId": -5}
		},
		OnConnect: func(bool) { up <- nil }, OnConnectError: func(err error) { up <- err },
		OnDisconnect: func(string) { once.Do(func() { close(over) }) }})
	if err == nil {
		err = <-up
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return over
}
