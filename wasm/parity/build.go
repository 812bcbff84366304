package parity

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Root is the folder of the module, found from the working directory.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// Build makes core.wasm from the source in root, in the folder dir, as "just wasm"
// does. It returns the path of the file.
func Build(ctx context.Context, root, dir string) (string, error) { return build(ctx, root, dir) }

// Cache is the folder below dir in which BuildCompiled keeps machine code. If dir is
// the user's cache folder, "squelch replay" looks there.
func Cache(dir string) string { return filepath.Join(dir, "squelch", "wasm") }

// BuildCompiled is Build, and also fills Cache(dir) with wazero's machine code. Another
// process makes it, because the race detector makes a compiler ten times slower.
func BuildCompiled(ctx context.Context, root, dir string) (string, error) {
	return build(ctx, root, dir, "-cache", Cache(dir))
}

func build(ctx context.Context, root, dir string, more ...string) (string, error) {
	path := filepath.Join(dir, "core.wasm")
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "./wasm/build", "-C", root, "-o", path}, more...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("core.wasm is not built: %w\n%s", err, out)
	}
	_, err := os.Stat(path)
	return path, err
}
