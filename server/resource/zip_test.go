package resource

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func folder() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{"fxmanifest.lua": file("fx_version 'cerulean'"), "nui/index.html": file("page"), "nui/app.js": file("script"),
		"nui/.gitignore": file("*"), "server/address.lua": file("-- where\nRadio.address = ''\n"), "client/config.lua": file("RadioConfig = {}")}
}

// unpacked reads a zip: names in their order, and contents.
func unpacked(t *testing.T, data []byte) ([]string, map[string]string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	files := map[string]string{}
	for _, f := range r.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
		files[f.Name] = string(text)
	}
	return names, files
}

func TestTheZipIsTheFolderWithTheServicesAddress(t *testing.T) {
	data, err := pack(folder(), "https://radio.example:8443/")
	if err != nil {
		t.Fatal(err)
	}
	names, files := unpacked(t, data)
	want := []string{"radio/client/config.lua", "radio/fxmanifest.lua", "radio/nui/app.js", "radio/nui/index.html", "radio/server/address.lua", "radio/types/radio.lua"}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	if got := files["radio/server/address.lua"]; got != "-- where\nRadio.address = 'https://radio.example:8443'\n" {
		t.Errorf("address: %q", got)
	}
	if !strings.Contains(files["radio/types/radio.lua"], "---@meta") {
		t.Errorf("annotations: %.60q", files["radio/types/radio.lua"])
	}
}

func TestTheSameFolderGivesTheSameBytes(t *testing.T) {
	one, err := pack(folder(), "http://10.0.0.2:7777")
	if err != nil {
		t.Fatal(err)
	}
	two, err := pack(folder(), "http://10.0.0.2:7777")
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("two zips of one folder differ: %v", err)
	}
	other, err := pack(folder(), "")
	if err != nil || bytes.Equal(one, other) {
		t.Errorf("another address, but the same zip: %v", err)
	}
	r, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		if f.Modified.Year() != 1980 {
			t.Errorf("%s was changed %v", f.Name, f.Modified)
		}
	}
}

func TestWhatIsNoAddressIsRefused(t *testing.T) {
	for _, address := range []string{"radio.example", "ftp://radio.example", "http://", "http://user:secret@radio.example", "http://radio.example/path",
		"http://radio.example?x=1", "http://radio.example/#x", "http://x'; os.exit() --", `http://x\`, "http://rädio.example", "http://x y", "http://x\nRadio=1"} {
		if _, err := pack(folder(), address); !errors.Is(err, ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"", "http://127.0.0.1:7777", "https://radio.example", "http://[2001:db8::1]:7777", "https://radio.example/"} {
		if _, err := pack(folder(), address); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAProgramWithoutThePageSaysHowToBuildIt(t *testing.T) {
	unbuilt := folder()
	delete(unbuilt, "nui/index.html")
	if _, err := pack(unbuilt, ""); !errors.Is(err, ErrUnbuilt) || !strings.Contains(err.Error(), "just panel") {
		t.Errorf("%v", err)
	}
}

func TestALostAddressLineIsNoticed(t *testing.T) {
	changed := folder()
	changed["server/address.lua"] = &fstest.MapFile{Data: []byte("Radio.address = 'x'")}
	if _, err := pack(changed, "http://x"); err == nil || !strings.Contains(err.Error(), "server/address.lua") {
		t.Errorf("%v", err)
	}
}

// The embedded folder itself, whether or not the page was built.
func TestTheEmbeddedFolderHasEveryScript(t *testing.T) {
	for _, name := range append(slices.Concat(ClientScripts, GameScripts), addressFile) {
		if _, err := Files.Open("radio/" + name); err != nil {
			t.Error(err)
		}
	}
	data, err := Zip("http://127.0.0.1:7777")
	if errors.Is(err, ErrUnbuilt) {
		if _, err := Files.Open("radio/" + page); err == nil {
			t.Error("the page is there, but the zip says that it was not built")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, files := unpacked(t, data); !strings.Contains(files["radio/server/address.lua"], "'http://127.0.0.1:7777'") {
		t.Errorf("address: %q", files["radio/server/address.lua"])
	}
}
