// Package checkcmd is "squelch check": it reads a configuration as serve does
// and tells what is in it, or what is wrong with it.
package checkcmd

//go:generate go run ./gen

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"squelch/core"
	"squelch/server/config"
)

// Command is the subcommand.
func Command() *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a configuration, and tell what is in it",
		Long: "Read a configuration as serve does and tell what is in it. A mistake is told with\n" +
			"file, line and key, and the exit code is 1. Without --config it is the demo radio.\n" +
			"With --json the radio is printed as the panel's simulation takes it, without its\n" +
			"secrets: no login, no token, nobody whom permissions.cfg names.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Open(path)
			if err != nil {
				return err
			}
			defer loaded.Callbacks.Close()
			for _, w := range append(loaded.Warnings, placeholders(loaded.Server)...) {
				if _, err := fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w); err != nil {
					return err
				}
			}
			if asJSON {
				return WriteRadio(cmd.OutOrStdout(), loaded.Core)
			}
			return summary(cmd.OutOrStdout(), &loaded.Core)
		},
	}
	cmd.Flags().StringVar(&path, "config", "", "configuration `file` (config.lua; permissions.cfg is read beside it)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the radio as JSON, for a scenario of the simulation")
	return cmd
}

// placeholders warns of secrets that everybody knows. Those that the file leaves
// out will be generated.
func placeholders(s config.ServerConfig) []string {
	for _, secret := range []*string{&s.AuthToken, &s.DispatchNacID, &s.AdminPassword} {
		if *secret == "" {
			*secret = "generated"
		}
	}
	warnings, _ := config.CheckSecrets("localhost", s, true) // allowed, so never an error
	return warnings
}

// WriteRadio writes a radio as one JSON object, in the form of core.Config, for
// others to see.
func WriteRadio(w io.Writer, c core.Config) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(shareable(c))
}
