package resource

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"squelch/core/wire"
)

// manifest runs fxmanifest.lua as the game does: every global is a function that takes
// a text or a list.
func manifest(t *testing.T) map[string][]string {
	t.Helper()
	source, err := Files.ReadFile("radio/fxmanifest.lua")
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string][]string{}
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	meta := L.NewTable()
	meta.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		key := strings.TrimSuffix(L.CheckString(2), "s")
		L.Push(L.NewFunction(func(L *lua.LState) int {
			if list, is := L.Get(1).(*lua.LTable); is {
				list.ForEach(func(_, v lua.LValue) { entries[key] = append(entries[key], v.String()) })
			} else {
				entries[key] = append(entries[key], L.CheckString(1))
			}
			return 0
		}))
		return 1
	}))
	L.SetMetatable(L.Get(lua.GlobalsIndex), meta)
	if err := L.DoString(string(source)); err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestManifestListsEveryScriptOnce(t *testing.T) {
	listed := manifest(t)
	var all []string
	for _, kind := range []string{"shared_script", "server_script", "client_script"} {
		for _, file := range listed[kind] {
			if side := strings.TrimSuffix(kind, "_script"); path.Dir(file) != side {
				t.Errorf("%s is a %s script", file, side)
			}
			if slices.Contains(all, file) {
				t.Errorf("%s is listed twice", file)
			}
			all = append(all, file)
		}
	}
	err := fs.WalkDir(Files, "radio", func(name string, _ fs.DirEntry, err error) error {
		file := strings.TrimPrefix(name, "radio/")
		if path.Ext(file) == ".lua" && file != "fxmanifest.lua" && !slices.Contains(all, file) {
			t.Errorf("%s is not in the manifest", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if _, err := fs.Stat(Files, "radio/"+file); err != nil {
			t.Error(err)
		}
	}
	// Headless radios load what clients load, in the same order.
	if client := slices.Concat(listed["shared_script"], listed["client_script"]); !slices.Equal(client, slices.Concat(ClientScripts, GameScripts)) {
		t.Errorf("the manifest's client scripts are %q", client)
	}
}

// What a client downloads is what the manifest lists for it: nothing of the server's side
// may be there.
func TestManifestGivesClientsNothingOfTheServer(t *testing.T) {
	listed := manifest(t)
	for _, file := range listed["file"] {
		if !strings.HasPrefix(file, "nui/") {
			t.Errorf("clients download %s", file)
		}
	}
	for key, want := range map[string]string{"fx_version": "cerulean", "ui_page": "nui/index.html", "nui_callback_strict_mode": "true", "dependency": "/onesync", "version": wire.Version} {
		if got := listed[key]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s is %q, not %q", key, got, want)
		}
	}
}
