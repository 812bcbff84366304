// Command bench prints what the core costs natively, under wazero and in Chromium:
// how long it takes to start, to run one command of a busy day, and to run commands on
// radios of several sizes. The machine may be busy, so compare the ratios.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"squelch/wasm/host"
	"squelch/wasm/parity"
)

// commands is how many commands are timed. Under wazero and in Chromium a run of a
// tenth as many comes first, to warm up.
const commands = 5000

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := parity.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "squelch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := parity.Build(ctx, root, dir)
	if err != nil {
		return err
	}
	story, err := parity.Traffic(1, commands)
	if err != nil {
		return err
	}
	warm, err := parity.Traffic(1, commands/10)
	if err != nil {
		return err
	}
	story.Plain()
	warm.Plain()
	native, err := timed(func() error { _, err := parity.Native(story); return err })
	if err != nil {
		return err
	}
	fmt.Printf("%-10s start %10s  command %8.1f µs\n", "native", "-", perCommand(native, story))
	if err := wazero(ctx, path, dir, warm, story, native); err != nil {
		return err
	}
	sized, err := timeSizes(ctx, path, dir+"/fresh")
	if err != nil {
		return err
	}
	runs := []parity.Run{warm, story}
	for _, m := range sized {
		runs = append(runs, m.run)
	}
	seen, err := parity.Chromium(ctx, path, runs)
	if err != nil {
		return err
	}
	fmt.Printf("\n%-10s start %7.0f ms  command %8.1f µs  %5.1f times native (Worker messages included)\n\n", "Chromium", seen[1].Start,
		seen[1].Command, seen[1].Command/perCommand(native, story))
	for i, m := range sized {
		m.print("Chromium", 2*seen[2+i].Command)
	}
	return nil
}

func wazero(ctx context.Context, path, dir string, warm, story parity.Run, native time.Duration) error {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, name := range []string{"compiled", "from cache"} {
		var c *host.Core
		start, err := timed(func() (err error) {
			c, err = host.Compile(ctx, wasm, host.Options{Cache: dir + "/fresh"})
			return err
		})
		if err != nil {
			return err
		}
		open, err := timed(func() error {
			i, err := c.Open(ctx)
			if err != nil {
				return err
			}
			return i.Close(ctx)
		})
		if err != nil {
			return err
		}
		fmt.Printf("%-10s start %7d ms  (%s; an instance %d ms)\n", "wazero", start.Milliseconds(), name, open.Milliseconds())
		if name == "from cache" {
			if _, err := parity.Wazero(ctx, c, []parity.Run{warm}); err != nil {
				return err
			}
			spent, err := timed(func() error { _, err := parity.Wazero(ctx, c, []parity.Run{story}); return err })
			if err != nil {
				return err
			}
			fmt.Printf("%-10s %16s  command %8.1f µs  %5.1f times native\n", "wazero", "", perCommand(spent, story), spent.Seconds()/native.Seconds())
		}
		if err := c.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}

func timed(f func() error) (time.Duration, error) {
	begin := time.Now()
	err := f()
	return time.Since(begin), err
}

func perCommand(d time.Duration, r parity.Run) float64 {
	return float64(d.Nanoseconds()) / 1000 / float64(len(r.Calls))
}
