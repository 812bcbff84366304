package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"squelch/server/admin"
	"squelch/server/audit"
	"squelch/server/config"
	"squelch/server/filelock"
	"squelch/server/store"
)

// configCommand moves what was changed at /admin from one radio to another.
func configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Changes made at /admin: export them, import them",
		Long: "What is changed at /admin (zones, alerts, tones, volumes, announcement groups,\n" +
			"codeplugs, layouts) is in the data folder, and overrides the configuration file. These\n" +
			"commands move it to another radio, or keep it in version control.",
	}
	cmd.PersistentFlags().String("data", "./data", "data `folder` of the service")
	cmd.PersistentFlags().String("config", "", "configuration `file` of the service; default: the demo radio's")
	_ = cmd.MarkPersistentFlagDirname("data")
	_ = cmd.MarkPersistentFlagFilename("config", "lua")
	cmd.AddCommand(configExport(), configImport())
	return cmd
}

func configExport() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print the sections that were changed at /admin as JSON",
		Long: "Print the sections that were changed at /admin as JSON, in the shape of\n" +
			"GET /admin/api/config (config). The service may be running.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keepPrivate()
			data, _ := cmd.Flags().GetString("data")
			values, err := store.ReadConfig(data)
			if err != nil {
				return err
			}
			editor, done, err := editorOn(cmd, admin.Stored(values))
			if err != nil {
				return err
			}
			defer done()
			parts, err := editor.Export(all)
			if err != nil {
				return err
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(parts)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "print all sections as they are in force, not only the changed ones")
	return cmd
}

func configImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Take sections that were exported, on the folder of a stopped service",
		Long: "Take the sections of a file of squelch config export (- is standard input), as if\n" +
			"they had been saved at /admin. They are checked against the configuration file. The\n" +
			"service must be stopped; while it runs, use /admin.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			keepPrivate()
			in, err := partsFile(cmd, args[0])
			if err != nil {
				return err
			}
			data, _ := cmd.Flags().GetString("data")
			if err := filelock.AsOwner(data); err != nil {
				return err
			}
			s, err := store.Open(cmd.Context(), data, store.Options{MustExist: true, AuditMaxAge: -1, AuditMaxBytes: -1, TimelineMaxAge: -1, TimelineMaxBytes: -1})
			if errors.Is(err, store.ErrLocked) {
				return fmt.Errorf("%w (systemctl stop squelch), or make the changes at /admin", err)
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			editor, done, err := editorOn(cmd, s.Config())
			if err != nil {
				return err
			}
			defer done()
			edited, err := editor.Import(cmd.Context(), in, func(edited []string) error {
				return audit.New(s.Audit(), time.Now).Append(cmd.Context(), audit.Entry{Actor: audit.Actor{Name: "command line"}, Surface: audit.Admin,
					Action: "admin.config.edit", Detail: map[string]any{"parts": edited}})
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "imported; these sections override the configuration file now: %s\n", strings.Join(edited, ", "))
			return nil
		},
	}
}

// partsFile reads a file of sections, of bounded size.
func partsFile(cmd *cobra.Command, name string) ([]byte, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, config.MaxOverlay+1))
	if err == nil && len(text) > config.MaxOverlay {
		err = fmt.Errorf("%s has more than %d bytes", name, config.MaxOverlay)
	}
	return text, err
}

// editorOn opens the live edits over the configuration file that the flags name.
func editorOn(cmd *cobra.Command, kept admin.Storage) (*admin.Editor, func(), error) {
	file, _ := cmd.Flags().GetString("config")
	loaded, err := config.Open(file)
	if err != nil {
		return nil, nil, err
	}
	editor, _, err := admin.OpenEditor(kept, loaded.Core)
	if err != nil {
		loaded.Callbacks.Close()
		return nil, nil, err
	}
	return editor, loaded.Callbacks.Close, nil
}
