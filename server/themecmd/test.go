package themecmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"squelch/server/panel"
	"squelch/themes"
	"squelch/themes/sandbox"
)

// sandboxed is the hidden subcommand in which a theme runs.
const sandboxed = "sandboxed"

// process is the command line of the theme's process; tests have their own.
var process = func() ([]string, error) {
	program, err := os.Executable()
	return []string{program, "theme", sandboxed}, err
}

func testCommand() *cobra.Command {
	var asJSON bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "test PATH",
		Short: "Run a theme without a browser, on a simulated radio",
		Long: "Run a theme, a folder or a zip, without a browser: its script in a process of its own, on\n" +
			"a simulated radio. Its tests in " + themes.TestFile + " are run; without them, everything that can\n" +
			"happen on a radio happens once. Print what the theme did and a verdict:\n\n" +
			"  ok       nothing is wrong\n" +
			"  failed   it throws, or a test does not hold\n" +
			"  offline  it needs what browsers have and the sandbox lacks: try it in a browser\n" +
			"  time, memory, output   it needs too much of it\n\n" +
			"The exit code is 1 unless the verdict is ok. The same theme gives the same transcript\n" +
			"each time. With --json, print {verdict, why, tests, transcript, …}.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit <= 0 || limit > sandbox.MaxTime {
				return usage(cmd, "--time is %s; want more than 0, at most %s", limit, sandbox.MaxTime)
			}
			p, err := themes.Read(args[0])
			if err != nil {
				return err
			}
			command, err := process()
			if err != nil {
				return err
			}
			wait := waiting(cmd.ErrOrStderr())
			r, err := sandbox.Run(cmd.Context(), p, sandbox.Options{Process: command, Time: limit, Cache: cacheFolder(), Ready: wait.ready})
			wait.end()
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), r)
			} else {
				err = showReport(cmd.OutOrStdout(), r)
			}
			if err == nil && r.Verdict != sandbox.OK {
				err = fmt.Errorf("%s: %s", r.Verdict, line(r.Why))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().DurationVar(&limit, "time", sandbox.DefaultTime, "time `limit`")
	return cmd
}

func showReport(w io.Writer, r *sandbox.Report) error {
	entries, err := r.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		fmt.Fprintf(w, "%8.3f  %s\n", float64(e.At)/1000, line(e.String()))
	}
	passed := 0
	for _, t := range r.Tests {
		if t.OK {
			passed++
		}
	}
	if len(r.Tests) > 0 {
		fmt.Fprintf(w, "%d of %d tests pass\n", passed, len(r.Tests))
	}
	fmt.Fprintf(w, "%s (%.1f s, %d MB)\n", r.Verdict, float64(r.Took)/1000, r.Memory>>20)
	return nil
}

// sandboxedCommand is the theme's process.
func sandboxedCommand() *cobra.Command {
	return &cobra.Command{
		Use:    sandboxed,
		Short:  "The process in which \"theme test\" runs a theme",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sandbox.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), panel.Core)
		},
	}
}

// cacheFolder is where machine code is kept between runs, the same as of "squelch
// replay"; "" if there is no such folder.
func cacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "squelch", "wasm")
}

// wait shows on a terminal what one waits for.
type wait struct{ to io.Writer }

func waiting(to io.Writer) wait {
	if !terminal(to) {
		return wait{}
	}
	fmt.Fprint(to, "starting the simulated radio (some seconds the first time) …")
	return wait{to}
}

const clearLine = "\r\x1b[K"

func (w wait) ready() {
	if w.to != nil {
		fmt.Fprint(w.to, clearLine+"the theme runs …")
	}
}

func (w wait) end() {
	if w.to != nil {
		fmt.Fprint(w.to, clearLine)
	}
}
