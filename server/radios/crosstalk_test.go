package radios_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/sio/client"
)

// Of each radio's users, half talk, each on a channel of its own, and half hear all of them.
const (
	usersEach   = 20
	talkersEach = usersEach / 2
)

// channels is the configuration of a radio with a channel for each talker. All radios have
// the same channels, and the same ids on them.
func channels(name string) string {
	var all strings.Builder
	for n := range talkersEach {
		fmt.Fprintf(&all, `{ name = "CH%d", type = "conventional", frequency = %s },`, n, frequency(n))
	}
	return radioFile(name) + `Config.zones = { { name = "Zone", channels = { ` + all.String() + " } } }\n"
}

func frequency(n int) string { return fmt.Sprintf("154.%d", 100+5*n) }

// said is what a frame carries: its radio and its channel.
func said(radio, frequency string) string {
	return base64.StdEncoding.EncodeToString([]byte(radio + " " + frequency))
}

// listener notes on which channels it has heard its own radio.
type listener struct {
	radio string
	mu    sync.Mutex
	heard map[string]bool
	wrong atomic.Pointer[string]
}

func (l *listener) hear(e client.Event) {
	if e.Name != "voice" {
		return
	}
	var v wire.Voice
	err := json.Unmarshal(e.Args[0], &v)
	text, _ := base64.StdEncoding.DecodeString(v.Data)
	radio, at, _ := strings.Cut(string(text), " ")
	if err != nil || radio != l.radio {
		what := fmt.Sprintf("%s hears %q (%v)", l.radio, text, err)
		l.wrong.Store(&what)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard[at] = true
}

func (l *listener) all() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.heard) == talkersEach
}

// TestNoRadioHearsAnother: on many radios of one host the same ids talk on the same channels
// at once, and every frame that somebody hears is of the own radio.
func TestNoRadioHearsAnother(t *testing.T) {
	radios := manyRadios
	if testing.Short() || racing {
		radios = 20
	}
	s := crowd(t, radios, channels)
	connect := func(radio string, id int, on func(client.Event)) *client.Client {
		up := make(chan error, 1)
		server, path := client.At(s.URL + "/r/" + radio)
		c, err := client.New(client.Options{URL: server, Path: path, NoReconnect: true, ConnectTimeout: patience,
			Auth:      func() any { return map[string]any{"authToken": token(radio), "serverId": id} },
			OnConnect: func(bool) { up <- nil }, OnConnectError: func(err error) { up <- err }, OnEvent: on})
		if err == nil {
			t.Cleanup(c.Close)
			err = <-up
		}
		if err != nil {
			t.Error(radio, id, err)
		}
		return c
	}
	do := func(c *client.Client, event string, arg any) {
		done := make(chan error, 1)
		if err := c.EmitAck(event, patience, func(_ []json.RawMessage, err error) { done <- err }, arg); err != nil {
			t.Error(err)
		} else if err := <-done; err != nil {
			t.Error(event, err)
		}
	}
	var ears []*listener
	var mouths []func()
	var mu sync.Mutex
	var work sync.WaitGroup
	at := make(chan struct{}, 4*runtime.GOMAXPROCS(0)) // radios whose users come at once
	for n := range radios {
		at <- struct{}{}
		work.Go(func() {
			defer func() { <-at }()
			for i := range talkersEach {
				ear := &listener{radio: nth(n), heard: map[string]bool{}}
				c := connect(nth(n), -2-i, ear.hear)
				for f := range talkersEach {
					do(c, "addListeningChannel", frequency(f))
				}
				mouth := connect(nth(n), -100-i, nil)
				do(mouth, "setSpeakerChannel", frequency(i))
				do(mouth, "setTalking", true)
				data := wire.ClientVoice{Data: said(nth(n), frequency(i))}
				mu.Lock()
				ears, mouths = append(ears, ear), append(mouths, func() { _ = mouth.Emit("voice", data) })
				mu.Unlock()
			}
		})
	}
	work.Wait()
	if t.Failed() {
		return
	}
	frames := 0
	for until := time.Now().Add(10 * patience); ; { // frames that come late may be left out, so they are sent again
		for _, say := range mouths {
			say()
		}
		frames += len(mouths)
		time.Sleep(20 * time.Millisecond)
		silent := 0
		for _, ear := range ears {
			if what := ear.wrong.Load(); what != nil {
				t.Fatal(*what)
			}
			if !ear.all() {
				silent++
			}
		}
		if silent == 0 {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%d of %d listeners do not hear all talkers of their radio", silent, len(ears))
		}
	}
	t.Logf("%d radios with %d users each: %d talkers, %d frames said, no cross-talk", radios, usersEach, len(mouths), frames)
}
