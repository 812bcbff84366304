package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// remembered is the part of the status that outlives the process.
type remembered struct {
	PanicStatus   map[string]map[string]bool `json:"panicStatus"`
	ActiveAlerts  map[string]map[string]any  `json:"activeAlerts"`
	ActivePatches map[string]map[string]any  `json:"activePatches"`
	Users         map[string]struct {
		Callsign *string `json:"callsign"`
		NacID    *string `json:"nacId"`
		Name     string  `json:"name"`
	} `json:"users"`
}

func (s *service) remembers(by session) (r remembered, text string) {
	s.t.Helper()
	s.ask(http.MethodGet, "/radio/dispatch/status", nil, by, http.StatusOK, &r)
	b, err := json.Marshal(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return r, string(b)
}

// unit is Ann's radio, on the air.
func unit(s *service) *raw {
	s.t.Helper()
	var player struct{ PlayerToken string }
	s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": 7, "name": "Ann", "nacId": "PD"},
		session{AuthToken: masterToken}, http.StatusOK, &player)
	return s.open(map[string]any{"authToken": player.PlayerToken, "serverId": 7})
}

// busy makes everything that has to survive.
func busy(s *service) (session, *raw) {
	s.t.Helper()
	by := s.login("KING-1")
	unit := unit(s)
	unit.send(`421["setSpeakerChannel","154.755"]`)
	unit.wait(`431[{"success":true`)
	unit.send(`422["panic",{"enabled":true}]`)
	unit.wait(`432[{"success":true`)
	s.do("/radio/dispatch/alert/trigger", map[string]any{"frequency": "460.250", "alertType": "SIGNAL 100",
		"alertConfig": map[string]any{"name": "SIGNAL 100", "color": "#d01c1c", "isPersistent": true, "extra": "kept"}}, by)
	s.ask(http.MethodPost, "/api/patch/create", map[string]any{"label": "joint", "frequencies": []any{"154.755", 460.25}}, by, http.StatusCreated, nil)
	s.do("/dispatch/user/set-player-callsign", map[string]any{"userId": 7, "callsign": "4-A-12"}, by)
	return by, unit
}

func TestKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	by, _ := busy(s)
	before, told := s.remembers(by)
	if len(before.PanicStatus) != 1 || len(before.ActiveAlerts) != 1 || len(before.ActivePatches) != 1 || *before.Users["7"].Callsign != "4-A-12" {
		t.Fatalf("before: %s", told)
	}
	s.Kill() // SIGKILL: nothing is tidied up
	s = s.again()
	after, now := s.remembers(by) // the session lives on
	users := after.Users
	after.Users = before.Users
	if b, err := json.Marshal(after); err != nil || string(b) != told || len(users) != 0 { // nobody is on the radio yet
		t.Errorf("before %s\nafter  %s", told, now)
	}
	unit(s).well()
	if _, now = s.remembers(by); now != told {
		t.Errorf("before %s\nafter  %s", told, now)
	}
	s.do("/radio/dispatch/alert/clear", map[string]any{"frequency": "460.25"}, by)
	s.Kill()
	s = s.again()
	if after, now = s.remembers(by); len(after.ActiveAlerts) != 0 {
		t.Errorf("a cleared alert came back: %s", now)
	}
	s.stop()
	report := s.auditVerify()
	if !strings.Contains(report, `"ok":true`) {
		t.Errorf("audit: %s", report)
	}
	// login, panic, alert, patch, callsign and the clear were acknowledged.
	var counted struct{ First, Last int }
	if err := json.Unmarshal([]byte(report), &counted); err != nil || counted.Last-counted.First < 5 {
		t.Errorf("audit: %s", report)
	}
}

// A crash in the middle of many changes loses none that was acknowledged.
func TestKilledInTheMiddleOfMany(t *testing.T) {
	t.Parallel()
	s := start(t)
	by := s.login("KING-1")
	desk := s.dispatcher(-1, by)
	const changes = 60
	for range changes {
		desk.send(`421["panic",{"frequency":"154.755","enabled":true}]`)
		desk.send(`422["panic",{"frequency":"154.755","enabled":false}]`)
	}
	desk.send(`423["panic",{"frequency":"460.25","enabled":true}]`)
	desk.wait(`433[{"success":true`)
	s.Kill()
	s = s.again()
	if after, text := s.remembers(by); !after.PanicStatus["460.25"]["-1"] || len(after.PanicStatus) != 1 {
		t.Errorf("panic: %s", text)
	}
	s.stop()
	if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
		t.Errorf("audit: %s", report)
	}
}

func TestStoppedByTheSystem(t *testing.T) {
	t.Parallel()
	s := start(t)
	by, unit := busy(s)
	desk := s.dispatcher(-1, by)
	s.stop()
	for _, r := range []*raw{unit, desk} {
		r.drain() // it ends: the client noticed
	}
	s = s.again()
	desk = s.dispatcher(-1, by) // the session is resumed
	desk.well()
	if after, text := s.remembers(by); !after.PanicStatus["154.755"]["7"] {
		t.Errorf("panic: %s", text)
	}
	s.stop()
	if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
		t.Errorf("audit: %s", report)
	}
}

// fails starts the program in a situation in which it must not start.
func fails(t *testing.T, conf, data, because string, flags ...string) {
	t.Helper()
	cmd := serve(conf, data, flags...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); !exited || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), because) {
		t.Errorf("exit %v, want 1 because of %q: %s", err, because, out)
	}
}

func TestTwoProcessesNeverShareAFolder(t *testing.T) {
	t.Parallel()
	s := start(t)
	fails(t, s.conf, s.data, s.data)
	s.websocket("").wait("0{")
	s.Kill()
	s.again().stop() // the lock of a dead process keeps nobody out
}

func TestADamagedFolderIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	busy(s)
	s.stop()
	var segments []string
	if err := filepath.WalkDir(filepath.Join(s.data, "store"), func(path string, e os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".blk" {
			segments = append(segments, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for _, path := range segments {
		b, err := os.ReadFile(path)
		if err != nil || len(b) < 64 || damaged > 0 {
			continue // one file is enough
		}
		b[len(b)/2] ^= 0x40
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		damaged++
		fails(t, s.conf, s.data, s.data)
		if after, err := os.ReadFile(path); err != nil || string(after) != string(b) {
			t.Errorf("%s was changed: %v", path, err)
		}
		b[len(b)/2] ^= 0x40
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if damaged == 0 {
		t.Errorf("nothing to damage in %q", segments)
	}
	s.again().stop() // repaired
}

func TestAForeignFolderIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, s.conf, foreign, foreign)
	if files, err := os.ReadDir(foreign); err != nil || len(files) != 1 {
		t.Errorf("the foreign folder holds %v, %v", files, err)
	}
}
