package config

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"squelch/core"
)

const sixteen = "0123456789abcdef"

func TestWebhooksOfAFile(t *testing.T) {
	l := mustText(t, recordedZones+`Config.webhooks = {
	{ name = "cad", url = "https://cad.example.org/in?key=1", secret = " `+sixteen+` ", events = "all" },
	{ name = "Desk 2", url = "http://10.0.0.5:9000/", private = { "10.0.0.5", "fd00::/8" }, secret = "`+sixteen+`", events = { "health", "alert", "alert" },
	  template = "discord", zones = { "police" }, channels = { 155.2, "Dispatch" }, headers = { Authorization = "Bearer x" } },
	{ name = "own", url = "https://own.example.org", secret = "`+sixteen+`", events = "panic", template = "cad.tmpl" },
}`)
	hooks := l.Server.Webhooks
	if len(hooks) != 3 {
		t.Fatalf("%+v", hooks)
	}
	same(t, "secret", hooks[0].Secret, sixteen)
	same(t, "all events", len(hooks[0].Events), len(WebhookEvents))
	same(t, "template", hooks[0].Template, "json")
	same(t, "host", hooks[0].Host(), "https://cad.example.org")
	if want := []string{"alert", "health"}; !reflect.DeepEqual(hooks[1].Events, want) {
		t.Errorf("events %v", hooks[1].Events)
	}
	if want := []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32"), netip.MustParsePrefix("fd00::/8")}; !reflect.DeepEqual(hooks[1].Private, want) || !hooks[1].InClear {
		t.Errorf("private %v", hooks[1].Private)
	}
	if want := []core.Frequency{154755000, 155100000, 155200000}; !reflect.DeepEqual(hooks[1].Channels, want) || !reflect.DeepEqual(hooks[1].Zones, []string{"Police"}) {
		t.Errorf("channels %v, zones %v", hooks[1].Channels, hooks[1].Zones)
	}
	same(t, "header", hooks[1].Headers["Authorization"], "Bearer x")
	same(t, "own template", hooks[2].Template, "cad.tmpl")
	if at := hooks[2].Mistake("template", "is missing"); at.Error() != "config.lua:8: webhooks[3].template: is missing" {
		t.Error(at)
	}
	same(t, "no webhooks", len(mustText(t, "").Server.Webhooks), 0)
}

// TestMistakesInWebhooks: each is named by its place, and no message shows a secret or
// an address.
func TestMistakesInWebhooks(t *testing.T) {
	good := map[string]string{"name": `"cad"`, "url": `"https://cad.example.org/very-secret"`, "secret": `"` + sixteen + `"`, "events": `"all"`}
	with := func(key, value string) string {
		var b strings.Builder
		b.WriteString(recordedZones + "Config.webhooks = { {\n")
		for _, k := range []string{"name", "url", "secret", "events"} {
			if k != key {
				b.WriteString(k + " = " + good[k] + ", ")
			}
		}
		if value != "nil" {
			b.WriteString("\n" + key + " = " + value)
		}
		return b.String() + "} }"
	}
	for _, c := range []struct{ key, value, want string }{
		{"name", `nil`, "config.lua:4: webhooks[1].name: is missing"},
		{"name", `"a/b"`, `config.lua:6: webhooks[1].name: must be a name of 1 to 40 letters`},
		{"url", `nil`, "webhooks[1].url: is missing: it takes an https URL"},
		{"url", `"very-secret"`, "config.lua:6: webhooks[1].url: must be an https URL such as https://hooks.example.org/squelch"},
		{"url", `"ftp://example.org/very-secret"`, "webhooks[1].url: must be an https URL"},
		{"url", `"https://a:very-secret@example.org/"`, "webhooks[1].url: must not have a user name or password in it"},
		{"url", `"https://example.org/#very-secret"`, "must not have a fragment"},
		{"url", `"http://example.org/very-secret"`, "must be https, because what is sent can be read on the way"},
		{"url", `"http://10.0.0.6/very-secret", private = "10.0.0.5"`, "must be https, because private does not name its address"},
		{"private", `{ "the cellar" }`, `webhooks[1].private[1]: must be an address range such as 10.0.0.0/8, not "the cellar"`},
		{"secret", `nil`, `webhooks[1].secret: is missing: with it a receiver checks that a call comes from here; make one with "openssl rand -hex 32"`},
		{"secret", `"very-secret"`, "config.lua:6: webhooks[1].secret: must have at least 16 characters, not 11; make one"},
		{"secret", `{}`, "webhooks[1].secret: must be text, not a table"},
		{"events", `nil`, `webhooks[1].events: is missing: it takes "all", or a list of alert, panic`},
		{"events", `{}`, "webhooks[1].events: is empty"},
		{"events", `{ "alert", "transmision" }`, `webhooks[1].events[2]: "transmision" is no event; did you mean transmission?`},
		{"events", `{ "weather" }`, `webhooks[1].events[1]: "weather" is no event; there are alert, panic`},
		{"template", `"Discord"`, `webhooks[1].template: "Discord" is no template; did you mean discord?`},
		{"template", `"cad.lua"`, `must be "json", "discord", or a file whose name ends in .tmpl, not "cad.lua"`},
		{"zones", `{ "Polize" }`, `webhooks[1].zones[1]: there is no zone "Polize"; did you mean "Police"?`},
		{"channels", `{ 1.5 }`, `webhooks[1].channels[1]: there is no channel "1.5" in zones`},
		{"headers", `{ Host = "very-secret" }`, "webhooks[1].headers.Host: is set by the service"},
		{"headers", `{ ["Squelch-Signature"] = "very-secret" }`, "is set by the service"},
		{"headers", `{ ["a b"] = "very-secret" }`, "is no name of a header"},
		{"headers", `{ Key = "very-secret\r\nHost: x" }`, "webhooks[1].headers.Key: must be a text of 1 to 1024 bytes without control characters"},
		{"secrett", `"very-secret"`, "config.lua:6: webhooks[1].secrett: is unknown; did you mean secret?"},
		{"colour", `"very-secret"`, "webhooks[1].colour: is unknown; a webhook has name, url, secret"},
	} {
		l, err := text(with(c.key, c.value))
		if err == nil {
			l.Callbacks.Close()
			t.Errorf("%s = %s is taken", c.key, c.value)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "very-secret") || strings.Contains(err.Error(), sixteen) {
			t.Errorf("%s = %s:\n%v\nwant %s", c.key, c.value, err, c.want)
		}
	}
	for src, want := range map[string]string{
		`Config.webhooks = { ` + strings.Repeat(`{ name = "a", url = "https://a.b", secret = "`+sixteen+`", events = "all" }, `, 2) + `}`: "webhooks[2].name: a occurs twice",
		`Config.webhooks = { name = "cad", url = "https://a.b" }`:                                                                         "webhooks: must be a list of webhooks: wrap it in { { … } }",
		`Config.webhooks = "cad"`: `webhooks: must be a table, not "cad"`,
		`Config.webhooks = { 5 }`: "webhooks[1]: must be a table, not 5",
		`local t = {} for i = 1, 33 do t[i] = {} end Config.webhooks = t`: "webhooks: has 33 webhooks, the most are 32",
	} {
		if l, err := text(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
			if err == nil {
				l.Callbacks.Close()
			}
		}
	}
}
