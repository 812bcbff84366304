package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/internal/testradio"
)

const explainedConfig = `
Config = { authToken = "a-master-token-of-the-county", dispatchNacId = "desk-1", adminPassword = "correct horse" }
Config.webrtc = { udpPort = 0 }
Config.zones = { { name = "Police", nacIds = { "pd" }, Channels = {
	{ name = "PD Main", type = "conventional", frequency = "154.755", allowedNacs = { "pd" } },
	{ name = "PD Tac", type = "conventional", frequency = "155.01", allowedNacs = { "swat" } } } } }
`

// explained is a configuration with access rules.
func explained(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"config.lua": explainedConfig,
		"permissions.cfg": "# the chief\nadd_principal identifier.license:chief group.chief\nadd_ace group.chief radio.connect.155.01 allow\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "config.lua")
}

// TestExplainOfFiles: before a player has ever been there, the files say what the player may.
func TestExplainOfFiles(t *testing.T) {
	file := explained(t)
	out, _ := exits(t, 0, "explain", "7", "155.01", "--config", file, "--nac", "pd")
	for _, want := range []string{"(7) may not transmit on PD Tac 155.01", "allowedNacs of PD Tac in zone Police is swat", `add "pd" to allowedNacs`, "add_ace player.7 radio.connect.155.01 allow"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	out, _ = exits(t, 0, "explain", "7", "155.01", "--config", file, "--nac", "pd", "--identifier", "license:chief", "--name", "Chief")
	if !strings.Contains(out, "Chief (7) may transmit on") || !strings.Contains(out, "[permissions.cfg:3]") {
		t.Errorf("the chief: %s", out)
	}
	lua, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(lua, "Config.getUserNacId = function(id) return exports.jobs:of(id) end\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, notes := exits(t, 0, "explain", "7", "155.01", "--config", file); !strings.Contains(notes, "Config.getUserNacId was not asked") || strings.Contains(notes, "radioAccessCheck") {
		t.Errorf("notes: %s", notes)
	}
	for _, args := range [][]string{{"explain", "seven", "155.01", "--config", file}, {"explain", "7", "--config", file}, {"explain", "7", "155.01"}, {"explain"}} {
		exits(t, exitUsage, args...)
	}
	if _, errs := exits(t, exitFailed, "explain", "7", "999.5", "--config", file); !strings.Contains(errs, "Channel not found") {
		t.Errorf("%s", errs)
	}
}

// TestExplainOfAService that runs, about somebody who is on the radio.
func TestExplainOfAService(t *testing.T) {
	l, err := config.Load(explained(t))
	if err != nil {
		t.Fatal(err)
	}
	s := testradio.Start(t, testradio.Options{Config: l})
	t.Setenv("SQUELCH_KEY", "a-master-token-of-the-county")
	if _, errs := exits(t, exitFailed, "explain", "7", "155.01", "--url", s.URL); !strings.Contains(errs, "The user 7 is not on the radio") {
		t.Errorf("%s", errs)
	}
	post(t, s.URL+"/api/player/connect", "a-master-token-of-the-county", `{"serverId":7,"name":"Ann","nacId":"pd","identifiers":["license:chief"]}`)
	out, _ := exits(t, 0, "explain", "7", "155.01", "--url", s.URL, "--json")
	var e wire.Explained
	if err := json.Unmarshal([]byte(out), &e); err != nil || !e.Allowed || e.Name != "Ann" || e.Rules[0].File != "permissions.cfg" || e.Rules[0].Line != 3 {
		t.Errorf("%v %s", err, out)
	}
	out, _ = exits(t, 0, "explain", "7", "dispatch", "--url", s.URL)
	if !strings.Contains(out, "may not do what dispatchers may do") {
		t.Errorf("%s", out)
	}
	t.Setenv("SQUELCH_KEY", "wrong")
	exits(t, exitFailed, "explain", "7", "155.01", "--url", s.URL)
}

func post(t *testing.T, url, token, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, answer.Status)
	}
}
