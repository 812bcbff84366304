package admin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// write puts a text in the place of a file of the configuration.
func (p *program) write(file, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(p.config), file), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// reload asks for the file to be read again, as an administrator does.
func (p *program) reload() (out wire.AdminReloaded) {
	p.t.Helper()
	p.call("POST", "/admin/api/reload", nil, &out)
	return out
}

// refused is reload of a file that is not taken.
func (p *program) refused() (out wire.AdminFailure) {
	p.t.Helper()
	status, b := p.ask("POST", "/admin/api/reload", nil)
	if err := json.Unmarshal(b, &out); err != nil || status != 409 {
		p.t.Fatalf("%d %s", status, b)
	}
	return out
}

// says waits until the log has a text.
func (p *program) says(text string) {
	p.t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(p.peer.Stderr(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the log has no %q:\n%s", text, p.peer.Stderr())
		}
	}
}

const thirdChannel = `
table.insert(Config.zones[1].Channels, { name = "East", type = "conventional", frequency = "154.875" })
`

// TestReload: an operator changes config.lua and permissions.cfg while units talk. What the
// file says is in force at once, nobody is cut off, and what waits for a restart is named.
func TestReload(t *testing.T) {
	p := build(t)
	p.start()
	p.logIn()
	unit := p.player(7)
	unit.onAir()

	p.write("config.lua", configFile+thirdChannel+`Config.panicTimeout = 30000 Config.webrtc.udpPort = 45678 Config.logLevel = 4
Config.getPlayerName = function(id) return "Unit " .. id end`)
	p.write("permissions.cfg", "add_ace group.admin radio.zone.1 allow\n")
	out := p.reload()
	if !slices.Equal(out.Changed, []string{"zones", "panicTimeout", "permissions.cfg", "logLevel"}) || !slices.Equal(out.Restart, []string{"webrtc"}) {
		t.Errorf("changed %v, needs a restart %v", out.Changed, out.Restart)
	}
	unit.hears("configUpdate", `"name":"East"`)
	if got := p.names(); !slices.Equal(got, []string{"North", "South", "East"}) {
		t.Errorf("channels %v", got)
	}
	p.player(8).onAir() // the function of the new file is asked for the name
	var users wire.AdminUserList
	p.call("GET", "/admin/api/users", nil, &users)
	if i := slices.IndexFunc(users.Users, func(u wire.AdminUser) bool { return u.ServerID == 8 }); i < 0 || users.Users[i].Name != "Unit 8" {
		t.Errorf("on the radio are %+v", users.Users)
	}
	if again := p.reload(); len(again.Changed) != 0 || !slices.Equal(again.Restart, []string{"webrtc"}) {
		t.Errorf("the same file: changed %v, needs a restart %v", again.Changed, again.Restart)
	}

	p.write("config.lua", configFile)
	if err := p.peer.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.says(`changed="zones panicTimeout logLevel"`)
	unit.hears("configUpdate", `"South"`)
	if got := p.names(); !slices.Equal(got, []string{"North", "South"}) {
		t.Errorf("channels after SIGHUP: %v", got)
	}
	if trail := string(p.call("GET", "/admin/api/audit.jsonl", nil, nil)); strings.Count(trail, `"admin.config.reload"`) != 3 {
		t.Errorf("the audit log has\n%s", trail)
	}
	stopped(t, p)
}

// TestReloadWithABrokenFile: its mistakes are listed with file and line, nothing has
// changed, and the radio goes on.
func TestReloadWithABrokenFile(t *testing.T) {
	p := build(t)
	p.start()
	p.logIn()
	unit := p.player(7)
	unit.onAir()
	for name, c := range map[string]struct {
		config, permissions string
		line                int
		wrong               string
	}{
		"Lua that cannot be read":  {"Config = {\nserverName = 'x'\nzones = {", "", 3, ""},
		"two wrong values":         {configFile + "\nConfig.panicTimeout = 'soon'\nConfig.zones[1].Channels[1].type = 'analogue'", "", 0, "panicTimeout"},
		"a function that fails":    {configFile + "\nConfig.getPlayerName = function(id) error('no name') end", "", 0, "getPlayerName"},
		"a script that is missing": {configFile + "\nConfig.scripts = { 'gone.lua' }", "", 0, "scripts"},
	} {
		p.write("config.lua", c.config)
		out := p.refused()
		if len(out.Mistakes) == 0 || !strings.HasSuffix(out.Mistakes[0].File, "config.lua") && c.wrong != "scripts" || c.line != 0 && out.Mistakes[0].Line < c.line ||
			c.wrong != "" && !slices.ContainsFunc(out.Mistakes, func(m wire.AdminMistake) bool { return strings.Contains(m.Key+m.Message, c.wrong) }) ||
			!strings.Contains(out.Error, "nothing has changed") {
			t.Errorf("%s: %+v", name, out)
		}
	}
	p.write("config.lua", configFile+"\nConfig.panicTimeout = 'soon'")
	if err := p.peer.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.says("panicTimeout")
	p.says("the radio goes on with the one it has")
	if got := p.names(); !slices.Equal(got, []string{"North", "South"}) {
		t.Errorf("channels %v", got)
	}
	if _, err := unit.client.Call(t.Context(), "setSpeakerChannel", "154.815"); err != nil { // it is still on the radio
		t.Error(err)
	}
	if trail := string(p.call("GET", "/admin/api/audit.jsonl", nil, nil)); strings.Contains(trail, `"admin.config.reload"`) {
		t.Errorf("the audit log has a reload:\n%s", trail)
	}
	stopped(t, p)
}

