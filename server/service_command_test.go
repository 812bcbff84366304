package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	svc "github.com/kardianos/service"
)

// fakeManager is a service manager that remembers what it was asked.
type fakeManager struct {
	svc.Service
	config *svc.Config
	asked  []string
	fails  error
	state  svc.Status
}

func (m *fakeManager) note(what string) error { m.asked = append(m.asked, what); return m.fails }
func (m *fakeManager) Install() error         { return m.note("install") }
func (m *fakeManager) Uninstall() error       { return m.note("uninstall") }
func (m *fakeManager) Start() error           { return m.note("start") }
func (m *fakeManager) Stop() error            { return m.note("stop") }
func (m *fakeManager) Status() (svc.Status, error) {
	return m.state, m.note("status")
}

// desk is a machine with a fake manager.
func (m *fakeManager) desk(kind serviceKind, root bool) serviceDesk {
	return serviceDesk{kind: kind, platform: string(kind), privileged: func() bool { return root },
		open:       func(_ svc.Interface, c *svc.Config) (svc.Service, error) { m.config = c; return m, nil },
		executable: func() (string, error) { return "/opt/squelch/squelch", nil },
		packaged:   func(string) string { return "" }}
}

// runs executes a subcommand of service on a desk.
func runs(t *testing.T, d serviceDesk, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	cmd := serviceCommand(d)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestServiceInstall: what is registered has absolute paths and the flags that were given,
// for each kind of manager.
func TestServiceInstall(t *testing.T) {
	folder := t.TempDir()
	data, config := filepath.Join(folder, "data of the radio"), filepath.Join(folder, "config.lua")
	if err := errors.Join(os.Mkdir(data, 0o700), os.WriteFile(config, []byte(`Config = { zones = {} }`), 0o600)); err != nil {
		t.Fatal(err)
	}
	m := &fakeManager{}
	out, err := runs(t, m.desk(onSystemd, true), "install", "--config", config, "--data", data, "--listen", "127.0.0.1:7790", "--user", "root")
	if err != nil || !strings.Contains(out, "is installed and starts with the machine") || strings.Join(m.asked, " ") != "install" {
		t.Errorf("%v: %q, asked %v", err, out, m.asked)
	}
	unit, err := runs(t, m.desk(onSystemd, true), "install", "--config", config, "--data", data, "--user", "root", "--print")
	for _, want := range []string{"ExecStart=/opt/squelch/squelch serve --config " + config + ` --data "` + data + `"`, "User=root", "NoNewPrivileges=yes", "TimeoutStopSec=30"} {
		if err != nil || !strings.Contains(unit, want) {
			t.Errorf("the unit has no %q (%v):\n%s", want, err, unit)
		}
	}
	plist, err := runs(t, m.desk(onSystemd, false), "install", "--manager", "launchd", "--config", config, "--data", data, "--user", "radio", "--print")
	if err != nil || !strings.Contains(plist, "<string>"+data+"</string>") || xml.Unmarshal([]byte(plist), new(struct{ XMLName xml.Name })) != nil {
		t.Errorf("%v: %s", err, plist)
	}
	windows, err := runs(t, m.desk(onSystemd, false), "install", "--manager", "windows", "--data", `C:\Radio\data`, "--print")
	if err != nil || !strings.Contains(windows, localService) || !strings.Contains(windows, `C:\Radio\squelch.log`) {
		t.Errorf("%v: %s", err, windows)
	}
	if len(m.asked) != 1 {
		t.Errorf("to print was to ask %v", m.asked)
	}
	for name, args := range map[string][]string{
		"no folder":         {"install", "--data", filepath.Join(folder, "missing"), "--user", "root"},
		"no file":           {"install", "--config", filepath.Join(folder, "missing.lua"), "--data", data, "--user", "root"},
		"a wrong name":      {"install", "--data", data, "--user", "root", "--name", "two words"},
		"another manager":   {"install", "--data", data, "--manager", "windows"},
		"an unknown one":    {"install", "--data", data, "--manager", "upstart", "--print"},
		"a wrong address":   {"install", "--data", data, "--user", "root", "--listen", "here"},
		"an unknown person": {"install", "--data", data, "--user", "nobody-of-that-name"},
	} {
		var usage usageError
		if _, err := runs(t, m.desk(onSystemd, true), args...); !errors.As(err, &usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(config, []byte("Config = { zones = 5 }"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runs(t, m.desk(onSystemd, true), "install", "--config", config, "--data", data, "--user", "root"); err == nil || !strings.Contains(err.Error(), "nothing was installed") {
		t.Errorf("a file with mistakes: %v", err)
	}
	if len(m.asked) != 1 {
		t.Errorf("after refusals the manager was asked %v", m.asked)
	}
}

// TestServiceActions: each asks the manager, and its errors say what to do.
func TestServiceActions(t *testing.T) {
	for _, action := range []string{"uninstall", "start", "stop", "status"} {
		m := &fakeManager{state: svc.StatusRunning}
		if out, err := runs(t, m.desk(onWindows, true), action, "--name", "radio"); err != nil || m.config.Name != "radio" || !strings.Contains(strings.Join(m.asked, " "), action) || !strings.Contains(out, "the service radio is") {
			t.Errorf("%s: %v %q %v", action, err, out, m.asked)
		}
		m = &fakeManager{fails: svc.ErrNotInstalled}
		if _, err := runs(t, m.desk(onLaunchd, true), action); err == nil || !strings.Contains(err.Error(), "squelch service install") {
			t.Errorf("%s of what is not installed: %v", action, err)
		}
		if _, err := runs(t, (&fakeManager{}).desk("", true), action); err == nil || !strings.Contains(err.Error(), "not supported") {
			t.Errorf("%s without a manager: %v", action, err)
		}
		for kind, want := range map[serviceKind]string{onWindows: "Run as administrator", onLaunchd: "sudo"} {
			if _, err := runs(t, (&fakeManager{}).desk(kind, false), action); action != "status" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s on %s without rights: %v", action, kind, err)
			}
		}
	}
}

// TestTheManagerOfWindowsStopsCleanly: its stop is what SIGTERM is elsewhere, and the
// process does not end before the service has. A service that ends by itself is a failure,
// so that it is started again.
func TestTheManagerOfWindowsStopsCleanly(t *testing.T) {
	tidied := make(chan struct{})
	m := &managed{exit: func(int) { t.Error("a stop that was asked for counts as a failure") }, serve: func(ctx context.Context) int {
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond)
		close(tidied)
		return 0
	}}
	if err := m.Start(nil); err != nil {
		t.Fatal(err)
	}
	if err := m.Stop(nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-tidied:
	default:
		t.Error("the process ends before the service has")
	}
	code := make(chan int, 1)
	broken := &managed{exit: func(c int) { code <- c }, serve: func(context.Context) int { return exitFailed }}
	if err := broken.Start(nil); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != exitFailed {
		t.Errorf("it ended with %d", got)
	}
	for _, c := range []struct {
		goos        string
		interactive bool
		managed     bool
	}{{"windows", false, true}, {"windows", true, false}, {"linux", false, false}, {"darwin", false, false}} {
		if managedHere(c.goos, c.interactive) != c.managed {
			t.Errorf("%+v", c)
		}
	}
}

// TestAFailingStartIsInTheLogOfEvents: of a service that fails before it has a log file, the
// reason is where administrators of Windows look.
func TestAFailingStartIsInTheLogOfEvents(t *testing.T) {
	var log events
	if code := serveLogged(t.Context(), []string{"serve", "--log-level", "loud"}, &log); code == 0 || !strings.Contains(log.said, "--log-level") {
		t.Errorf("exit %d, log %q", code, log.said)
	}
	var kept tail
	for range 3 {
		_, _ = kept.Write(bytes.Repeat([]byte("é"), maxTail/2))
	}
	if _, _ = kept.Write([]byte("the end")); len(kept.text()) > maxTail || !strings.HasSuffix(kept.text(), "éthe end") {
		t.Errorf("%d bytes are kept", len(kept.text()))
	}
}

// events is a service whose log of events is kept.
type events struct {
	svc.Service
	said string
}

func (e *events) SystemLogger(chan<- error) (svc.Logger, error) { return eventLog{events: e}, nil }

type eventLog struct {
	svc.Logger
	events *events
}

func (l eventLog) Error(v ...any) error {
	l.events.said += fmt.Sprint(v...)
	return nil
}

// TestAccountsOfWindows: those without a password.
func TestAccountsOfWindows(t *testing.T) {
	for name, want := range map[string]string{"": localService, "localservice": localService, "NetworkService": `NT AUTHORITY\NetworkService`, `NT SERVICE\squelch`: `NT SERVICE\squelch`, `CORP\radio$`: `CORP\radio$`, "LOCALSYSTEM": "LocalSystem"} {
		if got, err := windowsAccount(name); err != nil || got != want {
			t.Errorf("%q: %q %v", name, got, err)
		}
	}
	if _, err := windowsAccount("Ann"); err == nil || !strings.Contains(err.Error(), "password") {
		t.Errorf("an account with a password: %v", err)
	}
}
