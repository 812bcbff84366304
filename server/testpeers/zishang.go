package testpeers

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// BuildZishang builds a peer made with github.com/zishang520/socket.io into the
// file out: "events" for tests, "relay" for the benchmark. They are a Go module of
// their own, which the go command fetches.
func BuildZishang(ctx context.Context, name, out string) error {
	folder, err := Folder()
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "-C", filepath.Join(folder, "zishang"), "build", "-o", out, "./"+name)
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the zishang520 server cannot be built (run this in the checkout, with Go): %w\n%s", err, text)
	}
	return nil
}
