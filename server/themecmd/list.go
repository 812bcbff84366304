package themecmd

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"squelch/themes"
)

// listed is what "theme list --json" prints.
type listed struct {
	Themes []themes.Installed `json:"themes"`
	// Default is the theme of those who have chosen none, "": none, or that of the
	// configuration.
	Default string `json:"default"`
}

func listCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the themes of a service",
		Long: "List the themes of a service: slug, version, name, author, JS if it has a script, and\n" +
			"where it came from. The default is marked with a star.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := library(data)
			if err != nil {
				return err
			}
			all := l.List()
			if asJSON {
				return printJSON(cmd.OutOrStdout(), listed{append([]themes.Installed{}, all...), l.Default()})
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, t := range all {
				star, js, from := " ", "", t.From
				if t.Slug == l.Default() {
					star = "*"
				}
				if t.HasJS {
					js = "JS"
				}
				if t.BuiltIn {
					from = "built-in"
				}
				if t.Broken != "" {
					from = "BROKEN: " + t.Broken
				}
				fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\t%s\t%s\n", star, t.Slug, line(t.Version), line(t.Name), line(t.Author), js, line(from))
			}
			return w.Flush()
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func removeCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "remove SLUG",
		Short: "Remove a theme",
		Long:  "Remove an installed theme. Whoever uses it has the console's own look from then on.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := library(data)
			if err != nil {
				return err
			}
			was := l.Default()
			if err := l.Remove(args[0]); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "removed %s\n", args[0])
			if was == args[0] {
				fmt.Fprintln(cmd.OutOrStdout(), "it was the default: the default is none now, unless Config.themes.default of the configuration names one")
			}
			return nil
		},
	}
	dataFlag(cmd, &data)
	return cmd
}

func defaultCommand() *cobra.Command {
	var data string
	var none bool
	cmd := &cobra.Command{
		Use:   "default [SLUG]",
		Short: "Show or set the theme of those who have chosen none",
		Long: "Set the theme of those who have chosen none, or with --none that there is no such theme.\n" +
			"Without either, print it. It goes before Config.themes.default of the configuration.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if none && len(args) > 0 {
				return usage(cmd, "either a slug or --none")
			}
			l, err := library(data)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if !none && len(args) == 0 {
				if slug := l.Default(); slug != "" {
					fmt.Fprintln(out, slug)
				} else {
					fmt.Fprintln(cmd.ErrOrStderr(), "none is set here; Config.themes.default of the configuration may name one")
				}
				return nil
			}
			slug := ""
			if !none {
				slug = args[0]
				if slug == "" {
					return errors.New("the slug is empty; want one of \"squelch theme list\", or --none")
				}
			}
			if err := l.SetDefault(slug); err != nil {
				return err
			}
			if none {
				slug = "none"
			}
			fmt.Fprintf(out, "the default is %s now\n", slug)
			return nil
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&none, "none", false, "no theme")
	return cmd
}
