package webhook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// own is a webhook with a template.
func own(t testing.TB, src string) config.Webhook {
	t.Helper()
	path := filepath.Join(t.TempDir(), "own.tmpl")
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Webhook{Name: "own", URL: "https://own.example.org", Events: config.WebhookEvents, Template: path}
}

func TestAnOwnTemplate(t *testing.T) {
	make, err := renderOf(own(t, `{{/* for a CAD */ -}}
{ "what": {{json (printf "%s on %s" (upper .event) .channel)}}, "when": {{json (iso .at)}}, "n": {{.seq}}, "ends": {{json (iso .endedAt)}},
  "who": {{json (cut .name 5)}}, "safe": {{json (markdown .detail)}}, "on": [{{range $i, $f := .frequencies}}{{if $i}}, {{end}}{{json $f}}{{end}}]
  {{- if eq .kind "panic"}}, "urgent": true{{end}}{{with .emergencyId}}, "emergency": {{json .}}{{end}} }
`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := make(&Payload{Event: "panic", Channel: "Dispatch", TimelineEntry: wire.TimelineEntry{Kind: "panic", Seq: 7, At: 1_700_000_000_123,
		Name: `Ann "Red" O'Neil`, Detail: "*help*", Frequencies: []string{"1", "2"}, EmergencyID: "e-1"}})
	const want = `{ "what": "PANIC on Dispatch", "when": "2023-11-14T22:13:20.123Z", "n": 7, "ends": "",
  "who": "Ann …", "safe": "\\*help\\*", "on": ["1", "2"], "urgent": true, "emergency": "e-1" }`
	if err != nil || string(body) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, body, want)
	}
}

// TestATemplatesMistakes are found before anything is sent, with file and line.
func TestATemplatesMistakes(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "it makes no JSON: unexpected end of JSON input"},
		{"{\n\"a\": {{json .detail}\n}", "own.tmpl:2: bad character"},
		{"{\n\n\"a\": {{jason .detail}} }", `own.tmpl:3: function "jason" not defined`},
		{"{ \"a\":\n{{json .frequncy}} }", "own.tmpl:2: an event has no frequncy; did you mean frequency?"},
		{"{ \"a\": {{json .weather}} }", "own.tmpl:1: an event has no weather"},
		{"{ \"a\":\n\"{{.detail}}\" }", "it makes no JSON: invalid character"},
		{"{ \"a\": {{.name}} }", "texts take {{json .name}}, without quotes"},
		{"hello", "it makes no JSON"},
		{"{{iso .name}}", "iso takes a time of the event, such as .at"},
	} {
		h := own(t, c.src)
		_, err := renderOf(h)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.src, err, c.want)
		}
	}
	h := own(t, strings.Repeat(" ", maxTemplate+1))
	if _, err := renderOf(h); err == nil || !strings.Contains(err.Error(), "is larger than 65536 bytes") {
		t.Errorf("%v", err)
	}
	h.Template = t.TempDir()
	if _, err := renderOf(h); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("%v", err)
	}
}

