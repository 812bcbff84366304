package config

import (
	"strings"
	"testing"
)

func TestThemesOfAFile(t *testing.T) {
	for _, c := range []struct {
		src  string
		want Themes
		warn string
	}{
		{"", Themes{}, ""},
		{"Config.themes = {}", Themes{}, ""},
		{"Config.themes = { default = ' night_2-x ', marketplace = '' }", Themes{Default: "night_2-x"}, ""},
		{"Config.themes = { marketplace = 'https://themes.example.org:8443/all/index.json?v=2' }", Themes{Market: "https://themes.example.org:8443/all/index.json?v=2"}, ""},
		{"Config.themes = {\n marketPlace = 'https://themes.example.org/index.json' }", Themes{}, "config.lua:2: themes.marketPlace: is unknown; did you mean marketplace?"},
		{"Config.theme = { default = 'night' }", Themes{}, "config.lua:1: theme: is unknown; did you mean themes?"},
	} {
		l := mustText(t, c.src)
		same(t, c.src, l.Server.Themes, c.want)
		if !strings.Contains(strings.Join(l.Warnings, "\n"), c.warn) {
			t.Errorf("%s: warnings %q, want %q", c.src, l.Warnings, c.warn)
		}
	}
	for _, slug := range []string{strings.Repeat("x", 41), "night.shift", "nächtlich", "../x", "a b"} {
		if l, err := text("Config.themes = { default = '" + slug + "' }"); err == nil {
			l.Callbacks.Close()
			t.Errorf("%q is taken for a slug", slug)
		}
	}
	same(t, "the largest zip", mustText(t, "Config.limits = { themeBytes = 2048 }").Server.Limits.ThemeBytes, 2048)
}
