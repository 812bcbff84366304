package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"squelch/server/backup"
	"squelch/server/config"
	"squelch/server/filelock"
)

// recordingsFolder is the folder of a data folder that can be left out of a backup.
const recordingsFolder = "recordings"

func backupCommand() *cobra.Command {
	var data, configFile, out string
	var without, asJSON bool
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Put a data folder into one file, while the service runs",
		Long: "Put everything that a radio remembers into one file: state, timeline, audit log,\n" +
			"sessions, API keys, accounts, changes made at /admin, recordings and themes. The\n" +
			"service may be running. What was stored before the command began is in the file, and is\n" +
			"checked record by record; the file is read again before the command says that it is\n" +
			"done. With --config, config.lua and permissions.cfg are in it too.\n\n" +
			"The file holds secrets: keep it as you keep passwords. squelch restore makes a data\n" +
			"folder of it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keepPrivate()
			now := time.Now()
			if out == "" {
				out = "squelch-" + now.Format("2006-01-02-150405") + ".tar.gz"
			}
			o := backup.Options{Data: data, Out: out, Program: buildVersion()}
			if err := notInside(out, data); err != nil {
				return usageError{err}
			}
			if configFile != "" {
				if _, err := os.Stat(configFile); err != nil {
					return usageError{fmt.Errorf("--config: %w", err)}
				}
				o.Config = []string{configFile, filepath.Join(filepath.Dir(configFile), "permissions.cfg")}
				elsewhere(cmd.ErrOrStderr(), configFile, data)
			}
			if without {
				o.Without = append(o.Without, recordingsFolder)
			}
			size, err := backup.Size(o)
			if err != nil {
				return err
			}
			bar := bytesBar(cmd.ErrOrStderr(), "backing up", size, asJSON)
			o.Step = bar.step
			made, err := backup.Create(cmd.Context(), o)
			bar.end()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
					File string `json:"file"`
					backup.Contents
				}{out, made})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d files, %s, checked. It holds secrets: keep it as you keep passwords\n", out, made.Files, megabytes(made.Bytes))
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&data, "data", "./data", "data `folder` of the service")
	fl.StringVar(&configFile, "config", "", "also put this configuration `file` in, and permissions.cfg beside it")
	fl.StringVar(&out, "out", "", "the `file` to make; default: squelch-DATE-TIME.tar.gz in this folder")
	fl.BoolVar(&without, "without-recordings", false, "leave recordings out")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.MarkFlagDirname("data")
	_ = cmd.MarkFlagFilename("config", "lua")
	return cmd
}

func restoreCommand() *cobra.Command {
	var data, configFolder string
	var check, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a data folder from a backup",
		Long: "Make a data folder from a file of squelch backup. The folder must be empty or missing.\n" +
			"Every file is checked; if one is not as it was, nothing is left behind. Then start the\n" +
			"service on it.\n\n" +
			"Logins and API keys are as they were at the time of the backup: revoke again what was\n" +
			"revoked since.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			keepPrivate()
			f, err := os.Open(args[0]) // before this process becomes another user
			if err != nil {
				return err
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				return err
			}
			bar := bytesBar(cmd.ErrOrStderr(), "reading", info.Size(), asJSON)
			from := io.TeeReader(f, bar)
			var c backup.Contents
			if check {
				c, err = backup.CheckFrom(cmd.Context(), from)
			} else {
				if _, err := os.Stat(data); err != nil && os.Geteuid() == 0 {
					return fmt.Errorf("--data: root makes no folder that only root could read: make it for the account of the service first (install -d -o squelch -g squelch -m 700 %s)", data)
				}
				if err := filelock.AsOwner(data); err != nil {
					return err
				}
				c, err = backup.Restore(cmd.Context(), from, data, configFolder)
			}
			bar.end()
			if err != nil {
				return err
			}
			return told(cmd.OutOrStdout(), asJSON, c, args[0], data, configFolder, check)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&data, "data", "./data", "data `folder` to make")
	fl.StringVar(&configFolder, "config", "", "`folder` for config.lua and permissions.cfg of the backup; default: they stay in it")
	fl.BoolVar(&check, "check", false, "only check the file")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.MarkFlagDirname("data")
	_ = cmd.MarkFlagDirname("config")
	return cmd
}

// told prints what a restore has done.
func told(out io.Writer, asJSON bool, c backup.Contents, file, data, configFolder string, check bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(c)
	}
	fmt.Fprintf(out, "%s is whole: made %s by Squelch %s, %d files, %s\n", file, c.Made.Local().Format(time.DateTime), c.Program, c.Files, megabytes(c.Bytes))
	if check {
		return nil
	}
	fmt.Fprintf(out, "restored to %s\n", data)
	switch {
	case len(c.Config) > 0 && configFolder == "":
		fmt.Fprintf(out, "%s stayed in the backup: --config FOLDER restores it\n", strings.Join(c.Config, " and "))
	case len(c.Config) > 0:
		fmt.Fprintf(out, "%s restored to %s\n", strings.Join(c.Config, " and "), configFolder)
	}
	return nil
}

// notInside refuses a backup inside of the folder that it is of.
func notInside(out, data string) error {
	folder, err := really(filepath.Dir(out))
	if err != nil {
		return err
	}
	absOut := filepath.Join(folder, filepath.Base(out))
	absData, err := really(data)
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(absData, absOut); err == nil && filepath.IsLocal(inside) {
		return fmt.Errorf("--out: %s is inside of the data folder; choose a place outside of it, best on another disk", out)
	}
	return nil
}

// really is where a path leads, links followed as far as there are any.
func really(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if led, err := filepath.EvalSymlinks(path); err == nil {
		return led, nil
	}
	return path, nil // there is none: what opens it says so
}

// elsewhere says if recordings are not in the data folder.
func elsewhere(errs io.Writer, configFile, data string) {
	l, err := config.Load(configFile)
	if err != nil {
		fmt.Fprintf(errs, "warning: %s has mistakes, which squelch check lists; it is put in as it is\n", configFile)
		return
	}
	defer l.Callbacks.Close()
	folder := l.Server.Recording.Folder
	absolute, _ := filepath.Abs(filepath.Join(data, recordingsFolder))
	if l.Server.Recording.On && folder != "" && folder != absolute {
		fmt.Fprintf(errs, "warning: recordings are in %s, outside of the data folder, and not in the backup\n", folder)
	}
}

// byteBar shows how far a long work is: a bar on a terminal, nothing elsewhere.
type byteBar struct{ bar *progressbar.ProgressBar }

func bytesBar(errs io.Writer, what string, of int64, quiet bool) *byteBar {
	f, file := errs.(*os.File)
	if quiet || !file || !term.IsTerminal(int(f.Fd())) {
		return &byteBar{}
	}
	return &byteBar{progressbar.NewOptions64(of, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())}
}

func (b *byteBar) step(n int64) {
	if b.bar != nil {
		_ = b.bar.Add64(n)
	}
}

// Write counts what goes through.
func (b *byteBar) Write(p []byte) (int, error) {
	b.step(int64(len(p)))
	return len(p), nil
}

func (b *byteBar) end() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}

// megabytes is a size as a person reads it.
func megabytes(n int64) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