// TestReloadUnderEdits: what was changed at /admin stays in force over the file. A file
// under which it would not work is refused, and then fits when the edit is taken back.
func TestReloadUnderEdits(t *testing.T) {
	p := build(t)
	p.write("config.lua", configFile+thirdChannel)
	p.start()
	p.logIn()
	var shown, edited wire.AdminConfig
	p.call("GET", "/admin/api/config", nil, &shown)
	all := wire.AdminGroup{ID: "all", Name: "Everybody"}
	for _, ch := range shown.Config.Zones[0].Channels {
		all.Frequencies = append(all.Frequencies, ch.Frequency)
	}
	p.call("PUT", "/admin/api/config", wire.AdminEdit{Revision: shown.Revision, Config: wire.AdminParts{AnnouncementGroups: []wire.AdminGroup{all}}}, &edited)

	p.write("config.lua", configFile+thirdChannel+`Config.zones[1].name = "Town"`)
	if out := p.reload(); !slices.Equal(out.Changed, []string{"zones"}) {
		t.Errorf("changed %v", out.Changed)
	}
	p.call("GET", "/admin/api/config", nil, &shown)
	if shown.Config.Zones[0].Name != "Town" || len(shown.Config.AnnouncementGroups) != 1 || !slices.Equal(shown.Edited, []string{"announcementGroups"}) {
		t.Errorf("in force: %+v, edited %v", shown.Config, shown.Edited)
	}
	if status, b := p.ask("PUT", "/admin/api/config", renamed(edited, "Nordic")); status != 409 {
		t.Errorf("an edit of what was before the reload: %d %s", status, b)
	}

	p.write("config.lua", configFile) // without the third channel, which the group names
	if out := p.refused(); !strings.Contains(out.Error, "announcementGroups[1].frequencies") || !strings.Contains(out.Error, "Restore") || out.Mistakes != nil {
		t.Errorf("%+v", out)
	}
	if got := p.names(); len(got) != 3 {
		t.Errorf("channels %v", got)
	}
	p.call("POST", "/admin/api/config/reset", wire.AdminReset{Revision: shown.Revision}, &shown)
	if out := p.reload(); !slices.Equal(out.Changed, []string{"zones"}) {
		t.Errorf("changed %v", out.Changed)
	}
	if got := p.names(); !slices.Equal(got, []string{"North", "South"}) {
		t.Errorf("channels %v", got)
	}
	stopped(t, p)
}

// TestPermissionsAreExplained to who has a login; what is asked for wrongly is named.
func TestPermissionsAreExplained(t *testing.T) {
	s := onAir(t)
	b := s.logIn()
	b.send("GET", "explain?userId=7&frequency=154.755", nil).refused(404, "userId", "is not on the radio")
	if err := s.radio.Apply(t.Context(), core.Actor{Surface: core.BySystem}, core.Register{User: 7, Facts: core.Facts{Name: "Ann", Nac: "nobody's"}}); err != nil {
		t.Fatal(err)
	}
	var e wire.Explained
	b.send("GET", "explain?userId=7&frequency=154.755&action=scan", nil).ok(&e)
	if e.Name != "Ann" || e.Action != "scan" || len(e.Rules) == 0 {
		t.Errorf("%+v", e)
	}
	b.send("GET", "explain?userId=x", nil).refused(400, "userId", "server id")
	b.send("GET", "explain?usrId=7", nil).refused(400, "usrId", "did you mean userId?")
}

// TestThereIsNoFileToReload on the built-in demo radio.
func TestThereIsNoFileToReload(t *testing.T) {
	onAir(t).logIn().send("POST", "reload", nil).refused(409, "", "--config FILE")
}
