package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// written makes files in a fresh folder and returns it.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestRadiosOfATableAndOfAFolder(t *testing.T) {
	folder := written(t, map[string]string{
		"table.lua":               `Config.radios = { county = "county.lua", ["city-2"] = { file = "city/config.lua", hosts = { "City.Example.org." } } }`,
		"folder.lua":              `Config.radios = "radios"`,
		"county.lua":              "",
		"radios/county.lua":       "",
		"radios/city/config.lua":  "",
		"radios/scripts/x.lua":    "",
		"radios/permissions.cfg":  "",
		"radios/city/scripts.lua": "",
	})
	at := func(parts ...string) string { return filepath.Join(append([]string{folder}, parts...)...) }
	for file, want := range map[string][]RadioFile{
		"table.lua":  {{"city-2", at("city", "config.lua"), []string{"city.example.org"}}, {"county", at("county.lua"), nil}},
		"folder.lua": {{"city", at("radios", "city", "config.lua"), nil}, {"county", at("radios", "county.lua"), nil}},
	} {
		l, err := Load(at(file))
		if err != nil {
			t.Fatal(file, err)
		}
		l.Callbacks.Close()
		if !reflect.DeepEqual(l.Server.Radios, want) {
			t.Errorf("%s: %+v", file, l.Server.Radios)
		}
	}
}

func TestMistakesInRadiosAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`Config.radios = { default = "x.lua" }`: `config.lua:1: radios.default: is the name of the radio of this file`,
		`Config.radios = { County = "x.lua" }`:  `config.lua:1: radios.County: must have a name of a-z`,
		`Config.radios = { county = {} }`:       `config.lua:1: radios.county.file: must be a file such as county.lua`,
		`Config.radios = { a = { file = "a.lua", hosts = "x.example.org" }, b = { file = "b.lua", hosts = "X.example.org" } }`: `config.lua:1: radios.b.hosts: x.example.org is the host name of the radio a already`,
		`Config.radios = "nowhere"`: `config.lua:1: radios: the folder `,
		`Config.radios = 7`:         `config.lua:1: radios: must be a table`,
	} {
		folder := written(t, map[string]string{"config.lua": text})
		_, err := Load(filepath.Join(folder, "config.lua"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAnotherRadioHasItsOwnPermissions: not those of the main file beside it.
func TestAnotherRadioHasItsOwnPermissions(t *testing.T) {
	folder := written(t, map[string]string{
		"permissions.cfg":        "add_ace group.main radio.connect.154.755 allow\n",
		"county.lua":             "Config.tls = { auto = 'county.example.org' }\nConfig.serverAddress = 'https://County.example.org/'",
		"county.permissions.cfg": "add_ace group.county radio.connect.154.755 allow\n",
		"city/config.lua":        "Config.radios = {}",
		"city/permissions.cfg":   "add_ace group.city radio.connect.154.755 allow\n",
	})
	for file, want := range map[string]string{"county.lua": "group.county", "city/config.lua": "group.city"} {
		l, err := OpenRadio(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		l.Callbacks.Close()
		if len(l.Core.ACL.Entries) != 1 || l.Core.ACL.Entries[0].Principal != want {
			t.Errorf("%s: %+v", file, l.Core.ACL)
		}
		if len(l.Warnings) != 2 || !strings.Contains(l.Warnings[1], "it is the host's, in the main file") {
			t.Errorf("%s: %q", file, l.Warnings)
		}
		main := Default()
		main.Callbacks.Close()
		main.Server.Address, main.Server.Port = "https://radio.example.org", 7000
		l.Join(main, "x")
		if l.Server.Port != 7000 || l.Server.TLS.Auto != "" {
			t.Errorf("%s: %+v", file, l.Server)
		}
		if got := l.Server.Address + " " + l.OwnHost(); file == "county.lua" && got != "https://County.example.org county.example.org" || file != "county.lua" && got != "https://radio.example.org/r/x " {
			t.Errorf("%s: %s", file, got)
		}
	}
	if _, err := OpenRadio(filepath.Join(folder, "gone.lua")); err == nil || !strings.Contains(err.Error(), "gone.lua: cannot be read: no such file") {
		t.Error(err)
	}
}
