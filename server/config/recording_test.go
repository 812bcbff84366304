package config

import (
	"reflect"
	"strings"
	"testing"

	"squelch/core"
)

const recordedZones = `Config.zones = {
	{ name = "Police", Channels = { { name = "Dispatch", frequency = "154.755" }, { name = "Tac", type = "trunked", frequency = 460.25, frequencyRange = { 460.3, 460.4 } } } },
	{ name = "Fire", Channels = { { name = "Dispatch", frequency = "155.1" }, { name = "Ground", frequency = "155.2" } } } }
`

func TestWhichChannelsAreRecorded(t *testing.T) {
	const dispatch, tac, fire, ground = core.Frequency(154755000), core.Frequency(460250000), core.Frequency(155100000), core.Frequency(155200000)
	for _, c := range []struct {
		src  string
		want []core.Frequency
		warn string
	}{
		{"", nil, ""},
		{"Config.recording = false", nil, ""},
		{"Config.recording = {}", nil, "config.lua:4: recording: records nothing"},
		{"Config.recording = { all = true }", []core.Frequency{dispatch, tac, fire, ground}, ""},
		{"Config.recording = { all = true, zones = 'Fire' }", []core.Frequency{dispatch, tac, fire, ground}, "recording.all: records every channel"},
		{"Config.recording = { zones = { 'police' } }", []core.Frequency{dispatch, tac}, ""},
		{"Config.recording = { channels = { 'dispatch' } }", []core.Frequency{dispatch, fire}, ""},
		{"Config.recording = { channels = { 154.755, '155.200' } }", []core.Frequency{dispatch, ground}, ""},
		{"Config.recording = { zones = { 'Fire' }, channels = { 'Tac' } }", []core.Frequency{tac, fire, ground}, ""},
		{"Config.recording = { chanels = { 'Tac' }, all = true }", []core.Frequency{dispatch, tac, fire, ground}, "did you mean channels?"},
	} {
		l := mustText(t, recordedZones+c.src)
		want := map[core.Frequency]bool{}
		for _, f := range c.want {
			want[f] = true
		}
		if got := l.Server.Recording.Recorded(&l.Core); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: records %v, want %v", c.src, got, want)
		}
		if !strings.Contains(strings.Join(l.Warnings, "\n"), c.warn) {
			t.Errorf("%s: warnings %q, want %q", c.src, l.Warnings, c.warn)
		}
	}
}

func TestHowLongRecordingsAreKept(t *testing.T) {
	plain := mustText(t, recordedZones+"Config.recording = { all = true }").Server
	same(t, "days", plain.Recording.Days, 30)
	same(t, "bytes of a channel", plain.Recording.ChannelBytes, 2<<30)
	same(t, "bytes left free", plain.Recording.FreeBytes, 512<<20)
	same(t, "bytes of all", plain.Limits.RecordingBytes, 10<<30)
	full := mustText(t, recordedZones+`Config.limits = { recordingBytes = 0 }
Config.recording = { all = true, days = 7, channelBytes = 2^20, freeBytes = 0, retention = { ["154.755"] = { days = 90 }, ground = { bytes = 5e9 } } }`).Server
	same(t, "bytes of all", full.Limits.RecordingBytes, 0)
	if want := map[core.Frequency]Retention{154755000: {90, 1 << 20}, 155200000: {7, 5e9}}; !reflect.DeepEqual(full.Recording.Retention, want) {
		t.Errorf("retention is %v, want %v", full.Recording.Retention, want)
	}
}

func TestMistakesInTheRecording(t *testing.T) {
	for src, want := range map[string]string{
		"recording = true":                                     "config.lua:4: recording: must be a table, not true",
		"recording = { all = 1 }":                              "recording.all: must be true or false, not 1",
		"recording = { zones = { 'Polise' } }":                 `recording.zones[1]: there is no zone "Polise"; did you mean "Police"?`,
		"recording = { zones = { 'Nowhere' } }":                `recording.zones[1]: there is no zone "Nowhere" in zones`,
		"recording = { channels = { 'Dispach' } }":             `recording.channels[1]: there is no channel "Dispach"; did you mean "Dispatch"?`,
		"recording = { channels = { 154.75 } }":                `recording.channels[1]: there is no channel "154.75"; did you mean "154.755"?`,
		"recording = { all = true, days = 0 }":                 "recording.days: must be a whole number from 1 to 3660, not 0",
		"recording = { all = true, channelBytes = 5 }":         "recording.channelBytes: must be a whole number from 1048576",
		"recording = { all = true, retention = { Tak = {} } }": `retention.Tak: there is no channel "Tak"; did you mean "Tac"?`,
		"recording = { all = true, retention = { Tac = 7 } }":  "retention.Tac: must be a table, not 7",
	} {
		l, err := text(recordedZones + "Config." + src)
		if err == nil {
			l.Callbacks.Close()
			t.Errorf("%s is taken", src)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
	if _, err := text("Config.zones = 5 Config.recording = { zones = { 'Police' } }"); err == nil || strings.Contains(err.Error(), "there is no zone") {
		t.Errorf("a zone is missed of zones that could not be read: %v", err)
	}
}
