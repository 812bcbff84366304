package clientcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// Two record the same burst, one of them over WebRTC.
func TestTheVeryPacketsAreRecorded(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, said := speech(t, 100, 200)
	bySocket, byRTP := newRecording(t), newRecording(t)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755", "--record", string(bySocket))
	ben := s.dispatcher("Ben", "-3", "--scan", "154.755,460.25", "--webrtc", "--record", string(byRTP))
	s.dispatcher("Talker", "-1", "--speak", "154.755", "--play", file).ends()
	for _, r := range []*station{ann, ben} {
		r.wait("talkingState", `"state":true`)
		r.wait("talkingState", `"state":false`)
		r.off()
	}
	identical(t, said, bySocket.packets(t))
	mostly(t, said, byRTP.packets(t))
	if n := len(ann.said("voice")); n != len(said) {
		t.Errorf("%d voice events were printed for %d packets", n, len(said))
	}
	if n := len(ben.said("voice")); n != 0 {
		t.Errorf("%d voice events came over Socket.IO beside WebRTC", n)
	}
}

func TestTalkingOverWebRTC(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, said := speech(t, 200, 300)
	heard := newRecording(t)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755", "--record", string(heard))
	talker := s.dispatcher("Talker", "-1", "--speak", "154.755", "--webrtc", "--play", file)
	talker.ends()
	ann.wait("talkingState", `"state":false`)
	ann.off()
	mostly(t, said, heard.packets(t))
	if played := talker.said("played"); len(played) != 1 || !strings.Contains(string(played[0].Payload), `"dropped":0`) {
		t.Errorf("the talker reports %v", played)
	}
}

func TestAPlayerTalksAndADispatcherHears(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, said := speech(t, 0, 50)
	heard := newRecording(t)
	desk := s.open("--token", masterToken, "--id", "-4", "--callsign", "Desk", "--scan", "154.755", "--record", string(heard))
	unit := s.open("--token", s.player(7, "Ann"), "--id", "7", "--speak", "154.755", "--play", file)
	unit.ends()
	desk.wait("talkingState", `"serverId":7,"frequency":"154.755","state":false`)
	desk.off()
	identical(t, said, heard.packets(t))
	for _, e := range desk.said("voice") {
		if !strings.Contains(string(e.Payload), `"serverId":7,`) {
			t.Fatalf("somebody else was heard: %s", e.Payload)
		}
	}
}

func TestABusyChannel(t *testing.T) {
	t.Parallel()
	s := serve(t)
	long, said := speech(t, 0, 100)
	short, other := speech(t, 300, 310)
	heard := newRecording(t)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755", "--record", string(heard))
	first := s.dispatcher("Engine One", "-5", "--speak", "154.755", "--play", long, "--repeat", "1000")
	ann.wait("voice", "")
	second := []string{"--nac-id", dispatchNac, "--callsign", "Second", "--id", "-6", "--speak", "154.755", "--play", short}
	if why := exits(t, s.command(second...), 1); !strings.Contains(why, "busy") || !strings.Contains(why, "-5 (Engine One)") {
		t.Errorf("the second talker is told %q", why)
	}
	exits(t, s.command(append(second, "--override")...), 0)
	ann.wait("talkingState", `"serverId":-6,"frequency":"154.755","state":false`)
	first.off()
	ann.wait("talkingState", `"serverId":-5,"frequency":"154.755","state":false`)
	ann.off()
	whole := heard.packets(t)
	for i := range whole {
		identical(t, said[i%len(said):i%len(said)+1], whole[i:i+1]) // nobody else's packet
	}
	var report struct {
		Packets int
		LeftOut map[string]int
	}
	if err := json.Unmarshal(ann.wait("recorded", "").Payload, &report); err != nil {
		t.Fatal(err)
	}
	if report.Packets != len(whole) || len(report.LeftOut) != 1 || report.LeftOut["-6"] != len(other) {
		t.Errorf("%d packets were recorded, %d of the other left out; reported: %+v", len(whole), len(other), report)
	}
}

func TestThePauseBetweenTwoBursts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, said := speech(t, 100, 130)
	heard := newRecording(t)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755", "--record", string(heard))
	for range 2 {
		s.dispatcher("Talker", "-1", "--speak", "154.755", "--play", file).ends()
		ann.wait("talkingState", `"state":false`)
	}
	ann.off()
	whole := heard.packets(t)
	identical(t, append(append([][]byte{}, said...), said...), voice(whole))
	silence, before := 0, 0
	for _, p := range whole {
		if ogg.IsGap(p) {
			silence += packet.Samples(p)
		} else if silence == 0 {
			before++
		}
	}
	// The key stays down for the tail, and then the second talker has to log in.
	if silence < int(tail.Seconds()*packet.Rate)/2 || before != len(said) {
		t.Errorf("a pause of %d samples after %d packets", silence, before)
	}
}

