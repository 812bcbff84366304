package e2e

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// previous is what is known of the folder that the previous release has left.
type previous struct {
	Version   string // of the program
	APIKey    string
	Password  string // of the account Ana
	SessionID string
	Token     string
	Remembers remembered
	Moments   int    // entries of the timeline
	Audit     uint64 // entries of the audit log
}

// TestAFolderOfThePreviousReleaseIsTakenOver: a radio that was killed in the middle of a
// shift is upgraded. Emergency, alert, patch and callsign, logins, keys, accounts, changes
// made at /admin, timeline and audit log are as they were, and stay so.
//
// At a release, SQUELCH_PREVIOUS=PROGRAM makes the folder anew with the program that is
// then the previous one. The login in the folder expires after a year.
func TestAFolderOfThePreviousReleaseIsTakenOver(t *testing.T) {
	t.Parallel()
	archive, notes := filepath.Join("testdata", "previous.tar.gz"), filepath.Join("testdata", "previous.json")
	if program := os.Getenv("SQUELCH_PREVIOUS"); program != "" {
		leave(t, program, archive, notes)
	}
	var before previous
	text, err := os.ReadFile(notes)
	if err != nil || json.Unmarshal(text, &before) != nil || len(before.Remembers.ActivePatches) != 1 {
		t.Fatalf("%v %s", err, text)
	}
	data := filepath.Join(t.TempDir(), "data")
	unpack(t, archive, data)
	s := resume(t, configure(t), data)
	by := session{before.SessionID, before.Token}
	for range 2 {
		after, now := s.remembers(by)
		after.Users = before.Remembers.Users // nobody is on the radio yet
		if !reflect.DeepEqual(after, before.Remembers) {
			t.Errorf("of %s: before %+v\nafter %s", before.Version, before.Remembers, now)
		}
		s.ask(http.MethodGet, "/api/status", nil, session{AuthToken: before.APIKey}, http.StatusOK, &struct{}{})
		var timeline struct{ Entries []json.RawMessage }
		s.ask(http.MethodGet, "/api/timeline?limit=500", nil, by, http.StatusOK, &timeline)
		if len(timeline.Entries) < before.Moments {
			t.Errorf("the timeline has %d entries of %d", len(timeline.Entries), before.Moments)
		}
		var config struct {
			Config struct{ Volumes map[string]int }
		}
		s.administrator().call(http.MethodGet, "config", nil, http.StatusOK, &config)
		if config.Config.Volumes["voice"] != 80 {
			t.Errorf("the edited volumes are %v", config.Config.Volumes)
		}
		var in struct{ Role string }
		s.ask(http.MethodPost, "/admin/api/login", map[string]any{"name": "Ana", "password": before.Password}, session{}, http.StatusOK, &in)
		if in.Role != "viewer" {
			t.Errorf("Ana's role is %q", in.Role)
		}
		s.stop()
		var report struct {
			OK   bool
			Last uint64
		}
		if text := s.auditVerify(); json.Unmarshal([]byte(text), &report) != nil || !report.OK || report.Last < before.Audit {
			t.Errorf("audit: %s", text)
		}
		s = s.again()
	}
	unit(s).well() // Ann is back, with her callsign
	if after, now := s.remembers(by); after.Users["7"].Callsign == nil || *after.Users["7"].Callsign != "4-A-12" {
		t.Errorf("Ann is back: %s", now)
	}
	s.stop()
}

// leave makes the folder with another program, kills it, and puts the folder into an
// archive.
func leave(t *testing.T, program, archive, notes string) {
	t.Helper()
	year := fmt.Sprintf("Config.limits = { sessionLifetime = %d }", 366*24*time.Hour/time.Millisecond)
	conf, data := configure(t, year), filepath.Join(t.TempDir(), "data")
	s := greeted(t, exec.Command(program, "serve", "--config", conf, "--data", data, "--listen", "127.0.0.1:0"), conf, data)
	by, _ := busy(s)
	admin := s.administrator()
	var shown struct{ Revision string }
	admin.call(http.MethodGet, "config", nil, http.StatusOK, &shown)
	admin.call(http.MethodPut, "config", map[string]any{"revision": shown.Revision, "config": map[string]any{
		"volumes": map[string]any{"voice": 80, "sfx": 10, "audio3d": 20, "step": 5}}}, http.StatusOK, &shown)
	var key struct{ Key string }
	admin.call(http.MethodPost, "keys", map[string]any{"name": "CAD", "scopes": []string{"read"}}, http.StatusCreated, &key)
	var ana struct{ Password string }
	admin.call(http.MethodPost, "accounts", map[string]any{"name": "Ana", "role": "viewer"}, http.StatusOK, &ana)
	var timeline struct{ Entries []json.RawMessage }
	s.ask(http.MethodGet, "/api/timeline?limit=500", nil, by, http.StatusOK, &timeline)
	var audit struct{ Last uint64 }
	admin.call(http.MethodGet, "audit/verify", nil, http.StatusOK, &audit)
	kept, _ := s.remembers(by)
	version, err := exec.Command(program, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	s.Kill()
	text, err := json.MarshalIndent(previous{Version: strings.TrimSpace(string(version)), APIKey: key.Key, Password: ana.Password, SessionID: by.SessionID, Token: by.AuthToken,
		Remembers: kept, Moments: len(timeline.Entries), Audit: audit.Last}, "", "  ")
	if err == nil {
		err = os.WriteFile(notes, append(text, '\n'), 0o600)
	}
	if err = errors.Join(err, pack(data, archive)); err != nil {
		t.Fatal(err)
	}
}

// pack puts the files of a folder into an archive.
func pack(folder, archive string) (err error) {
	f, err := os.Create(archive)
	if err != nil {
		return err
	}
	zipped, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	w := tar.NewWriter(zipped)
	defer func() { err = errors.Join(err, w.Close(), zipped.Close(), f.Close()) }()
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Typeflag: tar.TypeDir, Mode: 0o700})
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(text))}); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
}
