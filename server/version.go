package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"squelch/core/wire"
)

// build names the program's own version; releases set it with
// -ldflags '-X main.build=1.2.3'.
var build = ""

// buildVersion is build, or what the toolchain recorded of the checkout.
func buildVersion() string {
	if build != "" {
		return build
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return "dev-" + s.Value[:12]
			}
		}
	}
	return "dev"
}

func versionLine() string {
	return fmt.Sprintf("squelch %s (interface %s, %s)", buildVersion(), wire.Version, runtime.Version())
}

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and the interface",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{
					"build": buildVersion(), "interface": wire.Version, "go": runtime.Version()})
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
