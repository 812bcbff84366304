package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"squelch/server/audit"
	"squelch/server/store"
)

// diskSize is small, but several times what NATS needs to begin with.
const diskSize = "32m"

// disk is a file system of its own.
type disk struct {
	t      *testing.T
	folder string
}

// ownDisk runs the test in a process with mounts of its own, so that nothing of them
// is left however it ends. It returns nil in the process that only waits.
func ownDisk(t *testing.T) *disk {
	t.Helper()
	const inChild = "SQUELCH_E2E_OWN_DISK"
	if os.Getenv(inChild) == "" {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=yes", programVariable+"="+program)
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		if os.Getuid() != 0 { // as root of a name space of its own it may mount there
			child.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
			child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "PASS: "+t.Name()) {
			t.Fatalf("%v\n%s", err, out)
		}
		return nil
	}
	d := &disk{t, t.TempDir()}
	for _, err := range []error{
		unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""),
		unix.Mount("tmpfs", d.folder, "tmpfs", 0, "mode=0700,size="+diskSize),
	} {
		if err != nil {
			t.Fatalf("a small file system cannot be mounted: %v", err)
		}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(d.folder, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *disk) data() string { return filepath.Join(d.folder, "data") }

func (d *disk) ballast() string { return filepath.Join(d.folder, "ballast") }

func (d *disk) fill() {
	d.t.Helper()
	file, err := os.Create(d.ballast())
	if err != nil {
		d.t.Fatal(err)
	}
	defer file.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		n, err := file.Write(block)
		if err != nil && !errors.Is(err, unix.ENOSPC) {
			d.t.Fatal(err)
		}
		if n < len(block) {
			block = block[:len(block)/2]
		}
	}
}

func (d *disk) empty() {
	d.t.Helper()
	if err := os.Remove(d.ballast()); err != nil {
		d.t.Fatal(err)
	}
}

// freeze puts a read-only view over the data folder: whatever is opened from now on
// cannot be written to. (The file system itself cannot be made read-only while files
// are open for writing, unless a device fails.)
func (d *disk) freeze() {
	d.t.Helper()
	for _, flags := range []uintptr{unix.MS_BIND, unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY} {
		if err := unix.Mount(d.data(), d.data(), "", flags, ""); err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d *disk) thaw() {
	d.t.Helper()
	if err := unix.Unmount(d.data(), unix.MNT_DETACH); err != nil {
		d.t.Fatal(err)
	}
}

// shift is a service at work: a dispatcher at a desk, a unit on its channel.
type shift struct {
	*service
	by         session
	desk, unit *raw
}

func begin(s *service) *shift {
	s.t.Helper()
	by := s.login("KING-1")
	var player struct{ PlayerToken string }
	s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": 7, "name": "Ann", "nacId": "PD"},
		session{AuthToken: masterToken}, http.StatusOK, &player)
	unit := s.open(map[string]any{"authToken": player.PlayerToken, "serverId": 7})
	unit.send(`421["setSpeakerChannel","154.755"]`)
	unit.wait(`431[{"success":true`)
	return &shift{s, by, s.dispatcher(-1, by), unit}
}

// health returns what the service says about itself.
func (s *service) health() (state, reason string) {
	s.t.Helper()
	var h struct{ Status, Reason string }
	s.ask(http.MethodGet, "/api/health", nil, session{}, http.StatusOK, &h)
	return h.Status, h.Reason
}

