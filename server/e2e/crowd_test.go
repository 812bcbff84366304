package e2e

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sioclient "squelch/server/sio/client"
)

// crowd is how many clients a full game server has.
const crowd = 500

// TestAFullServerComesBackAtOnce: 500 players are on the radio when the service is killed.
// It starts again, all of them connect in the same moment, and all are on their channels
// again, under the same ids, and hear each other. Nothing else runs beside it: 500 clients in
// one process keep a small machine busy.
func TestAFullServerComesBackAtOnce(t *testing.T) {
	const limits = `Config.limits = { socketsPerAddress = 1000, masterReauthsPerSecond = 2000, masterReauthBurst = 2000 }`
	s := start(t, limits)
	var heard atomic.Int64
	up := make([]atomic.Bool, crowd)
	connected := func() (n int) {
		for i := range up {
			if up[i].Load() {
				n++
			}
		}
		return n
	}
	clients := make([]*sioclient.Client, crowd)
	for i := range clients {
		var player struct{ PlayerToken string }
		id := i + 1
		s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": id, "name": "Unit " + strconv.Itoa(id), "nacId": "PD"},
			session{AuthToken: masterToken}, http.StatusOK, &player)
		c, err := sioclient.New(sioclient.Options{URL: s.url, Auth: func() any { return map[string]any{"authToken": player.PlayerToken, "serverId": id} },
			ReconnectDelay: 200 * time.Millisecond, ReconnectDelayMax: time.Second,
			OnConnect:    func(bool) { up[i].Store(true) },
			OnDisconnect: func(string) { up[i].Store(false) },
			OnEvent: func(e sioclient.Event) {
				if e.Name == "talkingState" {
					heard.Add(1)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		clients[i] = c
	}
	await(t, "all are connected", func() bool { return connected() == crowd })
	all(t, clients, tuneIn(t))
	by := s.login("KING-1")
	if n := s.tuned(by, "154.755"); n != crowd {
		t.Fatalf("%d are on the channel", n)
	}
	address := s.url[len("http://"):]
	s.Kill()
	await(t, "all have lost their link", func() bool { return connected() == 0 })
	s = resume(t, s.conf, s.data, "--listen", address) // clients know only this address
	await(t, "all are back", func() bool { return connected() == crowd })
	all(t, clients, tuneIn(t))
	if n := s.tuned(by, "154.755"); n != crowd {
		t.Errorf("%d are on the channel again", n)
	}
	heard.Store(0)
	if err := again(func() error {
		_, err := clients[0].Call(t.Context(), "setTalking", true)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	await(t, "all hear that the first one talks", func() bool { return heard.Load() >= crowd-1 })
	s.stop()
}

// tuneIn sets a client's speaker channel.
func tuneIn(t *testing.T) func(*sioclient.Client) error {
	return func(c *sioclient.Client) error {
		return again(func() error {
			_, err := c.Call(t.Context(), "setSpeakerChannel", "154.755")
			return err
		})
	}
}

// again repeats what a lost link has stopped: on a slow machine, one of so many clients may
// miss a ping, and is connected again a second later.
func again(do func() error) (err error) {
	for range 30 {
		if err = do(); !errors.Is(err, sioclient.ErrNotConnected) && !errors.Is(err, sioclient.ErrDisconnected) {
			return err
		}
		time.Sleep(time.Second)
	}
	return err
}

// tuned counts who has a channel as speaker channel.
func (s *service) tuned(by session, frequency string) (n int) {
	s.t.Helper()
	var status struct {
		Users map[string]struct{ CurrentChannel string }
	}
	s.ask(http.MethodGet, "/radio/dispatch/status", nil, by, http.StatusOK, &status)
	for _, u := range status.Users {
		if u.CurrentChannel == frequency {
			n++
		}
	}
	return n
}

// await polls until something is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so: %s", what)
		}
	}
}

// all does something with all clients at once.
func all(t *testing.T, clients []*sioclient.Client, do func(c *sioclient.Client) error) {
	t.Helper()
	var work sync.WaitGroup
	for _, c := range clients {
		work.Go(func() {
			if err := do(c); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
}
