package config

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// added are keys that the older product does not have.
var added = []string{"signal", "tls", "cluster", "scripts", "radios", "themes", "transcriber", "recording", "webhooks"}

// TestEveryKnownKeyOfTheOlderProductIsClassified: none is unknown, and the file with all
// keys has those that this service has.
func TestEveryKnownKeyOfTheOlderProductIsClassified(t *testing.T) {
	l, err := Load("testdata/every.lua")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Callbacks.Close()
	verdict := map[string]Verdict{}
	for _, line := range l.Account.Config {
		if strings.Contains(line.Text, "unknown") || line.Line == 0 {
			t.Errorf("%+v", line)
		}
		verdict[line.Key] = line.Verdict
	}
	for _, key := range topKeys {
		want := Taken
		if slices.Contains(clientCallbacks, key) {
			want = Ignored
		}
		if !slices.Contains(added, key) && verdict[key] != want {
			t.Errorf("%s is %q, want %s", key, verdict[key], want)
		}
	}
	for key := range elsewhere {
		if got := verdict[key]; got != Ignored && got != "" {
			t.Errorf("%s is %q", key, got)
		}
	}
}

// TestKeysOfThePlayersRadioAreFound: what is in client/config.lua of the game resource and
// no key here has its place named.
func TestKeysOfThePlayersRadioAreFound(t *testing.T) {
	text, err := os.ReadFile("../resource/radio/client/config.lua")
	if err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile(`(?m)^(?:function )?RadioConfig\.(\w+)`).FindAllStringSubmatch(string(text), -1)
	if len(keys) < 10 {
		t.Fatalf("only %d keys", len(keys))
	}
	there := map[string]bool{}
	for _, k := range keys {
		there[k[1]] = true
		if elsewhere[k[1]] == "" && !slices.Contains(topKeys, k[1]) {
			t.Errorf("RadioConfig.%s has no entry in elsewhere", k[1])
		}
	}
	for key, place := range elsewhere {
		if m := regexp.MustCompile(`RadioConfig\.(\w+)`).FindStringSubmatch(place); m != nil && !there[m[1]] {
			t.Errorf("%s: there is no RadioConfig.%s", key, m[1])
		}
	}
}

// TestEachOccurrenceHasItsLine: a warning is given once for all channels, a line of the
// account for each.
func TestEachOccurrenceHasItsLine(t *testing.T) {
	l, err := Load(folder(t, "Config.authToken = 'hush-hush-hush-hush-hush'\nConfig.zones = { { name = 'A', Channels = {\n{ frequency = 155.1, icon = 1 },\n{ frequency = 155.2, icon = 2 } } } }\nConfig.controls = { key = 'B' }", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Callbacks.Close()
	var at []int
	for _, line := range l.Account.Config {
		if strings.HasSuffix(line.Key, ".icon") && line.Verdict == Ignored {
			at = append(at, line.Line)
		}
		if strings.Contains(line.Text, "hush") {
			t.Errorf("a secret is told: %+v", line)
		}
		if strings.HasPrefix(line.Key, "controls.") {
			t.Errorf("the inside of an ignored key is told: %+v", line)
		}
	}
	if !slices.Equal(at, []int{3, 4}) {
		t.Errorf("icons are told at %v", at)
	}
}

// TestAMistakeHidesNoOtherLine: the account of a file with mistakes has the rest.
func TestAMistakeHidesNoOtherLine(t *testing.T) {
	_, err := Load(folder(t, "Config.sfxVolume = 101\nConfig.voiceVolume = 7\nConfig.colour = 1", ""))
	var wrong *Mistakes
	if !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	got := wrong.Account.Config[:min(2, len(wrong.Account.Config))]
	want := []Line{{2, "voiceVolume", Taken, "7"}, {3, "colour", Ignored, "is unknown and has no effect"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
