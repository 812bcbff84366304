package parity

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSameSourceSameBytes builds core.wasm in two folders.
func TestSameSourceSameBytes(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "another", "folder")
	for _, part := range []string{"core", "wasm"} {
		if err := os.CopyFS(filepath.Join(elsewhere, part), os.DirFS(filepath.Join(root, part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(elsewhere, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var builds [][]byte
	for _, folder := range []string{root, elsewhere} {
		path, err := Build(t.Context(), folder, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		builds = append(builds, b)
	}
	if len(builds[0]) < 1<<20 || !bytes.Equal(builds[0], builds[1]) {
		t.Fatalf("%d bytes here and %d bytes there are not the same, or too few", len(builds[0]), len(builds[1]))
	}
}

// TestNothingHeavyIsBuiltIn: packages that a radio does not need are not in the file
// that a browser loads.
func TestNothingHeavyIsBuiltIn(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "squelch/wasm")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "squelch/core/wire") {
		t.Fatal("the wire is not built in")
	}
	for _, heavy := range []string{"net", "net/http", "os/exec", "text/template", "log", "squelch/core/scenario"} {
		if slices.Contains(deps, heavy) {
			t.Errorf("%s is built into core.wasm", heavy)
		}
	}
}
