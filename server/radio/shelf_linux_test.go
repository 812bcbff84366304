package radio_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"squelch/server/internal/testradio"
)

// TestAHungDiskOfRecordingsDelaysNoOtherDisk: a call to the disk of recordings that never
// returns, while it holds up everything else there, keeps neither the service from ending
// nor what was said from the timeline. The call is a probe that opens a pipe nobody reads.
func TestAHungDiskOfRecordingsDelaysNoOtherDisk(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "voice")
	o := recordingRadio(t, "a token", folder)
	said := &lines{}
	o.Log = said
	s, err := testradio.Open(t, o)
	if err != nil {
		t.Fatal(err)
	}
	for day := range 2 { // the recorder fails, and then probes
		name := time.Now().UTC().AddDate(0, 0, day).Format(time.DateOnly)
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pipe := filepath.Join(folder, "recordings.probe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	desk := open(t, s.URL, "a token", -3)
	for _, on := range []string{channel, "460.250"} {
		desk.does(t, "setTalking", map[string]any{"state": true, "frequency": on})
		if on == channel {
			if err := desk.Emit("voice", map[string]any{"frequency": on, "data": "+AAAAA=="}); err != nil {
				t.Fatal(err)
			}
			desk.does(t, "addListeningChannel", channel) // its answer comes after the voice
			for until := time.Now().Add(patience); !probing(); time.Sleep(50 * time.Millisecond) {
				if time.Now().After(until) {
					t.Fatalf("the disk is not probed: %s", said)
				}
			}
		}
		desk.does(t, "setTalking", false)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Stop() }()
	select {
	case err = <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("the service does not end")
	}
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(said.String(), "recordings: their disk does not answer") {
		t.Error("nobody is told of the disk")
	}
	free, err := os.OpenFile(pipe, os.O_RDWR, 0) // the call returns
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	again := recordingRadio(t, "a token", "")
	again.Data, again.Config.Server.Recording.On = s.Data, false
	var past struct{ Entries []struct{ Frequency string } }
	by := sit(t, testradio.Start(t, again).URL, "a token")
	if code := by.get(t, "/api/timeline?kind=transmission", &past); code != http.StatusOK || fmt.Sprint(past.Entries) != "[{460.25} {"+channel+"}]" {
		t.Errorf("the timeline has %d %v", code, past.Entries)
	}
}

// probing says whether a probe of a shelf's disk is running in this process.
func probing() bool {
	stacks := make([]byte, 4<<20)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("recordings.(*Shelf).Probe("))
}