// refuses: everything that would have to be stored is refused, and none of it is in
// effect.
func (s *shift) refuses(reason string) {
	s.t.Helper()
	s.desk.well() // it is on the air
	_, before := s.remembers(s.by)
	master := session{AuthToken: masterToken}
	for _, c := range []struct {
		path string
		body any
		by   session
	}{
		{"/api/patch/create", map[string]any{"label": "never", "frequencies": []any{"154.755", "460.250"}}, s.by},
		{"/dispatch/user/set-player-callsign", map[string]any{"userId": 7, "callsign": "NEVER-1"}, s.by},
		{"/radio/dispatch/auth", map[string]any{"nacId": dispatchNac, "callsign": "NEVER-2"}, session{}},
		{"/radio/dispatch/reauth", map[string]any{"callsign": "NEVER-3"}, master},
		{"/api/player/connect", map[string]any{"serverId": 8, "name": "Never", "nacId": "PD"}, master},
		{"/api/player/connect", map[string]any{"serverId": 7, "name": "Never", "nacId": "PD"}, master},
	} {
		code, text := s.call(http.MethodPost, c.path, c.body, c.by)
		if code != http.StatusServiceUnavailable || !strings.Contains(text, "Storage unavailable: "+reason) {
			s.t.Errorf("%s: %d %s", c.path, code, text)
		}
	}
	s.desk.send(`424["setCallsign",{"callsign":"NEVER-4"}]`)
	if ack := s.desk.wait(`434[`); !strings.Contains(ack, "Storage unavailable: "+reason) {
		s.t.Errorf("setCallsign: %s", ack)
	}
	if _, after := s.remembers(s.by); after != before {
		s.t.Errorf("what was refused is in effect:\nbefore %s\nafter  %s", before, after)
	}
	if state, why := s.health(); state != "degraded" || !strings.Contains(why, reason) {
		s.t.Errorf("health is %s: %s", state, why)
	}
	if code, why := s.call(http.MethodGet, "/readyz", nil, session{}); code != http.StatusServiceUnavailable || !strings.Contains(why, "storage unavailable: "+reason) {
		s.t.Errorf("readiness is %d: %s", code, why)
	}
}

// works: an emergency is raised, heard and ended, and everybody talks.
func (s *shift) works() {
	s.t.Helper()
	s.unit.send(`421["panic",{"enabled":true}]`)
	s.unit.wait(`431[{"success":true`)
	s.desk.wait(`42["dispatchNotification",{"type":"panic"`)
	s.do("/radio/dispatch/alert/trigger", map[string]any{"frequency": "460.250", "alertType": "SIGNAL 100",
		"alertConfig": map[string]any{"name": "SIGNAL 100", "isPersistent": true}}, s.by)
	for _, line := range []string{`["setTalking",{"state":true,"frequency":"154.755"}]`, `["setTalking",false]`,
		`["addListeningChannel","460.250"]`, `["removeListeningChannel","460.250"]`} {
		s.desk.send("422" + line)
		s.desk.wait(`432[{"success":true`)
	}
	s.unit.send(`421["setTalking",true]`)
	s.unit.wait(`431[{"success":true`)
	s.desk.send(`422["setTalking",{"state":true,"frequency":"154.755","override":true}]`)
	s.desk.wait(`432[{"success":true`)
	s.desk.send(`422["setTalking",false]`)
	s.desk.wait(`432[{"success":true`)
	s.unit.send(`421["setTalking",false]`)
	s.unit.wait(`431[{"success":true`)
	s.desk.send(`422["acknowledgePanic",{"serverId":7,"frequency":"154.755"}]`)
	s.desk.wait(`432[{"success":true`)
	s.do("/radio/dispatch/alert/clear", map[string]any{"frequency": "460.250"}, s.by)
}

// recovers waits until the service has noticed that the disk is back.
func (s *shift) recovers() {
	s.t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		state, reason := s.health()
		if state == "ok" {
			return
		}
		if time.Now().After(until) {
			s.t.Fatalf("the disk is back, and health is %s: %s\n%s", state, reason, s.Stderr())
		}
	}
}

// troubles are what happens to the disk, and what the service says about it.
func (d *disk) troubles() []trouble {
	return []trouble{
		{"the disk is full", d.fill, d.empty},
		{"the file system is read-only", d.freeze, d.thaw},
	}
}

type trouble struct {
	reason     string
	begin, end func()
}

// wants are the actions that one period of trouble leaves in the audit log.
var wants = []string{"panic", "alert", "override", "panic cleared", "alert cleared"}

