package themecmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"squelch/themes"
)

// checked is what "theme check --json" prints: the review with the hints, or why there
// is none.
type checked struct {
	*themes.Review
	Names []hint `json:"names"`
	Error string `json:"error,omitempty"`
}

func checkCommand() *cobra.Command {
	var asJSON, source bool
	cmd := &cobra.Command{
		Use:   "check PATH",
		Short: "Check a theme and show the review of its installation",
		Long: "Read a theme, a folder or a zip, as an installation does, and print its review: its files,\n" +
			"what is removed from its stylesheets and why, the SHA-256 of its script. Names of\n" +
			"variables and parts that the console does not have are listed with the nearest one.\n" +
			"A theme that cannot be installed is told why, and the exit code is 1. With --json, print\n" +
			"the review, or {error}.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			p, err := themes.Read(args[0])
			if err == nil {
				err = taken(p)
			}
			if err != nil {
				if asJSON {
					if printed := printJSON(out, checked{Names: []hint{}, Error: err.Error()}); printed != nil {
						return printed
					}
				}
				return err
			}
			review, names := p.Review(nil), hintsOf(p)
			if asJSON {
				return printJSON(out, checked{Review: &review, Names: names})
			}
			showReview(out, review)
			for _, h := range names {
				fmt.Fprintf(out, "hint      %s\n", h)
			}
			if source && review.HasJS {
				showSource(out, review.JS, review.Script)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&source, "source", false, "print the script too")
	return cmd
}

// taken refuses the slug of a built-in theme.
func taken(p *themes.Package) error {
	all, err := themes.BuiltIn()
	if err != nil {
		return err
	}
	for _, b := range all {
		if b.Manifest.Slug == p.Manifest.Slug {
			return fmt.Errorf("%s: slug %q is that of the built-in theme %s, which cannot be replaced; choose another one", themes.ManifestFile, b.Manifest.Slug, b.Manifest.Name)
		}
	}
	return nil
}
