package e2e

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// A folder that the last program with format 1 was using when it was killed:
// everything that was acknowledged is there, and the radio comes back as it was.
func TestAFolderOfFormat1IsTakenOver(t *testing.T) {
	t.Parallel()
	var told struct{ AuthToken, APIKey, Remembers string }
	text, err := os.ReadFile(filepath.Join("testdata", "format1.json"))
	if err != nil || json.Unmarshal(text, &told) != nil {
		t.Fatalf("%v %s", err, text)
	}
	var before remembered
	if err := json.Unmarshal([]byte(told.Remembers), &before); err != nil || len(before.ActivePatches) != 1 {
		t.Fatalf("%v %s", err, told.Remembers)
	}
	data := filepath.Join(t.TempDir(), "data")
	unpack(t, filepath.Join("..", "store", "testdata", "format1-killed.tar.gz"), data)
	s := resume(t, configure(t, "Config.authToken = nil"), data)
	by := s.login("KING-1")
	for range 2 {
		after, now := s.remembers(by)
		if !reflect.DeepEqual(after.PanicStatus, before.PanicStatus) || !reflect.DeepEqual(after.ActiveAlerts, before.ActiveAlerts) ||
			!reflect.DeepEqual(after.ActivePatches, before.ActivePatches) {
			t.Errorf("before %s\nafter  %s", told.Remembers, now)
		}
		s.ask(http.MethodGet, "/api/status", nil, session{AuthToken: told.APIKey}, http.StatusOK, nil)
		s.ask(http.MethodPost, "/api/player/connect", map[string]any{"serverId": 7, "name": "Ann", "nacId": "PD"},
			session{AuthToken: told.AuthToken}, http.StatusOK, nil)
		var config struct {
			Config struct{ Volumes map[string]int }
		}
		s.administrator().call(http.MethodGet, "config", nil, http.StatusOK, &config)
		if config.Config.Volumes["voice"] != 80 {
			t.Errorf("the edited volumes are %v", config.Config.Volumes)
		}
		s.stop()
		s = s.again() // now of the present format
		by = s.login("KING-1")
	}
	s.stop()
	s.auditVerify()
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	file, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, filepath.FromSlash(head.Name))
		if head.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else {
			var data []byte
			data, err = io.ReadAll(archive)
			err = errors.Join(err, os.WriteFile(path, data, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
