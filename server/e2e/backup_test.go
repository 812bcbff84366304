package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// command runs the program and expects success.
func command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("squelch %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// refusal runs the program and expects that it fails.
func refusal(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err == nil {
		t.Fatalf("squelch %s: %s", strings.Join(args, " "), out)
	}
	return string(out)
}

// TestBackedUpOnTheAir: a radio in the middle of a shift is backed up, its machine is lost,
// and another one goes on from the backup: emergency, alert, patch, callsign and login are
// there, and the audit log is whole.
func TestBackedUpOnTheAir(t *testing.T) {
	t.Parallel()
	s := start(t)
	by, unit := busy(s)
	before, told := s.remembers(by)
	file := filepath.Join(t.TempDir(), "radio.tar.gz")
	done := make(chan struct{})
	go func() { // the shift goes on
		defer close(done)
		for range 50 {
			unit.send(`423["setSpeakerChannel","460.25"]`)
			unit.send(`424["setSpeakerChannel","154.755"]`)
		}
	}()
	if said := command(t, "backup", "--data", s.data, "--config", s.conf, "--out", file); !strings.Contains(said, "checked") || !strings.Contains(said, "secrets") {
		t.Errorf("the command says %q", said)
	}
	<-done
	if said := refusal(t, "backup", "--data", s.data, "--out", filepath.Join(s.data, "inside.tar.gz")); !strings.Contains(said, "--out") {
		t.Errorf("inside of the data folder: %s", said)
	}
	s.do("/radio/dispatch/alert/clear", map[string]any{"frequency": "460.25"}, by) // after the backup
	s.Kill()

	command(t, "restore", file, "--check")
	data, conf := t.TempDir(), t.TempDir()
	if said := command(t, "restore", file, "--data", data, "--config", conf); !strings.Contains(said, "restored to "+data) {
		t.Errorf("the command says %q", said)
	}
	if said := refusal(t, "restore", file, "--data", data); !strings.Contains(said, "is a data folder already") {
		t.Errorf("over a data folder: %s", said)
	}
	s = resume(t, filepath.Join(conf, "config.lua"), data)
	after, now := s.remembers(by) // the login is good there too
	after.Users = before.Users    // nobody is on the radio yet
	if !reflect.DeepEqual(after, before) {
		t.Errorf("before %s\nafter  %s", told, now)
	}
	s.stop()
	if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
		t.Errorf("audit: %s", report)
	}
}

// TestChangesMoveToAnotherRadio: what was changed at /admin is exported while the radio is
// on the air, and another radio takes it, if it fits its file.
func TestChangesMoveToAnotherRadio(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.administrator()
	var shown struct{ Revision string }
	admin.call(http.MethodGet, "config", nil, http.StatusOK, &shown)
	admin.call(http.MethodPut, "config", map[string]any{"revision": shown.Revision, "config": map[string]any{
		"volumes": map[string]any{"voice": 80, "sfx": 10, "audio3d": 20, "step": 5}}}, http.StatusOK, &shown)
	exported := filepath.Join(t.TempDir(), "changes.json")
	text := command(t, "config", "export", "--data", s.data, "--config", s.conf)
	if err := os.WriteFile(exported, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var parts map[string]any
	if err := json.Unmarshal([]byte(text), &parts); err != nil || len(parts) != 1 || parts["volumes"] == nil {
		t.Errorf("exported (%v): %s", err, text)
	}
	if all := command(t, "config", "export", "--all", "--data", s.data, "--config", s.conf); !strings.Contains(all, `"zones"`) || !strings.Contains(all, `"voice": 80`) {
		t.Errorf("everything: %s", all)
	}
	if said := refusal(t, "config", "import", exported, "--data", s.data, "--config", s.conf); !strings.Contains(said, "/admin") {
		t.Errorf("while the service runs: %s", said)
	}
	s.stop()

	other := start(t)
	other.stop()
	if said := command(t, "config", "import", exported, "--data", other.data, "--config", other.conf); !strings.Contains(said, "volumes") {
		t.Errorf("the command says %q", said)
	}
	for wrong, want := range map[string]string{
		`{"volumes":{"voice":800,"sfx":10,"audio3d":20,"step":5}}`:                   "volumes.voice",
		`{"announcementGroups":[{"id":"a","name":"All","frequencies":["999.125"]}]}`: "999.125",
		`{"volume":{}}`: "volume", `{}`: "at least one part", `not JSON`: "JSON",
	} {
		bad := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(bad, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := refusal(t, "config", "import", bad, "--data", other.data, "--config", other.conf); !strings.Contains(said, want) {
			t.Errorf("%s: %s", wrong, said)
		}
	}
	other = other.again()
	var config struct {
		Config struct{ Volumes map[string]int }
		Edited []string
	}
	other.administrator().call(http.MethodGet, "config", nil, http.StatusOK, &config)
	if config.Config.Volumes["voice"] != 80 || !reflect.DeepEqual(config.Edited, []string{"volumes"}) {
		t.Errorf("the other radio has %+v", config)
	}
	other.stop()
}
