package socket

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/tones"
)

// download gets a tone piece by piece.
func (r *handheld) download(tone string) (sound []byte, kind string) {
	r.s.t.Helper()
	for {
		var piece wire.TonePiece
		text := r.ask("toneFile", string(must(json.Marshal(wire.ToneFile{Name: tone, Offset: len(sound)}))))
		if err := json.Unmarshal([]byte(text), &piece); err != nil || piece.Offset != len(sound) || len(piece.Data) > 16<<10 || len(piece.Data) == 0 {
			r.s.t.Fatalf("from %d on: %.200s (%v)", len(sound), text, err)
		}
		if sound = append(sound, piece.Data...); len(sound) >= piece.Size {
			return sound, piece.Type
		}
	}
}

func TestATonesSoundComesOverTheDataChannel(t *testing.T) {
	s := newStation(t, 100).offered()
	own := bytes.Repeat([]byte("the operator's gong "), 5000)
	s.Hub.Tones = []fs.FS{fstest.MapFS{"gong.ogg": {Data: own}, "secret.wav": {Data: own}, "config.lua": {Data: own}}, tones.FS()}
	c := config(100)
	c.Tones = []core.Tone{{Name: "GONG", File: "gong.ogg"}, {Name: "BEEP", File: "BEEP.wav"}, {Name: "LOST", File: "lost.wav"}, {Name: "CONFIG", File: "config.lua"}, {Name: "UP", File: "../gong.ogg"}}
	s.do(core.ReplaceConfig{Config: c})
	s.player(7)
	r := s.handheld(7)
	if got, kind := r.download("gong"); !bytes.Equal(got, own) || kind != "audio/ogg" {
		t.Errorf("%d bytes of %d, %s", len(got), len(own), kind)
	}
	if got, kind := r.download("BEEP"); !bytes.Equal(got, tones.Files()["BEEP.wav"]) || kind != "audio/wav" {
		t.Errorf("%d bytes, %s", len(got), kind)
	}
	if got := r.ask("toneFile", `{"name":"GONG","offset":1000000}`); got != `{"data":"","offset":1000000,"size":100000,"type":"audio/ogg"}` {
		t.Errorf("beyond the end: %s", got)
	}
	for payload, want := range map[string]string{
		`{"name":"SECRET"}`:                "Tone not found",
		`{"name":"secret.wav"}`:            "Tone not found", // a file, but of no tone
		`{"name":"LOST"}`:                  "Tone not found",
		`{"name":"CONFIG"}`:                "Tone not found",
		`{"name":"UP"}`:                    "Tone not found",
		`{"name":"../../etc/passwd"}`:      "Tone not found",
		`{"name":""}`:                      "Tone not found",
		`{}`:                               "name is missing",
		`"GONG"`:                           "JSON object",
		`{"name":"GONG","offset":-1}`:      "offset must not be negative",
		`{"name":"GONG","offset":1.5}`:     "offset must be",
		`{"name":"GONG","offset":"start"}`: "offset must be",
	} {
		if got := r.ask("toneFile", payload); !strings.HasPrefix(got, `{"success":false,"error":"`) || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", payload, got, want)
		}
	}
}
