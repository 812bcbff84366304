package clientcmd

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// apiKey makes an API key as an operator does with curl.
func (s *service) apiKey(name string, scopes ...string) string {
	s.t.Helper()
	var in struct{ CSRFToken, Key string }
	header := http.Header{}
	post := func(path string, body any, want int) {
		s.t.Helper()
		b, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/admin/api/"+path, bytes.NewReader(b))
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header, r.Close = header, true
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			s.t.Fatal(err)
		}
		defer reply.Body.Close()
		if err := json.NewDecoder(reply.Body).Decode(&in); err != nil || reply.StatusCode != want {
			s.t.Fatalf("%s: %d, %v", path, reply.StatusCode, err)
		}
		for _, c := range reply.Cookies() {
			header.Set("Cookie", c.Name+"="+c.Value)
		}
		header.Set("X-CSRF-Token", in.CSRFToken)
	}
	post("login", map[string]string{"password": "county-admin"}, http.StatusOK)
	post("keys", map[string]any{"name": name, "scopes": scopes}, http.StatusCreated)
	return in.Key
}

func TestAClientWithAnAPIKey(t *testing.T) {
	t.Parallel()
	s := serve(t)
	file, said := speech(t, 100, 150)
	heard, byRTP := newRecording(t), newRecording(t)
	listen, talk := s.apiKey("Recorder", "read"), s.apiKey("Announcer", "talk")
	ann := s.open("--token", listen, "--id", "-2", "--scan", "154.755", "--record", string(heard))
	ben := s.open("--token", listen, "--id", "-4", "--scan", "154.755", "--webrtc", "--record", string(byRTP))
	s.open("--token", talk, "--session", "of no meaning", "--id", "-3", "--callsign", "WX-1", "--speak", "154.755", "--play", file).ends()
	for _, r := range []*station{ann, ben} {
		r.wait("talkingState", `"serverId":-3,"frequency":"154.755","state":false`)
		r.off()
	}
	identical(t, said, heard.packets(t))
	mostly(t, said, byRTP.packets(t))
	why := exits(t, s.command("--token", listen, "--id", "-4", "--speak", "154.755", "--play", file), 1)
	if !strings.Contains(why, `This API key lacks the scope "talk"`) {
		t.Errorf("a key that may only listen is told %q", why)
	}
	why = exits(t, s.command("--token", s.apiKey("Game server", "game"), "--scan", "154.755"), 1)
	if !strings.Contains(why, `the radio refused the connection: This API key lacks the scope "read" or "talk"`) {
		t.Errorf("a key for the game is told %q", why)
	}
}
