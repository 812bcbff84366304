package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/pion/rtp"

	"squelch/core/wire"
)

// whole waits until so many recordings have ended, and gives all.
func (c *crew) whole(n int) []wire.Recording {
	c.s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		all := c.s.recordings(c.by)
		ended := 0
		for _, r := range all {
			if r.EndedAt != nil {
				ended++
			}
		}
		if ended >= n {
			return all
		}
		if time.Now().After(end) {
			c.s.t.Fatalf("%d recordings of %d: %+v", ended, n, all)
		}
	}
}

// says keys a talker up, sends packets as they are due, and keys it down.
func (c *crew) says(at talker, packets [][]byte) {
	c.s.t.Helper()
	radio := c.radio(at.id)
	if _, err := c.call(radio, "setSpeakerChannel", at.channel); err != nil {
		c.s.t.Fatal(err)
	}
	send := onSocket(radio)
	if at.webrtc {
		line, h := c.line(radio, nil), rtp.Header{SequenceNumber: 100, Timestamp: 48_000, Marker: true}
		send = func(p []byte) error { // as a browser does, whose clock goes on when this machine stands still
			err := line.SendRTP(h, p)
			h.SequenceNumber, h.Timestamp, h.Marker = h.SequenceNumber+1, h.Timestamp+960, false
			return err
		}
	}
	if _, err := c.call(radio, "setTalking", map[string]any{"state": true, "frequency": at.channel}); err != nil {
		c.s.t.Fatal(err)
	}
	began := time.Now()
	for i, p := range packets {
		time.Sleep(time.Until(began.Add(time.Duration(i) * 20 * time.Millisecond)))
		if err := send(p); err != nil {
			c.s.t.Fatal(err)
		}
	}
	if _, err := c.call(radio, "setTalking", false); err != nil {
		c.s.t.Fatal(err)
	}
}

// TestWhatWasSaidIsFetched: what goes into a microphone, by WebRTC or by a socket, in
// analog or digital, comes out of REST with a key for recordings: its sound goes up and
// down as it was spoken.
func TestWhatWasSaidIsFetched(t *testing.T) {
	t.Parallel()
	s := start(t, "Config.recording = { all = true }")
	c := &crew{s: s, by: s.login("KING-1")}
	defer c.dismiss()
	a := s.administrator()
	key, other := a.key("Archive", wire.ScopeRecordings), a.key("Board", wire.ScopeRead, wire.ScopeTalk)
	var packets [][]byte
	for range 2 {
		packets = append(packets, voices()...)
	}
	said, err := soundOf(packets)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	// inTime says it until the service has had all of it in time: on a machine that stands
	// still for half a second, the pacer drops what comes too late.
	inTime := func(at talker) (r wire.Recording) {
		for range 10 {
			c.says(at, packets)
			made++
			r = c.whole(made)[0]
			if missing := int64(len(packets))*20 - r.Recording.DurationMs; r.Recording.Packets >= len(packets)-2 && missing > -60 && missing < 60 {
				return r
			}
			t.Logf("%+v: %d packets, %d ms: once more", at, r.Recording.Packets, r.Recording.DurationMs)
		}
		t.Fatalf("%+v: never was all of it recorded", at)
		return r
	}
	for _, at := range append([]talker{{505, "154.81", false, false}}, talkers...) {
		r := inTime(at)
		if int(r.ServerID) != at.id || r.Frequency != at.channel || (r.Encoding == "imbe") != at.digital || r.Recording.Cut {
			t.Errorf("%+v is not of %+v", r, at)
		}
		_, heard, err := played(s.fetch("/api/recordings/"+r.ID+".ogg", key.Key))
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		least := 0.95
		if at.digital {
			least = 0.85 // the vocoder has its own idea of how loud a voice is
		}
		if like := alike(envelope(said), envelope(heard)); like < least {
			t.Errorf("%+v: what was said and what was recorded are alike by %.3f", at, like)
		}
		_, mixed, err := played(s.fetch(fmt.Sprintf("/api/recordings/mix?frequency=%s&from=%d&to=%d", r.Frequency, r.StartedAt-1000, *r.EndedAt+1000), key.Key))
		if err != nil {
			t.Errorf("mixed: %v", err)
		}
		if like := alike(envelope(said), leading(envelope(mixed))); like < least {
			t.Errorf("%+v: what was said and the listening file are alike by %.3f", at, like)
		}
		code, text := s.call(http.MethodGet, "/api/recordings/"+r.ID+".ogg", nil, session{AuthToken: other.Key})
		if code != http.StatusForbidden {
			t.Errorf("a key without the scope: %d %.100s", code, text)
		}
	}
	if mine := a.audited("Archive"); len(mine) < 2*4 {
		t.Errorf("audited of the key: %v", mine)
	}
}

// leading leaves out silence before the voice.
func leading(e []float64) []float64 {
	for len(e) > 0 && e[0] < 50 {
		e = e[1:]
	}
	return e
}

// fat is a packet of 1.2 kB: its voice, and padding.
func fat(n int) []byte {
	voice := voices()[n%len(voices())]
	p := append([]byte{voice[0] | 3, 1<<6 | 1, 255, 255, 255, 255, 84}, voice[1:]...)
	return append(p, bytes.Repeat([]byte{byte(n)}, 4*254+84)...)
}

// TestARecordingIsDeletedWhileItPlays: the quota takes the oldest recording while somebody
// is in the middle of it. The file is gone, and the listener still gets all of it.
func TestARecordingIsDeletedWhileItPlays(t *testing.T) {
	t.Parallel()
	const packets = 300
	s := start(t, "Config.recording = { all = true }", fmt.Sprintf("Config.limits.recordingBytes = %d", packets*1200*5/4))
	c := &crew{s: s, by: s.login("KING-1")}
	defer c.dismiss()
	var voice [][]byte
	for n := range packets {
		voice = append(voice, fat(n))
	}
	c.says(talkers[1], voice)
	old := c.whole(1)[0]
	file := s.tapeOf(old, "ogg")
	want, err := os.ReadFile(file)
	if err != nil || int64(len(want)) != old.Recording.Bytes || len(want) < packets*1000 {
		t.Fatalf("%d bytes, %v: %+v", len(want), err, old)
	}

	listener := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{ControlContext: narrow}).DialContext}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/recordings/"+old.ID+".ogg", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.by.AuthToken)
	r.Header.Set("X-Session-Id", c.by.SessionID)
	reply, err := listener.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	got := make([]byte, 1000)
	if _, err := io.ReadFull(reply.Body, got); err != nil {
		t.Fatal(err)
	}
	c.says(talkers[1], voice)
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the quota has deleted nothing")
		}
	}
	rest, err := io.ReadAll(reply.Body)
	if got = append(got, rest...); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the listener got %d bytes of %d, %v", len(got), len(want), err)
	}
	if code, _ := s.call(http.MethodGet, "/api/recordings/"+old.ID+".ogg", nil, c.by); code != http.StatusNotFound {
		t.Errorf("whoever asks later: %d", code)
	}
	if all := s.recordings(c.by); len(all) != 1 || all[0].ID == old.ID {
		t.Errorf("the list: %+v", all)
	}
}

// narrow gives a connection little room for what its owner has not read.
func narrow(_ context.Context, _, _ string, c syscall.RawConn) (err error) {
	failed := c.Control(func(fd uintptr) { err = receiveBuffer(fd, 4096) })
	return errors.Join(failed, err)
}
