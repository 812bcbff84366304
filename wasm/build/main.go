// Command build makes core.wasm and prints its size. It fails if the file is larger
// than browsers should have to load. The same source gives the same bytes wherever it
// is built.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"squelch/wasm/host"
)

// maxGzip is the largest size of core.wasm, in bytes after gzip: what a browser loads
// when a simulation starts.
const maxGzip = 1_400_000

func main() {
	out := flag.String("o", "wasm/core.wasm", "`file` to write")
	module := flag.String("C", ".", "`folder` of the module")
	cache := flag.String("cache", "", "`folder` for wazero's machine code of it")
	flag.Parse()
	err := build(*module, *out)
	if err == nil && *cache != "" {
		err = compile(*out, *cache)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "core.wasm:", err)
		os.Exit(1)
	}
}

// compile fills the cache with the machine code, so that tests need not make it: the
// race detector makes a compiler ten times slower.
func compile(path, cache string) error {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	c, err := host.Compile(context.Background(), wasm, host.Options{Cache: cache})
	if err != nil {
		return err
	}
	return c.Close(context.Background())
}

func build(module, out string) error {
	out, err := filepath.Abs(out) // -C changes what a relative path means
	if err != nil {
		return err
	}
	// -l: without inlining the packed code is a fifteenth smaller, which keeps it
	// below maxGzip. A command then costs about half as much again under wazero,
	// still well below a millisecond.
	cmd := exec.Command("go", "build", "-C", module, "-buildmode=c-shared", "-trimpath", "-buildvcs=false",
		"-gcflags=all=-l", "-ldflags=-s -w -buildid=", "-o", out, "./wasm")
	// nogreenteagc: the older garbage collector is 15 kB smaller when packed, and
	// the heap of a simulated radio is only a few megabytes.
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "GOEXPERIMENT=nogreenteagc", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(wasm); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, %d as gzip\n", out, len(wasm), packed.Len())
	if packed.Len() > maxGzip {
		return fmt.Errorf("%d bytes as gzip, the limit is %d", packed.Len(), maxGzip)
	}
	return nil
}
