package radio_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/server/config"
	"squelch/server/internal/testradio"
	"squelch/server/internal/testwhisper"
	"squelch/server/sio/client"
)

func TestMain(m *testing.M) {
	testwhisper.Serve()
	if len(os.Args) > 1 && os.Args[1] == hang {
		time.Sleep(time.Hour)
	}
	goleak.VerifyTestMain(m)
}

// patience ends a wait that would otherwise last forever.
const patience = time.Minute

// named is the demo radio with a master token.
func named(token string) testradio.Options {
	loaded := config.Default()
	loaded.Server.AuthToken = token
	return testradio.Options{Config: loaded}
}

// desk is a dispatcher who hears announcements.
type desk struct {
	*client.Client
	heard chan string
}

func open(t testing.TB, url, token string, id int) *desk {
	t.Helper()
	d, up := &desk{heard: make(chan string, 1000)}, make(chan error, 1)
	var err error
	d.Client, err = client.New(client.Options{URL: url, NoReconnect: true,
		Auth:           func() any { return map[string]any{"authToken": token, "serverId": id} },
		OnConnect:      func(bool) { up <- nil },
		OnConnectError: func(err error) { up <- err },
		OnEvent: func(e client.Event) {
			if e.Name == "talkingState" || e.Name == "dispatchNotification" {
				d.heard <- e.Name + " " + string(e.Args[0])
			}
		},
	})
	if err == nil {
		err = <-up
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// does sends an event and waits for its acknowledgement.
func (d *desk) does(t testing.TB, event string, arg any) {
	t.Helper()
	done := make(chan error, 1)
	if err := d.EmitAck(event, patience, func(_ []json.RawMessage, err error) { done <- err }, arg); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatalf("%s: %v", event, err)
	}
}

// hears waits for an announcement.
func (d *desk) hears(t testing.TB, part string) {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case what := <-d.heard:
			if strings.Contains(what, part) {
				return
			}
		case <-timeout:
			t.Fatalf("%s is not heard", part)
		}
	}
}

const channel = "154.755"

// TestTwoRadiosInOneProcess: they know nothing of each other. The same id talks on
// the same channel of both, a token of one is refused by the other, and one can end
// alone.
func TestTwoRadiosInOneProcess(t *testing.T) {
	county, city := testradio.Start(t, named("the county's master token")), testradio.Start(t, named("the city's master token"))
	var ears []*desk
	for _, at := range []struct{ url, token string }{{county.URL, "the county's master token"}, {city.URL, "the city's master token"}} {
		ear, talker := open(t, at.url, at.token, -2), open(t, at.url, at.token, -3)
		ear.does(t, "addListeningChannel", channel)
		talker.does(t, "setSpeakerChannel", channel)
		talker.does(t, "setTalking", true)
		ear.hears(t, `"state":true`)
		ears = append(ears, ear)
	}
	if got := reauth(t, city.URL, "the county's master token"); got != http.StatusUnauthorized {
		t.Errorf("the county's token is answered %d by the city", got)
	}
	if err := county.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := reauth(t, city.URL, "the city's master token"); got != http.StatusOK {
		t.Errorf("with the county gone the city answers %d", got)
	}
	third := open(t, city.URL, "the city's master token", -4)
	third.does(t, "setSpeakerChannel", channel)
	for len(ears[1].heard) > 0 {
		<-ears[1].heard
	}
	third.does(t, "setTalking", map[string]any{"state": true, "frequency": channel, "override": true})
	ears[1].hears(t, `"state":true`)
}

// TestARadioComesBackInItsFolder: what was acknowledged is there after a stop and a
// new start in the same process.
func TestARadioComesBackInItsFolder(t *testing.T) {
	first := testradio.Start(t, named("token"))
	open(t, first.URL, "token", -2).does(t, "triggerAlert", map[string]any{"frequency": channel, "enabled": true})
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	o := named("token")
	o.Data = first.Data
	newcomer := open(t, testradio.Start(t, o).URL, "token", -3)
	newcomer.does(t, "addListeningChannel", channel)
	newcomer.hears(t, `"current":true`)
}

// reauth returns the status of the answer to a request for a session with a master
// token.
func reauth(t *testing.T, url, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/radio/dispatch/reauth", strings.NewReader(`{"callsign":"Desk"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Close = true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	return reply.StatusCode
}

// BenchmarkKeyUp is a key-up and its release over Socket.IO, acknowledged, while many
// dispatchers listen: engine, routes, fan-out and sockets.
func BenchmarkKeyUp(b *testing.B) {
	for _, listeners := range []int{1, 50} {
		b.Run(strconv.Itoa(listeners), func(b *testing.B) {
			o := named("token")
			o.Config.Server.Limits.EventsPerSecond = 1_000_000
			s := testradio.Start(b, o)
			for n := range listeners {
				ear := open(b, s.URL, "token", -10-n)
				ear.does(b, "addListeningChannel", channel)
				go func() {
					for {
						select {
						case <-ear.heard:
						case <-b.Context().Done():
							return
						}
					}
				}()
			}
			talker := open(b, s.URL, "token", -2)
			talker.does(b, "setSpeakerChannel", channel)
			for b.Loop() {
				talker.does(b, "setTalking", true)
				talker.does(b, "setTalking", false)
			}
		})
	}
}