func TestTheServiceRestartsWhileSomebodyListens(t *testing.T) {
	t.Parallel()
	s := serveMortal(t)
	file, said := speech(t, 100, 150)
	bySocket, byRTP := newRecording(t), newRecording(t)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755,460.25", "--speak", "460.25", "--record", string(bySocket))
	ben := s.dispatcher("Ben", "-3", "--scan", "154.755", "--webrtc", "--record", string(byRTP))
	s.Kill()
	ann.wait("disconnected", "")
	s = s.again()
	ann.wait("connected", "")
	ann.wait("rejoined", "460.25") // the speaker channel
	ann.wait("rejoined", "154.755")
	ben.wait("rejoined", "154.755")
	ben.wait("webrtc", "true") // the second one: the first came before ready
	s.dispatcher("Talker", "-1", "--speak", "154.755", "--play", file).ends()
	for _, r := range []*station{ann, ben} {
		r.wait("talkingState", `"state":false`)
		r.off()
	}
	identical(t, said, bySocket.packets(t))
	mostly(t, said, byRTP.packets(t))
}

func TestTheServiceRestartsWhileSomebodyTalks(t *testing.T) {
	t.Parallel()
	s := serveMortal(t)
	file, _ := speech(t, 0, 100)
	ann := s.dispatcher("Ann", "-2", "--scan", "154.755")
	talker := s.dispatcher("Talker", "-1", "--speak", "154.755", "--play", file, "--repeat", "1000")
	ann.wait("voice", "")
	s.Kill()
	ann.wait("disconnected", "")
	talker.wait("disconnected", "")
	s.again()
	ann.wait("rejoined", "154.755")
	talker.wait("rekeyed", "154.755")
	ann.wait("voice", "")
	talker.off()
	var played struct{ Packets, Dropped int }
	if err := json.Unmarshal(talker.wait("played", "").Payload, &played); err != nil {
		t.Fatal(err)
	}
	if played.Packets == 0 || played.Dropped == 0 {
		t.Errorf("the talker reports %+v", played)
	}
	ann.off()
}

func TestARadioThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	s := serveMortal(t)
	notVoice := filepath.Join(t.TempDir(), "song.wav")
	if err := os.WriteFile(notVoice, []byte("RIFF....WAVEfmt "), 0o600); err != nil {
		t.Fatal(err)
	}
	file, _ := speech(t, 0, 1)
	for because, flags := range map[string][]string{
		"refused":           {"--token", "wrong"},
		"login: ":           {"--nac-id", "D-912", "--callsign", "Ann"},
		"Channel not found": {"--token", masterToken, "--scan", "999.5"},
		"--speak 999.5":     {"--token", masterToken, "--speak", "999.5"},
		"not Ogg Opus":      {"--token", masterToken, "--speak", "154.755", "--play", notVoice},
		"no such file":      {"--token", masterToken, "--speak", "154.755", "--play", notVoice + "x"},
		"--record":          {"--token", masterToken, "--record", filepath.Join(notVoice, "heard.ogg")},
	} {
		if why := exits(t, s.command(flags...), 1); !strings.Contains(why, because) {
			t.Errorf("%q ends with %q, want %q", flags, why, because)
		}
	}
	s.Kill()
	for _, flags := range [][]string{{"--token", masterToken}, {"--nac-id", dispatchNac, "--callsign", "Ann"},
		{"--token", masterToken, "--speak", "154.755", "--play", file}} {
		if why := exits(t, s.command(flags...), 1); !strings.Contains(why, s.url+" cannot be reached") {
			t.Errorf("%q ends with %q", flags, why)
		}
	}
}

func TestWrongFlags(t *testing.T) {
	t.Parallel()
	nowhere := &service{url: "http://127.0.0.1:1"}
	for because, flags := range map[string][]string{
		"--token or --nac-id":          {},
		"mutually exclusive":           {"--token", "a", "--nac-id", "b"},
		"--callsign":                   {"--nac-id", "b"},
		"--session requires":           {"--nac-id", "b", "--callsign", "c", "--session", "d"},
		"negative":                     {"--nac-id", "b", "--callsign", "c", "--id", "4"},
		"--id must":                    {"--token", "a", "--id", "0"},
		"--play requires":              {"--token", "a", "--play", "x.ogg"},
		"--override requires":          {"--token", "a", "--speak", "154.755", "--override"},
		"--repeat must":                {"--token", "a", "--repeat", "0"},
		"--repeat requires":            {"--token", "a", "--repeat", "2"},
		"--for must not be negative":   {"--token", "a", "--for", "-1s"},
		`"soon" for "--for"`:           {"--token", "a", "--for", "soon"},
		"not an http or https URL":     {"--token", "a", "--server", "radio.example"},
		`--speak: "left" is no`:        {"--token", "a", "--speak", "left"},
		`--scan: "left" is no`:         {"--token", "a", "--scan", "154.755,left"},
		"unknown flag":                 {"--louder"},
		`unknown command "154.755"`:    {"154.755"},
		"flag needs an argument: --id": {"--id"},
	} {
		if why := exits(t, nowhere.command(flags...), 2); !strings.Contains(why, because) {
			t.Errorf("%q: %q, want %q", flags, why, because)
		}
	}
}
