package themecmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"squelch/themes"
)

func packCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pack PATH...",
		Short: "Pack themes as a marketplace, for any static web server",
		Long: "Pack themes, folders or zips, in a folder for a static web server: a zip and a picture of\n" +
			"each, and index.json, whose address operators write in Config.themes.marketplace.\n" +
			"The same themes give the same bytes. With --json, print the index.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usage(cmd, "--out is missing: the folder to write to")
			}
			var all []*themes.Package
			for _, path := range args {
				p, err := themes.Read(path)
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				for _, r := range p.Removed {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: left out: %s:%d:%d  %s: %s\n", path, line(r.File), r.Line, r.Column, line(r.What), line(r.Why))
				}
				all = append(all, p)
			}
			market, err := themes.WriteMarket(out, all)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), market)
			}
			for _, o := range market.Themes {
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %d bytes\n", o.Zip, o.Bytes)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write to")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
