package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// everything is a file in which every part of the service is configured.
const everything = `
Config = { serverName = "County", serverPort = 7800, authToken = "a-master-token-of-some-length", dispatchNacId = "desk-1", adminPassword = "correct horse" }
Config.zones = { { name = "City", Channels = { { name = "North", type = "conventional", frequency = "154.755" } } } }
Config.webhooks = { { name = "cad", url = "https://cad.example.org/in", secret = "0123456789abcdef0123456789abcdef", events = { "transmission" } } }
Config.recording = { enabled = true }
Config.webrtc = { udpPort = 7801 }
Config.limits = { sockets = 100 }
Config.trustedProxies = { "10.0.0.0/8" }
`

func loadText(t *testing.T, folder, text string) *Loaded {
	t.Helper()
	path := filepath.Join(folder, "config.lua")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Callbacks.Close)
	return l
}

// TestEveryFieldOfTheServiceHasItsKey, so that none is changed without a word.
func TestEveryFieldOfTheServiceHasItsKey(t *testing.T) {
	of := reflect.TypeFor[ServerConfig]()
	for i := range of.NumField() {
		if _, there := serverKeys[of.Field(i).Name]; !there {
			t.Errorf("serverKeys lacks %s", of.Field(i).Name)
		}
	}
	if len(serverKeys) != of.NumField() {
		t.Errorf("%d keys for %d fields", len(serverKeys), of.NumField())
	}
}

// TestWhatNeedsARestart: of the same file nothing; of another what it says differently.
func TestWhatNeedsARestart(t *testing.T) {
	folder := t.TempDir()
	started := loadText(t, folder, everything)
	for text, want := range map[string]string{
		everything: "",
		everything + `Config.panicTimeout = 30 Config.zones[1].name = "Town" Config.logLevel = 5`: "",
		everything + `Config.serverPort = 7900 Config.webrtc.udpPort = 7901`:                      "serverPort webrtc",
		everything + `Config.limits.sockets = 200 Config.resourceName = "squelch"`:                "limits resourceName",
		everything + `Config.webhooks[1].url = "https://other.example.org/in"`:                    "webhooks",
		everything + `Config.dispatchNacId = "desk-2"`:                                            "dispatchNacId",
	} {
		if got := strings.Join(NeedsRestart(started, loadText(t, folder, text)), " "); got != want {
			t.Errorf("%s: %q, want %q", strings.TrimPrefix(text, everything), got, want)
		}
	}
}

// TestChangedRules names what differs, and Live keeps what needs a restart.
func TestChangedRules(t *testing.T) {
	folder := t.TempDir()
	started := loadText(t, folder, everything)
	fresh := loadText(t, folder, everything+`Config.panicTimeout = 30000 Config.zones[1].name = "Town" Config.resourceName = "squelch" Config.dispatchNacId = "desk-2"`)
	live := Live(started.Core, fresh.Core)
	if got := ChangedRules(&started.Core, &live); !slices.Equal(got, []string{"zones", "panicTimeout"}) {
		t.Errorf("changed: %v", got)
	}
	if live.DispatchNac != "desk-1" || live.ResourceName != "radio" {
		t.Errorf("in force: %q, %q", live.DispatchNac, live.ResourceName)
	}
	if got := ChangedRules(&started.Core, &started.Core); got != nil {
		t.Errorf("of the same: %v", got)
	}
}
