package clientcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// A connection that is cut in the middle of a burst is re-established without losing
// anything: every packet is accounted for, and what was sent was recorded.
func TestACutLinkInTheMiddleOfABurst(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, said := speech(t, 0, 150)
	heard := newRecording(t)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755", "--record", string(heard))
	var out bytes.Buffer
	talker := newSession(options{server: s.url, nac: dispatchNac, callsign: "Talker", id: -1, speak: "154.755",
		play: file, repeat: 1, json: true}, &out, io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- talker.run(context.Background()) }()
	ann.wait("voice", "")
	talker.socket.Cut()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	ann.wait("talkingState", `"state":false`)
	ann.off()
	var played struct{ Packets, Dropped int }
	var names []string
	for line := range strings.Lines(out.String()) {
		e := parse(t, line)
		names = append(names, e.Event)
		if e.Event == "played" {
			if err := json.Unmarshal(e.Payload, &played); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := strings.Join(names, " ")
	if played.Packets+played.Dropped != len(said) || played.Dropped == 0 || !strings.Contains(all, "rekeyed") {
		t.Errorf("of %d packets: %+v; events: %s", len(said), played, all)
	}
	recorded := voice(heard.packets(t))
	i := 0
	for _, p := range recorded {
		for i < len(said) && !bytes.Equal(said[i], p) {
			i++
		}
		i++
	}
	// The packet that was on its way when the connection was cut may be lost too.
	if i > len(said) || len(recorded) > played.Packets || len(recorded) < played.Packets-2 {
		t.Errorf("%d packets were sent, %d recorded", played.Packets, len(recorded))
	}
}

// The texts for people: one line for a burst, the bar's lines, the sums.
func TestWithoutJSON(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, _ := speech(t, 0, 20)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755")
	var out, note bytes.Buffer
	o := options{server: s.url, nac: dispatchNac, callsign: "Talker", id: -1, speak: "154.755", play: file, repeat: 2,
		record: string(newRecording(t)), webrtc: true}
	if err := newSession(o, &out, &note).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"playing: 4 of 40 packets", "playing: 40 of 40 packets", "played 40 packets on 154.755; 0 were dropped", "recorded 0 packets in "} {
		if !strings.Contains(note.String(), want) {
			t.Errorf("%q is not told:\n%s", want, &note)
		}
	}
	if !strings.Contains(out.String(), "talkingState") {
		t.Errorf("the events are\n%s", &out)
	}
	ann.off()
}
