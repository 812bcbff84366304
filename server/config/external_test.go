package config

import (
	"strings"
	"testing"
)

const provider = `Config.useDiscordAuth = true Config.discord = { clientId = "1", clientSecret = "s", allowedUsers = { "5" } }
`

func TestAnExternalLoginNeedsAnAddressToComeBackTo(t *testing.T) {
	const wanted = "serverAddress is missing: useDiscordAuth on 0.0.0.0:7777 requires the address that browsers use, such as https://radio.example.org"
	for _, c := range []struct{ name, src, listen, note, err string }{
		{"no external login", "", "0.0.0.0:7777", "", ""},
		{"on this machine", provider, "127.0.0.1:7777", "discord.only = true disables that", ""},
		{"on this machine, IPv6", provider, "[::1]:7777", "discord.only = true disables that", ""},
		{"by name", provider, "localhost:7777", "discord.only = true disables that", ""},
		{"everywhere", provider, "0.0.0.0:7777", "", wanted},
		{"everywhere, with an address", provider + `Config.serverAddress = "https://radio.example.org"`, "0.0.0.0:7777", "discord.only = true disables that", ""},
		{"the NAC login is closed", provider + `Config.discord.only = true Config.serverAddress = "https://radio.example.org"`, ":7777", "", ""},
	} {
		l := mustText(t, c.src)
		note, err := CheckExternal(c.listen, l.Server)
		told := ""
		if err != nil {
			told = err.Error()
		}
		if told != c.err || (c.note == "") != (note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%s: %q, %v", c.name, note, err)
		}
	}
}

func TestClosingTheNacLoginNeedsAnotherLogin(t *testing.T) {
	l := mustText(t, "Config.discord = {\n only = true }")
	same(t, "only", l.Server.Discord.Only, false)
	list(t, "warnings", l.Warnings, "config.lua:2: discord.only: has no effect because useDiscordAuth is not true")
}