// TestTheDiskFailsAndComesBack: a full disk, a read-only one, the power switch,
// and all of it again.
func TestTheDiskFailsAndComesBack(t *testing.T) {
	d := ownDisk(t)
	if d == nil {
		return
	}
	data := d.data()
	s := begin(resume(t, configure(t), data))
	seen := 0
	for round := range 2 {
		for n, trouble := range d.troubles() {
			trouble.begin()
			s.refuses(trouble.reason)
			s.works()
			s.refuses(trouble.reason)
			trouble.end()
			s.recovers()
			label := fmt.Sprintf("joint %d.%d", round, n)
			s.ask(http.MethodPost, "/api/patch/create", map[string]any{"label": label, "frequencies": []any{"154.755", "460.250"}}, s.by, http.StatusCreated, nil)
			s.do("/dispatch/user/set-player-callsign", map[string]any{"userId": 7, "callsign": fmt.Sprintf("4-A-%d%d", round, n)}, s.by)
			before, told := s.remembers(s.by)
			if len(before.ActivePatches) != 1 || len(before.PanicStatus) != 0 {
				t.Errorf("after %s: %s", trouble.reason, told)
			}
			page, words := s.past("?limit=7&kind=panic,alert,override,panicCleared,alertCleared,health", s.by)
			if want := "health alertCleared panicCleared override alert panic health"; words != want || page.Entries[0].Reason != "" || page.Entries[6].Reason != trouble.reason {
				t.Errorf("after %s the timeline has %q, want %q: %+v", trouble.reason, words, want, page.Entries)
			}
			for id := range before.ActivePatches {
				s.do("/api/patch/remove", map[string]any{"id": id}, s.by)
			}
		}
		once(t, s.Stderr(), "storage unavailable: the disk is full", "storage unavailable: the file system is read-only")
		s.Kill() // SIGKILL: nothing is tidied up
		seen = audited(t, data, seen, len(d.troubles()))
		by := s.by
		next := s.again()
		if after, told := next.remembers(by); len(after.ActivePatches)+len(after.PanicStatus)+len(after.ActiveAlerts) != 0 {
			t.Errorf("after the restart: %s", told)
		}
		s = begin(next)
	}
	s.onAirWithoutADisk(d)
	s.stop()
	if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
		t.Errorf("audit: %s", report)
	}
}

// onAirWithoutADisk: nobody does anything, but health still notices; the power fails
// while the disk is full, and the service comes back.
func (s *shift) onAirWithoutADisk(d *disk) {
	s.t.Helper()
	d.fill()
	for until := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if state, reason := s.health(); state == "degraded" && strings.Contains(reason, "the disk is full") {
			break
		}
		if time.Now().After(until) {
			s.t.Fatal("nobody has noticed that the disk is full")
		}
	}
	s.Kill()
	s.service = s.again()
	if state, reason := s.health(); state != "degraded" {
		s.t.Errorf("after a start on a full disk health is %s: %s", state, reason)
	}
	s.desk = s.dispatcher(-1, s.by)
	s.desk.send(`421["panic",{"frequency":"154.755","enabled":true}]`)
	s.desk.wait(`431[{"success":true`)
	s.refuses("the disk is full")
	d.empty()
	s.recovers()
	s.Kill()
	s.service = s.again()
	if after, told := s.remembers(s.by); !after.PanicStatus["154.755"]["-1"] {
		s.t.Errorf("after the restart: %s", told)
	}
}

// once expects one line of log for the beginning and the end of each trouble.
func once(t *testing.T, log string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if n := strings.Count(log, line); n != 1 {
			t.Errorf("the log says %q %d times:\n%s", line, n, log)
		}
	}
	if n := strings.Count(log, "storage is available again"); n != len(lines) {
		t.Errorf("the log says %d times that the storage is back:\n%s", n, log)
	}
}

// audited reads the audit log of a killed service from an entry on: each period of
// trouble is there in its order, once, without anything that was refused. It returns
// where the log ends.
func audited(t *testing.T, data string, from, spells int) int {
	t.Helper()
	st, err := store.Open(t.Context(), data, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	log := audit.New(st.Audit(), time.Now)
	if _, err := log.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	entries, err := log.Read(t.Context(), uint64(from)+1, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var order []string
	for _, e := range entries {
		count[e.Action]++
		text := fmt.Sprint(e)
		if strings.Contains(strings.ToUpper(text), "NEVER") {
			t.Errorf("what was refused is audited: %s", text)
		}
		for _, want := range append(wants, "patch", "storage.failed", "storage.restored") {
			if e.Action == want {
				order = append(order, want)
			}
		}
	}
	spell := append(append([]string{"storage.failed"}, wants...), "storage.restored", "patch")
	if got, want := strings.Join(order, ", "), strings.Repeat(", "+strings.Join(spell, ", "), spells)[2:]; got != want {
		t.Errorf("audited:\n%s\nwant\n%s", got, want)
	}
	for action, n := range map[string]int{"patch removed": spells, "callsign": spells, "login": 1} {
		if count[action] != n {
			t.Errorf("%d entries of %q, want %d", count[action], action, n)
		}
	}
	return int(entries[len(entries)-1].Seq)
}
