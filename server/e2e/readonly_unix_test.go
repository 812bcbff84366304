//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user without rights.
const nobody = 65534

// TestAReadOnlyFolderIsToldWithItsName: the service may not write to its data folder, as
// after an install by hand. It says so, names the folder and the user, and leaves nothing.
func TestAReadOnlyFolderIsToldWithItsName(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "readonly")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	conf, data, copied := filepath.Join(folder, "config.lua"), filepath.Join(folder, "data"), filepath.Join(folder, "program")
	for _, file := range [][2]string{{program, copied}, {configure(t), conf}} { // where another user can read them
		text, err := os.ReadFile(file[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file[1], text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(data, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "serve", "--config", conf, "--data", data, "--listen", "127.0.0.1:0")
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("it ended with %v: %s", err, out)
	}
	for _, want := range []string{data, "cannot be written", "user ", "--data"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
		t.Errorf("it has left %v (%v)", left, err)
	}
}