// TestATemplateCannotRunAway: what would run for ever, fill the memory or reach out is
// refused.
func TestATemplateCannotRunAway(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"1{{range 1000000000000}}{{end}}", "own.tmpl:1: range takes a list of the event, such as .frequencies"},
		{"{{$n := 1000000000000}}\n1{{if true}}{{range $n}}{{end}}{{end}}", "own.tmpl:2: range takes a list"},
		{"1{{with 1000000000000}}{{range .}}{{end}}{{end}}", "range takes a list"},
		{"1{{range len .name}}{{end}}", "range takes a list"},
		{"1{{range .at}}{{end}}", "range can't iterate over"},
		{"1{{range .seq}}{{end}}", "range can't iterate over"},
		{"1{{range .serverId}}{{end}}", "range can't iterate over"},
		{`{{define "a"}}{{template "a"}}{{template "a"}}{{end}}{{template "a"}}`, "define and block are not for webhooks"},
		{`{{block "a" .}}{{end}}1`, "define and block are not for webhooks"},
		{"\n{{template \"own.tmpl\"}}", "own.tmpl:2: template is not for webhooks"},
		{`{{json (printf "%999999999d" 1)}}`, "printf takes no widths"},
		{`{{json (printf "%*d" 999999999 1)}}`, "printf takes no widths"},
		{`{{$x := "xxxxxxxxxx"}}` + strings.Repeat(`{{$x = print $x $x}}`, 60) + "1", "a text has more than 65536 bytes"},
		{`{{$x := "\\\\"}}` + strings.Repeat(`{{$x = js $x}}`, 60) + "1", "a text has more than 65536 bytes"},
		{`{{$x := "&&&&"}}` + strings.Repeat(`{{$x = print (html $x) $x}}`, 20) + "1", "a text has more than 65536 bytes"},
		{`{{$x := "%%%%"}}` + strings.Repeat(`{{$x = urlquery $x}}`, 60) + strings.Repeat(`{{$x = print $x $x}}`, 20) + "1", "a text has more than 65536 bytes"},
		{`{{$x := "****"}}` + strings.Repeat(`{{$x = markdown $x}}`, 60) + "1", "a text has more than 65536 bytes"},
		{`{{$x := "\\"}}` + strings.Repeat(`{{$x = json $x}}`, 60) + "1", "a text has more than 65536 bytes"},
		{`{{$x := "x"}}` + strings.Repeat(`{{$x = print $x $x}}`, 16) + `"{{$x}}{{$x}}"`, "it makes more than 65536 bytes"},
		{`{{call .name}}`, "error calling call"},
		{`{{readFile "/etc/passwd"}}`, `function "readFile" not defined`},
	} {
		_, err := renderOf(own(t, c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %s", c.src, err, c.want)
		}
	}
}

// FuzzTemplate: whatever a template is, it makes JSON of bounded size, or is refused.
func FuzzTemplate(f *testing.F) {
	for _, src := range []string{`{"a":{{json .name}}}`, `{{range .frequencies}}{{end}}1`, `{{iso .at | json}}`, "{{$x := print .name .name}}{{json $x}}", `{{define "a"}}{{end}}`, "{{index .frequencies 0 | json}}"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		make, err := compile(config.Webhook{Template: "own.tmpl", Events: []string{"patch"}}, src)
		if err != nil {
			return
		}
		body, err := make(&Payload{TimelineEntry: wire.TimelineEntry{Kind: core.MomentPatchOn, Name: "\"\\\x00é", Frequencies: []string{"1", "2", "3"}}})
		if err == nil && (!json.Valid(body) || len(body) > maxBody) {
			t.Fatalf("%q makes %q", src, body)
		}
	})
}

// TestEveryKindHasItsEvent: what is on the timeline is sent, and every event that can be
// asked for is sent some day; Discord shows each with a title.
func TestEveryKindHasItsEvent(t *testing.T) {
	sent := map[string]bool{kindTranscript: true}
	for kind, event := range kinds {
		sent[event] = true
		if _, known := looks[kind]; !known && kind != core.MomentHealth {
			t.Errorf("%s has no look", kind)
		}
	}
	for _, event := range config.WebhookEvents {
		if !sent[event] {
			t.Errorf("no kind belongs to %s", event)
		}
		delete(sent, event)
	}
	if len(sent) > 0 {
		t.Errorf("nobody can ask for %v", sent)
	}
	for _, kind := range []string{core.MomentTransmission, core.MomentOverride, core.MomentAlert, core.MomentAlertCleared, core.MomentAlertOnce, core.MomentPanic, core.MomentPanicCleared,
		core.MomentEmergencyAcknowledged, core.MomentEmergencyEnded, core.MomentEmergencyClosed, core.MomentPatchOn, core.MomentPatchChanged, core.MomentPatchOff, core.MomentMoved,
		core.MomentDisconnected, core.MomentCallsign, core.MomentNac, core.MomentMessage, core.MomentBroadcast, core.MomentConnected, core.MomentLeft, core.MomentConfig,
		core.MomentLogin, core.MomentLogout, core.MomentLoginRefused, core.MomentHealth} {
		if _, ok := eventOf(wire.TimelineEntry{Kind: kind}); !ok {
			t.Errorf("%s is not sent", kind)
		}
	}
	if _, ok := eventOf(wire.TimelineEntry{Kind: core.MomentKeyed}); ok {
		t.Error("the beginning of a transmission is sent")
	}
}
